//! Entries of players.

use super::{
    Decoded,
    proto::{self, player_record},
    unknown,
    values::{decode_request, encode_request},
};
use crate::game::{PlayerEvent, PlayerKind, PlayerRecord, Time};

pub(super) fn encode_player(record: &PlayerRecord) -> proto::PlayerRecord {
    let PlayerRecord {
        seq: _,
        time: _,
        request,
        event,
    } = record;
    let PlayerEvent::Registered { name, kind } = event;
    proto::PlayerRecord {
        request: request.map(encode_request),
        event: Some(player_record::Event::Registered(proto::PlayerRegistered {
            name: name.clone(),
            kind: match kind {
                PlayerKind::Human => proto::PlayerKind::Human,
                PlayerKind::Bot => proto::PlayerKind::Bot,
            }
            .into(),
        })),
    }
}

pub(super) fn decode_player(
    seq: u64,
    time: Time,
    message: proto::PlayerRecord,
) -> Decoded<PlayerRecord> {
    let proto::PlayerRecord { request, event } = message;
    let player_record::Event::Registered(proto::PlayerRegistered { name, kind }) =
        event.ok_or_else(unknown)?;
    Ok(PlayerRecord {
        seq,
        time,
        request: request.map(decode_request).transpose()?,
        event: PlayerEvent::Registered {
            name,
            kind: match proto::PlayerKind::try_from(kind) {
                Ok(proto::PlayerKind::Human) => PlayerKind::Human,
                Ok(proto::PlayerKind::Bot) => PlayerKind::Bot,
                Ok(proto::PlayerKind::Unspecified) | Err(_) => return Err(unknown()),
            },
        },
    })
}
