//! A call that changes something: who asks, under which request id, and for what.

use prost::Message;
use tonic::{Request, Status};
use uuid::Uuid;

use super::{
    error::invalid,
    game,
    identity::{self, Ending},
    proto,
};
use crate::{
    game::{GameId, PlayerId, Request as RequestHash},
    session,
};

/// Who asks for a change, and what tells its retries from other requests.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    pub(super) player: PlayerId,
    pub(super) request: Option<RequestHash>,
}

/// A request that changes something.
pub(super) trait Changing: Message + Sized {
    /// What its fingerprint begins with, so that those of different calls never agree.
    const CALL: &'static [u8];

    /// Takes its id out: what is left is its content.
    fn take_request_id(&mut self) -> String;
}

/// A request that changes a game which it names.
pub(super) trait ChangingGame: Changing {
    /// The game's id.
    fn game_id(&self) -> &str;
}

macro_rules! changing {
    ($($request:ident $call:literal,)*) => {
        $(impl Changing for proto::$request {
            const CALL: &'static [u8] = $call;

            fn take_request_id(&mut self) -> String {
                std::mem::take(&mut self.request_id)
            }
        })*
    };
}

macro_rules! changing_game {
    ($($request:ident $call:literal,)*) => {
        changing! { $($request $call,)* }
        $(impl ChangingGame for proto::$request {
            fn game_id(&self) -> &str {
                &self.game_id
            }
        })*
    };
}

changing! {
    CreateGameRequest b"",
    ImportGameRequest b"import ",
    RevokeTokensRequest b"revoke ",
    DeletePlayerRequest b"delete ",
}

// The words are part of what is stored: they don't change.
changing_game! {
    JoinGameRequest b"join ",
    SubmitMoveRequest b"move ",
    ResignGameRequest b"resign ",
    AbortGameRequest b"abort ",
    OfferDrawRequest b"draw ",
    RequestTakebackRequest b"takeback ",
    AnswerOfferRequest b"answer ",
    RematchGameRequest b"rematch ",
}

/// Who asks for what.
pub(super) fn asked<Q: Changing>(request: Request<Q>) -> Result<(Asked, Q), Status> {
    let player = identity::caller(&request)?;
    let (request, content) = hashed(player, request.into_inner())?;
    Ok((Asked { player, request }, content))
}

/// What stands for a player's request, and the request without its id.
fn hashed<Q: Changing>(
    player: PlayerId,
    mut content: Q,
) -> Result<(Option<RequestHash>, Q), Status> {
    let id = content.take_request_id();
    let request = request_hash(Some(player), &id, || {
        [Q::CALL, &content.encode_to_vec()].concat()
    })?;
    Ok((request, content))
}

/// Who asks for a change that may end the own token, and what stands for the request.
pub(super) fn ending<Q: Changing>(
    request: Request<Q>,
) -> Result<(Ending, Option<RequestHash>), Status> {
    let ending = identity::ending(&request)?;
    let (hash, _) = hashed(ending.player, request.into_inner())?;
    Ok((ending, hash))
}

/// Who asks for which change of which game.
pub(super) fn asked_of_game<Q: ChangingGame>(
    request: Request<Q>,
) -> Result<(Asked, GameId, Q), Status> {
    let (asked, content) = asked(request)?;
    let id = game::named(content.game_id())?;
    Ok((asked, id, content))
}

/// What stands for a request with this id; none if it has no id. The content is the same bytes
/// whenever the request asks for the same.
pub(super) fn request_hash(
    player: Option<PlayerId>,
    id: &str,
    content: impl FnOnce() -> Vec<u8>,
) -> Result<Option<RequestHash>, Status> {
    if id.is_empty() {
        return Ok(None);
    }
    let id: Uuid = game::uuid("request_id", id)?;
    Ok(Some(session::request(player, id, &content())))
}

/// A choice that a request must make.
pub(super) fn required<T>(field: &str, choice: Option<T>) -> Result<T, Status> {
    choice.ok_or_else(|| invalid(field, "is required"))
}
