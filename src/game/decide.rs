//! Commands, and the events that they become.
//!
//! Checks come in this order: request id, seat, status, turn, side to move, hole.

use super::{
    EndReason, Event, Game, Moment, OfferKind, PlayerId, Record, Request, Standing, Status,
};
use crate::rules::{BySide, IllegalMove, Side};

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
    /// To end a game that has not begun to count; to decline an invitation.
    Abort,
    /// To end a game however far it is.
    AbortAsAdmin {
        /// The audit's entry that says who does it.
        audit: u64,
    },
    /// To offer something to the other side.
    Offer {
        /// What.
        kind: OfferKind,
        /// Which side, for a player who has both.
        side: Option<Side>,
        /// The turn that the player believes it is.
        expected_turn: Option<u32>,
    },
    /// To answer the other side's offer.
    Answer {
        /// The offer.
        offer: u64,
        /// Whether it is accepted.
        accept: bool,
    },
}

/// What a command comes to.
#[derive(Clone, Debug)]
pub enum Decision {
    /// A new event, to be made durable and then applied.
    New(Record),
    /// The game's time has run out, and this event says so: it comes before the command, which is to be
    /// decided anew.
    TimeIsUp(Record),
    /// The request has already caused the event with this seq. The caller compares fingerprints.
    Repeated(u64),
}

/// An event that is to be, and what it leaves; or why there is none.
pub(super) type Decided = Result<(Event, Standing), Refusal>;

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
    /// Another offer is to be answered first.
    #[error("offer {id} is to be answered first")]
    OfferOpen {
        /// That one.
        id: u64,
    },
    /// The side has offered the same this turn.
    #[error("the same was offered before, this turn")]
    OfferRepeated,
    /// The offer was answered, has lapsed, or never was.
    #[error("there is no such open offer")]
    OfferGone,
    /// The offer is the player's own.
    #[error("the other side answers this offer")]
    OwnOffer,
    /// The side has made no move in this round.
    #[error("the side has no move in this round to take back")]
    NothingToTakeBack,
    /// The game has had as many takebacks as there may be.
    #[error("the game has had as many takebacks as there may be")]
    TooManyTakebacks,
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
        moment: &Moment<'_>,
    ) -> Result<Decision, Refusal> {
        if let Some(seq) = request.and_then(|request| self.seq_of_request(&request.key)) {
            return Ok(Decision::Repeated(seq));
        }
        if let Some(record) = self.time_out(moment) {
            return Ok(Decision::TimeIsUp(record));
        }
        let (event, state) = match command {
            Command::Join { side, join_code } => self.decide_join(player, *side, join_code),
            Command::Move {
                hole,
                expected_turn,
            } => self.decide_move(player, *hole, *expected_turn),
            Command::Resign { side } => self.decide_resign(player, *side),
            Command::Abort => self.decide_abort(player),
            Command::AbortAsAdmin { audit } => self.decide_abort_as_admin(*audit),
            Command::Offer {
                kind,
                side,
                expected_turn,
            } => {
                let side = self.own_side(player, *side)?;
                self.check_status(Status::Active)?;
                self.check_turn(*expected_turn)?;
                self.decide_offer(side, *kind)
            }
            Command::Answer { offer, accept } => self.decide_answer(player, *offer, *accept),
        }?;
        Ok(Decision::New(self.record(event, state, request, moment)))
    }

    pub(super) fn record(
        &self,
        event: Event,
        mut state: Standing,
        request: Option<Request>,
        moment: &Moment<'_>,
    ) -> Record {
        let time = moment.now.max(self.summary().update_time);
        state.clocks = self.clocks_after(&event, &state, time, moment);
        Record {
            seq: self.seq() + 1,
            time,
            request,
            state,
            event,
        }
    }

    pub(super) fn decide_resign(&self, player: PlayerId, side: Option<Side>) -> Decided {
        let side = self.own_side(player, side)?;
        self.check_status(Status::Active)?;
        let (state, _) = self.over(Some(side.opponent()), EndReason::Resignation);
        Ok((Event::Resigned { side }, state))
    }

    /// The side that a player acts for.
    pub(super) fn own_side(&self, player: PlayerId, side: Option<Side>) -> Result<Side, Refusal> {
        let seats = self.own_seats(player)?;
        match side {
            Some(side) if seats[side] => Ok(side),
            Some(_) => Err(Refusal::NotYourSeat),
            None if seats.south && seats.north => Err(Refusal::WhichSide),
            None if seats.south => Ok(Side::South),
            None => Ok(Side::North),
        }
    }

    pub(super) fn check_turn(&self, expected: Option<u32>) -> Result<(), Refusal> {
        let current = self.state().turn;
        match expected {
            Some(expected) if expected != current => Err(Refusal::StaleTurn { current }),
            Some(_) | None => Ok(()),
        }
    }

    pub(super) fn own_seats(&self, player: PlayerId) -> Result<BySide<bool>, Refusal> {
        let seats = self.seats_of(player);
        if !self.summary().may_see(Some(player)) {
            Err(Refusal::Invisible)
        } else if !seats.south && !seats.north {
            Err(Refusal::NotSeated)
        } else {
            Ok(seats)
        }
    }

    pub(super) fn check_status(&self, wanted: Status) -> Result<(), Refusal> {
        match self.state().status {
            status if status == wanted => Ok(()),
            status => Err(Refusal::Status(status)),
        }
    }
}
