//! What all calls of a session share: the store, the rooms, and the way of an event to the log.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use tokio::{
    sync::{OwnedMutexGuard, watch},
    task,
};

use super::{
    Change, Clock, Outcome, SessionError, allowance::Allowance, damaged_log, inbox::Inboxes,
    logins::Logins, presence::Presences, room::Room, rooms::Rooms, same_request, system,
    timers::Timers,
};
use crate::{
    game::{Clocks, Event, Game, GameId, Outages, Record, Request, Summary, Time},
    store::{AppendError, Entry, Store, StoreError, Subject},
};

/// Entries of a log that are read at once.
const PAGE: u32 = 512;

pub(super) struct Shared {
    pub(super) store: Arc<dyn Store>,
    pub(super) rooms: Mutex<Rooms>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) timers: Timers,
    pub(super) presences: Arc<Presences>,
    pub(super) logins: Logins,
    pub(super) allowance: Allowance,
    pub(super) inboxes: Arc<Inboxes>,
    pub(super) outages: RwLock<Outages>,
    pub(super) newest_sign: system::Newest,
    /// True once the server drains.
    pub(super) draining: watch::Sender<bool>,
}

/// A locked game; `None` until it is loaded.
pub(super) type Slot = OwnedMutexGuard<Option<Game>>;

/// What came of carrying an event to the log.
pub(super) enum Carried<T, V> {
    Through(Outcome<T>),
    Conflict(Slot, V),
}

impl Shared {
    /// Makes the first event of a locked game durable, and puts the game there; `None` if there is such a
    /// game.
    pub(super) async fn begin(
        &self,
        id: GameId,
        room: &Arc<Room>,
        mut slot: Slot,
        record: Record,
    ) -> Outcome<Option<Game>> {
        let entry = Entry::Game(record.clone());
        match self.store.append(Subject::Game(id), entry).await {
            Ok(()) => {
                let game = self.enter(room, replay(&[record])?);
                Ok(Some(slot.insert(game).clone()))
            }
            Err(AppendError::Conflict { .. }) => Ok(None),
            Err(AppendError::Store(error)) => {
                self.find_out(id, room, &mut slot).await;
                Err(error.into())
            }
        }
    }

    /// Makes the next event of a locked game durable, applies it, tells watchers, and shows it.
    pub(super) async fn carry<T, V: FnOnce(&Change, &Game) -> T>(
        &self,
        room: &Arc<Room>,
        mut slot: Slot,
        record: Record,
        view: V,
    ) -> Carried<T, V> {
        let Some(game) = slot.as_mut() else {
            return Carried::Conflict(slot, view);
        };
        let (id, before) = (game.created().game_id, game.state().position);
        let entry = Entry::Game(record.clone());
        match self.store.append(Subject::Game(id), entry).await {
            Ok(()) => {
                if let Err(error) = game.apply(&record) {
                    return Carried::Through(Err(damaged(&error)));
                }
                self.set_timer(game.summary(), self.clock.now());
                if let Event::SeatTaken { .. } = record.event {
                    room.introduce(game.summary());
                }
                let change = Arc::new(Change::new(before, record));
                room.tell(&change);
                Carried::Through(Ok(view(&change, game)))
            }
            Err(AppendError::Conflict { .. }) => {
                *slot = None;
                Carried::Conflict(slot, view)
            }
            Err(AppendError::Store(error)) => {
                self.find_out(id, room, &mut slot).await;
                Carried::Through(Err(error.into()))
            }
        }
    }

    /// Carries an event that nobody asked for, and gives the room's lock again.
    pub(super) async fn let_happen(
        self: &Arc<Shared>,
        room: &Arc<Room>,
        slot: Slot,
        record: Record,
    ) -> Outcome<Slot> {
        let (shared, there) = (self.clone(), room.clone());
        let carried =
            task::spawn(async move { shared.carry(&there, slot, record, |_, _| ()).await });
        match carried.await.map_err(|_| SessionError::Lost)? {
            Carried::Through(answer) => {
                answer?;
                Ok(room.game.clone().lock_owned().await)
            }
            Carried::Conflict(slot, _) => Ok(slot),
        }
    }

    /// What a request that was carried out before changed then.
    pub(super) async fn repeat<T>(
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
        Ok(view(&Change::new(before, record), &game))
    }

    /// A game's clocks as they stand now, and which time that is.
    pub(super) fn clocks(&self, game: &Summary) -> (Clocks, Time) {
        let now = self.clock.now().max(game.update_time);
        (game.clocks_at(now, &self.outages()), now)
    }

    pub(super) fn outages(&self) -> RwLockReadGuard<'_, Outages> {
        self.outages.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn outages_mut(&self) -> RwLockWriteGuard<'_, Outages> {
        self.outages.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The room of a game, which may turn out not to exist when it is loaded.
    pub(super) fn room(&self, id: GameId) -> Arc<Room> {
        self.rooms().get(id)
    }

    fn rooms(&self) -> MutexGuard<'_, Rooms> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The game of a locked room, read from the log if it isn't there.
    pub(super) async fn loaded<'a>(
        &self,
        id: GameId,
        room: &Arc<Room>,
        slot: &'a mut Option<Game>,
    ) -> Outcome<&'a mut Game> {
        if slot.is_none() {
            let records = self.read_game_until(id, u64::MAX).await?;
            if records.is_empty() {
                self.rooms().forget(id, room);
                return Err(SessionError::NoSuchGame);
            }
            *slot = Some(self.enter(room, replay(&records)?));
        }
        slot.as_mut().ok_or(SessionError::NoSuchGame)
    }

    /// What is done with a game that comes into its room.
    fn enter(&self, room: &Arc<Room>, game: Game) -> Game {
        self.set_timer(game.summary(), self.clock.now());
        room.introduce(game.summary());
        room.reloaded(game.seq());
        game
    }

    /// Reads a game again of which an event may be in the log or not, so that its watchers are told and
    /// its timer is set. If that fails too, the timers try it once more, and so does whoever comes next.
    async fn find_out(&self, id: GameId, room: &Arc<Room>, slot: &mut Slot) {
        **slot = None;
        if self.loaded(id, room, slot).await.is_err() {
            self.look_again(id);
        }
    }

    /// What is answered of a game that the caller may not know of: the same as of none, and after the
    /// same question to the store, so that of a game in memory the time that it takes tells little either.
    pub(super) async fn invisible(&self, id: GameId) -> SessionError {
        // What it gives, or that it fails, makes no difference.
        let _ = self.read_game(id, u64::MAX, 1).await;
        SessionError::NoSuchGame
    }

    pub(super) async fn read_game_until(&self, id: GameId, last: u64) -> Outcome<Vec<Record>> {
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

    pub(super) async fn read_game(
        &self,
        id: GameId,
        after: u64,
        limit: u32,
    ) -> Outcome<Vec<Record>> {
        let entries = self.store.read(Subject::Game(id), after, limit).await?;
        let records = entries.into_iter().map(|entry| match entry {
            Entry::Game(record) => Ok(record),
            Entry::Player(_) | Entry::System(_) | Entry::Audit(_) => {
                Err(damaged_log("another's in a game's log"))
            }
        });
        records.collect()
    }
}

pub(super) fn replay(records: &[Record]) -> Outcome<Game> {
    Game::replay(records).map_err(|error| damaged(&error))
}

fn damaged(error: &dyn std::error::Error) -> SessionError {
    StoreError::Entry(error.to_string()).into()
}
