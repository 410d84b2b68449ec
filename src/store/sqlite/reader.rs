//! Reading: a few connections, each used by one question at a time, off the runtime.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use tokio::{sync::Semaphore, task};
use uuid::Uuid;

use crate::{
    game::{GameId, PlayerId, Time},
    store::{Entry, Logged, StoreError, Subject, codec::Codec},
};

/// Connections that read. Questions beyond so many wait.
const CONNECTIONS: usize = 4;

/// A pool of connections that read.
#[derive(Debug)]
pub(super) struct Readers {
    pool: Arc<Pool>,
    free: Arc<Semaphore>,
}

#[derive(Debug)]
struct Pool {
    connections: Mutex<Vec<Connection>>,
    codec: Codec,
}

impl Readers {
    pub(super) fn open(
        connect: impl Fn() -> Result<Connection, StoreError>,
    ) -> Result<Readers, StoreError> {
        let connections = (0..CONNECTIONS)
            .map(|_| connect())
            .collect::<Result<_, _>>()?;
        Ok(Readers {
            pool: Arc::new(Pool {
                connections: Mutex::new(connections),
                codec: Codec::default(),
            }),
            free: Arc::new(Semaphore::new(CONNECTIONS)),
        })
    }

    /// Asks a question on a free connection.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Connection, &Codec) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let permit = self.free.clone().acquire_owned().await;
        let permit = permit.map_err(|_| StoreError::Closed)?;
        let pool = self.pool.clone();
        let asked = task::spawn_blocking(move || {
            let _permit = permit;
            let lent = Lent::take(&pool)?;
            let connection = lent.connection.as_ref().ok_or(StoreError::Closed)?;
            // All of an answer is of one moment.
            let moment = connection.unchecked_transaction()?;
            let answer = question(&moment, &pool.codec)?;
            moment.finish()?;
            Ok(answer)
        });
        asked.await.map_err(|_| StoreError::Closed)?
    }
}

impl Pool {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection that goes back to its pool, also when the question panics.
struct Lent<'a> {
    pool: &'a Pool,
    connection: Option<Connection>,
}

impl Lent<'_> {
    fn take(pool: &Pool) -> Result<Lent<'_>, StoreError> {
        let connection = pool.lock().pop().ok_or(StoreError::Closed)?;
        Ok(Lent {
            pool,
            connection: Some(connection),
        })
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.pool.lock().extend(self.connection.take());
    }
}

/// An entry as its row has it.
pub(super) struct RawEntry {
    seq: i64,
    time: i64,
    body: Vec<u8>,
}

impl RawEntry {
    pub(super) fn decode(&self, codec: &Codec, subject: Subject) -> Result<Entry, StoreError> {
        codec.decode(
            subject,
            self.seq.unsigned_abs(),
            Time(self.time),
            &self.body,
        )
    }
}

/// Reads a row of seq, time and body.
pub(super) fn raw_entry(row: &Row<'_>) -> rusqlite::Result<RawEntry> {
    Ok(RawEntry {
        seq: row.get(0)?,
        time: row.get(1)?,
        body: row.get(2)?,
    })
}

/// Entries of a subject after a seq.
pub(super) fn read(
    connection: &Connection,
    codec: &Codec,
    subject: Subject,
    after: u64,
    limit: u32,
) -> Result<Vec<Entry>, StoreError> {
    let Some(id) = subject_id(connection, subject)? else {
        return Ok(Vec::new());
    };
    let mut statement = connection.prepare_cached(
        "SELECT seq, time, body FROM log WHERE subject = ? AND seq > ? ORDER BY seq LIMIT ?",
    )?;
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![id, after, limit], raw_entry)?;
    rows.map(|row| row?.decode(codec, subject)).collect()
}

/// Entries of all subjects after an offset.
pub(super) fn read_all(
    connection: &Connection,
    codec: &Codec,
    after: u64,
    limit: u32,
) -> Result<Vec<Logged>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT seq, time, body, offset, name FROM log JOIN subjects ON id = subject
         WHERE offset > ? ORDER BY offset LIMIT ?",
    )?;
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![after, limit], |row| {
        let (offset, name): (i64, Vec<u8>) = (row.get(3)?, row.get(4)?);
        Ok((raw_entry(row)?, offset.unsigned_abs(), name))
    })?;
    rows.map(|row| {
        let (entry, offset, name) = row?;
        let subject = parse_name(&name)?;
        Ok(Logged {
            offset,
            subject,
            entry: entry.decode(codec, subject)?,
        })
    })
    .collect()
}

/// The local number of a subject, if it has entries.
pub(super) fn subject_id(
    connection: &Connection,
    subject: Subject,
) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT id FROM subjects WHERE name = ?")?
        .query_row([name(subject)], |row| row.get(0))
        .optional()
}

/// The subject with a local number.
pub(super) fn subject_of(connection: &Connection, id: i64) -> Result<Subject, StoreError> {
    let mut statement = connection.prepare_cached("SELECT name FROM subjects WHERE id = ?")?;
    let name: Vec<u8> = statement.query_row([id], |row| row.get(0))?;
    parse_name(&name)
}

/// A subject's name in the database: a letter for its kind, and its id.
pub(super) fn name(subject: Subject) -> [u8; 17] {
    let (kind, id) = match subject {
        Subject::Game(GameId(id)) => (b'g', id),
        Subject::Player(PlayerId(id)) => (b'p', id),
    };
    let mut name = [kind; 17];
    name[1..].copy_from_slice(id.as_bytes());
    name
}

fn parse_name(name: &[u8]) -> Result<Subject, StoreError> {
    let unknown = || StoreError::Entry("its subject is of an unknown kind".into());
    let (kind, id) = name.split_first().ok_or_else(unknown)?;
    let id = Uuid::from_slice(id).map_err(|_| unknown())?;
    match kind {
        b'g' => Ok(Subject::Game(GameId(id))),
        b'p' => Ok(Subject::Player(PlayerId(id))),
        _ => Err(unknown()),
    }
}
