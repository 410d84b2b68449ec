//! Request ids, and the ids of what is created.

use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::game::{GameId, PlayerId, Request};

/// What stands for a request: who sent which id, and what it asks for, as bytes that are the same
/// whenever the content is.
pub fn request(player: Option<PlayerId>, id: Uuid, content: &[u8]) -> Request {
    let player = player.map(|player| player.0).unwrap_or_default();
    Request {
        key: hash(&[player.as_bytes(), id.as_bytes()]),
        fingerprint: hash(&[content]),
    }
}

/// The id of the game that a request creates: the same for the same request. Without one, by lot.
pub fn new_game_id(request: Option<Request>) -> GameId {
    GameId(new_id(b"game", request))
}

/// The id of a game's rematch, of which there is one.
pub(super) fn rematch_game_id(old: GameId) -> GameId {
    GameId(Uuid::new_v8(hash(&[b"rematch", old.0.as_bytes()])))
}

/// The id of the player that a request registers: the same for the same request. Without one, by lot.
pub fn new_player_id(request: Option<Request>) -> PlayerId {
    PlayerId(new_id(b"player", request))
}

/// The id of the player whom another issuer knows: the same for the same issuer and subject.
pub fn issued_player_id(issuer: &str, subject: &str) -> PlayerId {
    // The length tells where one ends and the other begins.
    let length = (issuer.len() as u64).to_be_bytes();
    let parts: [&[u8]; 4] = [b"issued", &length, issuer.as_bytes(), subject.as_bytes()];
    PlayerId(Uuid::new_v8(hash(&parts)))
}

fn new_id(kind: &[u8], request: Option<Request>) -> Uuid {
    match request {
        Some(request) => Uuid::new_v8(hash(&[kind, &request.key])),
        None => Uuid::new_v4(),
    }
}

fn hash(parts: &[&[u8]]) -> [u8; 16] {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    let whole: [u8; 32] = hash.finalize().into();
    let mut half = [0; 16];
    half.copy_from_slice(&whole[..16]);
    half
}
