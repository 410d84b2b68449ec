//! How a game, or a round of it, came out.

use crate::rules::{BySide, End, Reason, Side};

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// By the rules of the variant, or the limits that a game adds to them.
    Rules(Reason),
    /// A series was decided, or reached its last round.
    Series,
    /// A player resigned.
    Resignation,
}

/// How a game came out. No result yet is no value of this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameResult {
    /// Who won; `None` for a draw.
    pub winner: Option<Side>,
    /// Why it ended.
    pub reason: EndReason,
    /// Seeds by the variant's count; rounds won in a series.
    pub score: BySide<u32>,
}

impl From<&End> for GameResult {
    fn from(end: &End) -> GameResult {
        let End {
            winner,
            reason,
            score,
        } = *end;
        GameResult {
            winner,
            reason: EndReason::Rules(reason),
            score: BySide::from_fn(|side| score[side].into()),
        }
    }
}

/// How a finished round of a game that has several came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundResult {
    /// The round, from 1.
    pub round: u32,
    /// Who won it; `None` for a draw.
    pub winner: Option<Side>,
    /// Why it ended.
    pub reason: Reason,
    /// Seeds by the variant's count.
    pub score: BySide<u8>,
    /// Who moved first in it.
    pub first: Side,
    /// Moves made in it.
    pub plies: u32,
}
