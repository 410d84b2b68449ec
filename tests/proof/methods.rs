//! The calls there are, and what the checks must know of their requests and answers.

use mancala::{
    game::{PlayerId, Request},
    grpc::proto,
    session,
};
use prost::Message;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A call that changes something, as its request says.
pub(crate) struct Change {
    /// The game that it is to change; empty if it creates one.
    pub(crate) game_id: String,
    /// Empty for none.
    pub(crate) request_id: String,
    /// What its id stands for.
    content: Vec<u8>,
}

impl Change {
    /// What the log knows the request by; `None` without an id.
    pub(crate) fn hash(&self, player: &str) -> Option<Request> {
        let id = Uuid::try_parse(&self.request_id).ok()?;
        let player = PlayerId(Uuid::try_parse(player).ok()?);
        Some(session::request(Some(player), id, &self.content))
    }
}

macro_rules! methods {
    ($($method:ident $service:literal,)*) => {
        /// A call.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub(crate) enum Method {
            $(#[doc = concat!("`", stringify!($method), "`.")] $method,)*
        }

        impl Method {
            /// Its name.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Method::$method => stringify!($method),)* }
            }

            /// Its path.
            pub(crate) fn path(self) -> &'static str {
                match self {
                    $(Method::$method => concat!("/mancala.v1.", $service, "/", stringify!($method)),)*
                }
            }
        }
    };
}

methods! {
    ListVariants "RulesService",
    ApplyMoves "RulesService",
    RegisterPlayer "PlayerService",
    WatchPlayer "PlayerService",
    CreateGame "GameService",
    ImportGame "GameService",
    ExportGame "GameService",
    GetGame "GameService",
    ListGames "GameService",
    ListLegalMoves "GameService",
    ListGameEvents "GameService",
    JoinGame "GameService",
    SubmitMove "GameService",
    ResignGame "GameService",
    AbortGame "GameService",
    OfferDraw "GameService",
    RequestTakeback "GameService",
    AnswerOffer "GameService",
    RematchGame "GameService",
    WatchGame "GameService",
}

/// Reads a message that the library wrote.
pub(crate) fn decode<M: Message + Default>(bytes: &[u8]) -> M {
    M::decode(bytes).expect("a message is what was written")
}

impl Method {
    /// What a changing call asks for; `None` of all others.
    pub(crate) fn change(self, request: &[u8]) -> Option<Change> {
        // The words are those by which the service tells calls apart in its log.
        let of_move;
        let request = match self {
            // How a move is told is no part of it.
            Method::SubmitMove => {
                of_move = proto::SubmitMoveRequest {
                    omit_steps: false,
                    ..decode(request)
                }
                .encode_to_vec();
                &*of_move
            }
            _ => request,
        };
        macro_rules! content {
            ($request:ident, $word:literal, $game_id:expr) => {{
                let mut request: proto::$request = decode(request);
                Some(Change {
                    request_id: std::mem::take(&mut request.request_id),
                    content: [&$word[..], &request.encode_to_vec()].concat(),
                    game_id: $game_id(request),
                })
            }};
        }
        macro_rules! of_game {
            ($request:ident, $word:literal) => {
                content!($request, $word, |request: proto::$request| request.game_id)
            };
        }
        macro_rules! creating {
            ($request:ident, $word:literal) => {
                content!($request, $word, |_| String::new())
            };
        }
        match self {
            Method::CreateGame => creating!(CreateGameRequest, b""),
            Method::ImportGame => creating!(ImportGameRequest, b"import "),
            Method::JoinGame => of_game!(JoinGameRequest, b"join "),
            Method::SubmitMove => of_game!(SubmitMoveRequest, b"move "),
            Method::ResignGame => of_game!(ResignGameRequest, b"resign "),
            Method::AbortGame => of_game!(AbortGameRequest, b"abort "),
            Method::OfferDraw => of_game!(OfferDrawRequest, b"draw "),
            Method::RequestTakeback => of_game!(RequestTakebackRequest, b"takeback "),
            Method::AnswerOffer => of_game!(AnswerOfferRequest, b"answer "),
            Method::RematchGame => of_game!(RematchGameRequest, b"rematch "),
            Method::ListVariants
            | Method::ApplyMoves
            | Method::RegisterPlayer
            | Method::WatchPlayer
            | Method::ExportGame
            | Method::GetGame
            | Method::ListGames
            | Method::ListLegalMoves
            | Method::ListGameEvents
            | Method::WatchGame => None,
        }
    }

    /// The game that an answer shows, if it shows one.
    pub(crate) fn game(self, answer: &[u8]) -> Option<proto::Game> {
        macro_rules! game {
            ($answer:ident) => {
                decode::<proto::$answer>(answer).game
            };
        }
        match self {
            Method::CreateGame => game!(CreateGameResponse),
            Method::ImportGame => game!(ImportGameResponse),
            Method::GetGame => game!(GetGameResponse),
            Method::JoinGame => game!(JoinGameResponse),
            Method::SubmitMove => game!(SubmitMoveResponse),
            Method::ResignGame => game!(ResignGameResponse),
            Method::AbortGame => game!(AbortGameResponse),
            Method::OfferDraw => game!(OfferDrawResponse),
            Method::RequestTakeback => game!(RequestTakebackResponse),
            Method::AnswerOffer => game!(AnswerOfferResponse),
            Method::RematchGame => game!(RematchGameResponse),
            _ => None,
        }
    }
}
