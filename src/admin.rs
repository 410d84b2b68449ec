//! The command `admin`: a client of the server's `AdminService`, which prints a line for each thing.

use std::{
    io::{self, Write},
    path::Path,
    time::Duration,
};

use tonic::{
    Request, Status,
    metadata::{Ascii, MetadataValue},
    transport::Channel,
};

use crate::{
    config::AdminAction,
    grpc::proto::{
        AdminAbortGameRequest, AuditEntry, BanPlayerRequest, Game, GameStatus, ListAuditRequest,
        ListLimitsRequest, ListPlayerGamesRequest, Player, RenamePlayerRequest, UnbanPlayerRequest,
        admin_service_client::AdminServiceClient, audit_entry::Action,
    },
};

/// How long a call may take.
const DEADLINE: Duration = Duration::from_secs(10);

/// Entries of a page.
const PAGE: u32 = 200;

/// Why a command of an admin came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// The token's file can't be read, or holds none.
    #[error("{0}: no token can be read from it")]
    Token(String),
    /// The server refuses, or can't be asked.
    #[error("{}", .0.message())]
    Refused(#[from] Status),
    /// What it says can't be printed.
    #[error("the answer can't be printed")]
    Print(#[from] io::Error),
}

/// A token from a file.
///
/// # Errors
///
/// Fails if there is none in it.
pub fn read_token(path: &Path) -> Result<MetadataValue<Ascii>, AdminError> {
    let none = || AdminError::Token(path.display().to_string());
    let text = std::fs::read_to_string(path).map_err(|_| none())?;
    let header = format!("Bearer {}", text.trim());
    let mut token: MetadataValue<Ascii> = header.parse().map_err(|_| none())?;
    token.set_sensitive(true);
    Ok(token)
}

/// Does what an admin asks for, and prints what came of it.
///
/// # Errors
///
/// Fails if the server refuses.
pub async fn run(
    channel: Channel,
    token: Option<MetadataValue<Ascii>>,
    action: AdminAction,
    out: &mut impl Write,
) -> Result<(), AdminError> {
    let with_token = move |mut request: Request<()>| {
        request.set_timeout(DEADLINE);
        if let Some(token) = &token {
            let metadata = request.metadata_mut();
            metadata.insert("authorization", token.clone());
        }
        Ok(request)
    };
    let mut admin = AdminServiceClient::with_interceptor(channel, with_token);
    match action {
        AdminAction::Abort { game, note } => {
            let request = AdminAbortGameRequest {
                game_id: game,
                note,
            };
            let answer = admin.admin_abort_game(request).await?.into_inner();
            print_game(out, &answer.game.unwrap_or_default())
        }
        AdminAction::Ban { player, note } => {
            let request = BanPlayerRequest {
                player_id: player,
                note,
            };
            let answer = admin.ban_player(request).await?.into_inner();
            print_player(out, &answer.player.unwrap_or_default())
        }
        AdminAction::Unban { player, note } => {
            let request = UnbanPlayerRequest {
                player_id: player,
                note,
            };
            let answer = admin.unban_player(request).await?.into_inner();
            print_player(out, &answer.player.unwrap_or_default())
        }
        AdminAction::Rename { player, name, note } => {
            let request = RenamePlayerRequest {
                player_id: player,
                name,
                note,
            };
            let answer = admin.rename_player(request).await?.into_inner();
            print_player(out, &answer.player.unwrap_or_default())
        }
        AdminAction::Games { player } => {
            let mut request = ListPlayerGamesRequest {
                player_id: player,
                page_size: PAGE,
                page_token: String::new(),
            };
            loop {
                let page = admin.list_player_games(request.clone()).await?.into_inner();
                page.games
                    .iter()
                    .try_for_each(|game| print_game(out, game))?;
                request.page_token = page.next_page_token;
                if request.page_token.is_empty() {
                    return Ok(());
                }
            }
        }
        AdminAction::Audit { mut after } => loop {
            let request = ListAuditRequest {
                after,
                page_size: PAGE,
            };
            let page = admin.list_audit(request).await?.into_inner();
            let Some(last) = page.entries.last() else {
                return Ok(());
            };
            after = last.number;
            page.entries
                .iter()
                .try_for_each(|entry| print_entry(out, entry))?;
        },
        AdminAction::Limits => {
            let answer = admin.list_limits(ListLimitsRequest {}).await?.into_inner();
            writeln!(out, "limit value used refused")?;
            for limit in answer.limits {
                let used = limit.used.map_or("-".into(), |used| used.to_string());
                writeln!(
                    out,
                    "{} {} {used} {}",
                    limit.name, limit.value, limit.refused
                )?;
            }
            Ok(())
        }
    }
}

fn print_game(out: &mut impl Write, game: &Game) -> Result<(), AdminError> {
    let status = GameStatus::try_from(game.status)
        .unwrap_or_default()
        .as_str_name();
    let status = status.trim_start_matches("GAME_STATUS_").to_lowercase();
    writeln!(
        out,
        "{} {} {status} ply {}",
        game.game_id, game.variant, game.ply
    )?;
    Ok(())
}

fn print_player(out: &mut impl Write, player: &Player) -> Result<(), AdminError> {
    let state = if player.banned {
        "banned"
    } else {
        "not banned"
    };
    writeln!(out, "{} {:?} {state}", player.player_id, player.name)?;
    Ok(())
}

fn print_entry(out: &mut impl Write, entry: &AuditEntry) -> Result<(), AdminError> {
    let AuditEntry {
        number,
        create_time,
        admin,
        note,
        action,
    } = entry;
    let (verb, whom) = match action {
        Some(Action::AbortGameId(id)) => ("abort", id.as_str()),
        Some(Action::BanPlayerId(id)) => ("ban", id.as_str()),
        Some(Action::UnbanPlayerId(id)) => ("unban", id.as_str()),
        Some(Action::RenamePlayerId(id)) => ("rename", id.as_str()),
        None => ("?", ""),
    };
    let time = create_time.unwrap_or_default();
    writeln!(out, "{number} {time} {admin:?} {verb} {whom} {note:?}")?;
    Ok(())
}
