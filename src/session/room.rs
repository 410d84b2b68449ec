//! A game in memory.

use std::{
    collections::VecDeque,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use tokio::{
    sync::{Mutex as AsyncMutex, Notify, watch},
    time::{self, MissedTickBehavior},
};

use super::Change;
use crate::{
    game::{Created, Game, Record, Seat, Summary, Time},
    rules::{BySide, Position},
};

/// Newest changes that a watched game keeps, so that its watchers need not read the log.
pub(super) const RECENT: usize = 32;

/// So many of those who watch a game without a seat in it hear of an event at once, and as many more every
/// [`ROW_PERIOD`]: so a crowd delays itself, and no other game.
const ROW: usize = 16;

/// From one row of a crowd to the next.
const ROW_PERIOD: Duration = Duration::from_millis(1);

/// A game in memory, or one about to be loaded.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// Whoever has it decides; `None` until it is loaded.
    pub(super) game: Arc<AsyncMutex<Option<Game>>>,
    /// What the game is, as it stood when its seats were last taken or it was loaded.
    about: Mutex<Option<About>>,
    /// There while somebody watches.
    watched: Mutex<Option<Box<Watched>>>,
}

/// What a game is, but for what each event says anew.
#[derive(Clone, Debug)]
pub(super) struct About {
    created: Arc<Created>,
    start: Position,
    seats: BySide<Seat>,
    create_time: Time,
}

impl About {
    pub(super) fn of(game: &Summary) -> About {
        About {
            created: game.created.clone(),
            start: game.start,
            seats: game.seats,
            create_time: game.create_time,
        }
    }

    /// The game after an event.
    pub(super) fn after(self, record: &Record) -> Summary {
        Summary {
            created: self.created,
            start: self.start,
            state: record.state,
            seats: self.seats,
            seq: record.seq,
            create_time: self.create_time,
            update_time: record.time,
        }
    }
}

/// What a game has for its watchers.
#[derive(Debug)]
struct Watched {
    /// The seq of the newest event, all of which are durable.
    newest: watch::Sender<u64>,
    /// The newest changes, in order without gaps.
    recent: VecDeque<Arc<Change>>,
    /// The game as it was last shown to one who had fallen behind.
    shown: Weak<Game>,
    /// Where those without a seat wait, in the order of their coming.
    crowd: Arc<Notify>,
    /// How many they are, waiting or not.
    crowd_size: usize,
    /// How many are still to be called for the newest event.
    uncalled: usize,
}

impl Watched {
    /// Calls the next row of the crowd.
    fn call_row(&mut self) {
        let row = self.uncalled.min(ROW);
        (0..row).for_each(|_| self.crowd.notify_one());
        self.uncalled -= row;
    }
}

impl Room {
    /// Whether it has a game that is not over.
    pub(super) fn is_active(&self) -> bool {
        let game = self.game.try_lock();
        game.is_ok_and(|game| {
            game.as_ref()
                .is_some_and(|game| game.state().result.is_none())
        })
    }

    fn watched(&self) -> MutexGuard<'_, Option<Box<Watched>>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells watchers of a change that is durable.
    pub(super) fn tell(self: &Arc<Room>, change: &Arc<Change>) {
        if let Some(watched) = &mut *self.watched() {
            if watched.recent.len() == RECENT {
                watched.recent.pop_front();
            }
            watched.recent.push_back(change.clone());
            self.call(watched, change.record.seq);
        }
    }

    /// Tells watchers that the game was read from the log, up to this event.
    pub(super) fn reloaded(self: &Arc<Room>, newest: u64) {
        if let Some(watched) = &mut *self.watched() {
            watched.recent.clear();
            self.call(watched, newest);
        }
    }

    /// Calls players at once, and the crowd row by row.
    fn call(self: &Arc<Room>, watched: &mut Watched, newest: u64) {
        watched.newest.send_replace(newest);
        let calling = watched.uncalled > 0;
        // Whoever waits now is among so many who have waited longest.
        watched.uncalled = watched.crowd_size;
        watched.call_row();
        if watched.uncalled > 0 && !calling {
            tokio::spawn(self.clone().call_crowd());
        }
    }

