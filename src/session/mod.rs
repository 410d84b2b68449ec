//! Live games: a command is decided, made durable, applied, told to watchers, and answered.
//!
//! Each game in memory is a room. A command holds its room while its event is being made durable, so
//! events of one game come one after another; different games don't wait for each other.

mod requests;
mod room;
mod watch;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use tokio::{sync::watch as signal, task};

use crate::{
    game::{
        BadName, Command, CreateError, Decision, Event, Game, GameId, NewGame, Player, PlayerId,
        PlayerKind, Record, Refusal, Request, Time,
    },
    rules::Position,
    store::{AppendError, Entry, GameFilter, Listed, Store, StoreError, Subject},
};

pub use requests::{new_game_id, new_player_id, request};
use room::{Room, Rooms};
pub use watch::{Watch, Watched};

/// Entries of a log that are read at once.
const PAGE: u32 = 512;

/// How often a command is decided anew after a conflict.
const ATTEMPTS: usize = 8;

/// All that goes on in one server.
#[derive(Clone)]
pub struct Session {
    shared: Arc<Shared>,
}

struct Shared {
    store: Arc<dyn Store>,
    rooms: Mutex<Rooms>,
    /// True once the server drains.
    draining: signal::Sender<bool>,
}

/// A change of a game, with what it changed.
#[derive(Clone, Debug)]
pub struct Change {
    /// The position before it; of the first event the one after it.
    pub before: Position,
    /// The event.
    pub record: Record,
}

