//! Who sits down, and games that end before they count.

use super::{
    EndReason, Event, Game, PlayerId, Refusal, Seat, Standing, Status, Visibility, decide::Decided,
};
use crate::rules::Side;

/// A game whose seats are not all taken this long after its creation is aborted, in milliseconds: 24 h.
pub const SEATS_EXPIRE: i64 = 24 * 60 * 60 * 1_000;

impl Game {
    pub(super) fn decide_join(
        &self,
        player: PlayerId,
        side: Option<Side>,
        join_code: &str,
    ) -> Decided {
        let (created, seats) = (self.created(), &self.summary().seats);
        let code_fits = created.join_code.as_deref() == Some(join_code);
        if !self.summary().may_see(Some(player)) && !code_fits {
            return Err(Refusal::Invisible);
        }
        let rank = |side: &Side| match seats[*side] {
            Seat::Invited(invited) if invited == player => Some(0),
            Seat::Open => Some(1),
            Seat::Player(_) | Seat::Invited(_) | Seat::Named => None,
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

    pub(super) fn decide_abort(&self, player: PlayerId) -> Decided {
        let (status, summary) = (self.state().status, self.summary());
        let created = status != Status::Active && player == self.created().creator;
        if !created && !summary.is_of(player) {
            return Err(match summary.may_see(Some(player)) {
                true => Refusal::NotSeated,
                false => Refusal::Invisible,
            });
        }
        match status {
            Status::Waiting => {}
            Status::Active if !self.has_begun() => {}
            status => return Err(Refusal::Status(status)),
        }
        Ok(self.aborted(Some(player)))
    }

    pub(super) fn decide_abort_as_admin(&self, audit: u64) -> Decided {
        self.check_unfinished()?;
        let by_admin = Event::Aborted {
            by: None,
            audit: Some(audit),
        };
        Ok((by_admin, self.over(None, EndReason::Aborted).0))
    }

    /// Refuses what is over.
    ///
    /// # Errors
    ///
    /// Says how it is over.
    pub fn check_unfinished(&self) -> Result<(), Refusal> {
        match self.state().status {
            Status::Waiting | Status::Active => Ok(()),
            status => Err(Refusal::Status(status)),
        }
    }

    /// Whether both sides have ever moved, so that the game counts.
    pub(super) fn has_begun(&self) -> bool {
        self.has_moved.south && self.has_moved.north
    }

    pub(super) fn aborted(&self, by: Option<PlayerId>) -> (Event, Standing) {
        let aborted = Event::Aborted { by, audit: None };
        (aborted, self.over(None, EndReason::Aborted).0)
    }
}