    async fn call_crowd(self: Arc<Room>) {
        let mut beat = time::interval(ROW_PERIOD);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The first row was called already.
        beat.tick().await;
        loop {
            beat.tick().await;
            let mut watched = self.watched();
            let Some(watched) = watched.as_mut().filter(|watched| watched.uncalled > 0) else {
                return;
            };
            watched.call_row();
            if watched.uncalled == 0 {
                return;
            }
        }
    }

    /// Tells what the game is.
    pub(super) fn introduce(&self, game: &Summary) {
        let about = Some(About::of(game));
        *self.about.lock().unwrap_or_else(PoisonError::into_inner) = about;
    }

    /// What the game is, as it stood at some time since its seats were last taken; `None` until it is
    /// loaded.
    pub(super) fn about(&self) -> Option<About> {
        let about = self.about.lock().unwrap_or_else(PoisonError::into_inner);
        about.clone()
    }

    /// Follows the newest seq of its locked game, which is this one: among a crowd, or at once.
    pub(super) fn follow(self: &Arc<Room>, newest: u64, in_crowd: bool) -> Following {
        let mut watched = self.watched();
        let watched = watched.get_or_insert_with(|| {
            Box::new(Watched {
                newest: watch::Sender::new(newest),
                recent: VecDeque::new(),
                shown: Weak::new(),
                crowd: Arc::default(),
                crowd_size: 0,
                uncalled: 0,
            })
        });
        watched.crowd_size += usize::from(in_crowd);
        Following {
            newest: Some(watched.newest.subscribe()),
            crowd: in_crowd.then(|| watched.crowd.clone()),
            room: self.clone(),
        }
    }

    /// The change with this seq, if it is one of the newest.
    pub(super) fn recent(&self, seq: u64) -> Option<Arc<Change>> {
        let watched = self.watched();
        let recent = &watched.as_ref()?.recent;
        let first = recent.front()?.record.seq;
        let index = usize::try_from(seq.checked_sub(first)?).ok()?;
        recent.get(index).cloned()
    }

    /// The game as another watcher is being shown it, if it is as new as this.
    pub(super) fn shown(&self, newest: u64) -> Option<Arc<Game>> {
        let shown = self.watched().as_ref()?.shown.upgrade();
        shown.filter(|game| game.seq() >= newest)
    }

    /// Lets other watchers be shown the game too.
    pub(super) fn show(&self, game: &Arc<Game>) {
        if let Some(watched) = &mut *self.watched() {
            watched.shown = Arc::downgrade(game);
        }
    }
}

/// A watcher's hold of a room: when the last one is gone, what was kept for them goes too.
pub(super) struct Following {
    pub(super) room: Arc<Room>,
    /// `None` only when it is dropped.
    newest: Option<watch::Receiver<u64>>,
    /// Where it waits instead.
    crowd: Option<Arc<Notify>>,
}

impl Following {
    /// The seq of the newest event.
    pub(super) fn newest(&self) -> u64 {
        self.newest.as_ref().map_or(0, |newest| *newest.borrow())
    }

    /// Waits until there is an event after this one.
    pub(super) async fn wait_beyond(&mut self, seq: u64) {
        if let Some(crowd) = self.crowd.clone() {
            loop {
                // It waits in line before it looks: so it misses no call.
                let mut called = pin!(crowd.notified());
                called.as_mut().enable();
                if self.newest() > seq {
                    return;
                }
                called.await;
            }
        }
        if let Some(newest) = &mut self.newest {
            // It stays while it is followed.
            let _ = newest.wait_for(|newest| *newest > seq).await;
        }
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        self.newest = None;
        let mut watched = self.room.watched();
        if let Some(watched) = watched.as_mut().filter(|_| self.crowd.is_some()) {
            watched.crowd_size -= 1;
        }
        let left = |watched: &Watched| watched.newest.receiver_count() == 0;
        if watched.as_deref().is_some_and(left) {
            *watched = None;
        }
    }
}
