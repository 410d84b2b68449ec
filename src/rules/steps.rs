//! What happens on the board, step by step: recorded only when somebody asks.

use super::{
    BySide, HoleSet, Position, Side,
    sowing::{Ring, Spot},
};

/// One thing that happens on the board. Holes are ring indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Seeds taken into the hand; one that stays is not counted.
    Lift {
        /// The hole.
        hole: u8,
        /// Seeds lifted.
        seeds: u8,
    },
    /// Seeds dropped one by one.
    Drop {
        /// The hole of each seed, in order, or the mover's store: South's is 2n, North's 2n + 1.
        holes: Vec<u8>,
    },
    /// A capture.
    Capture {
        /// The hole that is emptied.
        hole: u8,
        /// Seeds captured.
        seeds: u8,
        /// Who gets them; `None` if they leave play.
        to: Option<Side>,
    },
    /// The sides swapped: the rows changed places, with all seeds and stores.
    Swap {
        /// Who chose to.
        side: Side,
    },
    /// A side was passed over.
    Pass {
        /// Which.
        side: Side,
    },
    /// Seeds left on the board go to a player.
    Sweep {
        /// Who gets them.
        side: Side,
        /// How many.
        seeds: u8,
        /// The holes that are emptied.
        holes: HoleSet,
    },
    /// A new round is set up: this is what it starts from.
    NewRound {
        /// The new round's first position.
        position: Position,
    },
}

/// Something that is told what happens on the board. `()` listens to nothing, at no cost.
pub trait Recorder {
    /// A lap of a mover begins at a hole with so many seeds in hand.
    fn lap(&mut self, ring: &Ring, mover: Side, origin: Spot, seeds: u8);
    /// Anything but a lap happens.
    fn step(&mut self, step: impl FnOnce() -> Step);
}

impl Recorder for () {
    #[inline(always)]
    fn lap(&mut self, _: &Ring, _: Side, _: Spot, _: u8) {}

    #[inline(always)]
    fn step(&mut self, _: impl FnOnce() -> Step) {}
}

impl Recorder for Vec<Step> {
    fn lap(&mut self, ring: &Ring, mover: Side, origin: Spot, seeds: u8) {
        let hole = ring.ring_index(mover, origin);
        self.push(Step::Lift { hole, seeds });
        self.push(Step::Drop {
            holes: ring.drops(mover, origin, seeds),
        });
    }

    fn step(&mut self, step: impl FnOnce() -> Step) {
        self.push(step());
    }
}

impl BySide<u8> {
    /// Both added up.
    pub(crate) fn sum(&self) -> u8 {
        self.south + self.north
    }
}
