//! The legal moves of a position: what `EnumerateMoves` and `ListLegalMoves` ask for.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tonic::Status;

use super::{
    board,
    gate::{Gate, Who},
    proto,
};
use crate::rules::{BlockReason, IllegalMove, MAX_LAPS, Position, Rules};

/// Moves of so many laps in all are found on the runtime: telling them takes a small part of a millisecond.
const SHORT: u32 = 200;

/// They are, unless sowing them, and the answers that are looked for, takes longer than this.
const SOON: Duration = Duration::from_micros(500);

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
        let began = Instant::now();
        let laps = self.laps(|laps| laps <= SHORT && began.elapsed() <= SOON);
        if laps > SHORT {
            gate.charge(who, LONG_UNITS).await?;
        } else if began.elapsed() <= SOON {
            return self.play_all(|| Ok(()));
        }
        gate.run(who, move |piece| self.play_all(|| piece.go_on()))
            .await
    }

    /// The laps of all moves, or of as many as may be looked at.
    fn laps(&self, may_go_on: impl Fn(u32) -> bool) -> u32 {
        let mut laps = 0;
        for hole in 0..self.rules.holes().into() {
            laps += match self.rules.play(&self.position, hole) {
                Ok(played) => played.laps,
                Err(IllegalMove::Blocked(BlockReason::SowingTooLong)) => MAX_LAPS,
                Err(_) => 0,
            };
            if !may_go_on(laps) {
                break;
            }
        }
        laps
    }

    /// Plays one hole after another, as long as it may go on.
    fn play_all(&self, go_on: impl Fn() -> Result<(), Status>) -> Result<Moves, Status> {
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
            go_on()?;
        }
        Ok((answer.outcomes, blocked))
    }
}
