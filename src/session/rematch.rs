//! Rematches: one a game, however often and by whomever it is asked for.

use super::{ATTEMPTS, Outcome, Session, SessionError, requests::rematch_game_id, shared::replay};
use crate::{
    game::{Command, Event, Game, GameId, NewGame, PlayerId, Record, Refusal, Request, Seat},
    rules::Side,
};

/// Entries of a rematch's log in which all its seats have been taken.
const SEATING: u32 = 8;

impl Session {
    /// The rematch of a game as it was when the player took the seat in it, which the player does now
    /// if it was not done before: by creating it, or by joining what the other player created.
    ///
    /// # Errors
    ///
    /// Refuses those who had no seat, a rematch of what is not over, and one that was aborted.
    pub async fn rematch(
        &self,
        old: GameId,
        player: PlayerId,
        request: Option<Request>,
    ) -> Outcome<Game> {
        let id = rematch_game_id(old);
        let asked = self.look(old, Some(player), |game| {
            game.may_rematch(player, request)?;
            Ok::<_, Refusal>(NewGame::rematch(game, id, player))
        });
        // It is one whatever the request's id: so the id is not kept.
        let new = asked.await??.create(None, self.now())?;
        for _ in 0..ATTEMPTS {
            let records = self.shared.read_game(id, 0, SEATING).await?;
            if let Some(taken) = records.iter().position(|record| seats(record, player)) {
                return replay(&records[..=taken]);
            }
            let join = Command::Join {
                side: None,
                join_code: String::new(),
            };
            let asked = match records.is_empty() {
                true => {
                    let begun = self.begin(id, new.clone(), Some(player)).await;
                    begun.map(|_| ())
                }
                false => self.execute(id, player, join, None, |_, _| ()).await,
            };
            match asked {
                // Another call of the same player was first.
                Ok(()) | Err(SessionError::Refused(Refusal::SeatTaken)) => {}
                Err(SessionError::Refused(Refusal::Status(_))) => {
                    return Err(SessionError::RematchGone);
                }
                Err(error) => return Err(error),
            }
        }
        Err(SessionError::Contended)
    }
}

/// Whether a record is the one by which a player got a seat.
fn seats(record: &Record, player: PlayerId) -> bool {
    match &record.event {
        Event::Created(created) => Side::BOTH
            .map(|side| created.seats[side])
            .contains(&Seat::Player(player)),
        Event::SeatTaken { player: seated, .. } => *seated == player,
        _ => false,
    }
}
