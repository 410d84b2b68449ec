//! Log and projection in one SQLite file: the embedded store.
//!
//! One thread writes, and commits everything that waits in one transaction; with WAL and
//! `synchronous=FULL` an answered append has reached the disk. A few connections read.

mod forgetting;
mod projection;
mod reader;
mod schema;
mod subjects;
mod writer;

use std::{
    fs::{DirBuilder, File, TryLockError},
    io,
    path::Path,
    time::Duration,
};

use async_trait::async_trait;
use rusqlite::{Connection, OpenFlags, config::DbConfig};
use tokio::sync::watch;

use super::{
    AppendError, Entry, GameCounts, GameFilter, Log, Logged, Projection, StoreError, Subject,
};
use crate::game::{GameId, PlayerId, Record, Summary};
use reader::Readers;
use writer::Writer;

const DATABASE: &str = "mancala.sqlite3";
const LOCK: &str = "lock";

/// Connections that answer questions.
const READERS: usize = 4;

/// Most memory that pages take which the writer has read or written, in kB: the ends of many lists.
const CACHE_KB: u32 = 32_000;

/// How long a connection waits for another one.
const BUSY: Duration = Duration::from_secs(5);

/// Pages in the write-ahead log that are brought over to the database at once: 16 MB. A page that was
/// written several times by then is brought over once, as most pages of lists are.
const CHECKPOINT: u32 = 4_000;

/// The embedded store of a data folder.
#[derive(Debug)]
pub struct Sqlite {
    writer: Writer,
    readers: Readers,
    /// For who follows the whole log: behind no question of a client.
    follower: Readers,
    identity: [u8; 16],
    /// Held for as long as the store is open.
    _lock: File,
}

impl Sqlite {
    /// Opens the store of a folder, and makes both if they are not there.
    ///
    /// # Errors
    ///
    /// Fails if the folder can't be used, another process has it, or a newer version wrote it.
    pub fn open(folder: &Path) -> Result<Sqlite, StoreError> {
        make(folder).map_err(StoreError::Folder)?;
        let lock = lock(folder)?;
        let path = folder.join(DATABASE);
        let mut connection = connect(&path, OpenFlags::default())?;
        connection.execute_batch(&format!(
            "PRAGMA journal_mode = WAL;
             PRAGMA synchronous = FULL;
             PRAGMA secure_delete = ON;
             PRAGMA wal_autocheckpoint = {CHECKPOINT};
             PRAGMA cache_size = -{CACHE_KB};"
        ))?;
        schema::migrate(&mut connection)?;
        let identity = connection.query_row("SELECT id FROM identity", [], |row| row.get(0))?;
        let read_only = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        // While nobody reads yet, what was to be forgotten before a crash is forgotten at once.
        let writer = Writer::start(connection)?;
        let readers = Readers::open(READERS, || connect(&path, read_only))?;
        let follower = Readers::open(1, || connect(&path, read_only))?;
        Ok(Sqlite {
            writer,
            readers,
            follower,
            identity,
            _lock: lock,
        })
    }
}

/// Makes a folder, for its owner alone, if it is not there.
fn make(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Takes the folder's lock, which the system frees when the process ends, however it ends.
fn lock(folder: &Path) -> Result<File, StoreError> {
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(folder.join(LOCK))
        .map_err(StoreError::Folder)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::Locked),
        Err(TryLockError::Error(error)) => Err(StoreError::Folder(error)),
    }
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let connection = Connection::open_with_flags(path, flags)?;
    connection.execute_batch("PRAGMA temp_store = MEMORY")?;
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(64);
    // Otherwise a statement may be planned anew each time that it gets other values.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}

#[async_trait]
impl Log for Sqlite {
    async fn append(&self, subject: Subject, entry: Entry) -> Result<(), AppendError> {
        self.writer.append(subject, entry).await
    }

    async fn read(
        &self,
        subject: Subject,
        after: u64,
        limit: u32,
    ) -> Result<Vec<Entry>, StoreError> {
        self.readers
            .run(move |connection, codec| reader::read(connection, codec, subject, after, limit))
            .await
    }

    async fn last(&self, subject: Subject) -> Result<Option<Entry>, StoreError> {
        self.readers
            .run(move |connection, codec| reader::last(connection, codec, subject))
            .await
    }

    async fn read_all(&self, after: u64, limit: u32) -> Result<Vec<Logged>, StoreError> {
        self.follower
            .run(move |connection, codec| reader::read_all(connection, codec, after, limit))
            .await
    }

    fn newest(&self) -> watch::Receiver<u64> {
        self.writer.newest()
    }

    fn identity(&self) -> [u8; 16] {
        self.identity
    }
}

#[async_trait]
impl Projection for Sqlite {
    async fn list_games(
        &self,
        filter: GameFilter,
        after: Option<GameId>,
        limit: u32,
    ) -> Result<Vec<Summary>, StoreError> {
        self.readers
            .run(move |connection, codec| {
                projection::list_games(connection, codec, &filter, after, limit)
            })
            .await
    }

    async fn unfinished_games(
        &self,
        after: Option<GameId>,
        limit: u32,
    ) -> Result<Vec<Summary>, StoreError> {
        self.readers
            .run(move |connection, codec| {
                projection::unfinished_games(connection, codec, after, limit)
            })
            .await
    }

    async fn games_of(
        &self,
        player: PlayerId,
        limit: u32,
    ) -> Result<(u64, Vec<(Summary, Record)>), StoreError> {
        self.readers
            .run(move |connection, codec| projection::games_of(connection, codec, player, limit))
            .await
    }

    async fn count_games(&self, player: PlayerId, most: u32) -> Result<GameCounts, StoreError> {
        self.readers
            .run(move |connection, _| projection::count_games(connection, player, most))
            .await
    }

    async fn changes_of(
        &self,
        player: PlayerId,
        after: u64,
        limit: u32,
    ) -> Result<Option<Vec<Logged>>, StoreError> {
        self.readers
            .run(move |connection, codec| {
                projection::changes_of(connection, codec, player, after, limit)
            })
            .await
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        StoreError::Database(error.into())
    }
}
