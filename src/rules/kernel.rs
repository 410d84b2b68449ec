//! The kernel: what a move does where nothing but seeds counts, on rows that stay in registers.
//!
//! A board is seen by the side to move: its own row, then the other's. [`Rules::make`] and everything
//! else that plays goes through here; counts and playouts stay here as long as no hole must be opened or
//! is closed and nobody may swap sides. The reference of the tests says the same in plain loops.

use std::marker::PhantomData;

use super::{
    Again, BlockReason, Blocked, Feeding, GrandSlam, HoleSet, Majority, Reason, Recorder, Rules,
    Side,
    board::Row,
    mechanisms::{Mechanisms, least_to_play},
    sowing::{Lap, OTHER, Ring, Rows},
};

/// Rules with the tables of one ring, the open holes as a mover sees them; compiled for the mechanisms
/// `M`.
pub(crate) struct Kernel<'a, R, M> {
    pub(crate) rules: &'a Rules,
    pub(crate) ring: &'a Ring,
    pub(crate) laps: &'a [Lap<R>],
    mechanisms: PhantomData<M>,
}

impl<'a, R, M> Kernel<'a, R, M> {
    /// The laps are those of the ring.
    #[inline(always)]
    pub(crate) fn new(rules: &'a Rules, ring: &'a Ring, laps: &'a [Lap<R>]) -> Self {
        let mechanisms = PhantomData;
        Kernel {
            rules,
            ring,
            laps,
            mechanisms,
        }
    }
}

impl<R: Row> Rows<R> {
    /// As the other side sees them.
    #[inline(always)]
    pub(crate) fn turned(self) -> Rows<R> {
        Rows {
            own: self.other,
            other: self.own,
        }
    }
}

/// Runs an expression with the kernel of a position's ring, as wide as its board, for these mechanisms.
macro_rules! with_kernel {
    ($rules:expr, $position:expr, $mover:expr, $mechanisms:ty, |$kernel:ident| $run:expr) => {{
        let (rules, ring) = ($rules, $rules.ring($position, $mover));
        match &ring.tables {
            $crate::rules::Tables::Narrow(laps) => {
                let $kernel = $crate::rules::Kernel::<_, $mechanisms>::new(rules, ring, laps);
                $run
            }
            $crate::rules::Tables::Wide(laps) => {
                let $kernel = $crate::rules::Kernel::<_, $mechanisms>::new(rules, ring, laps);
                $run
            }
        }
    }};
}
pub(crate) use with_kernel;

/// What a move did. Numbers are words, since smaller ones would be packed together and taken apart
/// again, at a fifth of a playout's speed.
#[derive(Clone, Copy)]
pub(crate) struct Made {
    pub(crate) captured: u64,
    pub(crate) laps: u64,
    /// Whether the mover moves again.
    pub(crate) again: bool,
}

impl<R: Row, M: Mechanisms> Kernel<'_, R, M> {
    /// The holes that may be played unless what comes of it forbids them.
    #[inline(always)]
    pub(crate) fn candidates(&self, rows: &Rows<R>) -> HoleSet {
        let playable = rows.own.holding(least_to_play(M::choice(self.rules).lift));
        playable.intersection(self.rules.row)
    }

    /// Whether all candidates are legal, whatever comes of them.
    #[inline(always)]
    pub(crate) fn are_all_legal(&self, rows: &Rows<R>) -> bool {
        M::choice(self.rules).needs_no_sowing() && !self.must_feed(rows)
    }

    /// Whether no move can be illegal for what it captures.
    #[inline(always)]
    fn captures_are_free(&self, rows: &Rows<R>) -> bool {
        M::choice(self.rules).grand_slam != Some(GrandSlam::Forbidden) && !self.must_feed(rows)
    }

    #[inline(always)]
    fn is_empty(&self, row: R) -> bool {
        row.is_empty_in(R::first_of(self.rules.row_cells))
    }

    #[inline(always)]
    fn must_feed(&self, rows: &Rows<R>) -> bool {
        M::choice(self.rules).feeding == Feeding::Required && self.is_empty(rows.other)
    }

    /// Whether there is a legal move.
    #[inline(always)]
    pub(crate) fn can_move(&self, rows: &Rows<R>, mover: Side) -> bool {
        let candidates = self.candidates(rows);
        if self.are_all_legal(rows) {
            return !candidates.is_empty();
        }
        let mut holes = candidates.iter();
        holes.any(|hole| self.sown_laps(rows, mover, hole, true).is_ok())
    }

    /// The laps of a candidate's sowing, if it is legal: what it captures is asked only where that can
    /// forbid it.
    #[inline(always)]
    pub(crate) fn sown_laps(
        &self,
        rows: &Rows<R>,
        mover: Side,
        hole: u8,
        captures: bool,
    ) -> Result<u32, BlockReason> {
        let captures = captures && !self.captures_are_free(rows);
        let made = self.make(&mut { *rows }, mover, hole, captures, &mut ())?;
        Ok(made.laps as u32)
    }

    /// Sows a hole and captures what comes of it, if `captures` are allowed. The rows are spoilt if the
    /// move turns out to be illegal.
    #[inline(always)]
    pub(crate) fn make(
        &self,
        rows: &mut Rows<R>,
        mover: Side,
        hole: u8,
        captures: bool,
        recorder: &mut impl Recorder,
    ) -> Result<Made, BlockReason> {
        let must_feed = self.must_feed(rows);
        let sown = self
            .sow(rows, mover, hole, recorder)
            .ok_or(BlockReason::SowingTooLong)?;
        let mut captured = 0;
        if captures {
            captured = self.capture(rows, mover, sown.last, recorder)?;
        }
        if must_feed && self.is_empty(rows.other) {
            return Err(BlockReason::DoesNotFeed);
        }
        let in_store = sown.last % OTHER == self.rules.holes();
        Ok(Made {
            captured: captured.into(),
            laps: sown.laps.into(),
            again: in_store && M::choice(self.rules).again == Again::LastInStore,
        })
    }

    /// Why a round is over after a move, even if the side to move could move.
    #[inline(always)]
    pub(crate) fn decided(&self, rows: &Rows<R>) -> Option<Reason> {
        let holes = self.rules.holes();
        let choice = M::choice(self.rules);
        if choice.majority == Majority::Ends {
            let half = self.rules.total() / 2;
            if rows.own.get(holes) > half || rows.other.get(holes) > half {
                return Some(Reason::Majority);
            }
        }
        let empty = choice.blocked == Blocked::EndsWithEmptyRow
            && (self.is_empty(rows.own) | self.is_empty(rows.other));
        empty.then_some(Reason::EmptyRow)
    }
}
