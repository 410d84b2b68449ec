//! A variant's rule set as data: one value of each mechanism.

use serde::{Deserialize, Serialize};

use super::Side;

/// A variant's rule set. Its TOML, in this order of keys, is what its digest is taken of: a key that
/// older variants don't know is left out of the text where it has its default, which is how they play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Definition {
    /// Seeds in each hole at the start, at least 1; where there is a choice, if nobody says.
    pub seeds: u8,
    /// What a player lifts.
    pub lift: Lift,
    /// Which holes the first moves must start from.
    pub opening: Opening,
    /// What continues a sowing.
    pub laps: Laps,
    /// Whether a lap sows into the hole that it was lifted from.
    #[serde(default, skip_serializing_if = "is_default")]
    pub origin: Origin,
    /// Whether seeds are sown into the mover's store. The opponent's is always passed over.
    #[serde(default, skip_serializing_if = "is_default")]
    pub store: Store,
    /// When a player moves again.
    #[serde(default, skip_serializing_if = "is_default")]
    pub again: Again,
    /// Whether an opponent without seeds must be given some.
    #[serde(default, skip_serializing_if = "is_default")]
    pub feeding: Feeding,
    /// Whether the second player may swap sides.
    #[serde(default, skip_serializing_if = "is_default")]
    pub swap: Swap,
    /// What happens when the player to move has no legal move.
    pub blocked: Blocked,
    /// What happens when a player has captured more than half of the seeds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub majority: Majority,
    /// How often a position stands until the round ends, each player taking the own row, unless those
    /// seeds stay.
    #[serde(default, skip_serializing_if = "is_default")]
    pub repetition: Repetition,
    /// Who gets the seeds left on the board at the end.
    pub remainder: Remainder,
    /// Who has won at the end.
    pub winner: Winner,
    /// Board sizes.
    pub holes: HoleRange,
    /// The choice of seeds a hole, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seeds_choice: Option<SeedRange>,
    /// What is captured.
    pub capture: Capture,
    /// Rounds that the rules themselves know. Without it a game is one round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Rounds>,
}

/// Board sizes: holes in each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HoleRange {
    /// Fewest.
    pub min: u8,
    /// Most, at most [`super::MAX_HOLES`].
    pub max: u8,
    /// If nobody says.
    pub default: u8,
}

/// A choice of seeds in each hole at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeedRange {
    /// Fewest.
    pub min: u8,
    /// Most.
    pub max: u8,
}

/// What a player lifts from the chosen hole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lift {
    /// All seeds.
    All,
    /// All but one, which stays; so a hole needs two.
    AllButOne,
}

/// Which holes a player's first moves must start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Opening {
    /// Any.
    Free,
    /// Each own hole once before any of them twice, in any order.
    EveryHole,
    /// The first move from the own rightmost hole.
    RightmostHole,
}

/// What continues a sowing when the last seed of a lap has fallen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Laps {
    /// Nothing: one lap a move.
    Single,
    /// If it fell into an occupied hole, all of that hole is sown on.
    Relay,
    /// If the hole after it is occupied, that one is sown on (Indian style).
    RelayFromNext,
}

/// Whether a lap sows into the hole that it was lifted from, if it goes that far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// It does.
    #[default]
    Sown,
    /// It leaves that hole out, every time round.
    Skipped,
}

/// Whether seeds are sown into the mover's store, after the last hole of the own row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Store {
    /// They are not.
    #[default]
    PassedOver,
    /// They are. A lap that ends there ends the sowing.
    Sown,
}

/// When a player moves again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Again {
    /// Never.
    #[default]
    Never,
    /// When the last seed fell into the own store.
    LastInStore,
}

/// Whether an opponent without seeds must be given some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Feeding {
    /// No.
    #[default]
    Free,
    /// Only a move after which the opponent has seeds is legal then; so if there is none, the player
    /// is blocked.
    Required,
}

/// Whether the second player may swap sides (the pie rule).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Swap {
    /// No.
    #[default]
    Never,
    /// Instead of a first move: the rows change places with all seeds and stores, and the other player
    /// is to move.
    AfterFirstTurn,
}

/// What happens when a player has captured more than half of the seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Majority {
    /// Nothing.
    #[default]
    PlaysOn,
    /// It ends, each player taking the own row, unless those seeds stay.
    Ends,
}

/// How often a position stands until the round ends. A position's history only a game knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repetition {
    /// Three times.
    #[default]
    ThirdStanding,
    /// Twice.
    SecondStanding,
}

