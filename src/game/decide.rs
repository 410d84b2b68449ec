//! Commands, and the events that they become.
//!
//! Checks come in this order: request id, seat, status, turn, side to move, hole.

use super::{
    EndReason, Event, Game, GameResult, MAX_PLIES, Moved, PlayerId, Record, Request, RoundResult,
    Seat, Standing, Status, Time, Visibility,
};
use crate::rules::{BySide, IllegalMove, Played, Position, Reason, RoundEnd, Side};

/// A series has at most so many rounds for each win that it is played to.
const ROUNDS_A_WIN: u32 = 4;

/// What a player wants of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// To sit down.
    Join {
        /// Where; `None` for wherever there is room.
        side: Option<Side>,
        /// What opens a seat of a private game; may be empty.
        join_code: String,
    },
    /// To move.
    Move {
        /// The hole, from the mover's left.
        hole: u32,
        /// The turn that the player believes it is.
        expected_turn: Option<u32>,
    },
    /// To resign.
    Resign {
        /// Which side, for a player who has both.
        side: Option<Side>,
    },
}

/// What a command comes to.
#[derive(Clone, Debug)]
pub enum Decision {
    /// A new event, to be made durable and then applied.
    New(Record),
    /// The request has already caused the event with this seq. The caller compares fingerprints.
    Repeated(u64),
}

/// Why a command is refused. The game is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// To this player the game does not exist.
    #[error("there is no such game")]
    Invisible,
    /// The player has no seat.
    #[error("the player has no seat in this game")]
    NotSeated,
    /// The player has both seats and must say which is meant.
    #[error("the player has both seats: say which side")]
    WhichSide,
    /// The named seat is not the player's.
    #[error("the player does not have that seat")]
    NotYourSeat,
    /// The seat, or every seat, is taken or kept for somebody else.
    #[error("the seat is taken")]
    SeatTaken,
    /// A private game's seat needs its join code.
    #[error("the join code is wrong")]
    JoinCode,
    /// Not in this part of a game's life.
    #[error("the game is {0:?}")]
    Status(Status),
    /// It is another turn by now.
    #[error("it is turn {current}")]
    StaleTurn {
        /// The turn that it is.
        current: u32,
    },
    /// The other side is to move.
    #[error("the other side is to move")]
    NotYourTurn,
    /// The move is not legal.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// The request id was used before, for another request.
    #[error("the request id was used with other content")]
    RequestReused,
}

impl Game {
    /// Decides a command.
    ///
    /// # Errors
    ///
    /// Says why it is refused.
    pub fn decide(
        &self,
        command: &Command,
        player: PlayerId,
        request: Option<Request>,
        now: Time,
    ) -> Result<Decision, Refusal> {
        if let Some(seq) = request.and_then(|request| self.seq_of_request(&request.key)) {
            return Ok(Decision::Repeated(seq));
        }
        let (event, state) = match command {
            Command::Join { side, join_code } => self.decide_join(player, *side, join_code),
            Command::Move {
                hole,
                expected_turn,
            } => self.decide_move(player, *hole, *expected_turn),
            Command::Resign { side } => self.decide_resign(player, *side),
        }?;
        Ok(Decision::New(Record {
            seq: self.seq() + 1,
            time: now.max(self.summary().update_time),
            request,
            state,
            event,
        }))
    }

    fn decide_join(
        &self,
        player: PlayerId,
        side: Option<Side>,
        join_code: &str,
    ) -> Result<(Event, Standing), Refusal> {
        let (created, seats) = (self.created(), &self.summary().seats);
        let code_fits = created.join_code.as_deref() == Some(join_code);
        if !self.summary().may_see(Some(player)) && !code_fits {
            return Err(Refusal::Invisible);
        }
        let rank = |side: &Side| match seats[*side] {
            Seat::Invited(invited) if invited == player => Some(0),
            Seat::Open => Some(1),
            Seat::Player(_) | Seat::Invited(_) => None,
        };
        let wanted = Side::BOTH
            .into_iter()
            .filter(|each| side.is_none_or(|side| side == *each));
        let free = wanted.filter(|side| rank(side).is_some());
        let side = free.min_by_key(rank).ok_or(Refusal::SeatTaken)?;
        let open = seats[side] == Seat::Open;
        if open && created.visibility == Visibility::Private && !code_fits {
            return Err(Refusal::JoinCode);
        }
        self.check_status(Status::Waiting)?;
        let mut state = *self.state();
        if matches!(seats[side.opponent()], Seat::Player(_)) {
            state.status = Status::Active;
        }
        Ok((Event::SeatTaken { side, player }, state))
    }

    fn decide_resign(
        &self,
        player: PlayerId,
        side: Option<Side>,
    ) -> Result<(Event, Standing), Refusal> {
        let seats = self.own_seats(player)?;
        let side = match side {
            Some(side) if seats[side] => side,
            Some(_) => return Err(Refusal::NotYourSeat),
            None if seats.south && seats.north => return Err(Refusal::WhichSide),
            None if seats.south => Side::South,
            None => Side::North,
        };
        self.check_status(Status::Active)?;
        let position = &self.state().position;
        let score = if self.created().target_wins > 1 {
            self.wins(None)
        } else {
            seeds(self.rules().score(position))
        };
        let mut state = *self.state();
        state.status = Status::Finished;
        state.result = Some(GameResult {
            winner: Some(side.opponent()),
            reason: EndReason::Resignation,
            score,
        });
        Ok((Event::Resigned { side }, state))
    }

    fn decide_move(
        &self,
        player: PlayerId,
        hole: u32,
        expected_turn: Option<u32>,
    ) -> Result<(Event, Standing), Refusal> {
        let seats = self.own_seats(player)?;
        self.check_status(Status::Active)?;
        let current = self.state().turn;
        if expected_turn.is_some_and(|expected| expected != current) {
            return Err(Refusal::StaleTurn { current });
        }
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
                first: self.round_first,
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
        (self.rules().start(self.round_first.opponent()), None)
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

    fn own_seats(&self, player: PlayerId) -> Result<BySide<bool>, Refusal> {
        let seats = self.seats_of(player);
        if !self.summary().may_see(Some(player)) {
            Err(Refusal::Invisible)
        } else if !seats.south && !seats.north {
            Err(Refusal::NotSeated)
        } else {
            Ok(seats)
        }
    }

    fn check_status(&self, wanted: Status) -> Result<(), Refusal> {
        match self.state().status {
            status if status == wanted => Ok(()),
            status => Err(Refusal::Status(status)),
        }
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
