//! What is made of the log to answer questions over many games: their list.
//!
//! Moves don't change it: a game's standing is read from its newest entry.

use rusqlite::{Connection, OptionalExtension as _, Row, ToSql, named_params, params};
use uuid::Uuid;

use super::reader;
use crate::{
    game::{Event, GameId, PlayerId, Record, Seat, Status, Summary, Visibility},
    rules::Side,
    store::{Entry, GameFilter, StoreError, Subject, codec::Codec},
};

/// Grows with every change of the tables below or of what they hold: the projection is then thrown
/// away and made anew.
const VERSION: i64 = 1;

const TABLES: &str = "
    DROP TABLE IF EXISTS games;
    DROP TABLE IF EXISTS seats;
    CREATE TABLE games (
        game INTEGER PRIMARY KEY,
        variant TEXT NOT NULL,
        status INTEGER NOT NULL,
        public INTEGER NOT NULL,
        open_seat INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX games_by_variant ON games (variant, game);
    CREATE INDEX games_by_status ON games (status, game);
    CREATE INDEX games_open ON games (game) WHERE open_seat;
    CREATE TABLE seats (
        game INTEGER NOT NULL,
        side INTEGER NOT NULL,
        kind INTEGER NOT NULL,
        player BLOB,
        PRIMARY KEY (game, side)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX seats_by_player ON seats (player, game);";

const OPEN: i64 = 0;
const PLAYER: i64 = 1;
const INVITED: i64 = 2;

/// How many entries are read at once to make the projection anew.
const PAGE: u32 = 1_000;

/// Makes the projection anew if it is of another version.
pub(super) fn bring_up(connection: &Connection, codec: &Codec) -> Result<(), StoreError> {
    let version = "SELECT version FROM projection_version";
    let found: i64 = connection.query_row(version, [], |row| row.get(0))?;
    if found == VERSION {
        return Ok(());
    }
    connection.execute_batch(TABLES)?;
    let mut offset = 0;
    loop {
        let page = reader::read_all(connection, codec, offset, PAGE)?;
        let Some(last) = page.last() else { break };
        offset = last.offset;
        for logged in &page {
            let id = reader::subject_id(connection, logged.subject)?;
            let id = id.ok_or_else(|| StoreError::Entry("its subject has no number".into()))?;
            project(connection, id, &logged.entry)?;
        }
    }
    connection.execute("UPDATE projection_version SET version = ?", [VERSION])?;
    Ok(())
}

/// Projects an entry that was just appended to the subject with this local number.
pub(super) fn project(
    connection: &Connection,
    subject: i64,
    entry: &Entry,
) -> rusqlite::Result<()> {
    match entry {
        Entry::Game(record) => project_game(connection, subject, record),
        Entry::Player(_) => Ok(()),
    }
}

fn project_game(connection: &Connection, game: i64, record: &Record) -> rusqlite::Result<()> {
    match &record.event {
        Event::Created(created) => {
            let open = created.seats.iter().any(|(_, seat)| *seat == Seat::Open);
            connection
                .prepare_cached("INSERT INTO games VALUES (?, ?, ?, ?, ?)")?
                .execute(params![
                    game,
                    created.variant,
                    status_code(record.state.status),
                    created.visibility == Visibility::Public,
                    open
                ])?;
            for (side, seat) in created.seats.iter() {
                let (kind, player) = match seat {
                    Seat::Open => (OPEN, None),
                    Seat::Player(player) => (PLAYER, Some(player.0.into_bytes())),
                    Seat::Invited(player) => (INVITED, Some(player.0.into_bytes())),
                };
                connection
                    .prepare_cached("INSERT INTO seats VALUES (?, ?, ?, ?)")?
                    .execute(params![game, side as u8, kind, player])?;
            }
        }
        Event::SeatTaken { side, player } => {
            connection
                .prepare_cached(
                    "UPDATE seats SET kind = ?, player = ? WHERE game = ? AND side = ?",
                )?
                .execute(params![PLAYER, player.0.into_bytes(), game, *side as u8])?;
            connection
                .prepare_cached(
                    "UPDATE games SET status = ?1, open_seat =
                         EXISTS (SELECT 1 FROM seats WHERE game = ?2 AND kind = ?3)
                     WHERE game = ?2",
                )?
                .execute(params![status_code(record.state.status), game, OPEN])?;
        }
        Event::Moved(_) if record.state.result.is_none() => {}
        Event::Moved(_) | Event::Resigned { .. } => {
            connection
                .prepare_cached("UPDATE games SET status = ? WHERE game = ?")?
                .execute(params![status_code(record.state.status), game])?;
        }
    }
    Ok(())
}

/// The condition that a viewer is shown a game in lists.
const SHOWN: &str = "(public OR EXISTS (SELECT 1 FROM seats AS own
                          WHERE own.player = :viewer AND own.game = games.game))";

