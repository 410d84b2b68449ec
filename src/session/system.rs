//! Signs of life: what tells, also after a crash, when no server could write.

use std::convert::Infallible;

use tokio::sync::Mutex;

use super::{Outcome, Session, SessionError, damaged_log};
use crate::{
    game::{OUTAGES_KEPT, Outages, SystemRecord, Time},
    store::{AppendError, Entry, Subject},
};

/// Time between signs of life, in milliseconds.
const PERIOD: i64 = 5_000;

/// The newest entry of the system's log; none before the first.
pub(super) type Newest = Mutex<Option<SystemRecord>>;

impl Session {
    /// Reads what outages there have been, and gives a sign of life, so that the time in which no
    /// server ran is one of them. Comes before the first call.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn resume(&self) -> Outcome<()> {
        let mut newest = self.shared.newest_sign.lock().await;
        *newest = self.read_sign(None).await?;
        let (mut outages, mut entry) = (Vec::new(), *newest);
        while let Some(sign) = entry.filter(|sign| sign.time.0 + OUTAGES_KEPT >= self.now().0) {
            outages.extend(sign.outage_from.map(|from| (from, sign.time)));
            entry = match sign.outage_before {
                0 => None,
                seq => self.read_sign(Some(seq)).await?,
            };
        }
        outages.reverse();
        *self.shared.outages_mut() = Outages::new(outages, newest.map(|sign| sign.time));
        drop(newest);
        self.sign().await
    }

    /// When the newest sign of life was given.
    pub fn alive(&self) -> Option<Time> {
        self.shared.outages().alive()
    }

    /// Gives signs of life for as long as it is polled.
    pub(super) async fn sign_for_ever(&self) -> Infallible {
        let mut begun = self.alive().unwrap_or_else(|| self.now());
        loop {
            // From one begin to the next: a slow store doesn't make them rarer.
            let next = Time(begun.0 + PERIOD);
            while self.now() < next {
                self.shared.clock.sleep_until(next).await;
            }
            begun = self.now();
            if let Err(error) = self.sign().await {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "no sign of life could be written"
                );
            }
        }
    }

    /// Gives a sign of life.
    async fn sign(&self) -> Outcome<()> {
        let mut newest = self.shared.newest_sign.lock().await;
        self.sign_next(&mut newest).await
    }

    /// Sees to it that a sign of life was given at this moment or later.
    pub(super) async fn sign_after(&self, time: Option<Time>) -> Outcome<()> {
        let mut newest = self.shared.newest_sign.lock().await;
        if newest.map(|sign| sign.time) < time {
            self.sign_next(&mut newest).await?;
        }
        Ok(())
    }

    async fn sign_next(&self, newest: &mut Option<SystemRecord>) -> Outcome<()> {
        let sign = SystemRecord::next(*newest, self.now(), &self.shared.outages());
        match self
            .shared
            .store
            .append(Subject::System, Entry::System(sign))
            .await
        {
            Ok(()) => {
                self.shared.outages_mut().follow(&sign);
                *newest = Some(sign);
                Ok(())
            }
            Err(AppendError::Conflict { .. }) => {
                self.catch_up(newest).await?;
                Err(SessionError::Contended)
            }
            Err(AppendError::Store(error)) => {
                // It may be there or not. If that can't be read either, the next one conflicts.
                let _ = self.catch_up(newest).await;
                Err(error.into())
            }
        }
    }

    /// Follows the log to its end, so that no outage that it tells of is written a second time.
    async fn catch_up(&self, newest: &mut Option<SystemRecord>) -> Outcome<()> {
        loop {
            let seq = newest.map_or(0, |newest| newest.seq);
            let Some(next) = self.read_sign(Some(seq + 1)).await? else {
                return Ok(());
            };
            self.shared.outages_mut().follow(&next);
            *newest = Some(next);
        }
    }

    /// The entry of the system's log with this seq, or the newest.
    async fn read_sign(&self, seq: Option<u64>) -> Outcome<Option<SystemRecord>> {
        let entry = match seq {
            Some(seq) => {
                let read = self.shared.store.read(Subject::System, seq - 1, 1);
                read.await?.pop()
            }
            None => self.shared.store.last(Subject::System).await?,
        };
        match entry {
            None => Ok(None),
            Some(Entry::System(sign)) => Ok(Some(sign)),
            Some(Entry::Game(_) | Entry::Player(_) | Entry::Audit(_)) => {
                Err(damaged_log("no sign of life in the system's log"))
            }
        }
    }
}
