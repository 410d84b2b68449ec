//! Live games: a command is decided, made durable, applied, told to watchers, and answered.
//!
//! Each game in memory is a room. A command holds its room while its event is being made durable, so
//! events of one game come one after another; different games don't wait for each other.

mod admin;
mod allowance;
mod clock;
mod inbox;
mod logins;
mod player_watch;
mod players;
mod presence;
mod rematch;
mod requests;
mod room;
mod rooms;
mod shared;
mod system;
mod timers;
mod watch;

use std::sync::{Arc, Mutex, OnceLock, RwLock};

use bytes::Bytes;
use tokio::{sync::watch as signal, task};

use crate::{
    game::{
        BadName, Clocks, Command, CreateError, Decision, Event, Game, GameId, ImportedGame, Moment,
        NewGame, PlayerId, Record, Refusal, Request, Seat, Status, Summary, Time,
    },
    rules::Position,
    store::{GameFilter, Store, StoreError},
};

pub use admin::Admin;
use allowance::Beginning;
pub use clock::{Clock, SystemClock};
pub use inbox::Note;
pub use logins::Login;
pub use player_watch::{Noticed, PlayerWatch, Snapshot};
use presence::Presences;
pub use requests::{issued_player_id, new_game_id, new_player_id, request};
use room::Room;
use shared::{Carried, Shared, replay};
pub use watch::{Watch, Watched};

/// How often a command is decided anew after a conflict.
const ATTEMPTS: usize = 8;

/// All that goes on in one server.
#[derive(Clone)]
pub struct Session {
    shared: Arc<Shared>,
}

