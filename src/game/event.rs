//! What a game's log is made of.

use std::sync::Arc;

use super::{
    Clocks, GameId, GameResult, Offer, PlayerId, RoundResult, Seat, Status, Time, TimeControl,
    Visibility,
};
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
    /// Grows with every move, takeback and new round, and never goes back.
    pub turn: u32,
    /// Moves standing in this round.
    pub ply: u32,
    /// Where the game is in its life.
    pub status: Status,
    /// The round, from 1.
    pub round: u32,
    /// How it came out, when it is over.
    pub result: Option<GameResult>,
    /// The offer that is to be answered.
    pub offer: Option<Offer>,
    /// The clocks.
    pub clocks: Clocks,
}

/// A change of a game.
#[derive(Clone, Debug)]
pub enum Event {
    /// It was created: always the first event, and only that.
    Created(Arc<Created>),
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
    /// A side made the offer that is open after it.
    Offered,
    /// An offer was answered.
    Answered(Box<Answered>),
    /// A side's time ran out.
    TimedOut {
        /// Whose.
        side: Side,
    },
    /// It ended before it counted.
    Aborted {
        /// Who aborted it or declined; `None` if its time ran out, or an admin did it.
        by: Option<PlayerId>,
        /// The audit's entry, if an admin did it.
        audit: Option<u64>,
    },
}

/// An answer to an offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The offer.
    pub offer: Offer,
    /// Whether it was accepted.
    pub accepted: bool,
    /// What was taken back, if anything.
    pub taken_back: Option<TakenBack>,
}

/// Moves that were taken back, as a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenBack {
    /// How many, the newest first.
    pub moves: u32,
    /// The round's positions that stood by then and can come back.
    pub standings: Vec<Position>,
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
    /// How much time the players have.
    pub time_control: TimeControl,
    /// Rounds that win the series; 1 is a single game.
    pub target_wins: u32,
    /// Who may see it.
    pub visibility: Visibility,
    /// What opens a seat of a private game.
    pub join_code: Option<String>,
    /// Whether the creator gave the start position.
    pub custom_start: bool,
    /// The game that it is the rematch of.
    pub rematch_of: Option<GameId>,
    /// Its play, if it was imported.
    pub imported: Option<Box<Imported>>,
}

/// A game that was played elsewhere: what its log would say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The position that it started from.
    pub start: Position,
    /// Every move, a byte each.
    pub moves: Vec<MoveByte>,
    /// Its finished rounds, if it has several.
    pub rounds: Vec<RoundResult>,
    /// Who sat where, as its text has it; may be empty.
    pub names: BySide<String>,
    /// When it was played, as `YYYY-MM-DD`; may be empty.
    pub date: String,
}

impl Created {
    /// The rules of its board; `None` if its rule set has no such board.
    pub fn rules(&self) -> Option<&Arc<Rules>> {
        self.rule_set.rules_with(self.holes, self.seeds)
    }

    /// The position that the game started from, given the one after its first event: all of an imported
    /// game's moves come between them.
    pub fn start(&self, after: Position) -> Position {
        let imported = self.imported.as_deref();
        imported.map_or(after, |imported| imported.start)
    }
}

/// A move in a byte: who made it, and the hole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveByte(pub u8);

impl MoveByte {
    /// Where the mover is, above the hole.
    const MOVER_SHIFT: u32 = 7;

    /// A side's move.
    pub fn new(mover: Side, hole: u8) -> MoveByte {
        MoveByte((mover as u8) << MoveByte::MOVER_SHIFT | hole)
    }

    /// Who made it.
    pub fn mover(self) -> Side {
        Side::BOTH[usize::from(self.0 >> MoveByte::MOVER_SHIFT)]
    }

    /// The hole, from the mover's left; the number of holes a row for a swap of sides.
    pub fn hole(self) -> u8 {
        self.0 & ((1 << MoveByte::MOVER_SHIFT) - 1)
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
