//! Legal moves, and what a move does: sow, capture, and who is to move then.

use super::{
    Blocked, End, HoleSet, Position, Reason, Recorder, RoundEnd, Rules, Side, Step,
    kernel::{Made, with_kernel},
    mechanisms::{AsDefined, least_to_play},
};

/// What a move did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// Who moved.
    pub mover: Side,
    /// The hole, from the mover's left; the number of holes a row for a swap of sides.
    pub hole: u8,
    /// Seeds captured by the move itself.
    pub captured: u8,
    /// Laps of the sowing, at least 1; 0 for a swap of sides.
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
    /// It leaves the opponent without seeds, who had none and must be given some.
    DoesNotFeed,
    /// It would capture all the opponent's seeds.
    GrandSlam,
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

/// What follows a move that is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Follows {
    /// The side to move moves.
    Turn,
    /// This side was passed over, and the other moves.
    Pass(Side),
    /// The round is over.
    End(Reason),
}

impl Rules {
    /// The legal moves: holes from the mover's left, and the number of holes a row where the mover may
    /// swap sides. None when it is over.
    #[inline]
    pub fn legal_moves(&self, position: &Position) -> HoleSet {
        let Some(side) = position.to_move else {
            return HoleSet::EMPTY;
        };
        let candidates = self.candidates(position, side);
        if self.are_all_legal(position, side) {
            return candidates;
        }
        let legal = |hole: &u8| self.sown_laps(position, side, *hole).is_ok();
        candidates.iter().filter(legal).collect()
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
        let (side, hole) = self.candidate(position, hole)?;
        if !self.are_all_legal(position, side) {
            let laps = self.sown_laps(position, side, hole);
            laps.map_err(IllegalMove::Blocked)?;
        }
        Ok(())
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
        let (mover, hole) = self.candidate(position, hole)?;
        let mut after = *position;
        let made = self
            .make(&mut after, mover, hole, recorder)
            .map_err(IllegalMove::Blocked)?;
        let follows = self.follow(&mut after, recorder);
        let mut played = Played {
            mover,
            hole,
            captured: made.captured as u8,
            laps: made.laps as u32,
            passed: None,
            position: after,
            round_end: None,
            end: None,
        };
        match follows {
            Follows::Turn => {}
            Follows::Pass(side) => played.passed = Some(side),
            Follows::End(reason) => {
                let round_end = self.end(&after, reason, recorder);
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

    /// The mover and the hole, unless it is closed to the mover without sowing.
    fn candidate(&self, position: &Position, hole: u32) -> Result<(Side, u8), IllegalMove> {
        let side = position.to_move.ok_or(IllegalMove::Over)?;
        let last = self.holes() - 1;
        let hole = match u8::try_from(hole) {
            Ok(hole) if hole <= last => hole,
            Ok(swap) if swap == self.holes() && position.swap == Some(side) => {
                return Ok((side, swap));
            }
            _ => return Err(IllegalMove::NoSuchHole { hole, last }),
        };
        let seeds = position.board.get(side, hole);
        if position.closed.contains(position.ring_index(side, hole)) {
            Err(IllegalMove::Closed)
        } else if seeds == 0 {
            Err(IllegalMove::Empty)
        } else if !self.open_to(position, side).contains(hole) {
            Err(IllegalMove::Blocked(self.opening_block()))
        } else if seeds < least_to_play(self.choice.lift) {
            Err(IllegalMove::Blocked(BlockReason::TooFewSeeds))
        } else {
            Ok((side, hole))
        }
    }

    /// The holes that a side may play unless what comes of it forbids them, and the swap of sides.
    #[inline]
    pub(crate) fn candidates(&self, position: &Position, side: Side) -> HoleSet {
        let playable = with_kernel!(self, position, side, AsDefined, |kernel| kernel
            .candidates(&position.rows(side)));
        let mut holes = playable.intersection(self.open_to(position, side));
        if position.swap == Some(side) {
            holes.insert(self.holes());
        }
        holes
    }

    /// Whether all candidates of a side are legal, whatever comes of them.
    #[inline]
    pub(crate) fn are_all_legal(&self, position: &Position, side: Side) -> bool {
        with_kernel!(self, position, side, AsDefined, |kernel| kernel
            .are_all_legal(&position.rows(side)))
    }

    /// Whether moves of a position may capture: not while a hole must be opened, where the rules say so.
    #[inline]
    fn may_capture(&self, position: &Position) -> bool {
        self.definition().capture.during_opening || position.unopened.is_empty()
    }

    /// Whether the side to move has a legal move.
    #[inline]
    pub(crate) fn can_move(&self, position: &Position) -> bool {
        position.to_move.is_some_and(|side| {
            let candidates = self.candidates(position, side);
            if self.are_all_legal(position, side) {
                return !candidates.is_empty();
            }
            let mut holes = candidates.iter();
            holes.any(|hole| self.sown_laps(position, side, hole).is_ok())
        })
    }

    /// What follows a move, with the turn passed on where a side without a legal move passes.
    #[inline]
    pub(crate) fn follow(&self, position: &mut Position, recorder: &mut impl Recorder) -> Follows {
        match self.decided(position) {
            Some(reason) => Follows::End(reason),
            None if self.can_move(position) => Follows::Turn,
            None => self.pass(position, recorder),
        }
    }

    /// What follows where the side to move has no legal move.
    pub(crate) fn pass(&self, position: &mut Position, recorder: &mut impl Recorder) -> Follows {
        if let (Some(side), Blocked::Passes) = (position.to_move, self.definition().blocked) {
            position.to_move = Some(side.opponent());
            if self.can_move(position) {
                recorder.step(|| Step::Pass { side });
                return Follows::Pass(side);
            }
            position.to_move = Some(side);
        }
        Follows::End(Reason::NoMoves)
    }

    /// The laps of a candidate's sowing, if it is legal.
    #[inline]
    pub(crate) fn sown_laps(
        &self,
        position: &Position,
        side: Side,
        hole: u8,
    ) -> Result<u32, BlockReason> {
        if hole == self.holes() {
            return Ok(0);
        }
        let captures = self.may_capture(position);
        with_kernel!(self, position, side, AsDefined, |kernel| kernel.sown_laps(
            &position.rows(side),
            side,
            hole,
            captures
        ))
    }

    /// Makes a candidate move. The next side is then to move, legal move or not; a position whose move
    /// turns out to be illegal is spoilt.
    #[inline]
    pub(crate) fn make(
        &self,
        position: &mut Position,
        mover: Side,
        hole: u8,
        recorder: &mut impl Recorder,
    ) -> Result<Made, BlockReason> {
        if hole == self.holes() {
            return Ok(self.make_swap(position, mover, recorder));
        }
        let captures = self.may_capture(position);
        let made = with_kernel!(self, position, mover, AsDefined, |kernel| {
            let mut rows = position.rows(mover);
            let made = kernel.make(&mut rows, mover, hole, captures, recorder)?;
            position.set_rows(mover, rows);
            made
        });
        position.unopened.remove(position.ring_index(mover, hole));
        let next = if made.again { mover } else { mover.opponent() };
        position.to_move = Some(next);
        position.swap = position.swap.filter(|side| *side != mover);
        Ok(made)
    }

    fn make_swap(&self, position: &mut Position, side: Side, recorder: &mut impl Recorder) -> Made {
        recorder.step(|| Step::Swap { side });
        position.board.0.swap(0, 1);
        position.to_move = Some(side.opponent());
        position.swap = None;
        Made {
            captured: 0,
            laps: 0,
            again: false,
        }
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
