//! What is made of the log to answer questions over many games: their lists.
//!
//! Each game stands once in each list that a filter can ask for, so that a page is a range of an
//! index whatever the filter. Moves don't change that: how a game stands is read from its newest entry.

mod lists;
mod questions;
mod standing;

use rusqlite::Connection;

use super::{reader, subjects};
use crate::{
    game::{Event, Record, Seat},
    store::{Entry, StoreError, codec::Codec},
};
use lists::{List, status_code};
pub(super) use questions::{changes_of, count_games, games_of, list_games, unfinished_games};
use standing::{Listed, seated};

/// Grows with every change of the tables below or of what they hold: the projection is then thrown
/// away and made anew.
const VERSION: i64 = 3;

/// A status below 3 is of a game that is not over. Players are named by their local numbers.
const TABLES: &str = "
    DROP TABLE IF EXISTS games;
    DROP TABLE IF EXISTS seats;
    DROP TABLE IF EXISTS listed;
    DROP TABLE IF EXISTS ended;
    CREATE TABLE games (
        game INTEGER PRIMARY KEY,
        variant TEXT NOT NULL,
        public INTEGER NOT NULL,
        status INTEGER NOT NULL,
        south_kind INTEGER NOT NULL,
        south INTEGER,
        north_kind INTEGER NOT NULL,
        north INTEGER,
        importer INTEGER,
        creator INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX games_unfinished ON games (game) WHERE status < 3;
    CREATE INDEX games_waiting ON games (creator) WHERE status = 1;
    CREATE INDEX games_south ON games (south) WHERE status = 1 AND south_kind = 1;
    CREATE INDEX games_north ON games (north) WHERE status = 1 AND north_kind = 1;
    CREATE TABLE ended (
        player INTEGER,
        offset INTEGER,
        game INTEGER,
        PRIMARY KEY (player, offset, game)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE listed (
        public INTEGER,
        player INTEGER,
        other INTEGER,
        variant TEXT,
        status INTEGER,
        game INTEGER,
        PRIMARY KEY (public, player, other, variant, status, game)
    ) STRICT, WITHOUT ROWID;";

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
            let id = subjects::number(connection, logged.subject)?;
            project(connection, id, logged.offset, &logged.entry)?;
        }
    }
    connection.execute("UPDATE projection_version SET version = ?", [VERSION])?;
    Ok(())
}

/// Projects an entry that was just appended to the subject with this local number.
pub(super) fn project(
    connection: &Connection,
    subject: i64,
    offset: u64,
    entry: &Entry,
) -> rusqlite::Result<()> {
    match entry {
        Entry::Game(record) => project_game(connection, subject, offset, record),
        Entry::Player(_) | Entry::System(_) | Entry::Audit(_) => Ok(()),
    }
}

fn project_game(
    connection: &Connection,
    game: i64,
    offset: u64,
    record: &Record,
) -> rusqlite::Result<()> {
    let seat_taken = match &record.event {
        Event::Created(created) => {
            let listed = Listed::new(connection, created, record)?;
            listed.keep(connection, game)?;
            // An imported game is over from the first.
            if record.state.result.is_some() {
                listed.end(connection, game, offset)?;
            }
            return relist(connection, game, &[], &listed.lists());
        }
        Event::SeatTaken { side, player } => Some((*side, *player)),
        Event::Moved(_)
        | Event::Resigned { .. }
        | Event::TimedOut { .. }
        | Event::Offered
        | Event::Answered(_)
        | Event::Aborted { .. } => None,
    };
    if seat_taken.is_none() && record.state.result.is_none() {
        return Ok(());
    }
    let Some(before) = Listed::read(connection, game)? else {
        // A log without a creation is no game, and on no list.
        return Ok(());
    };
    let mut listed = before.clone();
    listed.status = status_code(record.state.status);
    if let Some((side, player)) = seat_taken {
        listed.seats[side] = seated(connection, Seat::Player(player))?;
    }
    listed.keep(connection, game)?;
    if record.state.result.is_some() {
        listed.end(connection, game, offset)?;
    }
    relist(connection, game, &before.lists(), &listed.lists())
}

/// Moves a game from the lists that it stood in to those that it stands in now.
fn relist(
    connection: &Connection,
    game: i64,
    before: &[List<'_>],
    now: &[List<'_>],
) -> rusqlite::Result<()> {
    let gone = before.iter().filter(|list| !now.contains(list));
    let new = now.iter().filter(|list| !before.contains(list));
    for list in gone {
        list.remove(connection, game)?;
    }
    for list in new {
        list.insert(connection, game)?;
    }
    Ok(())
}

#[cfg(test)]
mod plans;
