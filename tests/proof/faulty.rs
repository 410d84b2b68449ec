//! The same server over a store that is slow, fails, and lies, by a seed.

use std::{
    net::SocketAddr,
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use mancala::{
    catalog::Catalog,
    game::{GameId, PlayerId, Record, Summary},
    grpc::{
        Tokens,
        server::{self, Edge, Listeners, Service},
    },
    session::Session,
    store::{
        AppendError, Entry, GameCounts, GameFilter, Log, Logged, Projection, Sqlite, Store,
        StoreError, Subject,
    },
};
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
    sync::watch,
};

use super::chance::Chance;

/// Serves until it is told to stop.
pub(crate) async fn serve(listen: SocketAddr, folder: &Path, seed: u64) {
    let store = Sqlite::open(folder).expect("the folder is free");
    let store = FaultyStore {
        inner: store,
        chance: Mutex::new(Chance::new(seed)),
        begun: AtomicBool::new(false),
    };
    let listener = TcpListener::bind(listen).await.expect("the port is free");
    serve_store(Arc::new(store), folder, listener, terminated()).await;
}

/// Serves a store until `stop` is done.
pub(crate) async fn serve_store(
    store: Arc<dyn Store>,
    folder: &Path,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
) {
    let service = Service {
        catalog: Arc::new(Catalog::built_in()),
        session: Session::new(store),
        edge: Edge::new(Tokens::open(folder).expect("the key is there")),
    };
    let listeners = Listeners {
        public: listener,
        admin: None,
    };
    server::serve(service, listeners, stop)
        .await
        .expect("it serves");
}

async fn terminated() {
    let terminate = signal(SignalKind::terminate());
    terminate.expect("signals can be heard").recv().await;
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// It fails, and nothing was written.
    Fails,
    /// It is written, but the answer says that it failed.
    AnswerLost,
    /// It is refused as a conflict that there isn't.
    SpuriousConflict,
}

/// A real store with faults.
struct FaultyStore {
    inner: Sqlite,
    chance: Mutex<Chance>,
    /// Whether faults have begun: a server that can't give a sign of life at its start does not start.
    begun: AtomicBool,
}

impl FaultyStore {
    fn draw(&self, bound: usize) -> usize {
        let mut chance = self.chance.lock().unwrap_or_else(PoisonError::into_inner);
        chance.below(bound)
    }

    /// Milliseconds: most often none or few.
    async fn delay(&self) {
        let time = match self.draw(20) {
            0 => self.draw(300),
            1..5 => self.draw(10),
            _ => return,
        };
        tokio::time::sleep(Duration::from_millis(time as u64)).await;
    }

    fn fault(&self) -> Fault {
        if !self.begun.swap(true, Ordering::Relaxed) {
            return Fault::None;
        }
        match self.draw(30) {
            0 => Fault::Fails,
            1 => Fault::AnswerLost,
            2 => Fault::SpuriousConflict,
            _ => Fault::None,
        }
    }

    fn read_fault(&self) -> Result<(), StoreError> {
        match self.draw(100) {
            0 if self.begun.load(Ordering::Relaxed) => Err(StoreError::Closed),
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl Log for FaultyStore {
    async fn append(&self, subject: Subject, entry: Entry) -> Result<(), AppendError> {
        self.delay().await;
        match self.fault() {
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
        self.read_fault()?;
        self.inner.read(subject, after, limit).await
    }

    async fn last(&self, subject: Subject) -> Result<Option<Entry>, StoreError> {
        self.inner.last(subject).await
    }

    async fn read_all(&self, after: u64, limit: u32) -> Result<Vec<Logged>, StoreError> {
        self.read_fault()?;
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
        self.read_fault()?;
        self.inner.list_games(filter, after, limit).await
    }

    async fn unfinished_games(
        &self,
        after: Option<GameId>,
        limit: u32,
    ) -> Result<Vec<Summary>, StoreError> {
        self.read_fault()?;
        self.inner.unfinished_games(after, limit).await
    }

    async fn games_of(
        &self,
        player: PlayerId,
        limit: u32,
    ) -> Result<(u64, Vec<(Summary, Record)>), StoreError> {
        self.read_fault()?;
        self.inner.games_of(player, limit).await
    }

    async fn count_games(&self, player: PlayerId, most: u32) -> Result<GameCounts, StoreError> {
        self.read_fault()?;
        self.inner.count_games(player, most).await
    }

    async fn changes_of(
        &self,
        player: PlayerId,
        after: u64,
        limit: u32,
    ) -> Result<Option<Vec<Logged>>, StoreError> {
        self.read_fault()?;
        self.inner.changes_of(player, after, limit).await
    }
}
