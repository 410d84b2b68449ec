//! What a move comes to in a game, which knows its history, its limits and its series.

use super::{
    EndReason, Event, Game, GameResult, MAX_PLIES, Moved, PlayerId, Refusal, RoundResult, Standing,
    Status, decide::Decided,
};
use crate::rules::{BySide, Played, Position, Reason, RoundEnd, Side};

/// A series has at most so many rounds for each win that it is played to.
const ROUNDS_A_WIN: u32 = 4;

impl Game {
    pub(super) fn decide_move(
        &self,
        player: PlayerId,
        hole: u32,
        expected_turn: Option<u32>,
    ) -> Decided {
        let seats = self.own_seats(player)?;
        self.check_status(Status::Active)?;
        self.check_turn(expected_turn)?;
        let position = &self.state().position;
        if !position.to_move().is_some_and(|side| seats[side]) {
            return Err(Refusal::NotYourTurn);
        }
        let played = self.rules().play(position, hole)?;
        Ok(self.settle(&played))
    }

    /// What a legal move comes to in a game, which knows its history, limits and series.
    fn settle(&self, played: &Played) -> (Event, Standing) {
        let before = self.state();
        let full = self.plies() + 1 >= MAX_PLIES;
        let mut next = (played.position, None);
        let mut round_end = played.round_end;
        if let Some(end) = played.end {
            next.1 = Some(GameResult::from(&end));
        } else if round_end.is_none() && (full || self.returns(played)) {
            let reason = if full {
                Reason::TooLong
            } else {
                Reason::Repetition
            };
            let end = self.rules().end_by_count(&played.position, reason, &mut ());
            let (position, over) = self.rules().after_round(&end, &mut ());
            (next, round_end) = ((position, over.as_ref().map(GameResult::from)), Some(end));
        }
        let round_result = round_end
            .filter(|_| self.has_rounds())
            .map(|end| RoundResult {
                round: before.round,
                winner: end.winner,
                reason: end.reason,
                score: end.score,
                first: self.round_first(),
                plies: before.ply + 1,
            });
        if let (Some(end), Some(round_result)) = (&round_end, &round_result) {
            next = self.next_round(next, end, round_result, full);
        }
        let (position, result) = next;
        let new_round = round_end.is_some() && result.is_none();
        let state = Standing {
            position,
            turn: before.turn + 1 + u32::from(new_round),
            ply: if new_round { 0 } else { before.ply + 1 },
            status: if result.is_some() {
                Status::Finished
            } else {
                Status::Active
            },
            round: before.round + u32::from(new_round),
            result,
            offer: None,
            clocks: before.clocks,
        };
        let event = Event::Moved(Box::new(Moved {
            mover: played.mover,
            hole: played.hole,
            captured: played.captured,
            laps: played.laps,
            passed: played.passed,
            round_end: round_end.map(|end| end.position),
            round_result,
        }));
        (event, state)
    }

    /// What follows a round of a game that has several: what the rules say, or what the series says,
    /// within the limits of both.
    fn next_round(
        &self,
        next: (Position, Option<GameResult>),
        end: &RoundEnd,
        round_result: &RoundResult,
        full: bool,
    ) -> (Position, Option<GameResult>) {
        let round = round_result.round;
        if let Some(rounds) = self.rules().definition().rounds {
            let last = full || round >= rounds.limit.into();
            if next.1.is_some() || !last {
                return next;
            }
            let reason = EndReason::Rules(Reason::TooLong);
            return (
                end.position,
                Some(result(end.score.leader(), reason, seeds(end.score))),
            );
        }
        let target = self.created().target_wins;
        let wins = self.wins(Some(round_result));
        let won = wins.south.max(wins.north) >= target;
        if won || round >= ROUNDS_A_WIN * target || full {
            let seeds_in_all = |side| -> u32 {
                let rounds = self.rounds().iter().chain([round_result]);
                rounds.map(|round| u32::from(round.score[side])).sum()
            };
            let winner = wins
                .leader()
                .or_else(|| BySide::from_fn(seeds_in_all).leader());
            let reason = match full && !won {
                true => EndReason::Rules(Reason::TooLong),
                false => EndReason::Series,
            };
            return (end.position, Some(result(winner, reason, wins)));
        }
        (self.rules().start(self.round_first().opponent()), None)
    }

    /// Whether a move brings a position back as often in its round as ends it.
    fn returns(&self, played: &Played) -> bool {
        self.standings.would_end(self.rules(), &played.position)
    }

    /// Rounds won by each side, with one more round that is not applied yet.
    fn wins(&self, last: Option<&RoundResult>) -> BySide<u32> {
        BySide::from_fn(|side| {
            let rounds = self.rounds().iter().chain(last);
            rounds.filter(|round| round.winner == Some(side)).count() as u32
        })
    }

    /// The game over as it stands, for a reason that is not the rules'.
    pub(super) fn over(&self, winner: Option<Side>, reason: EndReason) -> (Standing, GameResult) {
        let score = match self.created().target_wins {
            0 | 1 => seeds(self.rules().score(&self.state().position)),
            _ => self.wins(None),
        };
        let result = result(winner, reason, score);
        let state = Standing {
            status: match reason {
                EndReason::Aborted => Status::Aborted,
                _ => Status::Finished,
            },
            result: Some(result),
            offer: None,
            ..*self.state()
        };
        (state, result)
    }
}

fn result(winner: Option<Side>, reason: EndReason, score: BySide<u32>) -> GameResult {
    GameResult {
        winner,
        reason,
        score,
    }
}

fn seeds(score: BySide<u8>) -> BySide<u32> {
    BySide::from_fn(|side| score[side].into())
}
