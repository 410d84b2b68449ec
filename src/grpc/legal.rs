//! The legal moves of a position: what `EnumerateMoves` and `ListLegalMoves` ask for.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use tonic::Status;

use super::{
    board,
    error::Reason,
    gate::{Gate, Who},
    proto,
};
use crate::rules::{BlockReason, IllegalMove, MAX_LAPS, Position, Rules};

/// So many laps are sown on the runtime, in a small part of a millisecond. A position that takes more is gone
/// through anew at the gate.
const SHORT: u32 = 2_000;

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
        if let Some(moves) = self.play_all(|laps| laps <= SHORT)? {
            return Ok(moves);
        }
        let play_all = move |stop: &AtomicBool| {
            let moves = self.play_all(|_| !stop.load(Ordering::Relaxed))?;
            // Nobody waits for them.
            moves.ok_or_else(|| Reason::Internal.plain())
        };
        gate.run(who, play_all).await
    }

    /// Plays one hole after another; `None` if it may not go on after so many laps.
    fn play_all(&self, may_go_on: impl Fn(u32) -> bool) -> Result<Option<Moves>, Status> {
        let LegalMoves {
            variant,
            rules,
            position,
            omit_steps,
            most_bytes,
        } = self;
        let mut answer = board::Answer::new(*most_bytes);
        let (mut blocked, mut laps) = (Vec::new(), 0);
        // The last is the swap of sides.
        for hole in 0..=rules.holes().into() {
            match board::play(variant, rules, position, hole, *omit_steps) {
                Ok((_, outcome)) => {
                    laps += outcome.laps;
                    answer.push(outcome)?;
                }
                Err(IllegalMove::Blocked(reason)) => {
                    if reason == BlockReason::SowingTooLong {
                        laps += MAX_LAPS;
                    }
                    blocked.push(proto::BlockedHole {
                        hole,
                        reason: board::block_code(reason),
                    });
                }
                Err(
                    IllegalMove::Over
                    | IllegalMove::NoSuchHole { .. }
                    | IllegalMove::Closed
                    | IllegalMove::Empty,
                ) => {}
            }
            if !may_go_on(laps) {
                return Ok(None);
            }
        }
        Ok(Some((answer.outcomes, blocked)))
    }
}
