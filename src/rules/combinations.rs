//! Which choices of a rule set go together: the others can't be played, or make no sense.

use super::{
    Again, Blocked, Capture, CaptureKind, Definition, Destination, GrandSlam, HoleRange, Laps,
    LastSeed, Lift, MAX_HOLES, Majority, Opening, OppositeEmpty, Remainder, Rounds, Rules, Side,
    Store, Swap, Winner,
};

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
        let two = self.seed_range().min > 1;
        ensure(self.lift == Lift::All || two, "lift", || {
            "leaving a seed behind needs two seeds a hole".into()
        })?;
        self.check_capture()?;
        self.check_opening()?;
        self.check_turns()?;
        self.check_end()?;
        self.check_start()
    }

    fn check_start(&self) -> Result<(), DefinitionError> {
        if self.laps == Laps::Single && self.capture.grand_slam != Some(GrandSlam::Forbidden) {
            return Ok(());
        }
        for (holes, seeds) in self.boards() {
            let rules = Rules::compile(self, holes, seeds);
            let can_move = rules.can_move(&rules.start(Side::South));
            ensure(can_move, "holes", || {
                format!("with {holes} holes of {seeds} seeds nobody could begin")
            })?;
        }
        Ok(())
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
        let seeds = self.seed_range();
        let (least, most) = (seeds.min, seeds.max);
        ensure(
            1 <= least && (least..=most).contains(&self.seeds),
            "seeds-choice",
            || {
                format!(
                    "{least} to {most} is no choice from 1 on that has {} in it",
                    self.seeds
                )
            },
        )?;
        let total = 2 * u16::from(max) * u16::from(most);
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
                for (holes, seeds) in self.boards() {
                    let rules = Rules::compile(self, holes, seeds);
                    ensure(rules.rightmost_holes_can_open(), "opening", || {
                        format!(
                            "with {holes} holes of {seeds} seeds the second player's first move \
                             is impossible"
                        )
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
            opposite_empty,
            grand_slam,
        } = &self.capture;
        let opposite = *kind == CaptureKind::Opposite;
        let wanted = |given: bool, wanted: bool, key, what: &str| {
            ensure(given == wanted, key, || match wanted {
                true => format!("is needed with this capture.kind: {what}"),
                false => "does not go with this capture.kind".into(),
            })
        };
        let back = *kind == CaptureKind::RunBack;
        let run = *kind == CaptureKind::NextRun || back;
        let rows = "\"own-row\" or \"either-row\"";
        let fate = "\"captured\" or \"stays\"";
        let slam = "\"taken\", \"void\", \"forbidden\", \"spares-last\", \"spares-first\" \
                    or \"rest-to-opponent\"";
        wanted(
            sizes.is_some(),
            run,
            "capture.sizes",
            "numbers from 1 to 63",
        )?;
        wanted(landing.is_some(), opposite, "capture.landing", rows)?;
        wanted(last_seed.is_some(), opposite, "capture.last-seed", fate)?;
        wanted(grand_slam.is_some(), back, "capture.grand-slam", slam)?;
        ensure(
            *opposite_empty == OppositeEmpty::Nothing || *last_seed == Some(LastSeed::Captured),
            "capture.opposite-empty",
            || "\"last-seed\" needs last-seed = \"captured\"".into(),
        )?;
        if let Some(sizes) = sizes {
            ensure(!sizes.is_empty(), "capture.sizes", || {
                "needs at least one number".into()
            })?;
            ensure(sizes.is_sorted_by(|a, b| a < b), "capture.sizes", || {
                "must be ascending, each once".into()
            })?;
        }
        ensure(
            !opposite || self.laps != Laps::RelayFromNext,
            "capture.kind",
            || {
                "\"opposite\" does not go with laps = \"relay-from-next\", which end at an empty hole".into()
            },
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

    fn check_turns(&self) -> Result<(), DefinitionError> {
        let free = self.opening == Opening::Free;
        ensure(self.store == Store::PassedOver || free, "store", || {
            "\"sown\" needs opening = \"free\"".into()
        })?;
        ensure(
            self.store == Store::PassedOver || self.capture.to == Destination::Store,
            "store",
            || "\"sown\" needs capture.to = \"store\"".into(),
        )?;
        ensure(
            self.again == Again::Never || self.store == Store::Sown,
            "again",
            || "\"last-in-store\" needs store = \"sown\"".into(),
        )?;
        ensure(
            self.swap == Swap::Never || free && self.rounds.is_none(),
            "swap",
            || "\"after-first-turn\" needs opening = \"free\" and no rounds".into(),
        )
    }

    fn check_end(&self) -> Result<(), DefinitionError> {
        ensure(
            !matches!(self.remainder, Remainder::Opponent | Remainder::Blocked)
                || self.blocked != Blocked::Passes,
            "remainder",
            || {
                "\"opponent\" and \"blocked\" need an end of blocked, where one player could not move"
                    .into()
            },
        )?;
        ensure(
            self.winner == Winner::MoreSeeds || self.blocked == Blocked::Ends,
            "winner",
            || "\"last-able-to-move\" needs blocked = \"ends\"".into(),
        )?;
        // The seed that fell last stays, so that a player who can't move has lost to one who has seeds.
        let leaves_one = match self.capture.kind {
            CaptureKind::NextRun => true,
            // A run back can take all of a row, and the other may be empty.
            CaptureKind::RunBack => false,
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
            stores || self.remainder == Remainder::Stays,
            "remainder",
            || "capture.to = \"removed\" needs \"stays\"".into(),
        )?;
        ensure(
            self.majority == Majority::PlaysOn || stores && self.rounds.is_none(),
            "majority",
            || "\"ends\" needs capture.to = \"store\" and no rounds".into(),
        )?;
        ensure(
            self.seeds_choice.is_none() || stores && self.rounds.is_none(),
            "seeds-choice",
            || "needs capture.to = \"store\", so that a position tells, and no rounds".into(),
        )?;
        let Some(Rounds { limit }) = self.rounds else {
            return Ok(());
        };
        ensure((2..=1000).contains(&limit), "rounds.limit", || {
            format!("{limit} is not from 2 to 1000")
        })?;
        ensure(
            stores && self.remainder != Remainder::Stays,
            "rounds",
            || "need capture.to = \"store\", and all seeds in the stores at the end".into(),
        )?;
        ensure(self.opening == Opening::Free, "rounds", || {
            "need opening = \"free\"".into()
        })?;
        for holes in self.holes.min..=self.holes.max {
            let rules = Rules::compile(self, holes, self.seeds);
            ensure(rules.every_round_can_begin(), "rounds", || {
                format!("with {holes} holes a round could begin where its starter can't move")
            })?;
        }
        Ok(())
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
