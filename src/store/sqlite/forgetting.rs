//! Forgetting: what was overwritten in the database is taken out of the write-ahead log too.

use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::BUSY;

/// Least time between two attempts: who deletes player after player doesn't slow down all others.
const PAUSE: Duration = Duration::from_secs(10);

/// How long an attempt, and so every append, waits for questions that are just being answered.
/// Without it a busy server would seldom find a moment without any.
const PATIENCE: Duration = Duration::from_millis(50);

/// Whether the write-ahead log may still have what is to be forgotten, and when it is tried again to
/// empty it: a reader can be in the way, and so can a full disk.
pub(super) struct Forgetting {
    wanted: bool,
    not_before: Instant,
}

impl Forgetting {
    /// Empties the log that the process before has left, which may have ended at any moment.
    pub(super) fn begin(connection: &Connection) -> Forgetting {
        let mut forgetting = Forgetting {
            wanted: true,
            not_before: Instant::now(),
        };
        forgetting.attempt(connection);
        forgetting
    }

    /// Something is to be forgotten.
    pub(super) fn want(&mut self) {
        self.wanted = true;
    }

    /// How long it is until an attempt is due, if there is something to forget.
    pub(super) fn due_in(&self) -> Option<Duration> {
        let left = self.not_before.saturating_duration_since(Instant::now());
        self.wanted.then_some(left)
    }

    /// Tries to empty the log.
    pub(super) fn attempt(&mut self, connection: &Connection) {
        match empty(connection) {
            Ok(true) => self.wanted = false,
            Ok(false) => tracing::info!("a reader keeps what was deleted in the write-ahead log"),
            Err(error) => tracing::warn!(%error, "the write-ahead log could not be emptied"),
        }
        self.not_before = Instant::now() + PAUSE;
    }

    /// Tries it once more, if there is something to forget: nobody writes after this.
    pub(super) fn end(mut self, connection: &Connection) {
        if self.wanted {
            self.attempt(connection);
        }
    }
}

/// Brings all of the write-ahead log over to the database and empties it, unless a reader is in the way.
fn empty(connection: &Connection) -> rusqlite::Result<bool> {
    connection.busy_timeout(PATIENCE)?;
    let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
    connection.busy_timeout(BUSY)?;
    busy.map(|busy: bool| !busy)
}
