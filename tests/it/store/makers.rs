//! What the suite needs of a store beside its traits.

use std::fs;

use mancala::store::{Sqlite, Store, StoreError};
use tempfile::TempDir;

/// Makes stores over the same data.
pub(crate) trait Maker: Send + Sync + 'static {
    /// The store.
    type Store: Store;

    /// Opens the store over its data, of which there are none at first.
    fn open(&self) -> Result<Self::Store, StoreError>;

    /// The data as a crash at this moment would leave them, for a store to be opened over.
    fn crashed(&self) -> Self;
}

/// SQLite in a folder.
pub(crate) struct SqliteMaker {
    pub(crate) folder: TempDir,
}

impl SqliteMaker {
    pub(crate) fn new() -> SqliteMaker {
        SqliteMaker {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// A connection to the database itself, past the store.
    pub(crate) fn database(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.folder.path().join("mancala.sqlite3")).unwrap()
    }
}

impl Maker for SqliteMaker {
    type Store = Sqlite;

    fn open(&self) -> Result<Sqlite, StoreError> {
        Sqlite::open(self.folder.path())
    }

    /// The files are copied as they are on the disk, the write-ahead log with them. The index of that
    /// log lives in memory and is lost in a crash of the machine.
    fn crashed(&self) -> SqliteMaker {
        let copy = SqliteMaker::new();
        for file in fs::read_dir(self.folder.path()).unwrap() {
            let file = file.unwrap();
            if !file.file_name().to_string_lossy().ends_with("-shm") {
                fs::copy(file.path(), copy.folder.path().join(file.file_name())).unwrap();
            }
        }
        copy
    }
}