/// Why a session refuses or fails.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// There is no such game, or it may not be known to the caller.
    #[error("there is no such game")]
    NoSuchGame,
    /// There is no such player.
    #[error("there is no such player")]
    NoSuchPlayer,
    /// The game refuses the command.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The game can't be created so.
    #[error(transparent)]
    Create(#[from] CreateError),
    /// The name is no player's name.
    #[error(transparent)]
    Name(#[from] BadName),
    /// The log has not so many events.
    #[error("the newest event is {newest}")]
    BeyondTheLog {
        /// The newest seq.
        newest: u64,
    },
    /// The store failed.
    #[error("the store failed")]
    Store(#[from] StoreError),
    /// Others kept changing the game.
    #[error("the game was changed by others again and again")]
    Contended,
    /// The server drains.
    #[error("the server is shutting down")]
    Draining,
    /// The work on a command ended without an answer: it panicked, or the runtime has ended.
    #[error("the command was not carried through")]
    Lost,
}

type Outcome<T> = Result<T, SessionError>;

impl Session {
    /// A session over a store.
    pub fn new(store: Arc<dyn Store>) -> Session {
        Session {
            shared: Arc::new(Shared {
                store,
                rooms: Mutex::default(),
                draining: signal::Sender::new(false),
            }),
        }
    }

    /// Makes every watch say goodbye and end.
    pub fn drain(&self) {
        self.shared.draining.send_replace(true);
    }

    /// Registers a player. The same request gives the same player again.
    ///
    /// # Errors
    ///
    /// Refuses a bad name, and a request id that was used with other content.
    pub async fn register(
        &self,
        name: String,
        kind: PlayerKind,
        request: Option<Request>,
    ) -> Outcome<Player> {
        let id = new_player_id(request);
        let record = Player::register(name, kind, request, now())?;
        let subject = Subject::Player(id);
        let player = Player::replay(id, std::slice::from_ref(&record));
        match self
            .shared
            .store
            .append(subject, Entry::Player(record))
            .await
        {
            Ok(()) => player.ok_or(SessionError::NoSuchPlayer),
            Err(AppendError::Conflict { .. }) => {
                let first = self.shared.store.read(subject, 0, 1).await?;
                let known = first.iter().find_map(|entry| match entry {
                    Entry::Player(record) => Some(record),
                    Entry::Game(_) => None,
                });
                let known = known.ok_or(SessionError::NoSuchPlayer)?;
                same_request(known.request, request)?;
                self.player(id).await
            }
            Err(AppendError::Store(error)) => Err(error.into()),
        }
    }

    /// A player.
    ///
    /// # Errors
    ///
    /// Fails if there is none with this id.
    pub async fn player(&self, id: PlayerId) -> Outcome<Player> {
        let entries = self.shared.store.read(Subject::Player(id), 0, PAGE).await?;
        let records: Vec<_> = entries
            .into_iter()
            .filter_map(|entry| match entry {
                Entry::Player(record) => Some(record),
                Entry::Game(_) => None,
            })
            .collect();
        Player::replay(id, &records).ok_or(SessionError::NoSuchPlayer)
    }

    /// Creates a game, whose id `new_game_id` gave for the same request.
    ///
    /// # Errors
    ///
    /// Refuses what can't be played, and a request id that was used with other content.
    pub async fn create(&self, new: NewGame<'_>, request: Option<Request>) -> Outcome<Game> {
        let id = new.game_id;
        let record = new.create(request, now())?;
        let entry = Entry::Game(record.clone());
        match self.shared.store.append(Subject::Game(id), entry).await {
            Ok(()) => replay(&[record]),
            Err(AppendError::Conflict { .. }) => self
                .created_by(request)
                .await?
                .ok_or(SessionError::Contended),
            Err(AppendError::Store(error)) => Err(error.into()),
        }
    }

    /// The game that a request created before, as it was then.
    ///
    /// # Errors
    ///
    /// Refuses a request id that was used with other content.
    pub async fn created_by(&self, request: Option<Request>) -> Outcome<Option<Game>> {
        if request.is_none() {
            return Ok(None);
        }
        let known = self.shared.read_game(new_game_id(request), 0, 1).await?;
        let Some(first) = known.first() else {
            return Ok(None);
        };
        same_request(first.request, request)?;
        replay(&known).map(Some)
    }

    /// Carries out a command on a game, and shows the change and the game right after it to `view`,
    /// whose answer it gives. A request that was carried out before shows what it changed then.
    ///
    /// Once begun it is carried through even if nobody waits for the answer any more.
    ///
    /// # Errors
    ///
    /// Says why the command is refused; nothing has changed then.
    pub async fn execute<T: Send + 'static>(
        &self,
        id: GameId,
        player: PlayerId,
        command: Command,
        request: Option<Request>,
        view: impl FnOnce(&Change, &Game) -> T + Send + 'static,
    ) -> Outcome<T> {
        let shared = self.shared.clone();
        let work = async move { shared.execute(id, player, &command, request, view).await };
        task::spawn(work).await.map_err(|_| SessionError::Lost)?
    }

    /// Shows a game as it stands to `view`, whose answer it gives.
    ///
    /// # Errors
    ///
    /// Fails if there is no such game for this viewer.
    pub async fn look<T>(
        &self,
        id: GameId,
        viewer: Option<PlayerId>,
        view: impl FnOnce(&Game) -> T,
    ) -> Outcome<T> {
        let room = self.shared.room(id);
        let mut game = room.game.lock().await;
        let game = self.shared.loaded(id, &room, &mut game).await?;
        if !game.summary().may_see(viewer) {
            return Err(SessionError::NoSuchGame);
        }
        Ok(view(game))
    }

    /// Lists games, newest first by creation.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn list(
        &self,
        filter: GameFilter,
        after: Option<u64>,
        limit: u32,
    ) -> Outcome<Vec<Listed>> {
        Ok(self.shared.store.list_games(filter, after, limit).await?)
    }

    /// Watches a game: from a snapshot of it on, or from right after an event.
    ///
    /// # Errors
    ///
    /// Fails if there is no such game for this viewer, or `after` is beyond its newest event.
    pub async fn watch(
        &self,
        id: GameId,
        viewer: Option<PlayerId>,
        after: Option<u64>,
    ) -> Outcome<Watch> {
        let room = self.shared.room(id);
        let mut slot = room.game.lock().await;
        let game = self.shared.loaded(id, &room, &mut slot).await?;
        if !game.summary().may_see(viewer) {
            return Err(SessionError::NoSuchGame);
        }
        let newest = game.seq();
        if after.is_some_and(|after| after > newest) {
            return Err(SessionError::BeyondTheLog { newest });
        }
        let snapshot = after.is_none().then(|| Box::new(game.clone()));
        let over = game.state().result.is_some();
        drop(slot);
        let end = over.then_some(newest);
        Ok(Watch::new(
            self.shared.clone(),
            id,
            room,
            snapshot,
            after.unwrap_or(newest),
            end,
        ))
    }
}

