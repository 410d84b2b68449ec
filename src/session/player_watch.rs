//! Following all games of a player, from a snapshot of what wants attention or from a cursor.

use std::{collections::VecDeque, sync::Arc};

use sha2::{Digest as _, Sha256};
use tokio::{
    sync::watch,
    time::{self, Instant},
};

use super::{
    Outcome, Session, SessionError, Shared,
    inbox::{Behind, Note, Place},
    presence::Present,
    watch::{HEARTBEAT, stream_age},
};
use crate::{
    game::{Clocks, PlayerId, Record, Seat, Status, Summary, Time},
    rules::Side,
};

/// A cursor is too old if so many changes came after it, or more.
const MOST_MISSED: u32 = 1_000;

/// Games of a player, of each status, that are looked at for a snapshot: the newest ones.
const MOST_GAMES: u32 = 1_000;

/// Changes that a watch has read before its reader takes them.
const MOST_HELD: usize = 64;

/// A watch of all games of a player.
pub struct PlayerWatch {
    shared: Arc<Shared>,
    player: PlayerId,
    place: Place,
    snapshot: Option<Snapshot>,
    /// Read from the log, but not given yet.
    missed: VecDeque<Arc<Note>>,
    /// There is more in the log after this offset, to be read when all that is missed was given.
    more_after: Option<u64>,
    /// The offset of the last change that was given, or that is in the snapshot.
    offset: u64,
    draining: watch::Receiver<bool>,
    ends: Instant,
    left: bool,
    _present: Present,
}

/// What wants attention.
#[derive(Debug)]
pub struct Snapshot {
    /// Games with their newest entries, newest first by creation.
    pub games: Vec<(Summary, Record)>,
    /// Where the changes go on.
    pub cursor: String,
    /// Whether there was a cursor, which was of no use.
    pub reset: bool,
}

/// What a player's watch gives.
#[derive(Debug)]
pub enum Noticed {
    /// What wants attention: always first, if at all, or after a reader was too slow.
    Snapshot(Snapshot),
    /// The next change.
    Change {
        /// To go on after it.
        cursor: String,
        /// The change.
        note: Arc<Note>,
    },
    /// Nothing happened for a while.
    Heartbeat {
        /// To go on from here.
        cursor: String,
    },
    /// The server drains, or the watch is old.
    Goodbye {
        /// To go on from here.
        cursor: String,
    },
}

impl Session {
    /// Watches all games of a player: from what wants attention now on, or from right after a cursor.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn watch_player(&self, player: PlayerId, cursor: &str) -> Outcome<PlayerWatch> {
        let shared = self.shared.clone();
        let mut watch = PlayerWatch {
            // Before the log is read: what comes after that is put there.
            place: shared.inboxes.open(player),
            player,
            snapshot: None,
            missed: VecDeque::new(),
            more_after: None,
            offset: 0,
            draining: shared.draining.subscribe(),
            ends: Instant::now() + stream_age(),
            left: false,
            _present: Present::new(&shared.presences, player),
            shared,
        };
        let offset = watch.offset_of(cursor);
        match offset {
            Some(offset) if watch.catch_up(offset).await? => {}
            _ => watch.begin(!cursor.is_empty()).await?,
        }
        Ok(watch)
    }
}

impl PlayerWatch {
    /// The next thing that happens.
    ///
    /// # Errors
    ///
    /// Fails if the log can't be read, and with [`SessionError::Draining`] after a goodbye.
    pub async fn next(&mut self) -> Outcome<Noticed> {
        if self.left {
            return Err(SessionError::Draining);
        }
        let heartbeat = Instant::now() + HEARTBEAT;
        loop {
            if let Some(snapshot) = self.snapshot.take() {
                return Ok(Noticed::Snapshot(snapshot));
            }
            if *self.draining.borrow() || Instant::now() >= self.ends {
                self.left = true;
                let cursor = self.cursor(self.offset);
                return Ok(Noticed::Goodbye { cursor });
            }
            if let Some(note) = self.missed.pop_front() {
                return Ok(self.give(note));
            }
            if let Some(offset) = self.more_after.take() {
                self.catch_up_or_begin(offset).await?;
                continue;
            }
            match self.place.next_after(self.offset) {
                Ok(Some(note)) => return Ok(self.give(note)),
                Ok(None) => {}
                Err(Behind) => {
                    self.catch_up_or_begin(self.offset).await?;
                    continue;
                }
            }
            let offset = self.offset;
            let silent = tokio::select! {
                biased;
                () = self.place.wait_beyond(offset) => false,
                _ = self.draining.wait_for(|draining| *draining) => false,
                () = time::sleep_until(self.ends) => false,
                () = time::sleep_until(heartbeat) => true,
            };
            if silent {
                let cursor = self.cursor(offset);
                return Ok(Noticed::Heartbeat { cursor });
            }
        }
    }

