//! Offers: a draw, or moves to be taken back. One is open at a time; it lapses with the next move.

use super::{
    Answered, EndReason, Event, Game, PlayerId, Refusal, Standing, Status, TakenBack,
    decide::Decided,
};
use crate::rules::{Position, Side, Standings};

/// Most takebacks of a game: they are what could make its log grow for ever.
pub const MAX_TAKEBACKS: u32 = 1_000;

/// Most positions that all takebacks of a game may put into its log: those that can come back.
const MAX_KEPT: usize = 10_000;

/// What a side offers the other, until it is answered or somebody moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The seq of the event by which it was made.
    pub id: u64,
    /// What is offered.
    pub kind: OfferKind,
    /// Who offers.
    pub side: Side,
}

/// What can be offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfferKind {
    /// To end the whole game as a draw.
    Draw,
    /// To go back to before the asker's last move.
    Takeback,
}

/// What the sides have offered since the turn began.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Offered(u8);

impl Offered {
    fn mask(side: Side, kind: OfferKind) -> u8 {
        1 << (2 * kind as u8 + side as u8)
    }

    pub(super) fn insert(&mut self, offer: &Offer) {
        self.0 |= Offered::mask(offer.side, offer.kind);
    }

    fn contains(self, side: Side, kind: OfferKind) -> bool {
        self.0 & Offered::mask(side, kind) != 0
    }
}

impl Game {
    pub(super) fn decide_answer(&self, player: PlayerId, offer: u64, accept: bool) -> Decided {
        let seats = self.own_seats(player)?;
        self.check_status(Status::Active)?;
        let open = self.state().offer.filter(|open| open.id == offer);
        let open = open.ok_or(Refusal::OfferGone)?;
        if !seats[open.side.opponent()] {
            return Err(Refusal::OwnOffer);
        }
        self.decide_answer_to(open, accept)
    }

    pub(super) fn decide_offer(&self, side: Side, kind: OfferKind) -> Decided {
        if let Some(offer) = self.state().offer {
            // Two offers of a draw that meet are an agreement.
            let meets = kind == OfferKind::Draw && offer.kind == kind && offer.side != side;
            return match meets {
                true => self.decide_answer_to(offer, true),
                false => Err(Refusal::OfferOpen { id: offer.id }),
            };
        }
        if self.offered.contains(side, kind) {
            return Err(Refusal::OfferRepeated);
        }
        if kind == OfferKind::Takeback {
            let kept = self.kept + self.standings.positions().len();
            if self.takebacks >= MAX_TAKEBACKS || kept > MAX_KEPT {
                return Err(Refusal::TooManyTakebacks);
            }
            if self.before_last_move_of(side).is_none() {
                return Err(Refusal::NothingToTakeBack);
            }
        }
        let id = self.seq() + 1;
        let state = Standing {
            offer: Some(Offer { id, kind, side }),
            ..*self.state()
        };
        Ok((Event::Offered, state))
    }

    /// An answer to the open offer.
    pub(super) fn decide_answer_to(&self, offer: Offer, accepted: bool) -> Decided {
        let mut state = Standing {
            offer: None,
            ..*self.state()
        };
        let mut taken_back = None;
        match offer.kind {
            OfferKind::Draw if accepted => {
                (state, _) = self.over(None, EndReason::Agreement);
            }
            OfferKind::Takeback if accepted => {
                let (position, taken) = self.take_back(offer.side).ok_or(Refusal::OfferGone)?;
                state.position = position;
                state.turn += 1;
                state.ply -= taken.moves;
                taken_back = Some(taken);
            }
            OfferKind::Draw | OfferKind::Takeback => {}
        }
        let answered = Answered {
            offer,
            accepted,
            taken_back,
        };
        Ok((Event::Answered(Box::new(answered)), state))
    }

    /// How many of this round's moves come before the last one of a side; `None` if it has none.
    fn before_last_move_of(&self, side: Side) -> Option<usize> {
        self.round_moves()
            .iter()
            .rposition(|made| made.mover() == side)
    }

    /// Where this round stood before the last move of a side, and what that takes back: its moves up
    /// to there are played again.
    fn take_back(&self, side: Side) -> Option<(Position, TakenBack)> {
        let kept = self.before_last_move_of(side)?;
        let moves = self.round_moves();
        let mut position = self.round_start;
        let mut standings = Standings::default();
        standings.push(self.rules(), position);
        for made in &moves[..kept] {
            let played = self.rules().play(&position, made.hole().into()).ok()?;
            standings.follow(
                self.rules(),
                &position,
                played.captured > 0,
                played.position,
            );
            position = played.position;
        }
        let taken = TakenBack {
            // A round has at most 10,000 moves.
            moves: (moves.len() - kept) as u32,
            standings: standings.positions().to_vec(),
        };
        Some((position, taken))
    }
}
