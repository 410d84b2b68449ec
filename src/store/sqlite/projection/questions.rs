//! Questions over many games, each answered by ranges of indexes.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::{
    super::{reader, subjects},
    lists::{ANY_STATUS, ANY_VARIANT, List, OPEN, Scope, status_code},
    standing::seat_of,
};
use crate::{
    game::{Event, GameId, PlayerId, Record, Seat, Status, Summary, Time},
    rules::BySide,
    store::{Entry, GameFilter, StoreError, Subject, codec::Codec},
};

/// Games that fit a filter, newest first, from the one before `after` on.
pub(in super::super) fn list_games(
    connection: &Connection,
    codec: &Codec,
    filter: &GameFilter,
    after: Option<GameId>,
    limit: u32,
) -> Result<Vec<Summary>, StoreError> {
    let number = |player: Option<PlayerId>| match player {
        Some(player) => subjects::find(connection, Subject::Player(player)),
        None => Ok(None),
    };
    let (viewer, player) = (number(filter.viewer)?, number(filter.player)?);
    let Some(before) = place(connection, viewer, after)? else {
        return Ok(Vec::new());
    };
    let unknown = filter.player.is_some() && player.is_none();
    let (Some((variant, status)), false) = (variant_and_status(filter), unknown) else {
        return Ok(Vec::new());
    };
    let mut games = Vec::new();
    for scope in Scope::shown(viewer, player) {
        let list = List {
            scope,
            variant,
            status,
        };
        games.extend(list.newest(connection, before, limit)?);
    }
    games.sort_unstable_by(|one, other| other.cmp(one));
    games.truncate(limit as usize);
    let games = games.into_iter();
    games.map(|game| summary(connection, codec, game)).collect()
}

/// Which variant and status the lists are of that a filter asks for; `None` if no game fits it.
fn variant_and_status(filter: &GameFilter) -> Option<(&str, i64)> {
    let GameFilter {
        viewer: _,
        status,
        player: _,
        variant,
        open_seat,
    } = filter;
    let status = match (status, open_seat) {
        (None, false) => ANY_STATUS,
        (Some(status), false) => status_code(*status),
        (None | Some(Status::Waiting), true) => OPEN,
        (Some(_), true) => return None,
    };
    match variant.as_deref() {
        None => Some((ANY_VARIANT, status)),
        Some(ANY_VARIANT) => None,
        Some(variant) => Some((variant, status)),
    }
}

/// The number that all games listed after one come before; `None` if the viewer isn't shown that one.
fn place(
    connection: &Connection,
    viewer: Option<i64>,
    after: Option<GameId>,
) -> rusqlite::Result<Option<i64>> {
    let Some(after) = after else {
        return Ok(Some(i64::MAX));
    };
    // The lists are looked through for a game that there isn't, too: that takes as long as for one
    // that the viewer isn't shown.
    let game = subjects::find(connection, Subject::Game(after))?.unwrap_or(0);
    for scope in Scope::shown(viewer, None) {
        let (variant, status) = (ANY_VARIANT, ANY_STATUS);
        let list = List {
            scope,
            variant,
            status,
        };
        if list.has(connection, game)? {
            return Ok(Some(game));
        }
    }
    Ok(None)
}

/// Games created at this time or before whose seats are not all taken, oldest first.
pub(in super::super) fn waiting_games(
    connection: &Connection,
    created: Time,
    after: Option<GameId>,
    limit: u32,
) -> Result<Vec<GameId>, StoreError> {
    let mut place = (i64::MIN, 0);
    if let Some(after) = after {
        let game = subjects::find(connection, Subject::Game(after))?.unwrap_or(0);
        let created = connection
            .prepare_cached("SELECT created FROM games WHERE game = ?")?
            .query_row([game], |row| row.get(0))
            .optional()?;
        let Some(created) = created else {
            return Ok(Vec::new());
        };
        place = (created, game);
    }
    // The status is written out: by that it is seen that the index has all of these.
    let mut statement = connection.prepare_cached(
        "SELECT name FROM games JOIN subjects ON id = game
         WHERE status = 1 AND created <= ? AND (created, game) > (?, ?)
         ORDER BY created, game LIMIT ?",
    )?;
    let names = statement.query_map(params![created.0, place.0, place.1, limit], |row| {
        row.get::<_, Vec<u8>>(0)
    })?;
    names.map(|name| game_id(&name?)).collect()
}

/// A game as its first and newest entries and its seats tell of it.
fn summary(connection: &Connection, codec: &Codec, game: i64) -> Result<Summary, StoreError> {
    let (id, seats) = id_and_seats(connection, game)?;
    let entry = |query: &str| -> Result<Record, StoreError> {
        let mut statement = connection.prepare_cached(query)?;
        let row = statement.query_row([game], reader::raw_entry)?;
        match row.decode(codec, Subject::Game(id))? {
            Entry::Game(record) => Ok(record),
            Entry::Player(_) => Err(damaged("an entry of a player")),
        }
    };
    let newest =
        entry("SELECT seq, time, body FROM log WHERE subject = ? ORDER BY seq DESC LIMIT 1")?;
    let (state, seq, update_time) = (newest.state, newest.seq, newest.time);
    let first = match newest.seq {
        1 => newest,
        _ => entry("SELECT seq, time, body FROM log WHERE subject = ? AND seq = 1")?,
    };
    let Event::Created(created) = first.event else {
        return Err(damaged("a game that doesn't begin with its creation"));
    };
    Ok(Summary {
        start: created.start(first.state.position),
        state,
        seats,
        seq,
        create_time: first.time,
        update_time,
        created,
    })
}

fn id_and_seats(connection: &Connection, game: i64) -> Result<(GameId, BySide<Seat>), StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT own.name, south_kind, south.name, north_kind, north.name
         FROM games JOIN subjects AS own ON own.id = game
             LEFT JOIN subjects AS south ON south.id = games.south
             LEFT JOIN subjects AS north ON north.id = games.north
         WHERE game = ?",
    )?;
    let row = statement.query_row([game], |row| {
        let name: Vec<u8> = row.get(0)?;
        let south: (i64, Option<Vec<u8>>) = (row.get(1)?, row.get(2)?);
        let north: (i64, Option<Vec<u8>>) = (row.get(3)?, row.get(4)?);
        Ok((name, south, north))
    });
    let (name, south, north) = row?;
    let seats = BySide {
        south: seat_of(south.0, south.1)?,
        north: seat_of(north.0, north.1)?,
    };
    Ok((game_id(&name)?, seats))
}

fn game_id(name: &[u8]) -> Result<GameId, StoreError> {
    match subjects::parse(name)? {
        Subject::Game(id) => Ok(id),
        Subject::Player(_) => Err(damaged("a player")),
    }
}

fn damaged(what: &str) -> StoreError {
    StoreError::Entry(format!("{what} in the list of games"))
}
