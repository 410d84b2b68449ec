//! The end of a round or a game, and the next round.

use super::{
    BySide, Definition, HoleSet, Position, Recorder, Remainder, Rules, Side, Step, Winner,
};

/// Why a round or a game ended by RULES' own means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The player to move had no legal move; where players pass, neither had.
    NoMoves,
    /// A player could not fill one hole for the next round.
    HolesClosed,
    /// A position stood for the third time. Only a game knows its history and says so.
    Repetition,
    /// The limit of plies or rounds was reached. Only a game counts them and says so.
    TooLong,
}

/// How a round came out. A game without rounds is one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundEnd {
    /// Who won it; `None` for a draw.
    pub winner: Option<Side>,
    /// Why it ended.
    pub reason: Reason,
    /// The seeds that count for each side.
    pub score: BySide<u8>,
    /// The settled position: over, with the remaining seeds given to whoever gets them.
    pub position: Position,
}

/// How it all came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Who won; `None` for a draw.
    pub winner: Option<Side>,
    /// Why it ended.
    pub reason: Reason,
    /// The seeds that count for each side.
    pub score: BySide<u8>,
}

impl Rules {
    /// Ends a round because `blocked` could not move, nor could the opponent where players pass.
    pub(crate) fn end_blocked(
        &self,
        position: &Position,
        blocked: Side,
        recorder: &mut impl Recorder,
    ) -> RoundEnd {
        let swept = self.sweep(position, self.definition().remainder, blocked, recorder);
        let score = self.score(&swept);
        let winner = match self.definition().winner {
            Winner::MoreSeeds => score.leader(),
            Winner::LastAbleToMove => Some(blocked.opponent()),
        };
        RoundEnd {
            winner,
            reason: Reason::NoMoves,
            score,
            position: swept,
        }
    }

    /// Ends a round for a reason that only a game knows: each player takes the seeds of the own row
    /// and the variant's count decides. Where captured seeds leave play it is a draw.
    pub fn end_by_count(
        &self,
        position: &Position,
        reason: Reason,
        recorder: &mut impl Recorder,
    ) -> RoundEnd {
        let (winner, remainder) = match self.definition().winner {
            Winner::MoreSeeds => (true, Remainder::OwnRow),
            Winner::LastAbleToMove => (false, Remainder::Stays),
        };
        let swept = self.sweep(position, remainder, Side::South, recorder);
        let score = self.score(&swept);
        RoundEnd {
            winner: if winner { score.leader() } else { None },
            reason,
            score,
            position: swept,
        }
    }

    /// What follows a round: the position of the next one, or the settled one and how it all ended.
    pub fn after_round(
        &self,
        round_end: &RoundEnd,
        recorder: &mut impl Recorder,
    ) -> (Position, Option<End>) {
        let RoundEnd {
            winner,
            reason,
            score,
            position,
        } = *round_end;
        if self.definition().rounds.is_none() {
            return (
                position,
                Some(End {
                    winner,
                    reason,
                    score,
                }),
            );
        }
        let short = |side| position.store(side) < self.definition().seeds;
        if Side::BOTH.into_iter().any(short) {
            // Two rows' worth of seeds can't leave both short: who has more has won.
            let end = End {
                winner: score.leader(),
                reason: Reason::HolesClosed,
                score,
            };
            return (position, Some(end));
        }
        let next = self.refill(&position);
        recorder.step(|| Step::NewRound { position: next });
        (next, None)
    }

    /// Gives the seeds left on the board to whoever gets them, and leaves nobody to move.
    fn sweep(
        &self,
        position: &Position,
        remainder: Remainder,
        blocked: Side,
        recorder: &mut impl Recorder,
    ) -> Position {
        let mut swept = Position {
            to_move: None,
            unopened: HoleSet::EMPTY,
            ..*position
        };
        let mut give = |to: Side, holes: HoleSet| {
            let occupied: HoleSet = holes.iter().filter(|hole| swept.seeds(*hole) > 0).collect();
            let seeds = occupied.iter().map(|hole| swept.board.take(hole)).sum();
            let store = swept.store_cell(to);
            swept.board.add(store, seeds);
            if seeds > 0 {
                recorder.step(|| Step::Sweep {
                    side: to,
                    seeds,
                    holes: occupied,
                });
            }
        };
        match remainder {
            Remainder::Stays => {}
            Remainder::OwnRow => Side::BOTH
                .into_iter()
                .for_each(|side| give(side, position.row_holes(side))),
            Remainder::Opponent => give(blocked.opponent(), HoleSet::run(0, 2 * self.holes())),
        }
        swept
    }

    /// The next round: each player fills the own holes from the own left, as far as the store goes.
    fn refill(&self, ended: &Position) -> Position {
        let seeds = self.definition().seeds;
        let round = ended.round + 1;
        let mut next = Position {
            round,
            closed: HoleSet::EMPTY,
            to_move: Some(Definition::starter(ended.first, round)),
            ..*ended
        };
        for side in Side::BOTH {
            let filled = (ended.store(side) / seeds).min(self.holes());
            for hole in 0..self.holes() {
                let ring_index = next.ring_index(side, hole);
                if hole < filled {
                    next.board.set(ring_index, seeds);
                } else {
                    next.closed.insert(ring_index);
                }
            }
            let store = next.store_cell(side);
            next.board.set(store, ended.store(side) - filled * seeds);
        }
        next
    }

    /// Whether each round that can come about begins with a legal move, so that none ends unplayed.
    pub(crate) fn every_round_can_begin(&self) -> bool {
        let start = self.start(Side::South);
        let seeds = self.definition().seeds;
        let stores = (seeds..=self.total() - seeds).step_by(seeds.into());
        stores
            .map(|south| {
                let mut ended = start;
                (0..2 * self.holes()).for_each(|hole| ended.board.set(hole, 0));
                ended.board.set(start.store_cell(Side::South), south);
                ended
                    .board
                    .set(start.store_cell(Side::North), self.total() - south);
                self.refill(&ended)
            })
            .all(|round| {
                Side::BOTH.into_iter().all(|side| {
                    self.can_move(&Position {
                        to_move: Some(side),
                        ..round
                    })
                })
            })
    }
}
