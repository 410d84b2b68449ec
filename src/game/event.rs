//! What a game's log is made of.

use std::sync::Arc;

use super::{GameId, GameResult, PlayerId, RoundResult, Seat, Status, Time, Visibility};
use crate::{
    catalog::RuleSet,
    rules::{BySide, Position, Rules, Side},
};

/// One entry of a game's log.
#[derive(Clone, Debug)]
pub struct Record {
    /// From 1, without gaps.
    pub seq: u64,
    /// Never earlier than the entry before.
    pub time: Time,
    /// The request that caused it, if it had an id.
    pub request: Option<Request>,
    /// The game's small state after it.
    pub state: Standing,
    /// What happened.
    pub event: Event,
}

/// What tells a retried request from a new one: hashes of who sent which id, and of its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Of the player and the request id.
    pub key: [u8; 16],
    /// Of the content.
    pub fingerprint: [u8; 16],
}

/// The part of a game that changes with its events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The position.
    pub position: Position,
    /// Grows with every move and new round, and never goes back.
    pub turn: u32,
    /// Moves standing in this round.
    pub ply: u32,
    /// Where the game is in its life.
    pub status: Status,
    /// The round, from 1.
    pub round: u32,
    /// How it came out, when it is over.
    pub result: Option<GameResult>,
}

/// A change of a game.
#[derive(Clone, Debug)]
pub enum Event {
    /// It was created: always the first event, and only that.
    Created(Box<Created>),
    /// A seat was taken.
    SeatTaken {
        /// Which.
        side: Side,
        /// By whom.
        player: PlayerId,
    },
    /// A move was made.
    Moved(Box<Moved>),
    /// A player resigned.
    Resigned {
        /// Who.
        side: Side,
    },
}

/// All that stays the same through a game, but for the seats, which say how they were at first.
#[derive(Clone, Debug)]
pub struct Created {
    /// The game's id.
    pub game_id: GameId,
    /// Who created it.
    pub creator: PlayerId,
    /// Variant id.
    pub variant: String,
    /// Holes a row.
    pub holes: u8,
    /// Seeds in each hole at the start.
    pub seeds: u8,
    /// The rules that it is played by to its end.
    pub rule_set: Arc<RuleSet>,
    /// Who sits where at first.
    pub seats: BySide<Seat>,
    /// Rounds that win the series; 1 is a single game.
    pub target_wins: u32,
    /// Who may see it.
    pub visibility: Visibility,
    /// What opens a seat of a private game.
    pub join_code: Option<String>,
    /// Whether the creator gave the start position.
    pub custom_start: bool,
}

impl Created {
    /// The rules of its board; `None` if its rule set has no such board.
    pub fn rules(&self) -> Option<&Arc<Rules>> {
        self.rule_set.rules_with(self.holes, self.seeds)
    }
}

/// A move as a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Who moved.
    pub mover: Side,
    /// The hole, from the mover's left.
    pub hole: u8,
    /// Seeds captured by the move itself.
    pub captured: u8,
    /// Laps of its sowing.
    pub laps: u32,
    /// Who was then passed over.
    pub passed: Option<Side>,
    /// The settled position of the round, if the move ended one.
    pub round_end: Option<Position>,
    /// How that round came out, if the game has several.
    pub round_result: Option<RoundResult>,
}
