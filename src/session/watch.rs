//! Following one game: nothing lost, nothing twice, in order.
//!
//! A watch has no task: it remembers the last seq that it gave, and takes the next change from the
//! room's newest ones, or from the log, a few at a time, when it is further behind. So a reader who
//! doesn't read costs little more than its place.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use tokio::{sync::watch, time};

use super::{Change, Outcome, SessionError, Shared, room::Room};
use crate::{
    game::{Game, GameId},
    rules::Rules,
};

/// A heartbeat is given when nothing else was for so long.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// Events that a watch which is behind reads at once.
const PAGE: u32 = 32;

/// A watch of one game.
pub struct Watch {
    shared: Arc<Shared>,
    id: GameId,
    variant: String,
    rules: Arc<Rules>,
    room: Arc<Room>,
    newest: watch::Receiver<u64>,
    draining: watch::Receiver<bool>,
    snapshot: Option<Box<Game>>,
    /// Read from the log, but not given yet.
    behind: VecDeque<Arc<Change>>,
    /// The last event given, or in the snapshot.
    seq: u64,
    /// The event that finished the game, once known.
    end: Option<u64>,
    left: bool,
}

/// What a watch gives.
#[derive(Debug)]
pub enum Watched {
    /// The game as it stands: always first, if at all.
    Snapshot(Box<Game>),
    /// The next change.
    Change(Arc<Change>),
    /// Nothing happened for a while; the newest event has this seq.
    Heartbeat {
        /// The newest seq, which was given.
        seq: u64,
    },
    /// The server drains: the watch ends here, before the game does.
    Goodbye {
        /// The last seq that was given.
        seq: u64,
    },
}

impl Watch {
    /// A watch of a locked game: of a snapshot and what follows, or of what follows an event.
    pub(super) fn new(
        shared: Arc<Shared>,
        room: Arc<Room>,
        game: &Game,
        after: Option<u64>,
    ) -> Watch {
        let newest = game.seq();
        Watch {
            newest: room.follow(),
            draining: shared.draining.subscribe(),
            shared,
            id: game.created().game_id,
            variant: game.created().variant.clone(),
            rules: game.rules().clone(),
            room,
            snapshot: after.is_none().then(|| Box::new(game.clone())),
            behind: VecDeque::new(),
            seq: after.unwrap_or(newest),
            end: game.state().result.map(|_| newest),
            left: false,
        }
    }

    /// The game's id.
    pub fn id(&self) -> GameId {
        self.id
    }

    /// The game's variant.
    pub fn variant(&self) -> &str {
        &self.variant
    }

    /// The rules that the game is played by.
    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// Whether there are events that were not given yet.
    pub fn is_behind(&self) -> bool {
        !self.behind.is_empty() || *self.newest.borrow() > self.seq
    }

    /// Whether the event that finished the game was given.
    pub fn is_over(&self) -> bool {
        self.end.is_some_and(|end| self.seq >= end)
    }

    /// The next thing that happens; `None` after the event that finished the game.
    ///
    /// # Errors
    ///
    /// Fails if the log can't be read, and with [`SessionError::Draining`] after a goodbye.
    pub async fn next(&mut self) -> Option<Outcome<Watched>> {
        if self.left {
            return Some(Err(SessionError::Draining));
        }
        if let Some(snapshot) = self.snapshot.take() {
            return Some(Ok(Watched::Snapshot(snapshot)));
        }
        if self.is_over() {
            return None;
        }
        Some(self.next_of_active().await)
    }

    async fn next_of_active(&mut self) -> Outcome<Watched> {
        if *self.draining.borrow() {
            self.left = true;
            return Ok(Watched::Goodbye { seq: self.seq });
        }
        if *self.newest.borrow_and_update() <= self.seq {
            tokio::select! {
                biased;
                // The room outlives its watches, and the session its streams.
                _ = self.newest.wait_for(|newest| *newest > self.seq) => {}
                _ = self.draining.wait_for(|draining| *draining) => {
                    self.left = true;
                    return Ok(Watched::Goodbye { seq: self.seq });
                }
                () = time::sleep(HEARTBEAT) => return Ok(Watched::Heartbeat { seq: self.seq }),
            }
        }
        let change = self.change(self.seq + 1).await?;
        self.seq = change.record.seq;
        if change.is_last() {
            self.end = Some(self.seq);
        }
        Ok(Watched::Change(change))
    }

    /// The change with this seq, which is durable.
    async fn change(&mut self, seq: u64) -> Outcome<Arc<Change>> {
        if let Some(change) = self.behind.pop_front() {
            return Ok(change);
        }
        if let Some(change) = self.room.recent(seq) {
            return Ok(change);
        }
        // From the entry before on, which says what the position was.
        let records = self
            .shared
            .read_game(self.id, seq.saturating_sub(2), PAGE)
            .await?;
        self.behind = Change::of(records).into();
        self.behind.retain(|change| change.record.seq >= seq);
        let missing = SessionError::BeyondTheLog { newest: self.seq };
        self.behind.pop_front().ok_or(missing)
    }
}
