//! A player's inbox: what wants attention, then every change of the player's games, in the order of the
//! log.
//!
//! One reader follows the log, while anybody listens, and puts each entry where its players' watches find
//! it. A watch keeps its place in the log, so what it was not given it can read there.

use std::{
    collections::{HashMap, VecDeque},
    convert::Infallible,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::watch;

use super::{Outcome, Session, Shared, room::About, timers::warn};
use crate::{
    game::{Event, GameId, PlayerId, Record, Seat, Status, Summary},
    store::{Entry, Logged, Subject},
};

/// Entries of the log that are read at once.
const PAGE: u32 = 512;

/// Newest changes that a player's watches find without the log. They stay as long as somebody watches, for
/// each player who does, so there are few.
const RECENT: usize = 64;

/// A change of a game as its players are told of it.
#[derive(Clone, Debug)]
pub struct Note {
    /// Its place in the log.
    pub offset: u64,
    /// The game after it.
    pub game: Summary,
    /// What happened.
    pub record: Record,
}

/// The inboxes of all players who have a watch open.
#[derive(Default)]
pub(super) struct Inboxes {
    players: Mutex<HashMap<PlayerId, Arc<Inbox>>>,
}

/// A player's newest changes.
#[derive(Default)]
pub(super) struct Inbox {
    recent: Mutex<Recent>,
    /// The offset of the newest one.
    newest: watch::Sender<u64>,
}

#[derive(Default)]
struct Recent {
    notes: VecDeque<Arc<Note>>,
    /// Up to here, changes are not in `notes` but in the log only.
    dropped: u64,
}

impl Inboxes {
    fn players(&self) -> MutexGuard<'_, HashMap<PlayerId, Arc<Inbox>>> {
        self.players.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place at a player's inbox, from now on.
    pub(super) fn open(self: &Arc<Inboxes>, player: PlayerId) -> Place {
        let mut players = self.players();
        let inbox = players.entry(player).or_default().clone();
        Place {
            inboxes: self.clone(),
            player,
            newest: Some(inbox.newest.subscribe()),
            inbox,
        }
    }

    /// Forgets a player's inbox if nobody follows it any more.
    fn tidy(&self, player: PlayerId) {
        let mut players = self.players();
        let idle = |inbox: &Arc<Inbox>| inbox.newest.receiver_count() == 0;
        if players.get(&player).is_some_and(idle) {
            players.remove(&player);
        }
    }

    fn of(&self, players: impl Iterator<Item = PlayerId>) -> Vec<Arc<Inbox>> {
        let known = self.players();
        let mut inboxes: Vec<Arc<Inbox>> = players.filter_map(|p| known.get(&p).cloned()).collect();
        inboxes.dedup_by(|one, other| Arc::ptr_eq(one, other));
        inboxes
    }
}

impl Inbox {
    fn recent_notes(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, note: &Arc<Note>) {
        let mut recent = self.recent_notes();
        if recent.notes.len() == RECENT
            && let Some(oldest) = recent.notes.pop_front()
        {
            recent.dropped = oldest.offset;
        }
        recent.notes.push_back(note.clone());
        drop(recent);
        self.newest.send_replace(note.offset);
    }
}

/// Where one watch reads a player's inbox.
pub(super) struct Place {
    inboxes: Arc<Inboxes>,
    player: PlayerId,
    inbox: Arc<Inbox>,
    /// The offset of the newest change; `None` only when it is dropped.
    newest: Option<watch::Receiver<u64>>,
}

impl Place {
    /// The first change after an offset, if there is one.
    ///
    /// # Errors
    ///
    /// Fails if it is in the log only.
    pub(super) fn next_after(&self, offset: u64) -> Result<Option<Arc<Note>>, Behind> {
        let recent = self.inbox.recent_notes();
        if offset < recent.dropped {
            return Err(Behind);
        }
        let next = recent.notes.partition_point(|note| note.offset <= offset);
        Ok(recent.notes.get(next).cloned())
    }

    /// Waits until there is a change after an offset.
    pub(super) async fn wait_beyond(&mut self, offset: u64) {
        if let Some(newest) = &mut self.newest {
            // The inbox stays while it is followed.
            let _ = newest.wait_for(|newest| *newest > offset).await;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.newest = None;
        self.inboxes.tidy(self.player);
    }
}

/// What a watch looks for is in the log only.
pub(super) struct Behind;

impl Session {
    /// Follows the log and fills the inboxes, for as long as it is polled.
    pub(super) async fn deliver_for_ever(&self) -> Infallible {
        let mut newest = self.shared.store.newest();
        let mut position = *newest.borrow();
        loop {
            // The store outlives the session.
            let there = newest.wait_for(|newest| *newest > position).await;
            let there = there.map_or(position, |there| *there);
            if self.shared.inboxes.players().is_empty() {
                // Whoever opens one from now on reads the log up to here first.
                position = there;
                continue;
            }
            match self.deliver(position).await {
                Ok(delivered) => position = delivered,
                Err(error) => {
                    warn(&error);
                    self.shared.wait_to_try_again().await;
                }
            }
        }
    }

    /// Delivers a page of the log after an offset. Gives the offset up to which it did.
    async fn deliver(&self, position: u64) -> Outcome<u64> {
        let page = self.shared.store.read_all(position, PAGE).await?;
        let mut delivered = position;
        for logged in page {
            let offset = logged.offset;
            let note = match self.shared.note(logged).await {
                Ok(note) => note,
                // What was delivered isn't delivered again.
                Err(_) if delivered > position => break,
                Err(error) => return Err(error),
            };
            if let Some(note) = note {
                let inboxes = self.shared.inboxes.of(note.game.owners());
                let note = Arc::new(note);
                inboxes.iter().for_each(|inbox| inbox.put(&note));
            }
            delivered = offset;
        }
        Ok(delivered)
    }
}

impl Shared {
    /// An entry of the log as its players are told of it; `None` if it is of no game.
    pub(super) async fn note(&self, logged: Logged) -> Outcome<Option<Note>> {
        let (Subject::Game(id), Entry::Game(record)) = (logged.subject, logged.entry) else {
            return Ok(None);
        };
        let mut game = match &record.event {
            Event::Created(created) => Summary::of_creation(created.clone(), &record),
            _ => self.about(id).await?.after(&record),
        };
        if let Event::SeatTaken { side, player } = &record.event {
            if record.state.status == Status::Waiting {
                // Whoever has taken the other seat did so later.
                game.seats = game.created.seats;
            }
            game.seats[*side] = Seat::Player(*player);
        }
        Ok(Some(Note {
            offset: logged.offset,
            game,
            record,
        }))
    }

    /// What a game is, as it stood at some time since its seats were last taken.
    async fn about(&self, id: GameId) -> Outcome<About> {
        let room = self.room(id);
        if let Some(about) = room.about() {
            return Ok(about);
        }
        let mut slot = room.game.lock().await;
        let game = self.loaded(id, &room, &mut slot).await?;
        Ok(About::of(game.summary()))
    }
}
