//! A store that remembers when each event was durable.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use async_trait::async_trait;
use mancala::{
    game::{GameId, PlayerId, Record, Summary},
    store::{
        AppendError, Entry, GameCounts, GameFilter, Log, Logged, Projection, Sqlite, StoreError,
        Subject,
    },
};
use tokio::sync::watch;

/// When events were durable, by game and seq.
#[derive(Default)]
pub struct Commits(Mutex<HashMap<(GameId, u64), Instant>>);

impl Commits {
    /// When an event was durable.
    pub fn of(&self, id: GameId, seq: u64) -> Option<Instant> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&(id, seq)).copied()
    }
}

/// The store itself, with a note of each append's answer.
pub struct Stamped {
    pub inner: Sqlite,
    pub commits: Arc<Commits>,
}

#[async_trait]
impl Log for Stamped {
    async fn append(&self, subject: Subject, entry: Entry) -> Result<(), AppendError> {
        let seq = entry.seq();
        self.inner.append(subject, entry).await?;
        if let Subject::Game(id) = subject {
            let mut known = self
                .commits
                .0
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            known.insert((id, seq), Instant::now());
        }
        Ok(())
    }

    async fn read(
        &self,
        subject: Subject,
        after: u64,
        limit: u32,
    ) -> Result<Vec<Entry>, StoreError> {
        self.inner.read(subject, after, limit).await
    }

    async fn last(&self, subject: Subject) -> Result<Option<Entry>, StoreError> {
        self.inner.last(subject).await
    }

    async fn read_all(&self, after: u64, limit: u32) -> Result<Vec<Logged>, StoreError> {
        self.inner.read_all(after, limit).await
    }

    fn newest(&self) -> watch::Receiver<u64> {
        self.inner.newest()
    }

    fn identity(&self) -> [u8; 16] {
        self.inner.identity()
    }
}

#[async_trait]
impl Projection for Stamped {
    async fn list_games(
        &self,
        filter: GameFilter,
        after: Option<GameId>,
        limit: u32,
    ) -> Result<Vec<Summary>, StoreError> {
        self.inner.list_games(filter, after, limit).await
    }

    async fn unfinished_games(
        &self,
        after: Option<GameId>,
        limit: u32,
    ) -> Result<Vec<Summary>, StoreError> {
        self.inner.unfinished_games(after, limit).await
    }

    async fn games_of(
        &self,
        player: PlayerId,
        limit: u32,
    ) -> Result<(u64, Vec<(Summary, Record)>), StoreError> {
        self.inner.games_of(player, limit).await
    }

    async fn count_games(&self, player: PlayerId, most: u32) -> Result<GameCounts, StoreError> {
        self.inner.count_games(player, most).await
    }

    async fn changes_of(
        &self,
        player: PlayerId,
        after: u64,
        limit: u32,
    ) -> Result<Option<Vec<Logged>>, StoreError> {
        self.inner.changes_of(player, after, limit).await
    }
}
