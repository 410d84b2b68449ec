//! What a move captures when its sowing has ended.

use super::{
    BlockReason, CaptureKind, Destination, GrandSlam, HoleSet, Landing, LastSeed, OppositeEmpty,
    Recorder, Side, Step,
    board::Row,
    kernel::Kernel,
    mechanisms::Mechanisms,
    sowing::{OTHER, Rows, Spot},
};

impl<R: Row, M: Mechanisms> Kernel<'_, R, M> {
    /// Captures after a sowing whose last seed fell into `last`, and says how many seeds; or why that
    /// makes the move illegal.
    #[inline(always)]
    pub(crate) fn capture(
        &self,
        rows: &mut Rows<R>,
        mover: Side,
        last: Spot,
        recorder: &mut impl Recorder,
    ) -> Result<u8, BlockReason> {
        let (holes, ring) = (self.rules.holes(), self.ring);
        let choice = M::choice(self.rules);
        let to = (choice.to == Destination::Store).then_some(mover);
        let in_hole = last % OTHER < holes;
        let mut captured = 0;
        let mut take = |rows: &mut Rows<R>, spot: Spot| {
            let seeds = rows.get(spot);
            rows.remove(spot, seeds);
            captured += seeds;
            let hole = ring.ring_index(mover, spot);
            recorder.step(|| Step::Capture { hole, seeds, to });
        };
        let mut rest_to_opponent = false;
        match choice.capture {
            CaptureKind::NextRun => {
                let mut next = ring.next(last);
                while next != last && self.in_run(rows.get(next)) {
                    take(rows, next);
                    next = ring.next(next);
                }
            }
            CaptureKind::Opposite => {
                let lands = (last < OTHER) | (choice.landing == Some(Landing::EitherRow));
                // The hole was empty if it now holds the one seed that fell. One branch for all of it:
                // mostly it is not taken.
                if !(in_hole & lands & (rows.get(last) == 1)) {
                    return Ok(0);
                }
                let opposite = (holes - 1 - last % OTHER) | (last & OTHER ^ OTHER);
                let occupied = rows.get(opposite) > 0;
                if occupied {
                    take(rows, opposite);
                }
                if choice.last_seed == Some(LastSeed::Captured)
                    && (occupied || choice.opposite_empty == OppositeEmpty::LastSeed)
                {
                    take(rows, last);
                }
            }
            CaptureKind::BeyondEmpty => {
                let beyond = ring.next(ring.next(last));
                if in_hole && rows.get(beyond) > 0 {
                    take(rows, beyond);
                }
            }
            CaptureKind::RunBack => {
                if !(in_hole & (last >= OTHER) & self.in_run(rows.get(last))) {
                    return Ok(0);
                }
                let fits = |spot: &Spot| self.in_run(rows.get(*spot));
                let length = (OTHER..=last).rev().take_while(fits).count() as u8;
                let first = last + 1 - length;
                let run = HoleSet::run(first, length);
                let mut taken = run;
                let all = rows.other.holding(1).0 & ((1 << holes) - 1);
                if run.0 >> OTHER == all {
                    match choice.grand_slam {
                        Some(GrandSlam::Void) => taken = HoleSet::EMPTY,
                        Some(GrandSlam::Forbidden) => return Err(BlockReason::GrandSlam),
                        Some(GrandSlam::SparesFirst) => taken.remove(last),
                        Some(GrandSlam::SparesLast) => taken.remove(first),
                        Some(GrandSlam::RestToOpponent) => rest_to_opponent = true,
                        Some(GrandSlam::Taken) | None => {}
                    }
                }
                for spot in (first..=last).rev() {
                    if taken.contains(spot) {
                        take(rows, spot);
                    }
                }
            }
        }
        if to.is_some() {
            rows.own = rows.own.plus(holes, captured);
        }
        if rest_to_opponent {
            self.give_rest(rows, mover, recorder);
        }
        Ok(captured)
    }

    /// Gives the seeds left in the mover's row to the opponent.
    #[cold]
    fn give_rest(&self, rows: &mut Rows<R>, mover: Side, recorder: &mut impl Recorder) {
        let (mut seeds, mut emptied) = (0, HoleSet::EMPTY);
        let holes = self.rules.holes();
        for hole in 0..holes {
            let left = rows.get(hole);
            if left > 0 {
                rows.remove(hole, left);
                seeds += left;
                emptied.insert(self.ring.ring_index(mover, hole));
            }
        }
        rows.add(OTHER + holes, seeds);
        if seeds > 0 {
            recorder.step(|| Step::Sweep {
                side: mover.opponent(),
                seeds,
                holes: emptied,
            });
        }
    }

    /// Whether a hole with so many seeds belongs to a run that is captured.
    #[inline(always)]
    fn in_run(&self, seeds: u8) -> bool {
        seeds < 64 && self.rules.run_sizes >> seeds & 1 == 1
    }
}
