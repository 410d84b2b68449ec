//! What all calls of a session share: the store, the rooms, and the way of an event to the log.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedMutexGuard, watch};

use super::{
    Change, Outcome, SessionError,
    room::{Room, Rooms},
    same_request,
};
use crate::{
    game::{Game, GameId, Record, Request},
    store::{AppendError, Entry, Store, StoreError, Subject},
};

/// Entries of a log that are read at once.
const PAGE: u32 = 512;

pub(super) struct Shared {
    pub(super) store: Arc<dyn Store>,
    pub(super) rooms: Mutex<Rooms>,
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
                let change = Arc::new(Change { before, record });
                room.tell(&change);
                Carried::Through(Ok(view(&change, game)))
            }
            Err(AppendError::Conflict { .. }) => {
                *slot = None;
                Carried::Conflict(slot, view)
            }
            Err(AppendError::Store(error)) => {
                // The event may be in the log or not. If the log can be read, watchers are told; if
                // not, whoever comes next tries again.
                *slot = None;
                let _ = self.loaded(id, room, &mut slot).await;
                Carried::Through(Err(error.into()))
            }
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
        Ok(view(&Change { before, record }, &game))
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
            let game = replay(&records)?;
            room.reloaded(game.seq());
            *slot = Some(game);
        }
        slot.as_mut().ok_or(SessionError::NoSuchGame)
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
            Entry::Player(_) => Err(StoreError::Entry("a player's in a game's log".into()).into()),
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
