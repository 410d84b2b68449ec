//! The legal moves of a position: what `EnumerateMoves` and `ListLegalMoves` ask for.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use tonic::Status;

use super::{
    board,
    error::Reason,
    gate::{Gate, Who},
    proto,
};
use crate::rules::{BlockReason, IllegalMove, MAX_LAPS, Position, Rules};

/// Moves of so many laps in all are found on the runtime: telling them takes a small part of a millisecond.
const SHORT: u32 = 200;

/// They are, if even the bare sowing of a move and of the answers to it takes no longer.
const SOON: Duration = Duration::from_micros(100);

/// Others count for so many units more: with their call's own, for as many as applied moves.
const LONG_UNITS: u32 = 17;

/// Legal moves with what they do by the bare rules, and why the other occupied holes may not be played.
type Moves = (Vec<proto::MoveOutcome>, Vec<proto::BlockedHole>);

/// A position whose legal moves are asked for.
pub(super) struct LegalMoves {
    pub(super) variant: String,
    pub(super) rules: Arc<Rules>,
    pub(super) position: Position,
    pub(super) omit_steps: bool,
    pub(super) most_bytes: usize,
}

impl LegalMoves {
    /// Finds them: at once, or at the gate if that takes long.
    pub(super) async fn find(self, gate: &Gate, who: Who) -> Result<Moves, Status> {
        if self.are_short() {
            return self.play_all(&AtomicBool::new(false));
        }
        gate.charge(who, LONG_UNITS).await?;
        gate.run(who, move |stop| self.play_all(stop)).await
    }

    /// Whether they take so little that nobody else has to wait meanwhile.
    fn are_short(&self) -> bool {
        let (began, mut laps) = (Instant::now(), 0);
        let mut holes = 0..self.rules.holes().into();
        holes.all(|hole| {
            laps += match self.rules.play(&self.position, hole) {
                Ok(played) => played.laps,
                Err(IllegalMove::Blocked(BlockReason::SowingTooLong)) => MAX_LAPS,
                Err(_) => 0,
            };
            laps <= SHORT && began.elapsed() <= SOON
        })
    }

    /// Plays one hole after another, as long as somebody waits for it.
    fn play_all(&self, stop: &AtomicBool) -> Result<Moves, Status> {
        let LegalMoves {
            variant,
            rules,
            position,
            omit_steps,
            most_bytes,
        } = self;
        let mut answer = board::Answer::new(*most_bytes);
        let mut blocked = Vec::new();
        // The last is the swap of sides.
        for hole in 0..=rules.holes().into() {
            match board::play(variant, rules, position, hole, *omit_steps) {
                Ok((_, outcome)) => answer.push(outcome)?,
                Err(IllegalMove::Blocked(reason)) => blocked.push(proto::BlockedHole {
                    hole,
                    reason: board::block_code(reason),
                }),
                Err(
                    IllegalMove::Over
                    | IllegalMove::NoSuchHole { .. }
                    | IllegalMove::Closed
                    | IllegalMove::Empty,
                ) => {}
            }
            if stop.load(Ordering::Relaxed) {
                return Err(Reason::Internal.plain());
            }
        }
        Ok((answer.outcomes, blocked))
    }
}
