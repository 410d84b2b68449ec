//! What `CreateGame` asks a new game to be.

use tonic::Status;
use uuid::Uuid;

use super::{
    asked::Asked,
    board, clocks,
    error::{self, invalid},
    game,
    game_service::Games,
    proto::{self, seat_request},
};
use crate::{
    game::{NewGame, PlayerId, Seat, Visibility},
    rules::{BySide, Side},
    session,
};

impl Games {
    /// What a request asks a new game to be.
    pub(super) async fn new_game(
        &self,
        asked: Asked,
        content: proto::CreateGameRequest,
    ) -> Result<NewGame, Status> {
        let Asked {
            player: creator,
            request,
        } = asked;
        let proto::CreateGameRequest {
            variant,
            holes,
            south,
            north,
            first,
            target_wins,
            visibility,
            start_position,
            request_id: _,
            seeds,
            time_control,
        } = content;
        let variant = board::variant(&self.catalog, &variant)?;
        let visibility = read_visibility(visibility)?;
        let start = match start_position {
            None => None,
            Some(mut position) => {
                if position.variant.is_empty() {
                    position.variant = variant.id.clone();
                }
                if position.variant != variant.id {
                    return Err(invalid("start_position.variant", "is another variant"));
                }
                if first != 0 {
                    return Err(invalid("first", "the start position says it itself"));
                }
                let read = board::read_position(&self.catalog, "start_position", Some(&position))?;
                Some((read.1.clone(), read.2))
            }
        };
        let seats = BySide {
            south: self.seat("south", south, creator).await?,
            north: self.seat("north", north, creator).await?,
        };
        let coded =
            visibility == Visibility::Private && seats.iter().any(|(_, seat)| *seat == Seat::Open);
        Ok(NewGame {
            game_id: session::new_game_id(request),
            creator,
            variant: variant.id.clone(),
            rule_set: variant.rule_set().clone(),
            holes: (holes != 0).then_some(holes),
            seeds: (seeds != 0).then_some(seeds),
            seats,
            first: first_mover(first)?,
            time_control: clocks::read_control(time_control)?,
            target_wins,
            visibility,
            join_code: coded.then(|| Uuid::new_v4().simple().to_string()),
            start,
            rematch_of: None,
        })
    }

    async fn seat(
        &self,
        field: &str,
        seat: Option<proto::SeatRequest>,
        creator: PlayerId,
    ) -> Result<Seat, Status> {
        match seat.and_then(|seat| seat.seat) {
            None | Some(seat_request::Seat::Open(proto::OpenSeat {})) => Ok(Seat::Open),
            Some(seat_request::Seat::Caller(proto::CallerSeat {})) => Ok(Seat::Player(creator)),
            Some(seat_request::Seat::InvitedPlayerId(id)) => {
                let player = game::player_id(&format!("{field}.invited_player_id"), &id)?;
                let known = self.session.player(player).await;
                known.map_err(error::of_player(player))?;
                Ok(Seat::Invited(player))
            }
        }
    }
}

/// Who may see a new game.
pub(super) fn read_visibility(code: i32) -> Result<Visibility, Status> {
    match proto::Visibility::try_from(code) {
        Ok(proto::Visibility::Unspecified | proto::Visibility::Public) => Ok(Visibility::Public),
        Ok(proto::Visibility::Unlisted) => Ok(Visibility::Unlisted),
        Ok(proto::Visibility::Private) => Ok(Visibility::Private),
        Err(_) => Err(invalid("visibility", "is none of them")),
    }
}

fn first_mover(code: i32) -> Result<Side, Status> {
    match proto::FirstMover::try_from(code) {
        Ok(proto::FirstMover::Unspecified | proto::FirstMover::South) => Ok(Side::South),
        Ok(proto::FirstMover::North) => Ok(Side::North),
        Ok(proto::FirstMover::Random) if rand::random() => Ok(Side::South),
        Ok(proto::FirstMover::Random) => Ok(Side::North),
        Err(_) => Err(invalid("first", "is none of them")),
    }
}
