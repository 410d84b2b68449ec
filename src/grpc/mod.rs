//! The service as clients see it: checks at the edge, conversions, errors, identity, and the server.
//! Only here do the messages of `mancala.v1` exist.

mod asked;
mod board;
mod call;
mod clocks;
pub mod codec;
mod error;
mod frame;
mod game;
mod game_service;
mod gate;
mod identity;
mod inbox;
mod line;
mod listing;
mod new_game;
mod page;
mod player_service;
mod rules_service;
pub mod server;
mod transcript;
mod watch;

pub use error::Reason;
pub use identity::{KeyError, Tokens};

/// The messages, clients and server traits of `mancala.v1`.
#[allow(missing_docs, clippy::all)]
pub mod proto {
    tonic::include_proto!("mancala.v1");

    pub use super::frame::{WatchGameResponse, watch_game_response};

    /// The schema, as an encoded file descriptor set.
    pub const SCHEMA: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/schema.binpb"));
}

/// Largest request, in bytes.
pub const MAX_REQUEST: usize = 64 * 1024;

/// Largest answer and largest message of a stream, in bytes.
pub const MAX_ANSWER: usize = 1024 * 1024;
