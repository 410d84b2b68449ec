//! What happens by time alone: clocks that run out, seats that nobody takes.

use std::{
    collections::{BTreeSet, HashMap},
    convert::Infallible,
    future,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use tokio::sync::Notify;

use super::{Outcome, Session, SessionError, room::Room, shared::Slot};
use crate::game::{GameId, Moment, Record, Summary, Time};

/// Games that are looked at, at the same time, when their time has come.
const AT_ONCE: usize = 256;

/// Unfinished games that are read at once when the server starts.
const PAGE: u32 = 256;

/// What is due by time, and could not be read or written, is tried again so many milliseconds later.
const AGAIN: i64 = 1_000;

/// When each unfinished game is to be looked at.
#[derive(Debug, Default)]
pub(super) struct Timers {
    queue: Mutex<Queue>,
    /// Told when a game comes first in the queue.
    earlier: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    by_time: BTreeSet<(Time, GameId)>,
    by_game: HashMap<GameId, Time>,
}

impl Timers {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a game looked at at this time instead of any before; or never.
    fn set(&self, id: GameId, time: Option<Time>) {
        self.set_in(&mut self.queue(), id, time);
    }

    /// Has a game looked at at this time, if at none before: what that was of may be newer.
    fn set_if_none(&self, id: GameId, time: Time) {
        let mut queue = self.queue();
        if !queue.by_game.contains_key(&id) {
            self.set_in(&mut queue, id, Some(time));
        }
    }

    fn set_in(&self, queue: &mut Queue, id: GameId, time: Option<Time>) {
        let before = match time {
            Some(time) => queue.by_game.insert(id, time),
            None => queue.by_game.remove(&id),
        };
        if let Some(before) = before {
            queue.by_time.remove(&(before, id));
        }
        if let Some(time) = time {
            queue.by_time.insert((time, id));
            if queue.by_time.first() == Some(&(time, id)) {
                self.earlier.notify_one();
            }
        }
    }

    fn first(&self) -> Option<Time> {
        self.queue().by_time.first().map(|(time, _)| *time)
    }

    /// Takes games whose time has come, so many at most.
    fn take(&self, now: Time, most: usize) -> Vec<GameId> {
        let mut queue = self.queue();
        let mut taken = Vec::new();
        while taken.len() < most
            && let Some((time, id)) = queue.by_time.first().copied()
            && time <= now
        {
            queue.by_time.remove(&(time, id));
            queue.by_game.remove(&id);
            taken.push(id);
        }
        taken
    }
}

impl Session {
    /// Makes happen what happens by time alone, and tells the log that it lives, for as long as it is
    /// polled.
    pub async fn keep_time(&self) -> Infallible {
        tokio::select! {
            never = self.sign_for_ever() => never,
            never = self.deliver_for_ever() => never,
            never = self.watch_timers() => never,
        }
    }

    async fn watch_timers(&self) -> Infallible {
        let setting = async {
            self.set_all().await;
            future::pending().await
        };
        tokio::select! {
            never = setting => never,
            never = self.ring() => never,
        }
    }

    /// Looks at each game when its time has come.
    async fn ring(&self) -> Infallible {
        let timers = &self.shared.timers;
        let mut looking = FuturesUnordered::new();
        loop {
            let due = timers.take(self.now(), AT_ONCE - looking.len());
            looking.extend(due.into_iter().map(|id| self.look_at(id)));
            let next = timers.first().filter(|_| looking.len() < AT_ONCE);
            tokio::select! {
                Some(()) = looking.next() => {}
                () = timers.earlier.notified() => {}
                () = self.shared.clock.sleep_until(next.unwrap_or(Time(i64::MAX))) => {}
            }
        }
    }

    /// Sets the timers of all games that are not over and that nobody has looked at since the start.
    async fn set_all(&self) {
        let mut after = None;
        loop {
            match self.shared.store.unfinished_games(after, PAGE).await {
                Ok(page) => {
                    let Some(last) = page.last() else { return };
                    after = Some(last.created.game_id);
                    for game in &page {
                        if let Some(due) = self.shared.due(game, self.now()) {
                            let id = game.created.game_id;
                            self.shared.timers.set_if_none(id, due);
                        }
                    }
                }
                Err(error) => {
                    warn(&error.into());
                    self.shared.wait_to_try_again().await;
                }
            }
        }
    }

    /// Has what is due in a game happen; if that fails, once more after a while.
    async fn look_at(&self, id: GameId) {
        match self.try_look_at(id).await {
            // Its creation was not written after all.
            Ok(()) | Err(SessionError::NoSuchGame) => {}
            Err(error) => {
                warn(&error);
                self.shared.look_again(id);
            }
        }
    }

    /// Looks whether a game's time has run out, and has that happen.
    async fn try_look_at(&self, id: GameId) -> Outcome<()> {
        let room = self.shared.room(id);
        let mut slot = room.game.clone().lock_owned().await;
        loop {
            let game = self.shared.loaded(id, &room, &mut slot).await?;
            let now = self.now();
            let (record, due) = {
                let outages = self.shared.outages();
                let record = game.time_out(&Moment::at(now, &outages));
                (record, game.summary().due(now, &outages))
            };
            let Some(record) = record else {
                // Set anew: others may have been first.
                self.shared.set_timer(game.summary(), now);
                return Ok(());
            };
            slot = self.run_out(&room, slot, record, due).await?;
        }
    }

    /// Has an event happen that time alone makes, since a game's time ran out at a moment, and gives the
    /// room's lock again. If no sign of life has been given since that moment, one is given instead and the
    /// game is to be looked at anew: the moment may turn out to be in an outage.
    pub(super) async fn run_out(
        &self,
        room: &Arc<Room>,
        slot: Slot,
        record: Record,
        due: Option<Time>,
    ) -> Outcome<Slot> {
        if self.alive() < due {
            self.sign_after(due).await?;
            return Ok(slot);
        }
        self.shared.let_happen(room, slot, record).await
    }
}

impl super::Shared {
    /// Has a game looked at when its time will have run out.
    pub(super) fn set_timer(&self, game: &Summary, now: Time) {
        self.timers.set(game.created.game_id, self.due(game, now));
    }

    /// Has a game looked at after a while.
    pub(super) fn look_again(&self, id: GameId) {
        self.timers.set(id, Some(self.again()));
    }

    /// Waits for as long, after something that nobody asked for has failed.
    pub(super) async fn wait_to_try_again(&self) {
        self.clock.sleep_until(self.again()).await;
    }

    fn again(&self) -> Time {
        Time(self.clock.now().0 + AGAIN)
    }

    /// When to look at a game.
    fn due(&self, game: &Summary, now: Time) -> Option<Time> {
        let outages = self.outages();
        let due = game.due(now, &outages)?.max(now);
        // What seems to be an outage may turn out to be none.
        let unsure = outages.begun(now).map(|_| Time(now.0 + AGAIN));
        Some(unsure.map_or(due, |soon| due.min(soon)))
    }
}

pub(super) fn warn(error: &SessionError) {
    tracing::warn!(
        error = error as &dyn std::error::Error,
        "what is due by time could not be done"
    );
}
