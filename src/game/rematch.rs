//! Rematches: who may have one, and what it is.

use super::{Game, GameId, NewGame, PlayerId, Refusal, Request, Seat, Status};
use crate::rules::{BySide, Side};

impl Game {
    /// Whether a player may ask for a rematch.
    ///
    /// # Errors
    ///
    /// Says why not.
    pub fn may_rematch(&self, player: PlayerId, request: Option<Request>) -> Result<(), Refusal> {
        if request.is_some_and(|request| self.seq_of_request(&request.key).is_some()) {
            return Err(Refusal::RequestReused);
        }
        self.own_seats(player)?;
        let seats = &self.summary().seats;
        match self.state().status {
            Status::Finished | Status::Aborted => {}
            status => return Err(Refusal::Status(status)),
        }
        let seated = |seat: &Seat| matches!(seat, Seat::Player(_));
        match seats.iter().all(|(_, seat)| seated(seat)) {
            true => Ok(()),
            false => Err(Refusal::Status(Status::Waiting)),
        }
    }
}

impl NewGame {
    /// The rematch of a game, as one of its players asks for it: the same again with sides changed. The
    /// other player is invited.
    pub fn rematch(old: &Game, game_id: GameId, asker: PlayerId) -> NewGame {
        let (created, start) = (old.created(), old.summary().start);
        let rules = old.rules();
        NewGame {
            game_id,
            creator: asker,
            variant: created.variant.clone(),
            rule_set: created.rule_set.clone(),
            holes: Some(created.holes.into()),
            seeds: Some(created.seeds.into()),
            seats: BySide::from_fn(|side: Side| match old.summary().seats[side.opponent()] {
                Seat::Player(player) if player != asker => Seat::Invited(player),
                seat => seat,
            }),
            first: start.starter().or(start.to_move()).unwrap_or(Side::South),
            time_control: created.time_control,
            target_wins: created.target_wins,
            visibility: created.visibility,
            join_code: None,
            start: created.custom_start.then(|| (rules.clone(), start)),
            rematch_of: Some(created.game_id),
        }
    }
}
