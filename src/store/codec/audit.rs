//! The audit's entries.

use super::{
    Decoded,
    proto::{self, audit_record::Action},
    unknown,
    values::{game_id, player_id},
};
use crate::game::{AdminAction, AuditRecord, GameId, PlayerId, Time};

pub(super) fn encode_audit(record: &AuditRecord) -> proto::AuditRecord {
    let AuditRecord {
        seq: _,
        time: _,
        admin,
        action,
        note,
    } = record;
    let player = |PlayerId(id): &PlayerId| id.as_bytes().to_vec();
    proto::AuditRecord {
        admin: admin.clone(),
        note: note.clone(),
        action: Some(match action {
            AdminAction::AbortGame(GameId(id)) => Action::AbortGame(id.as_bytes().to_vec()),
            AdminAction::BanPlayer(id) => Action::BanPlayer(player(id)),
            AdminAction::UnbanPlayer(id) => Action::UnbanPlayer(player(id)),
            AdminAction::RenamePlayer(id) => Action::RenamePlayer(player(id)),
        }),
    }
}

pub(super) fn decode_audit(
    seq: u64,
    time: Time,
    message: proto::AuditRecord,
) -> Decoded<AuditRecord> {
    let proto::AuditRecord {
        admin,
        note,
        action,
    } = message;
    Ok(AuditRecord {
        seq,
        time,
        admin,
        action: match action.ok_or_else(unknown)? {
            Action::AbortGame(id) => AdminAction::AbortGame(game_id(&id)?),
            Action::BanPlayer(id) => AdminAction::BanPlayer(player_id(&id)?),
            Action::UnbanPlayer(id) => AdminAction::UnbanPlayer(player_id(&id)?),
            Action::RenamePlayer(id) => AdminAction::RenamePlayer(player_id(&id)?),
        },
        note,
    })
}