/// A change of a game, with what it changed.
#[derive(Clone, Debug)]
pub struct Change {
    /// The position before it; of the first event the one after it.
    pub before: Position,
    /// The event.
    pub record: Record,
    /// The event as it is told to all watchers, with steps and without: whoever tells it first puts it
    /// here.
    pub told: [OnceLock<Bytes>; 2],
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
    /// The player has as many games as one may have, or as many with open seats.
    #[error("the player has too many games")]
    TooMany {
        /// Whether it is those with open seats that are too many.
        open_seats: bool,
    },
    /// The player is no more.
    #[error("the player was deleted")]
    PlayerDeleted,
    /// The token by which it was asked for was revoked meanwhile, or its player shut out.
    #[error("the token is good no more")]
    TokenLapsed,
    /// The player's tokens were revoked as often as they may be.
    #[error("the tokens were revoked too often")]
    TooManyRevocations,
    /// The game refuses the command.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The game can't be created so.
    #[error(transparent)]
    Create(#[from] CreateError),
    /// The name is no player's name.
    #[error(transparent)]
    Name(#[from] BadName),
    /// The rematch has been aborted.
    #[error("the rematch was aborted")]
    RematchGone,
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

/// What comes of asking a session.
pub type Outcome<T> = Result<T, SessionError>;

impl Session {
    /// A session over a store, in the system's time.
    pub fn new(store: Arc<dyn Store>) -> Session {
        Session::with_clock(store, Arc::new(SystemClock))
    }

    /// A session over a store, in the time of a clock.
    pub fn with_clock(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Session {
        Session {
            shared: Arc::new(Shared {
                store,
                rooms: Mutex::default(),
                presences: Arc::new(Presences::new(clock.clone())),
                clock,
                timers: timers::Timers::default(),
                outages: RwLock::default(),
                inboxes: Arc::default(),
                logins: logins::Logins::default(),
                allowance: allowance::Allowance::default(),
                newest_sign: system::Newest::default(),
                draining: signal::Sender::new(false),
            }),
        }
    }

    /// Makes every watch say goodbye and end.
    pub fn drain(&self) {
        self.shared.draining.send_replace(true);
    }

    /// Creates a game, whose id `new_game_id` gave for the same request.
    ///
    /// # Errors
    ///
    /// Refuses what can't be played, and a request id that was used with other content.
    pub async fn create(&self, new: NewGame, request: Option<Request>) -> Outcome<Game> {
        let id = new.game_id;
        let creator = new.creator;
        let record = new.create(request, self.now())?;
        self.create_with(id, record, request, Some(creator)).await
    }

    /// Stores a game that was imported, whose id `new_game_id` gave for the same request.
    ///
    /// # Errors
    ///
    /// Refuses a request id that was used with other content.
    pub async fn import(&self, imported: ImportedGame, request: Option<Request>) -> Outcome<Game> {
        let id = imported.game_id();
        let record = imported.create(request, self.now());
        self.create_with(id, record, request, None).await
    }

    /// Creates a game with its first event; or gives the one that the same request created before.
    async fn create_with(
        &self,
        id: GameId,
        record: Record,
        request: Option<Request>,
        creator: Option<PlayerId>,
    ) -> Outcome<Game> {
        match self.begin(id, record, creator).await? {
            Some(game) => Ok(game),
            None => self
                .created_by(request)
                .await?
                .ok_or(SessionError::Contended),
        }
    }

    /// Makes the first event of a game durable; `None` if there is such a game. It is counted for its creator,
    /// if one is named.
    async fn begin(
        &self,
        id: GameId,
        record: Record,
        creator: Option<PlayerId>,
    ) -> Outcome<Option<Game>> {
        // Most games are played at once: it stays at hand.
        let (shared, room) = (self.shared.clone(), self.shared.room(id));
        let slot = room.game.clone().lock_owned().await;
        let place = match creator {
            None => None,
            Some(creator) => match self.allow_begun(creator, &record).await {
                Ok(place) => Some(place),
                // The same call may have made it just now.
                Err(_) if !self.shared.read_game(id, 0, 1).await?.is_empty() => return Ok(None),
                Err(refusal) => return Err(refusal),
            },
        };
        // Whoever waits for it: a game in the log has its timer.
        let begun = task::spawn(async move {
            let _place = place;
            shared.begin(id, &room, slot, record).await
        });
        begun.await.map_err(|_| SessionError::Lost)?
    }

    /// Lets a player have the game that a first event makes.
    async fn allow_begun(&self, creator: PlayerId, first: &Record) -> Outcome<Beginning> {
        let waits = first.state.status == Status::Waiting;
        self.allow_game(creator, waits).await
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
    /// A caller who goes away before the event is on its way to the log has changed nothing; from
    /// then on it is carried through, whoever waits.
    ///
    /// # Errors
    ///
    /// Says why the command is refused; nothing has changed then.
    pub async fn execute<T: Send + 'static, V>(
        &self,
        id: GameId,
        player: PlayerId,
        command: Command,
        request: Option<Request>,
        mut view: V,
    ) -> Outcome<T>
    where
        V: FnOnce(&Change, &Game) -> T + Send + 'static,
    {
        let received = self.now();
        let room = self.shared.room(id);
        let mut slot = room.game.clone().lock_owned().await;
        for _ in 0..ATTEMPTS {
            let game = self.shared.loaded(id, &room, &mut slot).await?;
            let decided = game.decide(
                &command,
                player,
                request,
                &Moment {
                    received,
                    now: self.now(),
                    outages: &self.shared.outages(),
                },
            );
            let record = match decided {
                Ok(Decision::New(record)) => record,
                Ok(Decision::TimeIsUp(record)) => {
                    let due = game.summary().due(received, &self.shared.outages());
                    slot = self.run_out(&room, slot, record, due).await?;
                    continue;
                }
                Ok(Decision::Repeated(seq)) => {
                    drop(slot);
                    return self.shared.repeat(id, seq, request, view).await;
                }
                Err(Refusal::Invisible) => return Err(self.shared.invisible(id).await),
                Err(refusal) => return Err(refusal.into()),
            };
            let place = match record.event {
                Event::SeatTaken { player, .. } if !is_counted(game.summary(), player) => {
                    Some(self.allow_game(player, false).await?)
                }
                _ => None,
            };
            let (shared, room) = (self.shared.clone(), room.clone());
            let carried = task::spawn(async move {
                let _place = place;
                shared.carry(&room, slot, record, view).await
            });
            match carried.await.map_err(|_| SessionError::Lost)? {
                Carried::Through(answer) => return answer,
                // Others were first: decide anew on what they did.
                Carried::Conflict(locked, unused) => (slot, view) = (locked, unused),
            }
        }
        Err(SessionError::Contended)
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
        self.seen(id, viewer, |_, game| view(game)).await
    }

    /// Shows a game as it stands to `view`, whoever may see it.
    ///
    /// # Errors
    ///
    /// Fails if there is no such game.
    pub async fn look_as_admin<T>(&self, id: GameId, view: impl FnOnce(&Game) -> T) -> Outcome<T> {
        let room = self.shared.room(id);
        let mut slot = room.game.lock().await;
        Ok(view(self.shared.loaded(id, &room, &mut slot).await?))
    }

    /// A game's clocks as they stand now, and which time that is.
    pub fn clocks(&self, game: &Summary) -> (Clocks, Time) {
        self.shared.clocks(game)
    }

    /// Which time it is.
    pub fn now(&self) -> Time {
        self.shared.clock.now()
    }

    /// Waits until it is a time.
    pub async fn sleep_until(&self, time: Time) {
        self.shared.clock.sleep_until(time).await;
    }

    /// Shows a game and its room to `view`, if the viewer may know of it.
    async fn seen<T>(
        &self,
        id: GameId,
        viewer: Option<PlayerId>,
        view: impl FnOnce(&Arc<Room>, &Game) -> T,
    ) -> Outcome<T> {
        let room = self.shared.room(id);
        let mut slot = room.game.lock().await;
        let game = self.shared.loaded(id, &room, &mut slot).await?;
        if !game.summary().may_see(viewer) {
            return Err(self.shared.invisible(id).await);
        }
        Ok(view(&room, game))
    }

    /// Lists games, newest first by creation.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn list(
        &self,
        filter: GameFilter,
        after: Option<GameId>,
        limit: u32,
    ) -> Outcome<Vec<Summary>> {
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
        let watch = |room: &Arc<Room>, game: &Game| {
            let newest = game.seq();
            if after.is_some_and(|after| after > newest) {
                return Err(SessionError::BeyondTheLog { newest });
            }
            Ok(Watch::new(self.shared.clone(), room, game, viewer, after))
        };
        self.seen(id, viewer, watch).await?
    }
}

impl Change {
    /// A change from a position.
    pub fn new(before: Position, record: Record) -> Change {
        Change {
            before,
            record,
            told: Default::default(),
        }
    }

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
            Some(Arc::new(Change::new(before, record)))
        });
        changes.collect()
    }
}

/// Whether a game that waits is among a player's games before the player takes a seat in it.
fn is_counted(game: &Summary, player: PlayerId) -> bool {
    let mut seats = game.seats.iter();
    game.created.creator == player || seats.any(|(_, seat)| *seat == Seat::Player(player))
}

/// An entry that is not where it belongs.
fn damaged_log(what: &str) -> SessionError {
    StoreError::Entry(what.into()).into()
}

/// Refuses a request whose id is known, but with other content.
fn same_request(known: Option<Request>, request: Option<Request>) -> Result<(), Refusal> {
    if known == request {
        Ok(())
    } else {
        Err(Refusal::RequestReused)
    }
}
