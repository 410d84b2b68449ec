//! Reading: a few connections, each used by one question at a time, off the runtime.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use tokio::{sync::Semaphore, task};

use super::subjects;
use crate::{
    game::Time,
    store::{Entry, Logged, StoreError, Subject, codec::Codec},
};

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
    /// So many connections. Questions beyond so many wait.
    pub(super) fn open(
        count: usize,
        connect: impl Fn() -> Result<Connection, StoreError>,
    ) -> Result<Readers, StoreError> {
        let connections = (0..count).map(|_| connect()).collect::<Result<_, _>>()?;
        Ok(Readers {
            pool: Arc::new(Pool {
                connections: Mutex::new(connections),
                codec: Codec::default(),
            }),
            free: Arc::new(Semaphore::new(count)),
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
    let Some(id) = subjects::find(connection, subject)? else {
        return Ok(Vec::new());
    };
    let mut statement = connection.prepare_cached(
        "SELECT seq, time, body FROM log JOIN subjects ON id = subject
         WHERE subject = ? AND seq > ? AND seq > forgotten ORDER BY seq LIMIT ?",
    )?;
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![id, after, limit], raw_entry)?;
    rows.map(|row| row?.decode(codec, subject)).collect()
}

/// The newest entry of a subject: it is never forgotten.
pub(super) fn last(
    connection: &Connection,
    codec: &Codec,
    subject: Subject,
) -> Result<Option<Entry>, StoreError> {
    let Some(id) = subjects::find(connection, subject)? else {
        return Ok(None);
    };
    let mut statement = connection.prepare_cached(
        "SELECT seq, time, body FROM log WHERE subject = ? ORDER BY seq DESC LIMIT 1",
    )?;
    let row = statement.query_row([id], raw_entry).optional()?;
    row.map(|row| row.decode(codec, subject)).transpose()
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
         WHERE offset > ? AND seq > forgotten ORDER BY offset LIMIT ?",
    )?;
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![after, limit], |row| {
        let (offset, name): (i64, Vec<u8>) = (row.get(3)?, row.get(4)?);
        Ok((raw_entry(row)?, offset.unsigned_abs(), name))
    })?;
    rows.map(|row| {
        let (entry, offset, name) = row?;
        let subject = subjects::parse(&name)?;
        Ok(Logged {
            offset,
            subject,
            entry: entry.decode(codec, subject)?,
        })
    })
    .collect()
}
