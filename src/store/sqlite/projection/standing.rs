//! What decides in which lists a game stands.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::{
    super::subjects,
    lists::{ANY_STATUS, ANY_VARIANT, List, OPEN, Scope, status_code},
};
use crate::{
    game::{Created, PlayerId, Record, Seat, Status, Visibility},
    rules::BySide,
    store::{StoreError, Subject},
};

/// A seat as its number of a kind, and its player's local number.
type Seated = (i64, Option<i64>);

const OPEN_SEAT: i64 = 0;
const PLAYER: i64 = 1;
const INVITED: i64 = 2;
const NAMED: i64 = 3;

/// What decides in which lists a game stands.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    variant: String,
    public: bool,
    pub(super) status: i64,
    pub(super) seats: BySide<Seated>,
    importer: Option<i64>,
    creator: i64,
}

impl Listed {
    /// Of a game that was just created.
    pub(super) fn new(
        connection: &Connection,
        created: &Created,
        record: &Record,
    ) -> rusqlite::Result<Listed> {
        let importer = created.imported.is_some().then_some(created.creator);
        let importer = importer.map(|importer| number(connection, importer));
        Ok(Listed {
            variant: created.variant.clone(),
            public: created.visibility == Visibility::Public,
            status: status_code(record.state.status),
            seats: BySide {
                south: seated(connection, created.seats.south)?,
                north: seated(connection, created.seats.north)?,
            },
            importer: importer.transpose()?,
            creator: number(connection, created.creator)?,
        })
    }

    /// Of a game that is kept, if it is.
    pub(super) fn read(connection: &Connection, game: i64) -> rusqlite::Result<Option<Listed>> {
        let mut statement = connection.prepare_cached(
            "SELECT variant, public, status, south_kind, south, north_kind, north, importer, creator
             FROM games WHERE game = ?",
        )?;
        let listed = statement.query_row([game], |row| {
            Ok(Listed {
                variant: row.get(0)?,
                public: row.get(1)?,
                status: row.get(2)?,
                seats: BySide {
                    south: (row.get(3)?, row.get(4)?),
                    north: (row.get(5)?, row.get(6)?),
                },
                importer: row.get(7)?,
                creator: row.get(8)?,
            })
        });
        listed.optional()
    }

    /// Keeps it, in place of what was kept of the game.
    pub(super) fn keep(&self, connection: &Connection, game: i64) -> rusqlite::Result<()> {
        let Listed {
            variant,
            public,
            status,
            seats,
            importer,
            creator,
        } = self;
        let (south, north) = (seats.south, seats.north);
        connection
            .prepare_cached("REPLACE INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?
            .execute(params![
                game, variant, public, status, south.0, south.1, north.0, north.1, importer,
                creator
            ])?;
        Ok(())
    }

    /// Every list that the game stands in.
    pub(super) fn lists(&self) -> Vec<List<'_>> {
        let waits = self.status == status_code(Status::Waiting);
        let open = waits && self.seats.iter().any(|(_, seat)| seat.0 == OPEN_SEAT);
        let statuses = [Some(ANY_STATUS), Some(self.status), open.then_some(OPEN)];
        let mut lists = Vec::new();
        for scope in self.scopes() {
            for variant in [ANY_VARIANT, &self.variant] {
                lists.extend(statuses.into_iter().flatten().map(|status| List {
                    scope,
                    variant,
                    status,
                }));
            }
        }
        lists
    }

    /// Keeps, for the players whose game it is, where in the log it ended.
    pub(super) fn end(
        &self,
        connection: &Connection,
        game: i64,
        offset: u64,
    ) -> rusqlite::Result<()> {
        for owner in self.owners() {
            connection
                .prepare_cached("INSERT INTO ended VALUES (?, ?, ?)")?
                .execute(params![owner, offset.cast_signed(), game])?;
        }
        Ok(())
    }

    fn owners(&self) -> Vec<i64> {
        let mut owners = vec![];
        let seats = [self.seats.south, self.seats.north];
        for owner in seats.into_iter().map(|seat| seat.1).chain([self.importer]) {
            owners.extend(owner.filter(|owner| !owners.contains(owner)));
        }
        owners
    }

    fn scopes(&self) -> Vec<Scope> {
        let owners = self.owners();
        if self.public {
            let own = owners.into_iter().map(Scope::public_of);
            return [Scope::PUBLIC].into_iter().chain(own).collect();
        }
        let mut scopes = vec![];
        for (index, owner) in owners.iter().enumerate() {
            scopes.push(Scope::hidden_of(*owner));
            let others = owners[..index].iter();
            scopes.extend(others.map(|other| Scope::hidden_of_both(*other, *owner)));
        }
        scopes
    }
}

/// A seat as it is kept.
pub(super) fn seated(connection: &Connection, seat: Seat) -> rusqlite::Result<Seated> {
    Ok(match seat {
        Seat::Open => (OPEN_SEAT, None),
        Seat::Player(player) => (PLAYER, Some(number(connection, player)?)),
        Seat::Invited(player) => (INVITED, Some(number(connection, player)?)),
        Seat::Named => (NAMED, None),
    })
}

/// A seat of its kind's number and the name of its player's subject.
pub(super) fn seat_of(kind: i64, name: Option<Vec<u8>>) -> Result<Seat, StoreError> {
    let player = match name.as_deref().map(subjects::parse).transpose()? {
        Some(Subject::Player(player)) => Some(player),
        Some(Subject::Game(_) | Subject::System | Subject::Audit) | None => None,
    };
    match (kind, player) {
        (OPEN_SEAT, None) => Ok(Seat::Open),
        (PLAYER, Some(player)) => Ok(Seat::Player(player)),
        (INVITED, Some(player)) => Ok(Seat::Invited(player)),
        (NAMED, None) => Ok(Seat::Named),
        _ => Err(StoreError::Entry(
            "no such seat in the list of games".into(),
        )),
    }
}

fn number(connection: &Connection, player: PlayerId) -> rusqlite::Result<i64> {
    subjects::number(connection, Subject::Player(player))
}