/// What is captured when a sowing has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Capture {
    /// The way of capturing.
    pub kind: CaptureKind,
    /// Where the seeds go.
    pub to: Destination,
    /// Whether there are captures before all holes that must be opened are.
    pub during_opening: bool,
    /// `next-run` and `run-back`: the contents that are captured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Vec<u8>>,
    /// `opposite`: the rows in which a sowing may end to capture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landing: Option<Landing>,
    /// `opposite`: what becomes of the seed that fell last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_seed: Option<LastSeed>,
    /// `opposite`: what is captured if the opposite hole is empty.
    #[serde(default, skip_serializing_if = "is_default")]
    pub opposite_empty: OppositeEmpty,
    /// `run-back`: what becomes of a capture of all the opponent's seeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grand_slam: Option<GrandSlam>,
}

/// The way of capturing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CaptureKind {
    /// The holes after the last seed's, whoever owns them, while each holds one of `sizes`.
    NextRun,
    /// The hole opposite the empty hole in which the sowing ended, if occupied.
    Opposite,
    /// The hole after the empty hole at which the sowing ended, if occupied, whoever owns it.
    BeyondEmpty,
    /// The hole where the last seed fell and those before it, in the opponent's row only, while each
    /// holds one of `sizes`.
    RunBack,
}

/// Where captured seeds go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Destination {
    /// Into the mover's store.
    Store,
    /// Out of play.
    Removed,
}

/// The rows in which a sowing may end to capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Landing {
    /// The mover's own.
    OwnRow,
    /// Both.
    EitherRow,
}

/// What becomes of the seed that fell last, when its hole captures the opposite one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LastSeed {
    /// Captured too.
    Captured,
    /// Stays.
    Stays,
}

/// What an empty opposite hole changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OppositeEmpty {
    /// Nothing is captured.
    #[default]
    Nothing,
    /// The seed that fell last is captured alone.
    LastSeed,
}

/// What becomes of a capture that would take all the opponent's seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GrandSlam {
    /// They are captured.
    Taken,
    /// None are captured.
    Void,
    /// The move is not legal.
    Forbidden,
    /// All are captured but those of the hole that the run reached last, the farthest back.
    SparesLast,
    /// All are captured but those of the hole where the last seed fell.
    SparesFirst,
    /// They are captured, and the opponent gets the seeds left in the mover's row.
    RestToOpponent,
}

/// What happens when the player to move has no legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Blocked {
    /// The player passes; it ends when neither can move.
    Passes,
    /// It ends.
    Ends,
    /// It ends; and it ends as soon as a row is empty after a move. Then the player without seeds is
    /// the one who could not move.
    EndsWithEmptyRow,
}

/// Who gets the seeds left on the board at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Remainder {
    /// Each player those of the own row.
    OwnRow,
    /// The opponent of the player who could not move.
    Opponent,
    /// The player who could not move.
    Blocked,
    /// Nobody: they stay on the board.
    Stays,
}

/// Who has won at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Winner {
    /// Who has more seeds.
    MoreSeeds,
    /// The opponent of the player who could not move.
    LastAbleToMove,
}

/// Rounds: each player fills the own holes again from the store, from the own left; a hole that can't
/// be filled is closed; who can't fill one has lost the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Rounds {
    /// Most rounds of a match, at most 1,000.
    pub limit: u16,
}

impl Definition {
    /// The seeds a hole that a game can be created with.
    pub fn seed_range(&self) -> SeedRange {
        let only = SeedRange {
            min: self.seeds,
            max: self.seeds,
        };
        self.seeds_choice.unwrap_or(only)
    }

    /// Holes a row and seeds a hole of every board.
    pub(crate) fn boards(&self) -> impl Iterator<Item = (u8, u8)> {
        let (holes, seeds) = (self.holes, self.seed_range());
        (holes.min..=holes.max)
            .flat_map(move |holes| (seeds.min..=seeds.max).map(move |seeds| (holes, seeds)))
    }

    /// Whether captured seeds leave play and so are not on the board or in a store.
    pub(crate) fn removes_seeds(&self) -> bool {
        self.capture.to == Destination::Removed
    }

    /// The side that begins a round of a match whose first round `first` began: starters alternate.
    pub(crate) fn starter(first: Side, round: u16) -> Side {
        if round % 2 == 1 {
            first
        } else {
            first.opponent()
        }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
