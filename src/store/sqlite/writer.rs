//! Writing: one thread that commits everything waiting in one transaction.

use std::{collections::HashMap, thread, time::Duration};

use rusqlite::{Connection, params};
use tokio::{
    runtime::{self, Runtime},
    sync::{mpsc, oneshot, watch},
    time::timeout,
};

use super::{forgetting::Forgetting, projection, subjects};
use crate::store::{AppendError, Entry, StoreError, Subject, codec};

/// Most appends of one transaction.
const BATCH: usize = 1_024;

/// Appends that may wait before further ones wait to be queued.
const QUEUE: usize = 4_096;

/// Subjects whose last seq is remembered between transactions.
const REMEMBERED: usize = 100_000;

/// The writer thread's other end. The thread ends when this is dropped and all appends are answered.
#[derive(Debug)]
pub(super) struct Writer {
    queue: Option<mpsc::Sender<Append>>,
    thread: Option<thread::JoinHandle<()>>,
    newest: watch::Receiver<u64>,
}

struct Append {
    subject: Subject,
    entry: Entry,
    body: Vec<u8>,
    answer: oneshot::Sender<Result<(), AppendError>>,
}

impl Writer {
    pub(super) fn start(connection: Connection) -> Result<Writer, StoreError> {
        let (queue, waiting) = mpsc::channel(QUEUE);
        let newest: i64 =
            connection.query_row("SELECT coalesce(max(offset), 0) FROM log", [], |row| {
                row.get(0)
            })?;
        let (announce, newest) = watch::channel(newest.unsigned_abs());
        let committer = Committer {
            forgetting: Forgetting::begin(&connection),
            connection,
            announce,
            subjects: HashMap::new(),
            timer: runtime::Builder::new_current_thread()
                .enable_time()
                .build()
                .map_err(StoreError::Thread)?,
        };
        let thread = thread::Builder::new()
            .name("log-writer".into())
            .spawn(move || committer.run(waiting))
            .map_err(StoreError::Thread)?;
        Ok(Writer {
            queue: Some(queue),
            thread: Some(thread),
            newest,
        })
    }

    pub(super) async fn append(&self, subject: Subject, entry: Entry) -> Result<(), AppendError> {
        let (answer, answered) = oneshot::channel();
        let append = Append {
            body: codec::encode(&entry),
            subject,
            entry,
            answer,
        };
        let queue = self.queue.as_ref().ok_or(StoreError::Closed)?;
        queue.send(append).await.map_err(|_| StoreError::Closed)?;
        answered.await.map_err(|_| StoreError::Closed)?
    }

    pub(super) fn newest(&self) -> watch::Receiver<u64> {
        self.newest.clone()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported where it happened.
            let _ = thread.join();
        }
    }
}

/// Ends the process if the writer panics: a server that can't write serves nobody, and one that
/// starts again loses nothing that was answered.
struct AbortOnPanic;

impl Drop for AbortOnPanic {
    fn drop(&mut self) {
        if thread::panicking() {
            std::process::abort();
        }
    }
}

/// A subject as the writer remembers it.
#[derive(Clone, Copy)]
struct Known {
    /// Its local number, if it has one.
    id: Option<i64>,
    /// Its last seq.
    last: u64,
}

struct Committer {
    connection: Connection,
    announce: watch::Sender<u64>,
    /// Exact, since nobody else writes; forgotten when a transaction fails.
    subjects: HashMap<Subject, Known>,
    forgetting: Forgetting,
    /// Wakes the thread when it is time to forget.
    timer: Runtime,
}

impl Committer {
    fn run(mut self, mut waiting: mpsc::Receiver<Append>) {
        let _guard = AbortOnPanic;
        let mut batch = Vec::with_capacity(BATCH);
        while self.receive(&mut waiting, &mut batch) > 0 {
            self.commit(&mut batch);
            if self.subjects.len() > REMEMBERED {
                self.subjects.clear();
            }
        }
        self.forgetting.end(&self.connection);
    }

