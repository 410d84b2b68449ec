//! Subjects in the database: their names, and the small local numbers that stand for them.

use rusqlite::{Connection, OptionalExtension as _};
use uuid::Uuid;

use crate::{
    game::{GameId, PlayerId},
    store::{StoreError, Subject},
};

/// The local number of a subject, if it has one. It may have one before it has entries.
pub(super) fn find(connection: &Connection, subject: Subject) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT id FROM subjects WHERE name = ?")?
        .query_row([name(subject)], |row| row.get(0))
        .optional()
}

/// Gives a subject its local number.
pub(super) fn add(connection: &Connection, subject: Subject) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("INSERT INTO subjects (name) VALUES (?)")?
        .execute([name(subject)])?;
    Ok(connection.last_insert_rowid())
}

/// The local number of a subject, which it gets now if it has none.
pub(super) fn number(connection: &Connection, subject: Subject) -> rusqlite::Result<i64> {
    match find(connection, subject)? {
        Some(number) => Ok(number),
        None => add(connection, subject),
    }
}

/// A subject has forgotten its entries up to a seq.
pub(super) fn forget(connection: &Connection, number: i64, seq: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE subjects SET forgotten = ? WHERE id = ?")?
        .execute([seq, number])?;
    Ok(())
}

/// The subject with a local number.
pub(super) fn of(connection: &Connection, number: i64) -> Result<Subject, StoreError> {
    let mut statement = connection.prepare_cached("SELECT name FROM subjects WHERE id = ?")?;
    let name: Vec<u8> = statement.query_row([number], |row| row.get(0))?;
    parse(&name)
}

/// A subject's name in the database: a letter for its kind, and its id.
fn name(subject: Subject) -> [u8; 17] {
    let (kind, id) = match subject {
        Subject::Game(GameId(id)) => (b'g', id),
        Subject::Player(PlayerId(id)) => (b'p', id),
        Subject::System => (b's', Uuid::nil()),
        Subject::Audit => (b'a', Uuid::nil()),
    };
    let mut name = [kind; 17];
    name[1..].copy_from_slice(id.as_bytes());
    name
}

/// The subject with a name.
pub(super) fn parse(name: &[u8]) -> Result<Subject, StoreError> {
    let unknown = || StoreError::Entry("its subject is of an unknown kind".into());
    let (kind, id) = name.split_first().ok_or_else(unknown)?;
    let id = Uuid::from_slice(id).map_err(|_| unknown())?;
    match kind {
        b'g' => Ok(Subject::Game(GameId(id))),
        b'p' => Ok(Subject::Player(PlayerId(id))),
        b's' => Ok(Subject::System),
        b'a' => Ok(Subject::Audit),
        _ => Err(unknown()),
    }
}
