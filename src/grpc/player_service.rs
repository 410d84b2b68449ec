//! `PlayerService`: who plays.

use prost::Message as _;
use tonic::{Request, Response, Status};

use super::{
    asked::request_hash,
    error::{self, invalid},
    game, identity,
    identity::Tokens,
    inbox::{self, InboxStream},
    proto::{self, player_service_server::PlayerService},
};
use crate::{
    game::{Player, PlayerKind},
    session::Session,
};

/// The service over a session.
pub(super) struct Players {
    pub(super) session: Session,
    pub(super) tokens: Tokens,
}

#[tonic::async_trait]
impl PlayerService for Players {
    type WatchPlayerStream = InboxStream;

    async fn register_player(
        &self,
        request: Request<proto::RegisterPlayerRequest>,
    ) -> Result<Response<proto::RegisterPlayerResponse>, Status> {
        let mut content = request.into_inner();
        let id = std::mem::take(&mut content.request_id);
        let request = request_hash(None, &id, || content.encode_to_vec())?;
        let proto::RegisterPlayerRequest {
            name,
            kind,
            request_id: _,
        } = content;
        let kind = match proto::PlayerKind::try_from(kind) {
            Ok(proto::PlayerKind::Human) => PlayerKind::Human,
            Ok(proto::PlayerKind::Bot) => PlayerKind::Bot,
            Ok(proto::PlayerKind::Unspecified) | Err(_) => {
                return Err(invalid("kind", "is required: human or bot"));
            }
        };
        let player = self
            .session
            .register(name, kind, request)
            .await
            .map_err(error::of_none)?;
        let (token, expires) = self.tokens.sign(player.id, player.create_time)?;
        Ok(Response::new(proto::RegisterPlayerResponse {
            player: Some(player_message(player)),
            token,
            expire_time: Some(game::timestamp(expires)),
        }))
    }

    async fn get_player(
        &self,
        request: Request<proto::GetPlayerRequest>,
    ) -> Result<Response<proto::GetPlayerResponse>, Status> {
        let id = match request.get_ref().player_id.as_str() {
            "" => identity::caller(&request)?,
            id => game::player_id("player_id", id)?,
        };
        let player = self
            .session
            .player(id)
            .await
            .map_err(error::of_player(id))?;
        Ok(Response::new(proto::GetPlayerResponse {
            player: Some(player_message(player)),
        }))
    }

    async fn watch_player(
        &self,
        request: Request<proto::WatchPlayerRequest>,
    ) -> Result<Response<InboxStream>, Status> {
        let player = identity::caller(&request)?;
        let proto::WatchPlayerRequest { cursor } = request.into_inner();
        let watch = self.session.watch_player(player, &cursor).await;
        Ok(Response::new(inbox::stream(watch.map_err(error::of_none)?)))
    }
}

fn player_message(player: Player) -> proto::Player {
    let Player {
        id,
        name,
        kind,
        create_time,
    } = player;
    proto::Player {
        player_id: id.to_string(),
        name,
        kind: match kind {
            PlayerKind::Human => proto::PlayerKind::Human,
            PlayerKind::Bot => proto::PlayerKind::Bot,
        }
        .into(),
        create_time: Some(game::timestamp(create_time)),
    }
}
