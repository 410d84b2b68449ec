//! Who is there: players with a watch open. Best effort, and never in the log.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::watch;

use crate::game::{PlayerId, Time};

use super::Clock;

/// A player counts as gone so many milliseconds after the last of its watches ended: 10 s.
const GRACE: i64 = 10_000;

/// All players who are there, were there a moment ago, or are asked about.
pub(super) struct Presences {
    clock: Arc<dyn Clock>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    players: HashMap<PlayerId, watch::Sender<Watches>>,
    /// Who may be forgotten then, if nobody asks about them: in the order of their watches' ends.
    leaving: VecDeque<(Time, PlayerId)>,
}

/// A player's watches.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Watches {
    open: usize,
    /// When the last one ended.
    ended: Option<Time>,
    /// When those who follow the player look again by themselves.
    awaited: Option<Time>,
}

impl Watches {
    /// Whether the player counts as there.
    pub(super) fn connected(self, now: Time) -> bool {
        self.open > 0 || self.gone_at().is_some_and(|gone| now < gone)
    }

    /// When the player will count as gone, or has begun to; `None` while a watch is open, and if there
    /// never was one.
    pub(super) fn gone_at(self) -> Option<Time> {
        let ended = self.ended.filter(|_| self.open == 0);
        ended.map(|ended| Time(ended.0 + GRACE))
    }
}

impl Known {
    /// Forgets a player whom nobody asks about and who is gone.
    fn tidy(&mut self, player: PlayerId, now: Time) {
        let idle = |known: &watch::Sender<Watches>| {
            known.receiver_count() == 0 && !known.borrow().connected(now)
        };
        if self.players.get(&player).is_some_and(idle) {
            self.players.remove(&player);
        }
    }
}

impl Presences {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Presences {
        Presences {
            clock,
            known: Mutex::default(),
        }
    }

    /// All who are known, without those who have left.
    fn known(&self, now: Time) -> MutexGuard<'_, Known> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some((gone, player)) = known.leaving.front().copied()
            && gone <= now
        {
            known.leaving.pop_front();
            known.tidy(player, now);
        }
        known
    }
}

/// One open watch of a player.
pub(super) struct Present {
    presences: Arc<Presences>,
    player: PlayerId,
}

impl Present {
    pub(super) fn new(presences: &Arc<Presences>, player: PlayerId) -> Present {
        let now = presences.clock.now();
        let mut known = presences.known(now);
        let watches = known.players.entry(player).or_default();
        // Further ones are no news, nor is one that comes back in time.
        watches.send_if_modified(|watches| {
            let known = watches.connected(now);
            watches.open += 1;
            !known
        });
        drop(known);
        Present {
            presences: presences.clone(),
            player,
        }
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        let now = self.presences.clock.now();
        let mut known = self.presences.known(now);
        let gone = known.players.get(&self.player).and_then(|watches| {
            watches.send_if_modified(|watches| {
                watches.open -= 1;
                watches.ended = Some(now);
                let awaited = watches.awaited.is_some_and(|awaited| awaited > now);
                let news = watches.open == 0 && !awaited;
                if news {
                    watches.awaited = watches.gone_at();
                }
                news
            });
            watches.borrow().gone_at()
        });
        // Whoever asks in the meantime is told that the player is there.
        known.leaving.extend(gone.map(|gone| (gone, self.player)));
    }
}

/// Somebody who asks whether a player is there.
pub(super) struct Follower {
    presences: Arc<Presences>,
    player: PlayerId,
    watches: Option<watch::Receiver<Watches>>,
}

impl Follower {
    pub(super) fn new(presences: &Arc<Presences>, player: PlayerId) -> Follower {
        let mut known = presences.known(presences.clock.now());
        let watches = known.players.entry(player).or_default().subscribe();
        drop(known);
        Follower {
            presences: presences.clone(),
            player,
            watches: Some(watches),
        }
    }

    pub(super) fn player(&self) -> PlayerId {
        self.player
    }

    /// What is known of the player's watches now.
    pub(super) fn watches(&mut self) -> Watches {
        let watches = self.watches.as_mut();
        watches.map_or_else(Watches::default, |watches| *watches.borrow_and_update())
    }

    /// Waits until the player's watches have changed.
    pub(super) async fn changed(&mut self) {
        match &mut self.watches {
            // The sender stays while there is a receiver.
            Some(watches) => drop(watches.changed().await),
            None => std::future::pending().await,
        }
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.watches = None;
        let now = self.presences.clock.now();
        self.presences.known(now).tidy(self.player, now);
    }
}
