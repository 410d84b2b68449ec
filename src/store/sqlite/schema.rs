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
    // Version 3. The last seq that a subject has forgotten. The rows up to it stay, with zeros for
    // bodies: taking them away would move their neighbours, and leave copies of those behind.
    "ALTER TABLE subjects ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0;",
];

/// From this version on nothing that is moved within the file leaves a copy behind. Before, the log's
/// first page did when the log outgrew it: the copy is in the tree's root, until some 500 pages' numbers
/// have been written over it.
const NO_COPIES: i64 = 3;

/// Most pages of a file that may have such a copy: many times what it takes to overwrite it, and still
/// made anew in well under a second.
const MAY_HAVE_COPIES: i64 = 4_000;

/// Brings a database to the program's schema, and its projection to the program's.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    let known = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get(0));
    let (found, pages): (i64, i64) = (number("user_version")?, number("page_count")?);
    if found > known {
        return Err(StoreError::NewerSchema { found, known });
    }
    if (1..NO_COPIES).contains(&found) && pages <= MAY_HAVE_COPIES {
        connection.execute_batch("VACUUM")?;
    }
    let transaction = connection.transaction()?;
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
