//! How many games a player may have.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

use super::{Outcome, Session, SessionError};
use crate::game::PlayerId;

/// How many games that are not over a player may have, and those that are just being begun.
#[derive(Debug)]
pub(super) struct Allowance {
    games: AtomicU32,
    open_seats: AtomicU32,
    beginning: Arc<Mutex<HashMap<PlayerId, Begun>>>,
}

/// How many games of a player are just being begun.
#[derive(Clone, Copy, Debug, Default)]
struct Begun {
    all: u32,
    /// Those of them that wait for others.
    waiting: u32,
}

impl Default for Allowance {
    fn default() -> Allowance {
        Allowance {
            games: AtomicU32::new(u32::MAX),
            open_seats: AtomicU32::new(u32::MAX),
            beginning: Arc::default(),
        }
    }
}

/// One more game of a player, until it stands in the log or will not.
pub(super) struct Beginning {
    beginning: Arc<Mutex<HashMap<PlayerId, Begun>>>,
    player: PlayerId,
    waits: bool,
}

impl Allowance {
    /// One more game of a player, and how many were being begun before.
    fn begin(&self, player: PlayerId, waits: bool) -> (Beginning, Begun) {
        let mut all = self
            .beginning
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let begun = all.entry(player).or_default();
        let before = *begun;
        begun.all += 1;
        begun.waiting += u32::from(waits);
        let beginning = Beginning {
            beginning: self.beginning.clone(),
            player,
            waits,
        };
        (beginning, before)
    }
}

impl Drop for Beginning {
    fn drop(&mut self) {
        let mut all = self
            .beginning
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(begun) = all.get_mut(&self.player) {
            begun.all -= 1;
            begun.waiting -= u32::from(self.waits);
            if begun.all == 0 {
                all.remove(&self.player);
            }
        }
    }
}

impl Session {
    /// Lets no player have more games than these that are not over, nor more with seats to be taken of those
    /// that it created.
    pub fn limit_games(&self, games: u32, open_seats: u32) {
        let allowance = &self.shared.allowance;
        allowance.games.store(games, Ordering::Relaxed);
        allowance.open_seats.store(open_seats, Ordering::Relaxed);
    }

    /// Lets a player have one more game, which waits for others or does not. What this gives is kept until the
    /// game stands in the log.
    pub(super) async fn allow_game(&self, player: PlayerId, waits: bool) -> Outcome<Beginning> {
        let allowance = &self.shared.allowance;
        let (games, open_seats) = (
            allowance.games.load(Ordering::Relaxed),
            allowance.open_seats.load(Ordering::Relaxed),
        );
        // Counted before the log is asked: what stands there by then is counted twice at worst.
        let (beginning, before) = allowance.begin(player, waits);
        if games == u32::MAX && open_seats == u32::MAX {
            return Ok(beginning);
        }
        let most = games.max(open_seats);
        let counts = self.shared.store.count_games(player, most).await?;
        if waits && counts.waiting.saturating_add(before.waiting) >= open_seats {
            return Err(SessionError::TooMany { open_seats: true });
        }
        let counted = [counts.waiting, counts.joined, before.all].into_iter();
        if counted.fold(counts.playing, u32::saturating_add) >= games {
            return Err(SessionError::TooMany { open_seats: false });
        }
        Ok(beginning)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by it")]
mod tests {
    use super::*;

    #[test]
    fn games_that_wait_are_counted_apart() {
        let allowance = Allowance::default();
        let player = PlayerId(uuid::Uuid::from_u128(1));
        let begun = [false, true, false].map(|waits| allowance.begin(player, waits).0);
        let (last, before) = allowance.begin(player, true);
        assert_eq!((before.all, before.waiting), (3, 1));
        drop((begun, last));
        assert!(allowance.beginning.lock().unwrap().is_empty());
    }
}
