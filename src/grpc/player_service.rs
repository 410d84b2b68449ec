//! `PlayerService`: who plays.

use prost::Message as _;
use tonic::{Request, Response, Status};

use super::{
    Identity,
    asked::{ending, request_hash},
    error::{self, Reason, invalid},
    game,
    identity::{self, Made},
    inbox::{self, InboxStream},
    proto::{self, player_service_server::PlayerService},
};
use crate::{
    game::{Player, PlayerId, PlayerKind, Request as RequestHash, Time},
    session::{Login, Outcome, Session},
};

/// The service over a session.
pub(super) struct Players {
    pub(super) session: Session,
    pub(super) identity: Identity,
}

#[tonic::async_trait]
impl PlayerService for Players {
    type WatchPlayerStream = InboxStream;

    async fn register_player(
        &self,
        request: Request<proto::RegisterPlayerRequest>,
    ) -> Result<Response<proto::RegisterPlayerResponse>, Status> {
        self.identity.may_register(&request)?;
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
        let signed = self.sign(&player, player.create_time);
        let (token, expires) = signed?;
        Ok(Response::new(proto::RegisterPlayerResponse {
            player: Some(player_message(player)),
            token,
            expire_time: Some(game::timestamp(expires)),
        }))
    }

    async fn renew_token(
        &self,
        request: Request<proto::RenewTokenRequest>,
    ) -> Result<Response<proto::RenewTokenResponse>, Status> {
        let asking = identity::ending(&request)?;
        let proto::RenewTokenRequest {} = request.into_inner();
        if let Made::At(_) = asking.made {
            return Err(Reason::OtherIssuer.plain());
        }
        let player = self.session.player(asking.player).await;
        let player = player.map_err(error::of_none)?;
        // Of the player as it is signed for, and not as it was when the call began.
        if let Some(reason) = asking.made.lapsed(&Login::of(&player)) {
            return Err(reason.plain());
        }
        let (token, expires) = self.sign(&player, self.session.now())?;
        Ok(Response::new(proto::RenewTokenResponse {
            token,
            expire_time: Some(game::timestamp(expires)),
        }))
    }

    async fn revoke_tokens(
        &self,
        request: Request<proto::RevokeTokensRequest>,
    ) -> Result<Response<proto::RevokeTokensResponse>, Status> {
        let (ending, request) = ending(request)?;
        let player = match ending.lapsed {
            Some(reason) => self.left_by(ending.player, request, reason).await?,
            None => {
                let may = |login: &Login| ending.made.lapsed(login).is_none();
                self.session
                    .revoke_tokens(ending.player, request, may)
                    .await
            }
        };
        let player = player.map_err(error::of_none)?;
        if let Made::At(_) = ending.made {
            // New ones are the issuer's.
            return Ok(Response::new(proto::RevokeTokensResponse::default()));
        }
        // The same whenever it is asked for again.
        let revoked = player.revoked.unwrap_or(player.create_time);
        let (token, expires) = self.sign(&player, revoked)?;
        Ok(Response::new(proto::RevokeTokensResponse {
            token,
            expire_time: Some(game::timestamp(expires)),
        }))
    }

    async fn delete_player(
        &self,
        request: Request<proto::DeletePlayerRequest>,
    ) -> Result<Response<proto::DeletePlayerResponse>, Status> {
        let (ending, request) = ending(request)?;
        let player = match ending.lapsed {
            Some(reason) => self.left_by(ending.player, request, reason).await?,
            None => {
                let may = |login: &Login| ending.made.lapsed(login).is_none();
                self.session
                    .delete_player(ending.player, request, may)
                    .await
            }
        };
        let player = player.map_err(error::of_none)?;
        Ok(Response::new(proto::DeletePlayerResponse {
            player: Some(player_message(player)),
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

impl Players {
    /// A player's token of now, made at this time, and when it expires.
    fn sign(&self, player: &Player, issued: Time) -> Result<(String, Time), Status> {
        let tokens = &self.identity.tokens;
        tokens.sign_player(player.id, player.generation, issued)
    }

    /// The player as this request left it, if its token is good no more because of that.
    async fn left_by(
        &self,
        player: PlayerId,
        request: Option<RequestHash>,
        lapsed: Reason,
    ) -> Result<Outcome<Player>, Status> {
        let known = self.session.changed_by(player, request).await;
        known.transpose().ok_or_else(|| lapsed.plain())
    }
}

/// A player as clients see it.
pub(super) fn player_message(player: Player) -> proto::Player {
    let Player {
        id,
        name,
        kind,
        create_time,
        generation: _,
        revoked: _,
        banned,
        deleted,
        seq: _,
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
        deleted,
        banned,
    }
}
