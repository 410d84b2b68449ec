//! A variant's rule set as data: one value of each mechanism.

use serde::{Deserialize, Serialize};

use super::{MAX_HOLES, Rules, Side};

/// A variant's rule set. Its TOML, in this order of keys, is what its digest is taken of: a new key
/// must be left out of the text where it has the value that all older variants have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Definition {
    /// Seeds in each hole at the start, at least 1.
    pub seeds: u8,
    /// What a player lifts.
    pub lift: Lift,
    /// Which holes the first moves must start from.
    pub opening: Opening,
    /// What continues a sowing.
    pub laps: Laps,
    /// What happens when the player to move has no legal move.
    pub blocked: Blocked,
    /// Who gets the seeds left on the board at the end.
    pub remainder: Remainder,
    /// Who has won at the end.
    pub winner: Winner,
    /// Board sizes.
    pub holes: HoleRange,
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
    /// Most, at most [`MAX_HOLES`].
    pub max: u8,
    /// If nobody says.
    pub default: u8,
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
    /// `next-run`: the contents that are captured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Vec<u8>>,
    /// `opposite`: the rows in which a sowing may end to capture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landing: Option<Landing>,
    /// `opposite`: what becomes of the seed that fell last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_seed: Option<LastSeed>,
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

/// What happens when the player to move has no legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Blocked {
    /// The player passes; it ends when neither can move.
    Passes,
    /// It ends.
    Ends,
}

/// Who gets the seeds left on the board at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Remainder {
    /// Each player those of the own row.
    OwnRow,
    /// The opponent of the player who could not move.
    Opponent,
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

/// Why a definition can't be played: which key, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {reason}")]
pub struct DefinitionError {
    /// The key, from the table of the rules on.
    pub key: &'static str,
    /// What is wrong.
    pub reason: String,
}

impl Definition {
    /// Refuses what can't be played, or makes no sense together.
    pub(crate) fn check(&self) -> Result<(), DefinitionError> {
        self.check_sizes()?;
        ensure(
            self.lift == Lift::All || self.laps == Laps::Single,
            "lift",
            || "leaving a seed behind goes only with single laps".into(),
        )?;
        ensure(self.lift == Lift::All || self.seeds > 1, "lift", || {
            "leaving a seed behind needs two seeds a hole".into()
        })?;
        self.check_capture()?;
        self.check_opening()?;
        self.check_end()
    }

    /// Refuses only what a board has no room for.
    pub(crate) fn check_sizes(&self) -> Result<(), DefinitionError> {
        let HoleRange { min, max, default } = self.holes;
        ensure(1 <= min && min <= max, "holes.min", || {
            format!("{min} is not from 1 to max, which is {max}")
        })?;
        ensure(max <= MAX_HOLES, "holes.max", || {
            format!("{max} is more than {MAX_HOLES}, the widest board")
        })?;
        ensure((min..=max).contains(&default), "holes.default", || {
            format!("{default} is not from {min} to {max}")
        })?;
        ensure(self.seeds > 0, "seeds", || {
            "0 leaves nothing to play".into()
        })?;
        let total = 2 * u16::from(max) * u16::from(self.seeds);
        ensure(total <= u8::MAX.into(), "seeds", || {
            format!("{total} seeds on the widest board are more than 255")
        })?;
        let mut sizes = self.capture.sizes.iter().flatten();
        ensure(
            sizes.all(|size| (1..64).contains(size)),
            "capture.sizes",
            || "needs numbers from 1 to 63".into(),
        )
    }

    fn check_opening(&self) -> Result<(), DefinitionError> {
        match self.opening {
            Opening::Free => Ok(()),
            Opening::EveryHole => ensure(
                self.laps == Laps::Single && !self.capture.during_opening,
                "opening",
                || {
                    "\"every-hole\" needs laps = \"single\" and capture.during-opening = false, \
                     since nothing may empty a hole that must be opened"
                        .into()
                },
            ),
            Opening::RightmostHole => {
                ensure(self.blocked == Blocked::Ends, "opening", || {
                    "\"rightmost-hole\" needs blocked = \"ends\", since who passes can't open"
                        .into()
                })?;
                for holes in self.holes.min..=self.holes.max {
                    let rules = Rules::compile(self, holes);
                    ensure(rules.rightmost_holes_can_open(), "opening", || {
                        format!("with {holes} holes the second player's first move is impossible")
                    })?;
                }
                Ok(())
            }
        }
    }

