//! The opening: which holes must be played from before play is free, and how text shows it.
//!
//! Both kinds work alike: while a side has unopened holes, it plays from one of them. They differ in
//! which holes those are at the start.

use super::{BlockReason, HoleSet, Opening, Position, Rules, Side};

impl Rules {
    /// Ring indices of the holes that must be opened, at the start.
    pub(crate) fn opening_holes(&self) -> HoleSet {
        let holes = self.holes();
        match self.definition().opening {
            Opening::Free => HoleSet::EMPTY,
            Opening::EveryHole => HoleSet::run(0, 2 * holes),
            Opening::RightmostHole => [holes - 1, 2 * holes - 1].into_iter().collect(),
        }
    }

    /// The opening holes of one side, in the order in which text shows them.
    pub(crate) fn opening_holes_of(&self, side: Side) -> HoleSet {
        let row = HoleSet::run(side as u8 * self.holes(), self.holes());
        self.opening_holes().intersection(row)
    }

    /// The holes of its row, counted from its left, that the opening lets a side play from.
    #[inline]
    pub(crate) fn open_to(&self, position: &Position, side: Side) -> HoleSet {
        let row = HoleSet::run(0, self.holes());
        if position.unopened.is_empty() {
            return row;
        }
        let unopened = position.in_row(position.unopened, side);
        if unopened.is_empty() { row } else { unopened }
    }

    /// Why the opening forbids a hole that [`Rules::open_to`] leaves out.
    pub(crate) fn opening_block(&self) -> BlockReason {
        match self.definition().opening {
            Opening::RightmostHole => BlockReason::NotTheOpeningHole,
            Opening::EveryHole | Opening::Free => BlockReason::AlreadyOpened,
        }
    }

    /// Whether a first move from the rightmost hole leaves the opponent's playable. Which side begins
    /// makes no difference: the start looks the same to both.
    pub(crate) fn rightmost_holes_can_open(&self) -> bool {
        let mut after = self.start(Side::South);
        let made = self.make(&mut after, Side::South, self.holes() - 1, &mut ());
        made.is_ok() && self.can_move(&after)
    }
}
