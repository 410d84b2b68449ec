//! Where long work is let in.

use std::{
    cell::Cell,
    collections::HashMap,
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use tokio::sync::{Semaphore, oneshot};
use tonic::{Request, Status};

use super::{Limit, address::Counted, error::Reason, identity::Caller, quotas::Quotas};
use crate::game::PlayerId;

/// Most long calls of one caller at the same time: one that is worked on, and four that wait.
const MOST_OF_ONE: usize = 5;

/// Where long work of every kind is let in, a little at a time, and done off the runtime. Callers take turns:
/// each has one call at most that is worked on or that waits beside those of others.
#[derive(Clone)]
pub(super) struct Gate {
    quotas: Arc<Quotas>,
    running: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    shares: Arc<Shares>,
}

/// Whose long work it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Who {
    player: Option<PlayerId>,
    address: Option<IpAddr>,
}

impl Who {
    /// Who has a share together: a player wherever it calls from, others by their address, and all who have
    /// neither.
    fn sharer(self) -> Who {
        match self.player {
            Some(_) => Who {
                address: None,
                ..self
            },
            None => self,
        }
    }
}

/// Who makes a call.
pub(super) fn who<T>(request: &Request<T>) -> Who {
    let address: Option<&Counted> = request.extensions().get();
    let Counted(address) = address.copied().unwrap_or_default();
    let caller: Option<&Caller> = request.extensions().get();
    Who {
        player: caller.and_then(Caller::paying_player),
        address,
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

/// Long work works for so long, and then rests for a moment: where it alone kept a processor from being idle,
/// Linux has let the kernel thread that a `fsync` needs wait for up to two seconds.
const WORKS: Duration = Duration::from_micros(500);

/// The system makes about twice as much of it.
const RESTS: Duration = Duration::from_micros(50);

/// A piece of long work, while it is done.
pub(super) struct Piece {
    given_up: Arc<AtomicBool>,
    rested: Cell<Instant>,
}

impl Piece {
    fn new(given_up: Arc<AtomicBool>) -> Piece {
        Piece {
            given_up,
            rested: Cell::new(Instant::now()),
        }
    }

    /// Lets those run who wait for a processor, and says whether the work is still waited for. What asks
    /// this every few ten microseconds delays nobody by more.
    pub(super) fn may_go_on(&self) -> bool {
        if self.rested.get().elapsed() < WORKS {
            thread::yield_now();
        } else {
            thread::sleep(RESTS);
            self.rested.set(Instant::now());
        }
        !self.given_up.load(Ordering::Relaxed)
    }

    /// The same.
    ///
    /// # Errors
    ///
    /// Fails if nobody waits any more.
    pub(super) fn go_on(&self) -> Result<(), Status> {
        match self.may_go_on() {
            true => Ok(()),
            false => Err(Reason::Internal.plain()),
        }
    }
}

/// Gives a piece of work up when nobody waits for it any more.
struct Waiter(Arc<AtomicBool>);

impl Drop for Waiter {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Has this thread wait where others want to run, whose calls are short: it still has a tenth of a processor
/// beside each of them.
fn yield_to_others() {
    // Elsewhere it would be all threads. Where it can't be had, long work is only less considerate.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, NICE);
}

#[cfg(target_os = "linux")]
const NICE: i32 = 10;

impl Gate {
    pub(super) fn new(quotas: Arc<Quotas>) -> Gate {
        let limits = &quotas.limits;
        Gate {
            running: Arc::new(Semaphore::new(limits.size(Limit::LongCalls))),
            waiting: Arc::new(Semaphore::new(limits.size(Limit::LongCallsWaiting))),
            shares: Arc::default(),
            quotas,
        }
    }

    /// Has a call count for so many units more, when it turns out to be long.
    pub(super) async fn charge(&self, who: Who, units: u32) -> Result<(), Status> {
        self.quotas.pass_address(who.address, units).await?;
        self.quotas.pass_player(who.player, units).await
    }

    /// Does a piece of work when its turn has come, which it asks often whether it may go on.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        who: Who,
        work: impl FnOnce(&Piece) -> Result<T, Status> + Send + 'static,
    ) -> Result<T, Status> {
        let busy = || Reason::Busy.quota(Limit::LongCallsWaiting);
        let closed = |_| Reason::Internal.plain();
        let place = Place::take(&self.shares, who.sharer()).ok_or_else(busy)?;
        let waiting = self.waiting.try_acquire().map_err(|_| busy())?;
        // First among the caller's own: so nobody stands in line twice.
        let turn = place.turn.clone().acquire_owned().await.map_err(closed)?;
        let running = self.running.clone().acquire_owned().await;
        let running = running.map_err(closed)?;
        drop(waiting);
        let given_up = Arc::new(AtomicBool::new(false));
        let _waiter = Waiter(given_up.clone());
        let (done, answer) = oneshot::channel();
        // One of its own, since it yields to all others to its end.
        let thread = thread::Builder::new().name("long-call".into());
        let started = thread.spawn(move || {
            yield_to_others();
            let answer = work(&Piece::new(given_up));
            drop((running, turn, place));
            // Nobody may wait any more.
            let _ = done.send(answer);
        });
        started.map_err(|_| Reason::Internal.plain())?;
        answer.await.map_err(|_| Reason::Internal.plain())?
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by it")]
mod tests {
    use std::{pin::pin, sync::mpsc};

    use futures_util::{FutureExt as _, future::join_all};
    use tonic::Code;
    use uuid::Uuid;

    use super::*;
    use crate::grpc::Limits;

    const ONE: Who = Who {
        player: Some(PlayerId(Uuid::from_u128(1))),
        address: None,
    };
    const OTHERS: Who = Who {
        player: None,
        address: None,
    };

    fn gate() -> Gate {
        Gate::new(Arc::new(Quotas::new(Limits::default())))
    }

    #[tokio::test]
    async fn callers_take_turns_and_none_has_more_than_a_share() {
        let gate = gate();
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
        for who in [ONE, ONE, ONE, ONE, OTHERS, OTHERS] {
            let done = done.clone();
            let work = move |_: &Piece| {
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
        assert_eq!(done[..2], [ONE, OTHERS], "{done:?}");
        assert_eq!(done.len(), 7);
        assert!(gate.shares.lock().is_empty());
    }

    #[tokio::test]
    async fn work_that_nobody_waits_for_is_told_to_stop() {
        let gate = gate();
        let (told, stopped) = mpsc::channel();
        {
            let work = move |piece: &Piece| {
                while piece.may_go_on() {}
                told.send(()).unwrap();
                Ok(())
            };
            let call = pin!(gate.run(ONE, work));
            assert!(call.now_or_never().is_none());
        }
        stopped.recv_timeout(Duration::from_secs(60)).unwrap();
        gate.run(ONE, |_| Ok(())).await.unwrap();
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn long_work_yields_to_all_others() {
        let nice = || rustix::process::getpriority_process(None).unwrap();
        let before = nice();
        let worked = gate().run(ONE, move |_| Ok(nice())).await.unwrap();
        assert_eq!(worked, NICE);
        assert_eq!(nice(), before);
    }
}
