//! Counting move sequences, to compare implementations of the rules.

use super::{
    BlockReason, Follows, Kernel, MAX_LAPS, Mechanisms, Position, Reason, Row, Rows, Rules, Side,
    mechanisms::AsDefined, with_kernel, with_mechanisms,
};

/// The work allowed was done, or the count was told to stop, before it was complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("counting takes more laps than allowed")]
pub struct BudgetSpent;

/// A count asks after so many laps whether it may go on: every few ten microseconds.
const ASKS: u64 = 1_000;

/// What a count may still do.
struct Budget<'a> {
    laps: u64,
    /// It asks when it has no more laps than this.
    asks_at: u64,
    may_go_on: &'a mut dyn FnMut() -> bool,
}

impl Budget<'_> {
    #[inline]
    fn spend(&mut self, laps: u32) -> Result<(), BudgetSpent> {
        self.laps = self.laps.checked_sub(laps.into()).ok_or(BudgetSpent)?;
        if self.laps > self.asks_at {
            return Ok(());
        }
        self.ask()
    }

    #[cold]
    fn ask(&mut self) -> Result<(), BudgetSpent> {
        self.asks_at = self.laps.saturating_sub(ASKS);
        match (self.may_go_on)() {
            true => Ok(()),
            false => Err(BudgetSpent),
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
        self.perft_while(position, depth, max_laps, &mut || true)
    }

    /// As [`Rules::perft`], while it may go on: it asks at first, and after every 1,000 laps or so.
    ///
    /// # Errors
    ///
    /// Gives up too when it may not.
    pub fn perft_while(
        &self,
        position: &Position,
        depth: u32,
        max_laps: u64,
        may_go_on: &mut dyn FnMut() -> bool,
    ) -> Result<u64, BudgetSpent> {
        let mut budget = Budget {
            laps: max_laps,
            asks_at: max_laps,
            may_go_on,
        };
        self.count(position, depth, &mut budget)
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

    /// Counts from a position that may be over, or whose side to move may have no legal move: that is
    /// found by trying them, so no sowing is done twice.
    fn count(
        &self,
        position: &Position,
        depth: u32,
        budget: &mut Budget<'_>,
    ) -> Result<u64, BudgetSpent> {
        if depth == 0 {
            return Ok(1);
        }
        let Some(mover) = position.to_move else {
            return Ok(0);
        };
        if position.is_plain() {
            return with_mechanisms!(self, |Chosen| {
                with_kernel!(self, position, mover, Chosen, |kernel| {
                    let rows = position.rows(mover);
                    kernel.count(position, (rows, mover), depth, budget)
                })
            });
        }
        if let Some(reason) = self.decided(position) {
            return self.count_on(position, reason, depth, budget);
        }
        let (mut nodes, mut moves) = (0, 0);
        let are_leaves = depth == 1 && self.are_all_legal(position, mover);
        for hole in self.candidates(position, mover).iter() {
            if are_leaves {
                budget.spend(1)?;
                (nodes, moves) = (nodes + 1, moves + 1);
                continue;
            }
            let mut after = *position;
            // A swap of sides has no laps, but costs as much as one.
            let made = self.make(&mut after, mover, hole, &mut ());
            let sown = made.map(|made| made.laps as u32);
            budget.spend(self.laps_of(position, mover, hole, sown).max(1))?;
            if made.is_ok() {
                moves += 1;
                nodes += self.count(&after, depth - 1, budget)?;
            }
        }
        if moves > 0 {
            return Ok(nodes);
        }
        self.count_passed(*position, depth, budget)
    }

    /// The laps that a move took, legal or not.
    fn laps_of(
        &self,
        position: &Position,
        mover: Side,
        hole: u8,
        sown: Result<u32, BlockReason>,
    ) -> u32 {
        with_kernel!(self, position, mover, AsDefined, |kernel| kernel.laps_of(
            &position.rows(mover),
            mover,
            hole,
            sown
        ))
    }

    /// Counts on where the side to move has no legal move.
    #[cold]
    fn count_passed(
        &self,
        mut position: Position,
        depth: u32,
        budget: &mut Budget<'_>,
    ) -> Result<u64, BudgetSpent> {
        match self.pass(&mut position, &mut ()) {
            Follows::End(reason) => self.count_on(&position, reason, depth, budget),
            Follows::Turn | Follows::Pass(_) => self.count(&position, depth, budget),
        }
    }

    /// Counts on from the end of a round.
    #[cold]
    fn count_on(
        &self,
        position: &Position,
        reason: Reason,
        depth: u32,
        budget: &mut Budget<'_>,
    ) -> Result<u64, BudgetSpent> {
        let end = self.end(position, reason, &mut ());
        let (next, _) = self.after_round(&end, &mut ());
        self.count(&next, depth, budget)
    }
}

impl<R: Row, M: Mechanisms> Kernel<'_, R, M> {
    /// The laps that a move took, legal or not.
    #[inline(always)]
    fn laps_of(
        &self,
        rows: &Rows<R>,
        mover: Side,
        hole: u8,
        sown: Result<u32, BlockReason>,
    ) -> u32 {
        match sown {
            Ok(laps) => laps,
            Err(BlockReason::SowingTooLong) => MAX_LAPS,
            // Sown again, which is seldom.
            Err(_) => self
                .sow(&mut { *rows }, mover, hole, &mut ())
                .map_or(MAX_LAPS, |sown| sown.laps),
        }
    }

    /// As [`Rules::count`], where nothing but seeds counts; `from` is a position of the round.
    fn count(
        &self,
        from: &Position,
        (rows, mover): (Rows<R>, Side),
        depth: u32,
        budget: &mut Budget<'_>,
    ) -> Result<u64, BudgetSpent> {
        if let Some(reason) = self.decided(&rows) {
            let position = from.with_rows(mover, rows);
            return self.rules.count_on(&position, reason, depth, budget);
        }
        let (mut nodes, mut moves) = (0, 0);
        let candidates = self.candidates(&rows);
        if depth == 1 && self.are_all_legal(&rows) {
            moves = u64::from(candidates.len());
            nodes = moves;
            budget.spend(candidates.len())?;
        } else if depth == 1 {
            for hole in candidates.iter() {
                let sown = self.sown_laps(&rows, mover, hole, true);
                budget.spend(self.laps_of(&rows, mover, hole, sown))?;
                moves += u64::from(sown.is_ok());
            }
            nodes = moves;
        } else {
            for hole in candidates.iter() {
                let mut after = rows;
                let made = self.make(&mut after, mover, hole, true, &mut ());
                let sown = made.map(|made| made.laps as u32);
                budget.spend(self.laps_of(&rows, mover, hole, sown))?;
                let Ok(made) = made else {
                    continue;
                };
                moves += 1;
                let next = match made.again {
                    true => (after, mover),
                    false => (after.turned(), mover.opponent()),
                };
                nodes += self.count(from, next, depth - 1, budget)?;
            }
        }
        if moves > 0 {
            return Ok(nodes);
        }
        let position = from.with_rows(mover, rows);
        self.rules.count_passed(position, depth, budget)
    }
}
