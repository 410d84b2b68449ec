//! `AdminService`: what an admin may do.

use std::sync::Arc;

use tonic::{Request, Response, Status};

use super::{
    error::{self, invalid},
    game, identity,
    limits::Limit,
    listing, page,
    player_service::player_message,
    proto::{self, admin_service_server::AdminService, audit_entry},
    quotas::Quotas,
};
use crate::{
    game::{AdminAction, AuditRecord},
    session::{Admin, Session},
    store::GameFilter,
};

/// Most characters of a note.
const LONGEST_NOTE: usize = 500;

/// The service over a session.
pub(super) struct Admins {
    pub(super) session: Session,
    pub(super) quotas: Arc<Quotas>,
}

#[tonic::async_trait]
impl AdminService for Admins {
    async fn admin_abort_game(
        &self,
        request: Request<proto::AdminAbortGameRequest>,
    ) -> Result<Response<proto::AdminAbortGameResponse>, Status> {
        let name = identity::admin(&request)?;
        let proto::AdminAbortGameRequest { game_id, note } = request.into_inner();
        let (id, admin) = (game::named(&game_id)?, admin(name, note)?);
        let game = self.session.abort_as_admin(id, admin).await;
        Ok(Response::new(proto::AdminAbortGameResponse {
            game: Some(game::game(&game.map_err(error::of_game(id))?)),
        }))
    }

    async fn ban_player(
        &self,
        request: Request<proto::BanPlayerRequest>,
    ) -> Result<Response<proto::BanPlayerResponse>, Status> {
        let name = identity::admin(&request)?;
        let proto::BanPlayerRequest { player_id, note } = request.into_inner();
        let player = self.set_banned(&player_id, true, admin(name, note)?);
        Ok(Response::new(proto::BanPlayerResponse {
            player: Some(player.await?),
        }))
    }

    async fn unban_player(
        &self,
        request: Request<proto::UnbanPlayerRequest>,
    ) -> Result<Response<proto::UnbanPlayerResponse>, Status> {
        let name = identity::admin(&request)?;
        let proto::UnbanPlayerRequest { player_id, note } = request.into_inner();
        let player = self.set_banned(&player_id, false, admin(name, note)?);
        Ok(Response::new(proto::UnbanPlayerResponse {
            player: Some(player.await?),
        }))
    }

    async fn rename_player(
        &self,
        request: Request<proto::RenamePlayerRequest>,
    ) -> Result<Response<proto::RenamePlayerResponse>, Status> {
        let admins_name = identity::admin(&request)?;
        let proto::RenamePlayerRequest {
            player_id,
            name,
            note,
        } = request.into_inner();
        let id = game::player_id("player_id", &player_id)?;
        let admin = admin(admins_name, note)?;
        let player = self.session.rename_player(id, &name, admin).await;
        Ok(Response::new(proto::RenamePlayerResponse {
            player: Some(player_message(player.map_err(error::of_player(id))?)),
        }))
    }

    async fn list_player_games(
        &self,
        request: Request<proto::ListPlayerGamesRequest>,
    ) -> Result<Response<proto::ListPlayerGamesResponse>, Status> {
        identity::admin(&request)?;
        let mut content = request.into_inner();
        let player = game::player_id("player_id", &content.player_id)?;
        let size = page::size(std::mem::take(&mut content.page_size))?;
        let token = std::mem::take(&mut content.page_token);
        // As the player is shown them: all.
        let filter = GameFilter {
            viewer: Some(player),
            player: Some(player),
            ..GameFilter::default()
        };
        let (games, next_page_token) =
            listing::games(&self.session, filter, &content, size, &token).await?;
        Ok(Response::new(proto::ListPlayerGamesResponse {
            games,
            next_page_token,
        }))
    }

    async fn list_audit(
        &self,
        request: Request<proto::ListAuditRequest>,
    ) -> Result<Response<proto::ListAuditResponse>, Status> {
        identity::admin(&request)?;
        let proto::ListAuditRequest { after, page_size } = request.into_inner();
        let audited = self.session.audited(after, page::size(page_size)?).await;
        let entries = audited.map_err(error::of_none)?.into_iter().map(entry);
        Ok(Response::new(proto::ListAuditResponse {
            entries: entries.collect(),
        }))
    }

    async fn list_limits(
        &self,
        request: Request<proto::ListLimitsRequest>,
    ) -> Result<Response<proto::ListLimitsResponse>, Status> {
        identity::admin(&request)?;
        let proto::ListLimitsRequest {} = request.into_inner();
        let limits = Limit::ALL.iter().map(|limit| proto::LimitStatus {
            name: limit.name().into(),
            value: self.quotas.limits[*limit],
            used: self.quotas.used(*limit),
            refused: self.quotas.refused(*limit),
        });
        Ok(Response::new(proto::ListLimitsResponse {
            limits: limits.collect(),
        }))
    }
}

impl Admins {
    async fn set_banned(
        &self,
        player: &str,
        banned: bool,
        admin: Admin,
    ) -> Result<proto::Player, Status> {
        let id = game::player_id("player_id", player)?;
        let player = self.session.set_banned(id, banned, admin).await;
        Ok(player_message(player.map_err(error::of_player(id))?))
    }
}

fn admin(name: String, note: String) -> Result<Admin, Status> {
    let long = note.chars().count() > LONGEST_NOTE;
    if long || note.chars().any(char::is_control) {
        let problem = format!("at most {LONGEST_NOTE} characters, none of them control characters");
        return Err(invalid("note", problem));
    }
    Ok(Admin { name, note })
}

fn entry(record: AuditRecord) -> proto::AuditEntry {
    let AuditRecord {
        seq,
        time,
        admin,
        action,
        note,
    } = record;
    proto::AuditEntry {
        number: seq,
        create_time: Some(game::timestamp(time)),
        admin,
        note,
        action: Some(match action {
            AdminAction::AbortGame(id) => audit_entry::Action::AbortGameId(id.to_string()),
            AdminAction::BanPlayer(id) => audit_entry::Action::BanPlayerId(id.to_string()),
            AdminAction::UnbanPlayer(id) => audit_entry::Action::UnbanPlayerId(id.to_string()),
            AdminAction::RenamePlayer(id) => audit_entry::Action::RenamePlayerId(id.to_string()),
        }),
    }
}
