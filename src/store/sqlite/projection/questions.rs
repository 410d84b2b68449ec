//! Questions over many games, each answered by ranges of indexes.

use rusqlite::{Connection, params};

use super::{
    super::{reader, subjects},
    lists::{ANY_STATUS, ANY_VARIANT, List, OPEN, Scope, status_code},
    standing::seat_of,
};
use crate::{
    game::{Event, GameId, PlayerId, Record, Seat, Status, Summary},
    rules::BySide,
    store::{Entry, GameCounts, GameFilter, Logged, StoreError, Subject, codec::Codec},
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
    games
        .map(|game| Ok(summary(connection, codec, game)?.0))
        .collect()
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

/// Games that are not over, by creation.
pub(in super::super) fn unfinished_games(
    connection: &Connection,
    codec: &Codec,
    after: Option<GameId>,
    limit: u32,
) -> Result<Vec<Summary>, StoreError> {
    let after = match after {
        Some(after) => subjects::find(connection, Subject::Game(after))?,
        None => None,
    };
    // The status is written out: by that it is seen that the index has all of these.
    let mut statement = connection.prepare_cached(
        "SELECT game FROM games WHERE status < 3 AND game > ? ORDER BY game LIMIT ?",
    )?;
    let games = statement.query_map(params![after.unwrap_or(0), limit], |row| row.get(0))?;
    games
        .map(|game| Ok(summary(connection, codec, game?)?.0))
        .collect()
}

/// A player's games that are not over, newest first, with their newest entries; and the offset of the
/// newest entry of all.
pub(in super::super) fn games_of(
    connection: &Connection,
    codec: &Codec,
    player: PlayerId,
    limit: u32,
) -> Result<(u64, Vec<(Summary, Record)>), StoreError> {
    let newest = "SELECT coalesce(max(offset), 0) FROM log";
    let newest: i64 = connection
        .prepare_cached(newest)?
        .query_row([], |row| row.get(0))?;
    let Some(player) = subjects::find(connection, Subject::Player(player))? else {
        return Ok((newest.unsigned_abs(), Vec::new()));
    };
    let games = unfinished_of(connection, player, limit)?.into_iter();
    let games = games.map(|game| summary(connection, codec, game));
    Ok((newest.unsigned_abs(), games.collect::<Result<_, _>>()?))
}

/// Entries of all games of a player after an offset, in their order; `None` if there are too many.
pub(in super::super) fn changes_of(
    connection: &Connection,
    codec: &Codec,
    player: PlayerId,
    after: u64,
    limit: u32,
) -> Result<Option<Vec<Logged>>, StoreError> {
    let Some(player) = subjects::find(connection, Subject::Player(player))? else {
        return Ok(Some(Vec::new()));
    };
    let (most, after) = (limit as usize, i64::try_from(after).unwrap_or(i64::MAX));
    let mut games = unfinished_of(connection, player, u32::MAX)?;
    let mut ended = connection
        .prepare_cached("SELECT game FROM ended WHERE player = ? AND offset > ? LIMIT ?")?;
    let ended = ended.query_map(params![player, after, limit], |row| row.get(0))?;
    games.extend(ended.collect::<Result<Vec<i64>, _>>()?);
    let mut entries = connection.prepare_cached(
        "SELECT seq, time, body, offset FROM log WHERE subject = ? ORDER BY seq DESC",
    )?;
    let mut changes = Vec::new();
    for game in games {
        let subject = subjects::of(connection, game)?;
        let mut rows = entries.query([game])?;
        // Read backwards, only as far as there is something new.
        while let Some(row) = rows.next()? {
            let offset: i64 = row.get(3)?;
            if offset <= after {
                break;
            }
            if changes.len() + 1 >= most {
                return Ok(None);
            }
            changes.push(Logged {
                offset: offset.unsigned_abs(),
                subject,
                entry: reader::raw_entry(row)?.decode(codec, subject)?,
            });
        }
    }
    changes.sort_unstable_by_key(|logged| logged.offset);
    Ok(Some(changes))
}

/// How many games a player has that are not over, up to so many of each status.
pub(in super::super) fn count_games(
    connection: &Connection,
    player: PlayerId,
    most: u32,
) -> Result<GameCounts, StoreError> {
    let Some(player) = subjects::find(connection, Subject::Player(player))? else {
        return Ok(GameCounts::default());
    };
    let mut playing = 0;
    for scope in Scope::shown(Some(player), Some(player)) {
        let list = List {
            scope,
            variant: ANY_VARIANT,
            status: status_code(Status::Active),
        };
        playing += list.count(connection, most)?;
    }
    // The status is written out: by that it is seen that the index has all of these.
    let mut waiting = connection.prepare_cached(
        "SELECT count(*) FROM (
             SELECT game FROM games WHERE status = 1 AND creator = ? LIMIT ?)",
    )?;
    let mut joined = 0;
    // None of these has the player in both seats: it would not wait.
    for seat in [
        "SELECT count(*) FROM (
             SELECT game FROM games
             WHERE status = 1 AND south_kind = 1 AND south = ?1 AND creator <> ?1 LIMIT ?2)",
        "SELECT count(*) FROM (
             SELECT game FROM games
             WHERE status = 1 AND north_kind = 1 AND north = ?1 AND creator <> ?1 LIMIT ?2)",
    ] {
        let mut seat = connection.prepare_cached(seat)?;
        joined += seat.query_row(params![player, most], |row| row.get::<_, u32>(0))?;
    }
    Ok(GameCounts {
        playing,
        waiting: waiting.query_row(params![player, most], |row| row.get(0))?,
        joined,
    })
}

