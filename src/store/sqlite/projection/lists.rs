//! The lists: which there are, and which of them make up the answer to a question.

use rusqlite::{Connection, params};

use crate::game::Status;

/// The variant of lists of games of any.
pub(super) const ANY_VARIANT: &str = "";

/// The status of lists of games of any.
pub(super) const ANY_STATUS: i64 = 0;

/// The status of games that wait with a seat open to whoever joins.
pub(super) const OPEN: i64 = 5;

/// The number of a status.
pub(super) fn status_code(status: Status) -> i64 {
    match status {
        Status::Waiting => 1,
        Status::Active => 2,
        Status::Finished => 3,
        Status::Aborted => 4,
    }
}

/// Whose list it is. Players are local numbers, which are above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scope {
    public: bool,
    player: i64,
    other: i64,
}

impl Scope {
    /// Every public game.
    pub(super) const PUBLIC: Scope = Scope {
        public: true,
        player: 0,
        other: 0,
    };

    /// The public games of a player.
    pub(super) fn public_of(player: i64) -> Scope {
        Scope {
            player,
            ..Scope::PUBLIC
        }
    }

    /// The games of a player that are not public.
    pub(super) fn hidden_of(player: i64) -> Scope {
        Scope {
            public: false,
            player,
            other: 0,
        }
    }

    /// The games of two players that are not public.
    pub(super) fn hidden_of_both(one: i64, other: i64) -> Scope {
        Scope {
            public: false,
            player: one.min(other),
            other: one.max(other),
        }
    }

    /// The scopes whose games a viewer is shown, those of one player if one is asked for. No game is
    /// in two of them.
    pub(super) fn shown(viewer: Option<i64>, player: Option<i64>) -> Vec<Scope> {
        let (public, hidden) = match (player, viewer) {
            (None, viewer) => (Scope::PUBLIC, viewer.map(Scope::hidden_of)),
            (Some(player), None) => (Scope::public_of(player), None),
            (Some(player), Some(viewer)) => {
                let hidden = match player == viewer {
                    true => Scope::hidden_of(player),
                    false => Scope::hidden_of_both(player, viewer),
                };
                (Scope::public_of(player), Some(hidden))
            }
        };
        [public].into_iter().chain(hidden).collect()
    }
}

/// A list: some scope's games of a variant and a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct List<'a> {
    pub(super) scope: Scope,
    pub(super) variant: &'a str,
    pub(super) status: i64,
}

impl List<'_> {
    /// Puts a game on it.
    pub(super) fn insert(&self, connection: &Connection, game: i64) -> rusqlite::Result<()> {
        let (public, player, other, variant, status) = self.columns();
        connection
            .prepare_cached("INSERT INTO listed VALUES (?, ?, ?, ?, ?, ?)")?
            .execute(params![public, player, other, variant, status, game])?;
        Ok(())
    }

    /// Takes a game off it.
    pub(super) fn remove(&self, connection: &Connection, game: i64) -> rusqlite::Result<()> {
        let (public, player, other, variant, status) = self.columns();
        let mut delete = connection.prepare_cached(
            "DELETE FROM listed
             WHERE public = ? AND player = ? AND other = ? AND variant = ? AND status = ?
                 AND game = ?",
        )?;
        delete.execute(params![public, player, other, variant, status, game])?;
        Ok(())
    }

    /// Whether a game is on it.
    pub(super) fn has(&self, connection: &Connection, game: i64) -> rusqlite::Result<bool> {
        let (public, player, other, variant, status) = self.columns();
        let mut select = connection.prepare_cached(
            "SELECT game FROM listed
             WHERE public = ? AND player = ? AND other = ? AND variant = ? AND status = ?
                 AND game = ?",
        )?;
        select.exists(params![public, player, other, variant, status, game])
    }

    /// Its newest games of those before one.
    pub(super) fn newest(
        &self,
        connection: &Connection,
        before: i64,
        limit: u32,
    ) -> rusqlite::Result<Vec<i64>> {
        let (public, player, other, variant, status) = self.columns();
        let mut select = connection.prepare_cached(
            "SELECT game FROM listed
             WHERE public = ? AND player = ? AND other = ? AND variant = ? AND status = ?
                 AND game < ?
             ORDER BY game DESC LIMIT ?",
        )?;
        let values = params![public, player, other, variant, status, before, limit];
        let games = select.query_map(values, |row| row.get(0))?;
        games.collect()
    }

    /// How many games are on it, up to so many.
    pub(super) fn count(&self, connection: &Connection, most: u32) -> rusqlite::Result<u32> {
        let (public, player, other, variant, status) = self.columns();
        let mut select = connection.prepare_cached(
            "SELECT count(*) FROM (
                 SELECT game FROM listed
                 WHERE public = ? AND player = ? AND other = ? AND variant = ? AND status = ?
                 LIMIT ?)",
        )?;
        let values = params![public, player, other, variant, status, most];
        select.query_row(values, |row| row.get(0))
    }

    fn columns(&self) -> (bool, i64, i64, &str, i64) {
        let List {
            scope,
            variant,
            status,
        } = self;
        let Scope {
            public,
            player,
            other,
        } = scope;
        (*public, *player, *other, variant, *status)
    }
}
