//! A store that fails when it is told to, and says when it is gone.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use mancala::{
    game::{GameId, Summary, Time},
    store::{AppendError, Entry, GameFilter, Log, Logged, Projection, Sqlite, StoreError, Subject},
};
use tokio::sync::{mpsc, watch};

/// What goes wrong with an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing.
    None,
    /// It fails, and nothing was written.
    Fails,
    /// It is written, but the answer says that it failed.
    AnswerLost,
    /// It is refused as a conflict that there isn't, and nothing was written.
    SpuriousConflict,
}

/// The faults of the appends to come, in order; none beyond them. Only appends to games are counted.
#[derive(Clone, Default)]
pub(crate) struct Faults(Arc<Mutex<VecDeque<Fault>>>);

impl Faults {
    /// Adds faults of further appends.
    pub(crate) fn script(&self, faults: impl IntoIterator<Item = Fault>) {
        self.0.lock().unwrap().extend(faults);
    }

    fn next(&self) -> Fault {
        self.0.lock().unwrap().pop_front().unwrap_or(Fault::None)
    }
}

/// A real store with faults.
pub(crate) struct FaultyStore {
    pub(crate) inner: Sqlite,
    pub(crate) faults: Faults,
    /// Dropped after the store: whoever waits at the other end then knows.
    pub(crate) _gone: mpsc::Sender<()>,
}

#[async_trait]
impl Log for FaultyStore {
    async fn append(&self, subject: Subject, entry: Entry) -> Result<(), AppendError> {
        let fault = match subject {
            Subject::Game(_) => self.faults.next(),
            Subject::Player(_) => Fault::None,
        };
        match fault {
            Fault::None => self.inner.append(subject, entry).await,
            Fault::Fails => Err(StoreError::NotWritten.into()),
            Fault::AnswerLost => {
                self.inner.append(subject, entry).await?;
                Err(StoreError::NotWritten.into())
            }
            Fault::SpuriousConflict => Err(AppendError::Conflict {
                last: entry.seq() - 1,
            }),
        }
    }

    async fn read(
        &self,
        subject: Subject,
        after: u64,
        limit: u32,
    ) -> Result<Vec<Entry>, StoreError> {
        self.inner.read(subject, after, limit).await
    }

    async fn read_all(&self, after: u64, limit: u32) -> Result<Vec<Logged>, StoreError> {
        self.inner.read_all(after, limit).await
    }

    fn newest(&self) -> watch::Receiver<u64> {
        self.inner.newest()
    }
}

#[async_trait]
impl Projection for FaultyStore {
    async fn list_games(
        &self,
        filter: GameFilter,
        after: Option<GameId>,
        limit: u32,
    ) -> Result<Vec<Summary>, StoreError> {
        self.inner.list_games(filter, after, limit).await
    }

    async fn waiting_games(
        &self,
        created: Time,
        after: Option<GameId>,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        self.inner.waiting_games(created, after, limit).await
    }
}
