//! A store that fails when it is told to, and says when it is gone.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use mancala::{
    game::{GameId, PlayerId, Record, Summary},
    store::{
        AppendError, Entry, GameCounts, GameFilter, Log, Logged, Projection, Sqlite, StoreError,
        Subject,
    },
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

/// The faults of the appends to come, in order; none beyond them.
#[derive(Clone, Default)]
pub(crate) struct Faults(Arc<Mutex<Scripts>>, watch::Sender<Stall>);

/// Whether appends wait.
#[derive(Default)]
struct Stall {
    stalled: bool,
    waiting: usize,
}

#[derive(Default)]
struct Scripts {
    /// Of appends to games.
    games: VecDeque<Fault>,
    /// Of appends to players.
    players: VecDeque<Fault>,
    /// Of signs of life.
    signs: VecDeque<Fault>,
    /// Whether every append fails, whatever is scripted.
    broken: bool,
}

impl Faults {
    /// Adds faults of further appends to games.
    pub(crate) fn script(&self, faults: impl IntoIterator<Item = Fault>) {
        self.0.lock().unwrap().games.extend(faults);
    }

    /// Adds faults of further appends to players.
    pub(crate) fn script_players(&self, faults: impl IntoIterator<Item = Fault>) {
        self.0.lock().unwrap().players.extend(faults);
    }

    /// Adds faults of further signs of life.
    pub(crate) fn script_signs(&self, faults: impl IntoIterator<Item = Fault>) {
        self.0.lock().unwrap().signs.extend(faults);
    }

    /// Faults of signs of life that are still to come.
    pub(crate) fn signs_left(&self) -> usize {
        self.0.lock().unwrap().signs.len()
    }

    /// Makes every append fail, or none any more.
    pub(crate) fn set_broken(&self, broken: bool) {
        self.0.lock().unwrap().broken = broken;
    }

    /// Makes every append wait, or none any more.
    pub(crate) fn set_stalled(&self, stalled: bool) {
        self.1.send_modify(|stall| stall.stalled = stalled);
    }

    /// Waits until an append waits.
    pub(crate) async fn stalled(&self) {
        let mut stall = self.1.subscribe();
        stall.wait_for(|stall| stall.waiting > 0).await.unwrap();
    }

    async fn pass_stall(&self) {
        let mut stall = self.1.subscribe();
        self.1.send_modify(|stall| stall.waiting += 1);
        stall.wait_for(|stall| !stall.stalled).await.unwrap();
        self.1.send_modify(|stall| stall.waiting -= 1);
    }

    fn next(&self, subject: Subject) -> Fault {
        let mut scripts = self.0.lock().unwrap();
        if scripts.broken {
            return Fault::Fails;
        }
        let script = match subject {
            Subject::Game(_) => &mut scripts.games,
            Subject::System => &mut scripts.signs,
            Subject::Player(_) => &mut scripts.players,
            Subject::Audit => return Fault::None,
        };
        script.pop_front().unwrap_or(Fault::None)
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
        self.faults.pass_stall().await;
        match self.faults.next(subject) {
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
impl Projection for FaultyStore {
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
