//! Entries of players.

use super::{
    Decoded,
    proto::{self, player_record},
    unknown,
    values::{decode_request, encode_request},
};
use crate::game::{PlayerEvent, PlayerKind, PlayerRecord, Time};

pub(super) fn encode_player(record: &PlayerRecord) -> proto::PlayerRecord {
    use player_record::Event;
    let PlayerRecord {
        seq: _,
        time: _,
        request,
        event,
    } = record;
    proto::PlayerRecord {
        request: request.map(encode_request),
        event: Some(match event {
            PlayerEvent::Registered { name, kind } => Event::Registered(proto::PlayerRegistered {
                name: name.clone(),
                kind: encode_kind(*kind),
            }),
            PlayerEvent::TokensRevoked => Event::TokensRevoked(proto::TokensRevoked {}),
            PlayerEvent::Renamed { name, audit } => Event::Renamed(proto::PlayerRenamed {
                name: name.clone(),
                audit: *audit,
            }),
            PlayerEvent::Banned { audit } => Event::Banned(proto::PlayerBanned { audit: *audit }),
            PlayerEvent::Unbanned { audit } => {
                Event::Unbanned(proto::PlayerUnbanned { audit: *audit })
            }
            PlayerEvent::Deleted { kind, registered } => Event::Deleted(proto::PlayerDeleted {
                kind: encode_kind(*kind),
                registered: registered.0,
            }),
        }),
    }
}

pub(super) fn decode_player(
    seq: u64,
    time: Time,
    message: proto::PlayerRecord,
) -> Decoded<PlayerRecord> {
    use player_record::Event;
    let proto::PlayerRecord { request, event } = message;
    Ok(PlayerRecord {
        seq,
        time,
        request: request.map(decode_request).transpose()?,
        event: match event.ok_or_else(unknown)? {
            Event::Registered(proto::PlayerRegistered { name, kind }) => PlayerEvent::Registered {
                name,
                kind: decode_kind(kind)?,
            },
            Event::TokensRevoked(proto::TokensRevoked {}) => PlayerEvent::TokensRevoked,
            Event::Renamed(proto::PlayerRenamed { name, audit }) => {
                PlayerEvent::Renamed { name, audit }
            }
            Event::Banned(proto::PlayerBanned { audit }) => PlayerEvent::Banned { audit },
            Event::Unbanned(proto::PlayerUnbanned { audit }) => PlayerEvent::Unbanned { audit },
            Event::Deleted(proto::PlayerDeleted { kind, registered }) => PlayerEvent::Deleted {
                kind: decode_kind(kind)?,
                registered: Time(registered),
            },
        },
    })
}

fn encode_kind(kind: PlayerKind) -> i32 {
    match kind {
        PlayerKind::Human => proto::PlayerKind::Human,
        PlayerKind::Bot => proto::PlayerKind::Bot,
    }
    .into()
}

fn decode_kind(kind: i32) -> Decoded<PlayerKind> {
    match proto::PlayerKind::try_from(kind) {
        Ok(proto::PlayerKind::Human) => Ok(PlayerKind::Human),
        Ok(proto::PlayerKind::Bot) => Ok(PlayerKind::Bot),
        Ok(proto::PlayerKind::Unspecified) | Err(_) => Err(unknown()),
    }
}
