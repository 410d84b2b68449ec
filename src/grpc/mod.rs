//! The service as clients see it: checks at the edge, conversions, errors, identity, and the server.
//! Only here do the messages of `mancala.v1` exist.

mod address;
mod admin_service;
mod admission;
mod asked;
mod board;
mod body;
mod call;
mod calls;
mod clocks;
pub mod codec;
mod connections;
mod deadline;
mod error;
mod frame;
mod game;
mod game_service;
mod gate;
mod identity;
mod inbox;
mod intake;
mod issuer;
mod key_file;
mod legal;
mod limits;
mod line;
mod listing;
mod method;
mod new_game;
mod page;
mod player_service;
mod quotas;
mod rate;
mod reload;
mod rules_service;
pub mod server;
pub mod tls;
mod tokens;
mod transcript;
mod watch;

pub use address::Proxies;
pub use connections::Patience;
pub use error::Reason;
pub use identity::{Identity, Registration};
pub use issuer::{Issuer, IssuerError};
pub use limits::{BadLimit, Limit, Limits, SetLimit};
pub use tls::{Tls, TlsError};
pub use tokens::{KeyError, Scope, TOKEN_DAYS, Tokens};

/// The messages, clients and server traits of `mancala.v1`.
#[allow(missing_docs, clippy::all)]
pub mod proto {
    tonic::include_proto!("mancala.v1");

    pub use super::frame::{WatchGameResponse, watch_game_response};

    /// The schema, as an encoded file descriptor set.
    pub const SCHEMA: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/schema.binpb"));
}

/// Largest answer and largest message of a stream, in bytes, if nobody lets them be larger.
pub const MAX_ANSWER: usize = 1024 * 1024;