impl Shared {
    async fn execute<T>(
        &self,
        id: GameId,
        player: PlayerId,
        command: &Command,
        request: Option<Request>,
        view: impl FnOnce(&Change, &Game) -> T,
    ) -> Outcome<T> {
        let room = self.room(id);
        let mut slot = room.game.lock().await;
        let now = now();
        for _ in 0..ATTEMPTS {
            let game = self.loaded(id, &room, &mut slot).await?;
            let record = match game.decide(command, player, request, now)? {
                Decision::New(record) => record,
                Decision::Repeated(seq) => {
                    drop(slot);
                    return self.repeat(id, seq, request, view).await;
                }
            };
            let before = game.state().position;
            let entry = Entry::Game(record.clone());
            match self.store.append(Subject::Game(id), entry).await {
                Ok(()) => {
                    game.apply(&record).map_err(|error| damaged(&error))?;
                    let change = Arc::new(Change { before, record });
                    room.tell(&change);
                    return Ok(view(&change, game));
                }
                // Others were first: load what they did, and decide anew.
                Err(AppendError::Conflict { .. }) => *slot = None,
                Err(AppendError::Store(error)) => {
                    // The event may be in the log or not. If the log can be read, watchers are told;
                    // if not, whoever comes next tries again.
                    *slot = None;
                    let _ = self.loaded(id, &room, &mut slot).await;
                    return Err(error.into());
                }
            }
        }
        Err(SessionError::Contended)
    }

    /// What a request that was carried out before changed then.
    async fn repeat<T>(
        &self,
        id: GameId,
        seq: u64,
        request: Option<Request>,
        view: impl FnOnce(&Change, &Game) -> T,
    ) -> Outcome<T> {
        let mut records = self.read_game_until(id, seq).await?;
        let missing = || StoreError::Entry("an event that was applied is not in the log".into());
        let record = records
            .pop()
            .filter(|last| last.seq == seq)
            .ok_or_else(missing)?;
        same_request(record.request, request)?;
        let mut game = replay(&records)?;
        let before = game.state().position;
        game.apply(&record).map_err(|error| damaged(&error))?;
        Ok(view(&Change { before, record }, &game))
    }

    /// The room of a game, which may turn out not to exist when it is loaded.
    fn room(&self, id: GameId) -> Arc<Room> {
        self.rooms
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(id)
    }

    /// The game of a locked room, read from the log if it isn't there.
    async fn loaded<'a>(
        &self,
        id: GameId,
        room: &Arc<Room>,
        slot: &'a mut Option<Game>,
    ) -> Outcome<&'a mut Game> {
        if slot.is_none() {
            let records = self.read_game_until(id, u64::MAX).await?;
            if records.is_empty() {
                self.rooms
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .forget(id, room);
                return Err(SessionError::NoSuchGame);
            }
            let game = replay(&records)?;
            room.reloaded(game.seq());
            *slot = Some(game);
        }
        slot.as_mut().ok_or(SessionError::NoSuchGame)
    }

    async fn read_game_until(&self, id: GameId, last: u64) -> Outcome<Vec<Record>> {
        let mut records: Vec<Record> = Vec::new();
        loop {
            let after = records.last().map_or(0, |record| record.seq);
            let limit = u32::try_from(last - after).unwrap_or(PAGE).min(PAGE);
            let page = self.read_game(id, after, limit).await?;
            let full = page.len() == PAGE as usize;
            records.extend(page);
            if !full {
                return Ok(records);
            }
        }
    }

    async fn read_game(&self, id: GameId, after: u64, limit: u32) -> Outcome<Vec<Record>> {
        let entries = self.store.read(Subject::Game(id), after, limit).await?;
        let records = entries.into_iter().map(|entry| match entry {
            Entry::Game(record) => Ok(record),
            Entry::Player(_) => Err(StoreError::Entry("a player's in a game's log".into()).into()),
        });
        records.collect()
    }
}

impl Change {
    /// Whether nothing comes after it.
    pub fn is_last(&self) -> bool {
        self.record.state.result.is_some()
    }

    /// Changes of consecutive records, of which the first only says what was before the second,
    /// unless it is the game's creation.
    fn of(records: Vec<Record>) -> Vec<Arc<Change>> {
        let mut before = records.first().map(|first| first.state.position);
        let creation = |record: &Record| matches!(record.event, Event::Created(_));
        let skipped = usize::from(records.first().is_some_and(|first| !creation(first)));
        let changes = records.into_iter().skip(skipped).filter_map(|record| {
            let position = record.state.position;
            let before = before.replace(position)?;
            Some(Arc::new(Change { before, record }))
        });
        changes.collect()
    }
}

fn replay(records: &[Record]) -> Outcome<Game> {
    Game::replay(records).map_err(|error| damaged(&error))
}

fn damaged(error: &dyn std::error::Error) -> SessionError {
    StoreError::Entry(error.to_string()).into()
}

/// Refuses a request whose id is known, but with other content.
fn same_request(known: Option<Request>, request: Option<Request>) -> Result<(), Refusal> {
    if known == request {
        Ok(())
    } else {
        Err(Refusal::RequestReused)
    }
}

fn now() -> Time {
    Time::from_system(SystemTime::now())
}
