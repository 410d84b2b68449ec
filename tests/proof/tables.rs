//! What all clients together know: who plays, which games there are, and how they stood when last heard of.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use mancala::grpc::proto::{self, GameStatus, Side, seat};

use super::{chance::Chance, wire::Player};

/// A game as it was last heard of.
#[derive(Clone)]
pub(crate) struct Table {
    pub(crate) game: proto::Game,
    /// What opens a seat of a private game; empty for all others.
    pub(crate) join_code: String,
}

/// What all clients know.
#[derive(Default)]
pub(crate) struct Tables(Mutex<Known>);

#[derive(Default)]
struct Known {
    players: Vec<Player>,
    games: Vec<Table>,
    by_id: HashMap<String, usize>,
    texts: Vec<String>,
}

impl Tables {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a player.
    pub(crate) fn seat(&self, player: Player) {
        self.known().players.push(player);
    }

    /// One of the players.
    pub(crate) fn player(&self, chance: &mut Chance) -> Player {
        chance.of(&self.known().players).clone()
    }

    /// The player who was registered after so many others.
    pub(crate) fn nth(&self, index: usize) -> Option<Player> {
        self.known().players.get(index).cloned()
    }

    /// The player of an id.
    pub(crate) fn player_of(&self, id: &str) -> Option<Player> {
        let known = self.known();
        known.players.iter().find(|player| player.id == id).cloned()
    }

    /// Hears of a game, which may be older news.
    pub(crate) fn hear(&self, game: &proto::Game, join_code: &str) {
        let mut known = self.known();
        let next = known.games.len();
        let index = *known.by_id.entry(game.game_id.clone()).or_insert(next);
        if index == next {
            known.games.push(Table {
                game: game.clone(),
                join_code: join_code.into(),
            });
        } else if known.games[index].game.seq < game.seq {
            known.games[index].game = game.clone();
        }
        if !join_code.is_empty() {
            known.games[index].join_code = join_code.into();
        }
    }

    /// Hears of a game's text.
    pub(crate) fn hear_text(&self, text: String) {
        self.known().texts.push(text);
    }

    /// One of the texts.
    pub(crate) fn text(&self, chance: &mut Chance) -> Option<String> {
        let known = self.known();
        (!known.texts.is_empty()).then(|| chance.of(&known.texts).clone())
    }

    /// One of the games that fit, most often of the newest ones.
    pub(crate) fn game(&self, chance: &mut Chance, fits: impl Fn(&Table) -> bool) -> Option<Table> {
        let known = self.known();
        let from = match chance.below(4) {
            0 => 0,
            _ => known.games.len().saturating_sub(120),
        };
        let fitting: Vec<_> = known.games[from..]
            .iter()
            .filter(|table| fits(table))
            .collect();
        (!fitting.is_empty()).then(|| (*chance.of(&fitting)).clone())
    }

    /// How many games fit.
    pub(crate) fn count(&self, fits: impl Fn(&Table) -> bool) -> usize {
        self.known()
            .games
            .iter()
            .filter(|table| fits(table))
            .count()
    }

    /// All games.
    pub(crate) fn games(&self) -> Vec<Table> {
        self.known().games.clone()
    }
}

impl Table {
    /// Whether it is in this part of its life.
    pub(crate) fn is(&self, status: GameStatus) -> bool {
        self.game.status() == status
    }

    /// The seats of a player.
    pub(crate) fn sides_of(&self, player: &str) -> Vec<Side> {
        let sits = |seat: &Option<proto::Seat>| {
            let seat = seat.as_ref().and_then(|seat| seat.seat.as_ref());
            matches!(seat, Some(seat::Seat::PlayerId(id)) if id == player)
        };
        let seats = [
            (Side::South, &self.game.south),
            (Side::North, &self.game.north),
        ];
        let own = seats.into_iter().filter(|(_, seat)| sits(seat));
        own.map(|(side, _)| side).collect()
    }

    /// Whether a player has or is kept a seat, or made it.
    pub(crate) fn is_of(&self, player: &str) -> bool {
        let invited = |seat: &Option<proto::Seat>| {
            let seat = seat.as_ref().and_then(|seat| seat.seat.as_ref());
            matches!(seat, Some(seat::Seat::InvitedPlayerId(id)) if id == player)
        };
        !self.sides_of(player).is_empty()
            || [&self.game.south, &self.game.north]
                .into_iter()
                .any(invited)
    }

    /// Somebody who has a seat, or imported it.
    pub(crate) fn owner(&self) -> &str {
        let seats = [&self.game.south, &self.game.north];
        let players = seats
            .into_iter()
            .filter_map(|seat| match seat.as_ref()?.seat.as_ref()? {
                seat::Seat::PlayerId(id) => Some(id.as_str()),
                _ => None,
            });
        let mut players = players.chain([self.game.creator_id.as_str()]);
        players.next().unwrap_or_default()
    }

    /// The side to move.
    pub(crate) fn to_move(&self) -> Side {
        self.game
            .position
            .as_ref()
            .map_or(Side::Unspecified, |position| position.to_move())
    }

    /// A player's side for a call: needed by those who have both.
    pub(crate) fn side_for(&self, player: &str, chance: &mut Chance) -> i32 {
        match &*self.sides_of(player) {
            [_] if chance.below(2) == 0 => Side::Unspecified.into(),
            [] => Side::Unspecified.into(),
            sides => (*chance.of(sides)).into(),
        }
    }
}
