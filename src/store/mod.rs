//! The log, which is the truth, and the projection, which is made of it.
//!
//! # Contract of every store
//!
//! - A subject's entries have seqs 1, 2, 3 … without gaps. An entry is appended only if its seq is the
//!   next one; otherwise [`AppendError::Conflict`] names the last seq, and nothing has changed.
//! - When an append has answered, its entry is durable: a crash of the process or of the machine at
//!   any later moment leaves it there. When it has failed but for a conflict, the entry may or may not
//!   be there: the caller reads the subject before it goes on.
//! - With an entry that [stands alone](Entry::stands_alone) its subject forgets all entries before it: from
//!   the same moment on nobody reads them, and soon after, also after a crash, nothing of them is left on
//!   the disk. Its seqs go on.
//! - An entry that can be read is durable, and the projection knows of it.
//! - All entries have one order, in which [`Log::read_all`] gives them; [`Log::newest`] tells of the
//!   newest one only when it can be read. Entries of one subject stand in order of their seqs.
//! - An entry of a kind that the program doesn't know fails the read: it is never skipped.

pub mod codec;
pub mod sqlite;

use async_trait::async_trait;
use tokio::sync::watch;

use crate::game::{
    AuditRecord, GameId, PlayerId, PlayerRecord, Record, Status, Summary, SystemRecord, Time,
};

pub use sqlite::Sqlite;

/// Whose log an entry is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A game's.
    Game(GameId),
    /// A player's.
    Player(PlayerId),
    /// The servers' own.
    System,
    /// What admins asked for.
    Audit,
}

/// An entry of a subject's log.
#[derive(Clone, Debug)]
pub enum Entry {
    /// Of a game.
    Game(Record),
    /// Of a player.
    Player(PlayerRecord),
    /// A sign of life.
    System(SystemRecord),
    /// Of the audit.
    Audit(AuditRecord),
}

impl Entry {
    /// Its number in its subject.
    pub fn seq(&self) -> u64 {
        match self {
            Entry::Game(record) => record.seq,
            Entry::Player(record) => record.seq,
            Entry::System(record) => record.seq,
            Entry::Audit(record) => record.seq,
        }
    }

    /// When it happened.
    pub fn time(&self) -> Time {
        match self {
            Entry::Game(record) => record.time,
            Entry::Player(record) => record.time,
            Entry::System(record) => record.time,
            Entry::Audit(record) => record.time,
        }
    }

    /// Whether its subject forgets all entries before it.
    pub fn stands_alone(&self) -> bool {
        matches!(self, Entry::Player(record) if record.stands_alone())
    }
}

/// An entry with its place in the order of all.
#[derive(Clone, Debug)]
pub struct Logged {
    /// Place in the order of all entries: ascending, not without gaps.
    pub offset: u64,
    /// Whose it is.
    pub subject: Subject,
    /// The entry.
    pub entry: Entry,
}

/// The append-only log.
#[async_trait]
pub trait Log: Send + Sync + 'static {
    /// Appends the next entry of a subject, and answers when it is durable.
    async fn append(&self, subject: Subject, entry: Entry) -> Result<(), AppendError>;

    /// Entries of a subject with seqs above `after`, at most `limit` of them. None: there are no more.
    async fn read(
        &self,
        subject: Subject,
        after: u64,
        limit: u32,
    ) -> Result<Vec<Entry>, StoreError>;

    /// The newest entry of a subject.
    async fn last(&self, subject: Subject) -> Result<Option<Entry>, StoreError>;

    /// Entries of all subjects with offsets above `after`, at most `limit` of them.
    async fn read_all(&self, after: u64, limit: u32) -> Result<Vec<Logged>, StoreError>;

    /// Follows the offset of the newest entry; 0 while there is none.
    fn newest(&self) -> watch::Receiver<u64>;

    /// What tells this log from all others.
    fn identity(&self) -> [u8; 16];
}

/// Which games to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameFilter {
    /// Who asks: private and unlisted games are listed for their own players only.
    pub viewer: Option<PlayerId>,
    /// Only of this status.
    pub status: Option<Status>,
    /// Only with a seat of, or kept for, this player, or imported by this player.
    pub player: Option<PlayerId>,
    /// Only of this variant.
    pub variant: Option<String>,
    /// Only those that wait, with a seat open to whoever joins.
    pub open_seat: bool,
}

/// How many games a player has that are not over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameCounts {
    /// Games being played in which it has a seat.
    pub playing: u32,
    /// Games that it created and that wait.
    pub waiting: u32,
    /// Games that others created and that wait, in which it has taken a seat.
    pub joined: u32,
}

/// What is made of the log for questions that go over many subjects.
#[async_trait]
pub trait Projection: Send + Sync + 'static {
    /// Games that fit a filter, newest first by creation: those created before `after`, which must be
    /// one that the viewer is shown, or there are none.
    async fn list_games(
        &self,
        filter: GameFilter,
        after: Option<GameId>,
        limit: u32,
    ) -> Result<Vec<Summary>, StoreError>;

    /// Games that wait or are being played, by creation: those created after `after`.
    async fn unfinished_games(
        &self,
        after: Option<GameId>,
        limit: u32,
    ) -> Result<Vec<Summary>, StoreError>;

    /// A player's games that wait or are being played, newest first, at most `limit` of each, with their
    /// newest entries; and the offset of the newest entry of all at that moment.
    async fn games_of(
        &self,
        player: PlayerId,
        limit: u32,
    ) -> Result<(u64, Vec<(Summary, Record)>), StoreError>;

    /// How many games a player has that are not over, up to `most` of each kind.
    async fn count_games(&self, player: PlayerId, most: u32) -> Result<GameCounts, StoreError>;

    /// Entries of all games of a player with offsets above `after`, in their order; `None` if there are
    /// `limit` of them or more.
    async fn changes_of(
        &self,
        player: PlayerId,
        after: u64,
        limit: u32,
    ) -> Result<Option<Vec<Logged>>, StoreError>;
}

/// A log with its projection.
pub trait Store: Log + Projection {}

impl<S: Log + Projection> Store for S {}

/// Why an entry was not appended.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// The subject's last seq is another one: load it again and decide anew.
    #[error("the subject's last entry is {last}")]
    Conflict {
        /// The last seq; 0 for none.
        last: u64,
    },
    /// The store failed; the entry may or may not be there.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why the store can't be used or answered.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder or its lock file can't be made or opened.
    #[error("the data folder can't be used")]
    Folder(#[source] std::io::Error),
    /// Another process has the data folder.
    #[error("another process uses this data folder")]
    Locked,
    /// The data were written by a newer version of the program.
    #[error("the data have schema {found}, which is newer than {known}: upgrade the program")]
    NewerSchema {
        /// In the file.
        found: i64,
        /// Known to the program.
        known: i64,
    },
    /// A thread can't be had.
    #[error("the system gives no thread to write the log")]
    Thread(#[source] std::io::Error),
    /// The database failed.
    #[error("the database failed")]
    Database(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A transaction failed, with all appends that it was to make durable.
    #[error("the log could not be written")]
    NotWritten,
    /// The store is closed.
    #[error("the store is closed")]
    Closed,
    /// An entry can't be read: of a kind that the program doesn't know, or damaged.
    #[error("an entry of the log can't be understood: {0}")]
    Entry(String),
}
