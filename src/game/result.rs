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
    /// A player's time ran out.
    Timeout,
    /// The players agreed on a draw.
    Agreement,
    /// It ended before it counted: nobody won, and nobody drew.
    Aborted,
}

/// How a game came out. No result yet is no value of this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameResult {
    /// Who won; `None` for a draw, and if it was aborted.
    pub winner: Option<Side>,
    /// Why it ended.
    pub reason: EndReason,
    /// Seeds by the variant's count; rounds won in a series.
    pub score: BySide<u32>,
}

/// Who won a game, if anybody did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// This side.
    Won(Side),
    /// Nobody: it was drawn.
    Drawn,
    /// Nobody: it was aborted.
    NoResult,
}

macro_rules! names {
    ($type:ident: $([$($value:tt)+] $name:literal,)*) => {
        impl $type {
            /// Its name in a game's text.
            pub fn name(self) -> &'static str {
                match self {
                    $($($value)+ => $name,)*
                }
            }

            /// The one of this name.
            pub fn named(name: &str) -> Option<$type> {
                match name {
                    $($name => Some($($value)+),)*
                    _ => None,
                }
            }
        }
    };
}

names! {
    EndReason:
    [EndReason::Rules(Reason::NoMoves)] "no-moves",
    [EndReason::Rules(Reason::EmptyRow)] "empty-row",
    [EndReason::Rules(Reason::Majority)] "majority",
    [EndReason::Rules(Reason::HolesClosed)] "holes-closed",
    [EndReason::Rules(Reason::Repetition)] "repetition",
    [EndReason::Rules(Reason::TooLong)] "too-long",
    [EndReason::Series] "series",
    [EndReason::Resignation] "resignation",
    [EndReason::Timeout] "timeout",
    [EndReason::Agreement] "agreement",
    [EndReason::Aborted] "aborted",
}

names! {
    Outcome:
    [Outcome::Won(Side::South)] "South",
    [Outcome::Won(Side::North)] "North",
    [Outcome::Drawn] "Draw",
    [Outcome::NoResult] "None",
}

impl GameResult {
    /// Who won, if anybody did.
    pub fn outcome(&self) -> Outcome {
        match (self.winner, self.reason) {
            (Some(side), _) => Outcome::Won(side),
            (None, EndReason::Aborted) => Outcome::NoResult,
            (None, _) => Outcome::Drawn,
        }
    }
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