    fn give(&mut self, note: Arc<Note>) -> Noticed {
        self.offset = note.offset;
        let cursor = self.cursor(note.offset);
        Noticed::Change { cursor, note }
    }

    /// A game's clocks as they stand now, and which time that is.
    pub fn clocks(&self, game: &Summary) -> (Clocks, Time) {
        self.shared.clocks(game)
    }

    /// The server's time.
    pub fn now(&self) -> Time {
        self.shared.clock.now()
    }

    /// Begins with what wants attention.
    async fn begin(&mut self, reset: bool) -> Outcome<()> {
        let (offset, mut games) = self.shared.store.games_of(self.player, MOST_GAMES).await?;
        games.retain(|(game, _)| wants_attention(game, self.player));
        // It may wait long for its reader.
        games.shrink_to_fit();
        self.offset = offset;
        self.snapshot = Some(Snapshot {
            games,
            cursor: self.cursor(offset),
            reset,
        });
        Ok(())
    }

    /// Reads what came after an offset, or begins anew if that is too much.
    async fn catch_up_or_begin(&mut self, offset: u64) -> Outcome<()> {
        if !self.catch_up(offset).await? {
            self.begin(true).await?;
        }
        Ok(())
    }

    /// Reads the first of what came after an offset; not if that is too much in all.
    async fn catch_up(&mut self, offset: u64) -> Outcome<bool> {
        let missed = self
            .shared
            .store
            .changes_of(self.player, offset, MOST_MISSED)
            .await?;
        let Some(mut missed) = missed else {
            return Ok(false);
        };
        self.offset = offset;
        // The rest is read again when its turn comes: a watch that nobody reads is to be small.
        if missed.len() > MOST_HELD {
            missed.truncate(MOST_HELD);
            self.more_after = missed.last().map(|last| last.offset);
        }
        for logged in missed {
            let note = self.shared.note(logged).await?;
            // As it is delivered: not what was before it was the player's game.
            let own = |note: &Note| note.game.is_of(self.player);
            self.missed.extend(note.filter(own).map(Arc::new));
        }
        Ok(true)
    }

    /// The cursor of an offset: good for this player and log only.
    fn cursor(&self, offset: u64) -> String {
        let mut hash = Sha256::new();
        hash.update(self.shared.store.identity());
        hash.update(self.player.0.as_bytes());
        hash.update(offset.to_be_bytes());
        let hash: [u8; 32] = hash.finalize().into();
        let check = hash.iter().take(8);
        let check: String = check.map(|byte| format!("{byte:02x}")).collect();
        format!("{offset:016x}{check}")
    }

    /// The offset of a cursor that this player got of this log.
    fn offset_of(&self, cursor: &str) -> Option<u64> {
        let offset = u64::from_str_radix(cursor.get(..16)?, 16).ok()?;
        (self.cursor(offset) == cursor && offset <= *self.shared.store.newest().borrow())
            .then_some(offset)
    }
}

/// Whether a game waits for a player: to move, to answer an offer, or to accept an invitation.
fn wants_attention(game: &Summary, player: PlayerId) -> bool {
    let has = |side: Side| game.seats[side] == Seat::Player(player);
    match game.state.status {
        Status::Waiting => game
            .seats
            .iter()
            .any(|(_, seat)| *seat == Seat::Invited(player)),
        Status::Active => {
            game.state.position.to_move().is_some_and(has)
                || game
                    .state
                    .offer
                    .is_some_and(|offer| has(offer.side.opponent()))
        }
        Status::Finished | Status::Aborted => false,
    }
}
