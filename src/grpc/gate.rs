//! Where long work is let in.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::{sync::Semaphore, task};
use tonic::{Request, Status};

use super::{Limit, Limits, address::Counted, error::Reason, identity::Caller};
use crate::game::PlayerId;

/// Most long calls of one caller at the same time: one that is worked on, and four that wait.
const MOST_OF_ONE: usize = 5;

/// Where long work of every kind is let in, a little at a time, and done off the runtime. Callers take turns:
/// each has one call at most that is worked on or that waits beside those of others.
#[derive(Clone)]
pub(super) struct Gate {
    running: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    shares: Arc<Shares>,
}

/// Whose long work it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Who {
    Player(PlayerId),
    Address(IpAddr),
    /// All who have neither, together.
    Others,
}

/// Who makes a call.
pub(super) fn who<T>(request: &Request<T>) -> Who {
    let address: Option<&Counted> = request.extensions().get();
    let Counted(address) = address.copied().unwrap_or_default();
    let caller: Option<&Caller> = request.extensions().get();
    match (caller.and_then(Caller::player), address) {
        (Some(player), _) => Who::Player(player),
        (None, Some(address)) => Who::Address(address),
        (None, None) => Who::Others,
    }
}

/// What each caller has at the gate.
#[derive(Default)]
struct Shares(Mutex<HashMap<Who, Share>>);

struct Share {
    calls: usize,
    turn: Arc<Semaphore>,
}

impl Shares {
    fn lock(&self) -> MutexGuard<'_, HashMap<Who, Share>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A caller's call at the gate, until its work has ended.
struct Place {
    shares: Arc<Shares>,
    who: Who,
    turn: Arc<Semaphore>,
}

impl Place {
    /// One more of a caller, unless it has as many as one may have.
    fn take(shares: &Arc<Shares>, who: Who) -> Option<Place> {
        let mut all = shares.lock();
        let share = all.entry(who).or_insert_with(|| Share {
            calls: 0,
            turn: Arc::new(Semaphore::new(1)),
        });
        if share.calls == MOST_OF_ONE {
            return None;
        }
        share.calls += 1;
        Some(Place {
            shares: shares.clone(),
            who,
            turn: share.turn.clone(),
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut all = self.shares.lock();
        if let Some(share) = all.get_mut(&self.who) {
            share.calls -= 1;
            if share.calls == 0 {
                all.remove(&self.who);
            }
        }
    }
}

/// Stops a piece of work when nobody waits for it any more.
struct Waiter(Arc<AtomicBool>);

impl Drop for Waiter {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Gate {
    pub(super) fn new(limits: &Limits) -> Gate {
        Gate {
            running: Arc::new(Semaphore::new(limits.size(Limit::LongCalls))),
            waiting: Arc::new(Semaphore::new(limits.size(Limit::LongCallsWaiting))),
            shares: Arc::default(),
        }
    }

    /// Does a piece of work when its turn has come. It is told to stop, by what it is given, when nobody waits
    /// for it any more.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        who: Who,
        work: impl FnOnce(&AtomicBool) -> Result<T, Status> + Send + 'static,
    ) -> Result<T, Status> {
        let busy = || Reason::Busy.quota(Limit::LongCallsWaiting);
        let closed = |_| Reason::Internal.plain();
        let place = Place::take(&self.shares, who).ok_or_else(busy)?;
        let waiting = self.waiting.try_acquire().map_err(|_| busy())?;
        // First among the caller's own: so nobody stands in line twice.
        let turn = place.turn.clone().acquire_owned().await.map_err(closed)?;
        let running = self.running.clone().acquire_owned().await;
        let running = running.map_err(closed)?;
        drop(waiting);
        let stop = Arc::new(AtomicBool::new(false));
        let _waiter = Waiter(stop.clone());
        let done = task::spawn_blocking(move || {
            let _held = (running, turn, place);
            work(&stop)
        });
        done.await.map_err(|_| Reason::Internal.plain())?
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by it")]
mod tests {
    use std::{pin::pin, sync::mpsc, time::Duration};

    use futures_util::{FutureExt as _, future::join_all};
    use tonic::Code;
    use uuid::Uuid;

    use super::*;

    const ONE: Who = Who::Player(PlayerId(Uuid::from_u128(1)));

    #[tokio::test]
    async fn callers_take_turns_and_none_has_more_than_a_share() {
        let gate = Gate::new(&Limits::default());
        let done = Arc::new(Mutex::new(Vec::new()));
        let (go, gone) = mpsc::channel();
        let first = done.clone();
        let mut calls = vec![
            gate.run(ONE, move |_| {
                gone.recv().unwrap();
                first.lock().unwrap().push(ONE);
                Ok(())
            })
            .boxed(),
        ];
        for who in [ONE, ONE, ONE, ONE, Who::Others, Who::Others] {
            let done = done.clone();
            let work = move |_: &AtomicBool| {
                done.lock().unwrap().push(who);
                Ok(())
            };
            calls.push(gate.run(who, work).boxed());
        }
        for call in &mut calls {
            assert!(call.now_or_never().is_none(), "it has a place");
        }
        let refused = gate.run(ONE, |_| Ok(())).now_or_never().unwrap();
        assert_eq!(refused.unwrap_err().code(), Code::ResourceExhausted);
        go.send(()).unwrap();
        for call in join_all(calls).await {
            call.unwrap();
        }
        let done = done.lock().unwrap();
        assert_eq!(done[..2], [ONE, Who::Others], "{done:?}");
        assert_eq!(done.len(), 7);
        assert!(gate.shares.lock().is_empty());
    }

    #[tokio::test]
    async fn work_that_nobody_waits_for_is_told_to_stop() {
        let gate = Gate::new(&Limits::default());
        let (told, stopped) = mpsc::channel();
        {
            let work = move |stop: &AtomicBool| {
                while !stop.load(Ordering::Relaxed) {
                    std::thread::yield_now();
                }
                told.send(()).unwrap();
                Ok(())
            };
            let call = pin!(gate.run(ONE, work));
            assert!(call.now_or_never().is_none());
        }
        stopped.recv_timeout(Duration::from_secs(60)).unwrap();
        gate.run(ONE, |_| Ok(())).await.unwrap();
    }
}