/// Games that fit a filter, newest first, from the one before `after` on.
pub(super) fn list_games(
    connection: &Connection,
    codec: &Codec,
    filter: &GameFilter,
    after: Option<GameId>,
    limit: u32,
) -> Result<Vec<Summary>, StoreError> {
    let GameFilter {
        viewer,
        status,
        player,
        variant,
        open_seat,
    } = filter;
    let Some(before) = place(connection, viewer, after)? else {
        return Ok(Vec::new());
    };
    let mut query = format!("SELECT game FROM games WHERE {SHOWN}");
    let (viewer, player_bytes) = (bytes(viewer), bytes(player));
    let status = status.map(status_code);
    let mut values: Vec<(&str, &dyn ToSql)> = vec![
        (":viewer", &viewer),
        (":before", &before),
        (":limit", &limit),
    ];
    if status.is_some() {
        query += " AND status = :status";
        values.push((":status", &status));
    }
    if player.is_some() {
        query += " AND game IN (SELECT game FROM seats WHERE player = :player)";
        values.push((":player", &player_bytes));
    }
    if variant.is_some() {
        query += " AND variant = :variant";
        values.push((":variant", variant));
    }
    if *open_seat {
        query += " AND open_seat";
    }
    query += " AND game < :before ORDER BY game DESC LIMIT :limit";
    let mut statement = connection.prepare_cached(&query)?;
    let games: Vec<i64> = statement
        .query_map(values.as_slice(), |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    games
        .into_iter()
        .map(|game| listed(connection, codec, game))
        .collect()
}

/// The number that all games listed after one come before; `None` if the viewer isn't shown that one.
fn place(
    connection: &Connection,
    viewer: &Option<PlayerId>,
    after: Option<GameId>,
) -> rusqlite::Result<Option<i64>> {
    let Some(after) = after else {
        return Ok(Some(i64::MAX));
    };
    let query =
        format!("SELECT game FROM games JOIN subjects ON id = game WHERE name = :name AND {SHOWN}");
    let name = reader::name(Subject::Game(after));
    connection
        .prepare_cached(&query)?
        .query_row(
            named_params! {":name": name, ":viewer": bytes(viewer)},
            |row| row.get(0),
        )
        .optional()
}

fn bytes(player: &Option<PlayerId>) -> Option<[u8; 16]> {
    player.map(|player| player.0.into_bytes())
}

/// A game as its first and newest entries and its seats tell of it.
fn listed(connection: &Connection, codec: &Codec, game: i64) -> Result<Summary, StoreError> {
    let subject = reader::subject_of(connection, game)?;
    let entry = |order: &str| -> Result<Record, StoreError> {
        let query = format!(
            "SELECT seq, time, body FROM log WHERE subject = ? ORDER BY seq {order} LIMIT 1"
        );
        let mut statement = connection.prepare_cached(&query)?;
        let row = statement.query_row([game], reader::raw_entry)?;
        match row.decode(codec, subject)? {
            Entry::Game(record) => Ok(record),
            Entry::Player(_) => Err(StoreError::Entry("a player's in the list of games".into())),
        }
    };
    let (first, newest) = (entry("ASC")?, entry("DESC")?);
    let Event::Created(created) = first.event else {
        return Err(StoreError::Entry(
            "a game's first is not its creation".into(),
        ));
    };
    let mut seats = created.seats;
    for (side, seat) in Side::BOTH.into_iter().zip(read_seats(connection, game)?) {
        seats[side] = seat;
    }
    Ok(Summary {
        start: first.state.position,
        state: newest.state,
        seats,
        seq: newest.seq,
        create_time: first.time,
        update_time: newest.time,
        created,
    })
}

/// South's seat, then North's.
fn read_seats(connection: &Connection, game: i64) -> Result<Vec<Seat>, StoreError> {
    let mut statement = connection
        .prepare_cached("SELECT kind, player FROM seats WHERE game = :game ORDER BY side")?;
    let seat = |row: &Row<'_>| -> rusqlite::Result<Seat> {
        let player: Option<[u8; 16]> = row.get(1)?;
        let player = player.map(|bytes| PlayerId(Uuid::from_bytes(bytes)));
        Ok(match (row.get(0)?, player) {
            (PLAYER, Some(player)) => Seat::Player(player),
            (INVITED, Some(player)) => Seat::Invited(player),
            _ => Seat::Open,
        })
    };
    let seats = statement.query_map(named_params! {":game": game}, seat)?;
    Ok(seats.collect::<Result<_, _>>()?)
}

fn status_code(status: Status) -> i64 {
    match status {
        Status::Waiting => 1,
        Status::Active => 2,
        Status::Finished => 3,
    }
}
