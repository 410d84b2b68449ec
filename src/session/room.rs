//! The games in memory.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::{Mutex as AsyncMutex, watch};

use super::Change;
use crate::game::{Game, GameId};

/// Games kept in memory, unless more are in use at the same moment.
const MOST_ROOMS: usize = 100_000;

/// Newest changes that a watched game keeps, so that its watchers need not read the log.
const RECENT: usize = 16;

/// A game in memory, or one about to be loaded.
#[derive(Debug)]
pub(super) struct Room {
    /// Whoever has it decides; `None` until it is loaded.
    pub(super) game: Arc<AsyncMutex<Option<Game>>>,
    /// The seq of the newest event, all of which are durable.
    newest: watch::Sender<u64>,
    /// The newest changes, in order without gaps, if anybody watches.
    recent: Mutex<VecDeque<Arc<Change>>>,
}

impl Room {
    fn new() -> Room {
        Room {
            game: Arc::default(),
            newest: watch::Sender::new(0),
            recent: Mutex::default(),
        }
    }

    /// Whether it has a game that is not over.
    fn is_active(&self) -> bool {
        let game = self.game.try_lock();
        game.is_ok_and(|game| {
            game.as_ref()
                .is_some_and(|game| game.state().result.is_none())
        })
    }

    /// Tells watchers of a change that is durable.
    pub(super) fn tell(&self, change: &Arc<Change>) {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if self.newest.receiver_count() == 0 {
            *recent = VecDeque::new();
        } else {
            if recent.len() == RECENT {
                recent.pop_front();
            }
            recent.push_back(change.clone());
        }
        drop(recent);
        self.newest.send_replace(change.record.seq);
    }

    /// Tells watchers that the game was read from the log, up to this event.
    pub(super) fn reloaded(&self, newest: u64) {
        self.recent
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
        self.newest.send_replace(newest);
    }

    /// Follows the newest seq.
    pub(super) fn follow(&self) -> watch::Receiver<u64> {
        self.newest.subscribe()
    }

    /// The change with this seq, if it is one of the newest.
    pub(super) fn recent(&self, seq: u64) -> Option<Arc<Change>> {
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let first = recent.front()?.record.seq;
        let index = usize::try_from(seq.checked_sub(first)?).ok()?;
        recent.get(index).cloned()
    }
}

/// Every room.
#[derive(Debug)]
pub(super) struct Rooms {
    by_id: HashMap<GameId, Arc<Room>>,
    /// So many rooms are had before space is made.
    most: usize,
}

impl Default for Rooms {
    fn default() -> Rooms {
        Rooms {
            by_id: HashMap::new(),
            most: MOST_ROOMS,
        }
    }
}

impl Rooms {
    /// The room of a game; an empty one if it isn't there.
    pub(super) fn get(&mut self, id: GameId) -> Arc<Room> {
        if let Some(room) = self.by_id.get(&id) {
            return room.clone();
        }
        if self.by_id.len() >= self.most {
            self.make_space();
        }
        let room = Arc::new(Room::new());
        self.by_id.insert(id, room.clone());
        room
    }

    /// Forgets the room of a game that doesn't exist, unless others wait in it.
    pub(super) fn forget(&mut self, id: GameId, room: &Arc<Room>) {
        let here = self
            .by_id
            .get(&id)
            .is_some_and(|known| Arc::ptr_eq(known, room));
        // Held by the map and by the caller.
        if here && Arc::strong_count(room) <= 2 {
            self.by_id.remove(&id);
        }
    }

    /// Forgets rooms that nobody uses, since they can be loaded again: those without a game to be
    /// played, and every other one of the rest. Rooms are handed out only from here, so one that
    /// nobody else holds can't come into use meanwhile.
    fn make_space(&mut self) {
        let mut spare = false;
        self.by_id.retain(|_, room| {
            let in_use = Arc::strong_count(room) > 1;
            spare = !spare;
            in_use || spare && room.is_active()
        });
        // If nearly all are in use, the next ones are let in without looking at all again.
        self.most = MOST_ROOMS.max(self.by_id.len() + MOST_ROOMS / 10);
    }
}