    /// Waits for appends, and forgets what is to be forgotten when that is due. None: there are no more.
    fn receive(&mut self, waiting: &mut mpsc::Receiver<Append>, batch: &mut Vec<Append>) -> usize {
        loop {
            let Some(left) = self.forgetting.due_in() else {
                return waiting.blocking_recv_many(batch, BATCH);
            };
            if left == Duration::ZERO {
                self.forgetting.attempt(&self.connection);
                continue;
            }
            let received = waiting.recv_many(batch, BATCH);
            if let Ok(received) = self.timer.block_on(async { timeout(left, received).await }) {
                return received;
            }
        }
    }

    /// Writes a batch in one transaction, then answers each append.
    fn commit(&mut self, batch: &mut Vec<Append>) {
        let written = self.write(batch);
        if let Err(error) = &written {
            tracing::error!(%error, appends = batch.len(), "the log could not be written");
            self.subjects.clear();
        }
        let mut outcomes = written.unwrap_or_default().into_iter();
        for append in batch.drain(..) {
            let outcome = outcomes
                .next()
                .unwrap_or(Err(StoreError::NotWritten.into()));
            // Whoever has gone needs no answer.
            let _ = append.answer.send(outcome);
        }
    }

    fn write(&mut self, batch: &[Append]) -> rusqlite::Result<Vec<Result<(), AppendError>>> {
        if !self.connection.is_autocommit() {
            // The transaction before failed, and so did its end.
            self.connection.execute_batch("ROLLBACK")?;
        }
        if batch.iter().any(|append| append.entry.stands_alone()) {
            self.forgetting.want();
        }
        let transaction = self.connection.transaction()?;
        let mut outcomes = Vec::with_capacity(batch.len());
        let mut newest = None;
        for append in batch {
            let known = match self.subjects.get(&append.subject) {
                Some(known) => *known,
                None => look_up(&transaction, append.subject)?,
            };
            let seq = append.entry.seq();
            if seq != known.last + 1 {
                outcomes.push(Err(AppendError::Conflict { last: known.last }));
                continue;
            }
            let id = match known.id {
                Some(id) => id,
                None => subjects::add(&transaction, append.subject)?,
            };
            newest = Some(insert(&transaction, id, append)?);
            let known = Known {
                id: Some(id),
                last: seq,
            };
            self.subjects.insert(append.subject, known);
            outcomes.push(Ok(()));
        }
        transaction.commit()?;
        if let Some(newest) = newest {
            self.announce.send_replace(newest);
        }
        Ok(outcomes)
    }
}

/// A subject forgets all entries before one. They are overwritten where they stand, at equal length.
fn forget(connection: &Connection, subject: i64, seq: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "UPDATE log SET body = zeroblob(length(body)) WHERE subject = ? AND seq < ?",
        )?
        .execute([subject, seq])?;
    subjects::forget(connection, subject, seq - 1)
}

/// A subject's local number, if it has one, and its last seq.
fn look_up(connection: &Connection, subject: Subject) -> rusqlite::Result<Known> {
    let Some(id) = subjects::find(connection, subject)? else {
        return Ok(Known { id: None, last: 0 });
    };
    let last: i64 = connection
        .prepare_cached("SELECT coalesce(max(seq), 0) FROM log WHERE subject = ?")?
        .query_row([id], |row| row.get(0))?;
    Ok(Known {
        id: Some(id),
        last: last.unsigned_abs(),
    })
}

/// Inserts an entry and projects it. Gives its offset.
fn insert(connection: &Connection, subject: i64, append: &Append) -> rusqlite::Result<u64> {
    let (time, seq) = (append.entry.time(), append.entry.seq());
    connection
        .prepare_cached("INSERT INTO log (subject, seq, time, body) VALUES (?, ?, ?, ?)")?
        .execute(params![subject, seq.cast_signed(), time.0, append.body])?;
    let offset = connection.last_insert_rowid();
    if append.entry.stands_alone() {
        forget(connection, subject, seq.cast_signed())?;
    }
    projection::project(connection, subject, offset.unsigned_abs(), &append.entry)?;
    Ok(offset.unsigned_abs())
}
