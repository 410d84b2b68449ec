//! The end of a round or a game, and the next round.

use super::{
    Board, BySide, Definition, HoleSet, Position, Recorder, Remainder, Rules, Side, Step, Winner,
    board::Row as _, kernel::with_kernel, mechanisms::AsDefined,
};

/// Why a round or a game ended by the rules' own means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The player to move had no legal move; where players pass, neither had.
    NoMoves,
    /// A row was empty after a move.
    EmptyRow,
    /// A player had captured more than half of the seeds.
    Majority,
    /// A player could not fill one hole for the next round.
    HolesClosed,
    /// A position stood as often as ends it. Only a game knows its history and says so.
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
    /// Why a round is over after a move, even if the side to move could move.
    #[inline]
    pub(crate) fn decided(&self, position: &Position) -> Option<Reason> {
        let side = position.to_move?;
        with_kernel!(self, position, side, AsDefined, |kernel| kernel
            .decided(&position.rows(side)))
    }

    /// Ends a round by its own rules: because the side to move could not (nor the opponent, where
    /// players pass), or because it was [`Rules::decided`].
    pub(crate) fn end(
        &self,
        position: &Position,
        reason: Reason,
        recorder: &mut impl Recorder,
    ) -> RoundEnd {
        let (Some(side), Reason::NoMoves | Reason::EmptyRow) = (position.to_move, reason) else {
            return self.end_by_count(position, reason, recorder);
        };
        let blocked = match reason {
            Reason::EmptyRow if !position.is_row_empty(side) => side.opponent(),
            _ => side,
        };
        let swept = self.sweep(position, self.definition().remainder, blocked, recorder);
        let score = self.score(&swept);
        let winner = match self.definition().winner {
            Winner::MoreSeeds => score.leader(),
            Winner::LastAbleToMove => Some(blocked.opponent()),
        };
        RoundEnd {
            winner,
            reason,
            score,
            position: swept,
        }
    }

    /// Ends a round whose reason names nobody who could not move: each player takes the seeds of the
    /// own row, unless those stay, and the variant's count decides. Where captured seeds leave play it
    /// is a draw.
    pub fn end_by_count(
        &self,
        position: &Position,
        reason: Reason,
        recorder: &mut impl Recorder,
    ) -> RoundEnd {
        let remainder = match self.definition().remainder {
            Remainder::Stays => Remainder::Stays,
            Remainder::OwnRow | Remainder::Opponent | Remainder::Blocked => Remainder::OwnRow,
        };
        let swept = self.sweep(position, remainder, Side::South, recorder);
        let score = self.score(&swept);
        RoundEnd {
            winner: match self.definition().winner {
                Winner::MoreSeeds => score.leader(),
                Winner::LastAbleToMove => None,
            },
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
        let short = |side| position.store(side) < self.seeds();
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
            swap: None,
            ..*position
        };
        match remainder {
            Remainder::Stays => {}
            Remainder::OwnRow => {
                for side in Side::BOTH {
                    self.give(&mut swept, side, &[side], recorder);
                }
            }
            Remainder::Opponent => self.give(&mut swept, blocked.opponent(), &Side::BOTH, recorder),
            Remainder::Blocked => self.give(&mut swept, blocked, &Side::BOTH, recorder),
        }
        swept
    }

    /// Gives the seeds of some rows to a side.
    fn give(&self, position: &mut Position, to: Side, rows: &[Side], recorder: &mut impl Recorder) {
        let (mut seeds, mut emptied) = (0, HoleSet::EMPTY);
        for row in rows {
            let holes = position.holding(*row, 1);
            emptied.0 |= holes.0 << position.ring_index(*row, 0);
            let cells = &mut position.board.0[row.index()];
            seeds += (*cells & self.row_cells).sum();
            *cells &= !self.row_cells;
        }
        position.board.add(to, self.holes(), seeds);
        if seeds > 0 {
            recorder.step(|| Step::Sweep {
                side: to,
                seeds,
                holes: emptied,
            });
        }
    }

    /// The next round: each player fills the own holes from the own left, as far as the store goes.
    fn refill(&self, ended: &Position) -> Position {
        let seeds = self.seeds();
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
                if hole < filled {
                    next.board.set(side, hole, seeds);
                } else {
                    next.closed.insert(next.ring_index(side, hole));
                }
            }
            let left = ended.store(side) - filled * seeds;
            next.board.set(side, self.holes(), left);
        }
        next
    }

    /// Whether each round that can come about begins with a legal move, so that none ends unplayed.
    pub(crate) fn every_round_can_begin(&self) -> bool {
        let start = self.start(Side::South);
        let seeds = self.seeds();
        let stores = (seeds..=self.total() - seeds).step_by(seeds.into());
        stores
            .map(|south| {
                let mut ended = start;
                ended.board = Board::default();
                for (side, store) in [(Side::South, south), (Side::North, self.total() - south)] {
                    ended.board.set(side, self.holes(), store);
                }
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
