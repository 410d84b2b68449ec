//! The tables, and how older files become newer ones.

use rusqlite::Connection;

use super::projection;
use crate::store::{StoreError, codec::Codec};

/// Each step brings a file from the version that is its index to the next. Steps are never edited.
const MIGRATIONS: &[&str] = &[
    // Version 1. Subjects get a small local number, ascending in order of creation: keys that grow
    // keep the pages being written few.
    "CREATE TABLE subjects (
         id INTEGER PRIMARY KEY,
         name BLOB NOT NULL UNIQUE
     ) STRICT;
     CREATE TABLE log (
         offset INTEGER PRIMARY KEY,
         subject INTEGER NOT NULL REFERENCES subjects (id),
         seq INTEGER NOT NULL,
         time INTEGER NOT NULL,
         body BLOB NOT NULL,
         UNIQUE (subject, seq)
     ) STRICT;
     CREATE TABLE projection_version (version INTEGER NOT NULL) STRICT;
     INSERT INTO projection_version VALUES (0);",
    // Version 2. What tells this log from all others.
    "CREATE TABLE identity (id BLOB NOT NULL) STRICT;
     INSERT INTO identity VALUES (randomblob(16));",
];

/// Brings a database to the program's schema, and its projection to the program's.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    let known = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    let transaction = connection.transaction()?;
    let found: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found > known {
        return Err(StoreError::NewerSchema { found, known });
    }
    for step in MIGRATIONS.iter().skip(usize::try_from(found).unwrap_or(0)) {
        transaction.execute_batch(step)?;
    }
    if found < known {
        transaction.pragma_update(None, "user_version", known)?;
    }
    projection::bring_up(&transaction, &Codec::default())?;
    transaction.commit()?;
    Ok(())
}