/// A player's games that are not over, newest first, so many of each status.
fn unfinished_of(connection: &Connection, player: i64, limit: u32) -> rusqlite::Result<Vec<i64>> {
    let mut games = Vec::new();
    for scope in Scope::shown(Some(player), Some(player)) {
        for status in [Status::Waiting, Status::Active] {
            let list = List {
                scope,
                variant: ANY_VARIANT,
                status: status_code(status),
            };
            games.extend(list.newest(connection, i64::MAX, limit)?);
        }
    }
    games.sort_unstable_by(|one, other| other.cmp(one));
    Ok(games)
}

/// A game as its first and newest entries and its seats tell of it, and the newest one.
///
/// It is read when those have had their turn who wait for the processor: lists are long, and moves short.
fn summary(
    connection: &Connection,
    codec: &Codec,
    game: i64,
) -> Result<(Summary, Record), StoreError> {
    std::thread::yield_now();
    let (id, seats) = id_and_seats(connection, game)?;
    let entry = |query: &str| -> Result<Record, StoreError> {
        let mut statement = connection.prepare_cached(query)?;
        let row = statement.query_row([game], reader::raw_entry)?;
        match row.decode(codec, Subject::Game(id))? {
            Entry::Game(record) => Ok(record),
            Entry::Player(_) | Entry::System(_) | Entry::Audit(_) => {
                Err(damaged("an entry of another kind"))
            }
        }
    };
    let newest =
        entry("SELECT seq, time, body FROM log WHERE subject = ? ORDER BY seq DESC LIMIT 1")?;
    let (state, seq, update_time) = (newest.state, newest.seq, newest.time);
    let first = match newest.seq {
        1 => newest.clone(),
        _ => entry("SELECT seq, time, body FROM log WHERE subject = ? AND seq = 1")?,
    };
    let Event::Created(created) = first.event else {
        return Err(damaged("a game that doesn't begin with its creation"));
    };
    let game = Summary {
        start: created.start(first.state.position),
        state,
        seats,
        seq,
        create_time: first.time,
        update_time,
        created,
    };
    Ok((game, newest))
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
        Subject::Player(_) | Subject::System | Subject::Audit => Err(damaged("another subject")),
    }
}

fn damaged(what: &str) -> StoreError {
    StoreError::Entry(format!("{what} in the list of games"))
}