    fn check_capture(&self) -> Result<(), DefinitionError> {
        let Capture {
            kind,
            to: _,
            during_opening,
            sizes,
            landing,
            last_seed,
        } = &self.capture;
        let opposite = *kind == CaptureKind::Opposite;
        let wanted = |given: bool, wanted: bool, key, what: &str| {
            ensure(given == wanted, key, || match wanted {
                true => format!("is needed with this capture.kind: {what}"),
                false => "does not go with this capture.kind".into(),
            })
        };
        let run = *kind == CaptureKind::NextRun;
        let rows = "\"own-row\" or \"either-row\"";
        let fate = "\"captured\" or \"stays\"";
        wanted(
            sizes.is_some(),
            run,
            "capture.sizes",
            "numbers from 1 to 63",
        )?;
        wanted(landing.is_some(), opposite, "capture.landing", rows)?;
        wanted(last_seed.is_some(), opposite, "capture.last-seed", fate)?;
        if let Some(sizes) = sizes {
            ensure(!sizes.is_empty(), "capture.sizes", || {
                "needs at least one number".into()
            })?;
            ensure(sizes.is_sorted_by(|a, b| a < b), "capture.sizes", || {
                "must be ascending, each once".into()
            })?;
        }
        ensure(
            !opposite || self.laps == Laps::Relay,
            "capture.kind",
            || "\"opposite\" needs laps = \"relay\", which end in an empty hole".into(),
        )?;
        ensure(
            *kind != CaptureKind::BeyondEmpty || self.laps == Laps::RelayFromNext,
            "capture.kind",
            || "\"beyond-empty\" needs laps = \"relay-from-next\"".into(),
        )?;
        ensure(
            *during_opening || self.opening != Opening::Free,
            "capture.during-opening",
            || "false needs an opening".into(),
        )
    }

    fn check_end(&self) -> Result<(), DefinitionError> {
        ensure(
            self.remainder != Remainder::Opponent || self.blocked == Blocked::Ends,
            "remainder",
            || "\"opponent\" needs blocked = \"ends\", where one player could not move".into(),
        )?;
        ensure(
            self.winner == Winner::MoreSeeds || self.blocked == Blocked::Ends,
            "winner",
            || "\"last-able-to-move\" needs blocked = \"ends\"".into(),
        )?;
        // The seed that fell last stays, so that a player who can't move has lost to one who has seeds.
        let leaves_one = match self.capture.kind {
            CaptureKind::NextRun => true,
            CaptureKind::Opposite => self.capture.last_seed == Some(LastSeed::Stays),
            CaptureKind::BeyondEmpty => self.holes.min > 1,
        };
        ensure(
            self.capture.to == Destination::Store || leaves_one,
            "capture.to",
            || "\"removed\" needs captures that never empty the board".into(),
        )?;
        // Removed seeds can't be counted, and what is counted must end in the stores.
        let stores = self.capture.to == Destination::Store;
        ensure(
            stores == (self.winner == Winner::MoreSeeds),
            "winner",
            || "\"more-seeds\" goes with capture.to = \"store\", and only with it".into(),
        )?;
        ensure(
            stores == (self.remainder != Remainder::Stays),
            "remainder",
            || "\"stays\" goes with capture.to = \"removed\", and only with it".into(),
        )?;
        let Some(Rounds { limit }) = self.rounds else {
            return Ok(());
        };
        ensure((2..=1000).contains(&limit), "rounds.limit", || {
            format!("{limit} is not from 2 to 1000")
        })?;
        ensure(stores, "rounds", || "need capture.to = \"store\"".into())?;
        ensure(self.opening == Opening::Free, "rounds", || {
            "need opening = \"free\"".into()
        })?;
        for holes in self.holes.min..=self.holes.max {
            let rules = Rules::compile(self, holes);
            ensure(rules.every_round_can_begin(), "rounds", || {
                format!("with {holes} holes a round could begin where its starter can't move")
            })?;
        }
        Ok(())
    }

    /// Whether captured seeds leave play and so are not on the board or in a store.
    pub(crate) fn removes_seeds(&self) -> bool {
        self.capture.to == Destination::Removed
    }

    /// The lowest number of seeds that a hole is played from.
    pub(crate) fn least_to_play(&self) -> u8 {
        match self.lift {
            Lift::All => 1,
            Lift::AllButOne => 2,
        }
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

fn ensure(
    holds: bool,
    key: &'static str,
    reason: impl FnOnce() -> String,
) -> Result<(), DefinitionError> {
    if holds {
        return Ok(());
    }
    Err(DefinitionError {
        key,
        reason: reason(),
    })
}
