//! Legal moves, and what a move does: sow, capture, and who is to move then.

use super::{
    Blocked, Board, CaptureKind, Destination, End, HoleSet, Landing, LastSeed, Position, Recorder,
    RoundEnd, Rules, Side, Step,
    sowing::{Ring, Sown},
};

/// What a move did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// Who moved.
    pub mover: Side,
    /// The hole, from the mover's left.
    pub hole: u8,
    /// Seeds captured by the move itself.
    pub captured: u8,
    /// Laps of the sowing, at least 1.
    pub laps: u32,
    /// The side that was then passed over.
    pub passed: Option<Side>,
    /// The position after it, of a new round if it ended one and the match goes on.
    pub position: Position,
    /// How the round came out, if it ended; a game without rounds is one round.
    pub round_end: Option<RoundEnd>,
    /// How it all came out, if it is over.
    pub end: Option<End>,
}

/// Why an occupied hole may not be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockReason {
    /// Its sowing does not end within [`super::MAX_LAPS`].
    SowingTooLong,
    /// It holds fewer seeds than a move needs.
    TooFewSeeds,
    /// It was played from, and others must be opened first.
    AlreadyOpened,
    /// The first move starts from another hole.
    NotTheOpeningHole,
}

/// Why a move is not legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// It is over.
    #[error("the position is over")]
    Over,
    /// There is no such hole.
    #[error("a hole is from 0 to {last}, not {hole}")]
    NoSuchHole {
        /// The hole that was named.
        hole: u32,
        /// The last hole of a row.
        last: u8,
    },
    /// The hole is closed for this round.
    #[error("the hole is closed")]
    Closed,
    /// The hole is empty.
    #[error("the hole is empty")]
    Empty,
    /// The hole is occupied, but a rule forbids it.
    #[error("the hole may not be played: {0:?}")]
    Blocked(BlockReason),
}

/// A move that is made, before anybody asks who can move next.
#[derive(Clone, Copy)]
pub(crate) struct Made {
    /// The position with the opponent to move, legal move or not.
    pub(crate) position: Position,
    captured: u8,
    pub(crate) laps: u32,
}

impl Rules {
    /// The legal moves: holes from the mover's left. None when it is over.
    pub fn legal_moves(&self, position: &Position) -> HoleSet {
        let Some(side) = position.to_move else {
            return HoleSet::EMPTY;
        };
        let first = position.ring_index(side, 0);
        let legal = self.candidates(position, side).iter();
        legal
            .filter(|hole| self.sowing_ends(position, *hole))
            .map(|hole| hole - first)
            .collect()
    }

    /// The occupied holes of the side to move that may not be played, ascending from its left.
    pub fn blocked_moves(&self, position: &Position) -> impl Iterator<Item = (u8, BlockReason)> {
        (0..self.holes()).filter_map(|hole| match self.check_move(position, hole.into()) {
            Err(IllegalMove::Blocked(reason)) => Some((hole, reason)),
            _ => None,
        })
    }

    /// Whether a hole, counted from the mover's left, is a legal move.
    ///
    /// # Errors
    ///
    /// Says which rule forbids it.
    pub fn check_move(&self, position: &Position, hole: u32) -> Result<(), IllegalMove> {
        let (_, ring_index) = self.candidate(position, hole)?;
        if self.sowing_ends(position, ring_index) {
            Ok(())
        } else {
            Err(IllegalMove::Blocked(BlockReason::SowingTooLong))
        }
    }

    /// Plays a hole, counted from the mover's left.
    ///
    /// # Errors
    ///
    /// Says which rule forbids it.
    pub fn play(&self, position: &Position, hole: u32) -> Result<Played, IllegalMove> {
        self.play_recorded(position, hole, &mut ())
    }

    /// Plays a hole and tells what happens on the board. What was told of an illegal move is void.
    ///
    /// # Errors
    ///
    /// Says which rule forbids it.
    pub fn play_recorded(
        &self,
        position: &Position,
        hole: u32,
        recorder: &mut impl Recorder,
    ) -> Result<Played, IllegalMove> {
        let (mover, ring_index) = self.candidate(position, hole)?;
        let made = self
            .make(position, mover, ring_index, recorder)
            .ok_or(IllegalMove::Blocked(BlockReason::SowingTooLong))?;
        let mut played = Played {
            mover,
            hole: ring_index - position.ring_index(mover, 0),
            captured: made.captured,
            laps: made.laps,
            passed: None,
            position: made.position,
            round_end: None,
            end: None,
        };
        let next = mover.opponent();
        if !self.can_move(&made.position) {
            if let Some(passed) = self.pass(&made.position, recorder) {
                played.passed = Some(next);
                played.position = passed;
            } else {
                let round_end = self.end_blocked(&made.position, next, recorder);
                let (position, end) = self.after_round(&round_end, recorder);
                played.position = position;
                played.round_end = Some(round_end);
                played.end = end;
            }
        }
        debug_assert_eq!(
            self.removed(&played.position),
            self.removed(position) + self.removed_by(&played)
        );
        Ok(played)
    }

