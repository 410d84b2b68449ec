//! Counting move sequences, to compare implementations of the rules.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{MAX_LAPS, Position, Rules};

/// The work allowed was done, or the count was told to stop, before it was complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("counting takes more laps than allowed")]
pub struct BudgetSpent;

/// What a count may still do.
struct Budget<'a> {
    laps: u64,
    stop: &'a AtomicBool,
}

impl Budget<'_> {
    #[inline]
    fn spend(&mut self, laps: u32) -> Result<(), BudgetSpent> {
        self.laps = self.laps.checked_sub(laps.into()).ok_or(BudgetSpent)?;
        if self.stop.load(Ordering::Relaxed) {
            Err(BudgetSpent)
        } else {
            Ok(())
        }
    }
}

impl Rules {
    /// Counts the sequences of exactly `depth` plies. A finished game counts 0 beyond its end; a pass
    /// is no ply; rounds go on.
    ///
    /// # Errors
    ///
    /// Gives up after sowing about `max_laps` laps.
    pub fn perft(
        &self,
        position: &Position,
        depth: u32,
        max_laps: u64,
    ) -> Result<u64, BudgetSpent> {
        self.perft_until(position, depth, max_laps, &AtomicBool::new(false))
    }

    /// As [`Rules::perft`], until `stop` is set.
    ///
    /// # Errors
    ///
    /// Gives up then too.
    pub fn perft_until(
        &self,
        position: &Position,
        depth: u32,
        max_laps: u64,
        stop: &AtomicBool,
    ) -> Result<u64, BudgetSpent> {
        let laps = max_laps;
        self.count(position, depth, &mut Budget { laps, stop })
    }

    /// The legal holes, from the mover's left, each with the count of the sequences that it begins.
    ///
    /// # Errors
    ///
    /// Each count gives up after sowing about `max_laps` laps.
    pub fn perft_divided(
        &self,
        position: &Position,
        depth: u32,
        max_laps: u64,
    ) -> impl Iterator<Item = Result<(u8, u64), BudgetSpent>> {
        let holes = if depth == 0 {
            Default::default()
        } else {
            self.legal_moves(position)
        };
        holes.iter().filter_map(move |hole| {
            let played = self.play(position, hole.into()).ok()?;
            let count = self.perft(&played.position, depth - 1, max_laps);
            Some(count.map(|count| (hole, count)))
        })
    }

    /// Counts from a position whose side to move may have no legal move: that is found by trying
    /// them, so no sowing is done twice.
    fn count(
        &self,
        position: &Position,
        depth: u32,
        budget: &mut Budget<'_>,
    ) -> Result<u64, BudgetSpent> {
        if depth == 0 {
            return Ok(1);
        }
        let Some(side) = position.to_move else {
            return Ok(0);
        };
        let (mut nodes, mut moves) = (0, 0);
        for hole in self.candidates(position, side).iter() {
            // A last ply is counted if it is legal, whatever it captures.
            let (sown, after) = if depth == 1 {
                (self.sowing_laps(position, hole), None)
            } else {
                let made = self.make(position, side, hole, &mut ());
                (made.map(|made| made.laps), made.map(|made| made.position))
            };
            let Some(sown) = sown else {
                budget.spend(MAX_LAPS)?;
                continue;
            };
            budget.spend(sown)?;
            moves += 1;
            if let Some(after) = after {
                nodes += self.count(&after, depth - 1, budget)?;
            }
        }
        if moves > 0 {
            return Ok(if depth > 1 { nodes } else { moves });
        }
        let next = self.pass(position, &mut ()).unwrap_or_else(|| {
            let end = self.end_blocked(position, side, &mut ());
            self.after_round(&end, &mut ()).0
        });
        self.count(&next, depth, budget)
    }
}
