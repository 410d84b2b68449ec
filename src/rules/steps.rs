//! What happens on the board, step by step: recorded only when somebody asks.

use super::{BySide, HoleSet, Position, Side, sowing::Ring};

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
        /// The hole of each seed, in order.
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
    /// A lap begins at a hole with so many seeds in hand.
    fn lap(&mut self, ring: &Ring, hole: u8, seeds: u8);
    /// Anything but a lap happens.
    fn step(&mut self, step: impl FnOnce() -> Step);
}

impl Recorder for () {
    #[inline]
    fn lap(&mut self, _: &Ring, _: u8, _: u8) {}

    #[inline]
    fn step(&mut self, _: impl FnOnce() -> Step) {}
}

impl Recorder for Vec<Step> {
    fn lap(&mut self, ring: &Ring, hole: u8, seeds: u8) {
        self.push(Step::Lift { hole, seeds });
        let drops = std::iter::successors(Some(ring.next(hole)), |last| Some(ring.next(*last)));
        self.push(Step::Drop {
            holes: drops.take(seeds.into()).collect(),
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