    /// The mover and the ring index of a hole, unless it is closed to the mover without sowing.
    fn candidate(&self, position: &Position, hole: u32) -> Result<(Side, u8), IllegalMove> {
        let side = position.to_move.ok_or(IllegalMove::Over)?;
        let last = self.holes() - 1;
        let hole = match u8::try_from(hole) {
            Ok(hole) if hole <= last => hole,
            _ => return Err(IllegalMove::NoSuchHole { hole, last }),
        };
        let ring_index = position.ring_index(side, hole);
        let seeds = position.seeds(ring_index);
        if position.closed.contains(ring_index) {
            Err(IllegalMove::Closed)
        } else if seeds == 0 {
            Err(IllegalMove::Empty)
        } else if !self.open_to(position, side).contains(ring_index) {
            Err(IllegalMove::Blocked(self.opening_block()))
        } else if seeds < self.definition().least_to_play() {
            Err(IllegalMove::Blocked(BlockReason::TooFewSeeds))
        } else {
            Ok((side, ring_index))
        }
    }

    /// Ring indices of the holes that a side may play if their sowings end.
    #[inline]
    pub(crate) fn candidates(&self, position: &Position, side: Side) -> HoleSet {
        let least = self.definition().least_to_play();
        let mut holes = self.open_to(position, side);
        for hole in holes.iter() {
            if position.seeds(hole) < least {
                holes.remove(hole);
            }
        }
        holes
    }

    /// Whether the side to move has a legal move.
    pub(crate) fn can_move(&self, position: &Position) -> bool {
        position.to_move.is_some_and(|side| {
            let mut candidates = self.candidates(position, side).iter();
            candidates.any(|hole| self.sowing_ends(position, hole))
        })
    }

    /// Where a player without a legal move passes and the other has one: the position for that one.
    pub(crate) fn pass(
        &self,
        position: &Position,
        recorder: &mut impl Recorder,
    ) -> Option<Position> {
        let side = position.to_move?;
        let passed = Position {
            to_move: Some(side.opponent()),
            ..*position
        };
        let passes = self.definition().blocked == Blocked::Passes && self.can_move(&passed);
        passes.then(|| {
            recorder.step(|| Step::Pass { side });
            passed
        })
    }

    fn sowing_ends(&self, position: &Position, hole: u8) -> bool {
        self.sowing_laps(position, hole).is_some()
    }

    /// The laps of a hole's sowing, if it ends.
    #[inline]
    pub(crate) fn sowing_laps(&self, position: &Position, hole: u8) -> Option<u32> {
        let sown = self.sow_hole(&mut { position.board }, position, hole, &mut ())?;
        Some(sown.laps)
    }

    #[inline]
    fn sow_hole(
        &self,
        board: &mut Board,
        position: &Position,
        hole: u8,
        recorder: &mut impl Recorder,
    ) -> Option<Sown> {
        let seeds = board.get(hole) - (self.definition().least_to_play() - 1);
        self.sow(board, self.ring(position), hole, seeds, recorder)
    }

    /// Makes a move that only a sowing too long can forbid.
    #[inline]
    pub(crate) fn make(
        &self,
        position: &Position,
        mover: Side,
        hole: u8,
        recorder: &mut impl Recorder,
    ) -> Option<Made> {
        let mut after = *position;
        let sown = self.sow_hole(&mut after.board, position, hole, recorder)?;
        let capture = &self.definition().capture;
        let mut captured = 0;
        if capture.during_opening || position.unopened.is_empty() {
            captured = self.capture(&mut after, mover, sown.last, recorder);
        }
        after.unopened.remove(hole);
        after.to_move = Some(mover.opponent());
        Some(Made {
            position: after,
            captured,
            laps: sown.laps,
        })
    }

    /// Captures after a sowing whose last seed fell into `last`.
    #[inline]
    fn capture(
        &self,
        position: &mut Position,
        mover: Side,
        last: u8,
        recorder: &mut impl Recorder,
    ) -> u8 {
        let capture = &self.definition().capture;
        let to = (capture.to == Destination::Store).then_some(mover);
        let ring: &Ring = self.ring(position);
        let mut captured = 0;
        let mut take = |position: &mut Position, hole| {
            let seeds = position.board.take(hole);
            captured += seeds;
            recorder.step(|| Step::Capture { hole, seeds, to });
        };
        match capture.kind {
            CaptureKind::NextRun => {
                let mut hole = ring.next(last);
                let sizes = self.run_sizes;
                let fits = |seeds: u8| seeds < 64 && sizes >> seeds & 1 == 1;
                while hole != last && fits(position.seeds(hole)) {
                    take(position, hole);
                    hole = ring.next(hole);
                }
            }
            CaptureKind::Opposite => {
                let own = position.row_holes(mover).contains(last);
                let opposite = 2 * self.holes() - 1 - last;
                if (own || capture.landing == Some(Landing::EitherRow))
                    && position.seeds(opposite) > 0
                {
                    take(position, opposite);
                    if capture.last_seed == Some(LastSeed::Captured) {
                        take(position, last);
                    }
                }
            }
            CaptureKind::BeyondEmpty => {
                let beyond = ring.next(ring.next(last));
                if position.seeds(beyond) > 0 {
                    take(position, beyond);
                }
            }
        }
        if let Some(side) = to {
            let store = position.store_cell(side);
            position.board.add(store, captured);
        }
        captured
    }

    /// Seeds that have left play for good: neither on the board nor in a store.
    pub fn removed(&self, position: &Position) -> u8 {
        self.total() - position.on_board() - position.stores().sum()
    }

    fn removed_by(&self, played: &Played) -> u8 {
        if self.definition().removes_seeds() {
            played.captured
        } else {
            0
        }
    }
}
