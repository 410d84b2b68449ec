//! `WatchGameResponse`, written by hand so that one encoding of an event does for all its watchers.
//!
//! A test holds it against the schema.

use bytes::{Buf, BufMut, Bytes};
use prost::{
    DecodeError, Message,
    encoding::{DecodeContext, WireType, skip_field},
};

/// One message of the stream that `WatchGame` answers with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WatchGameResponse {
    /// Which message. A client ignores one it doesn't know.
    pub message: Option<watch_game_response::Message>,
    /// What is sent instead, if it was encoded before.
    encoded: Option<Bytes>,
}

/// The messages of a [`WatchGameResponse`].
pub mod watch_game_response {
    use crate::grpc::proto;

    /// Which message.
    #[allow(clippy::large_enum_variant, reason = "as it would be generated")]
    #[derive(Clone, PartialEq, prost::Oneof)]
    pub enum Message {
        /// The game as it stands.
        #[prost(message, tag = "1")]
        Snapshot(proto::GameSnapshot),
        /// A change of the game.
        #[prost(message, tag = "2")]
        Event(proto::GameEvent),
        /// Sent when nothing else was for 10 s.
        #[prost(message, tag = "3")]
        Heartbeat(proto::Heartbeat),
        /// The server ends the stream before the game's end.
        #[prost(message, tag = "4")]
        Goodbye(proto::Goodbye),
        /// A player has come or is gone.
        #[prost(message, tag = "5")]
        Presence(proto::Presence),
    }
}

impl WatchGameResponse {
    /// A message to be encoded when it is sent.
    pub fn new(message: watch_game_response::Message) -> WatchGameResponse {
        WatchGameResponse {
            message: Some(message),
            encoded: None,
        }
    }

    /// A message that was encoded before.
    pub fn encoded(encoded: Bytes) -> WatchGameResponse {
        WatchGameResponse {
            message: None,
            encoded: Some(encoded),
        }
    }
}

impl Message for WatchGameResponse {
    fn encode_raw(&self, buffer: &mut impl BufMut) {
        match (&self.encoded, &self.message) {
            (Some(encoded), _) => buffer.put_slice(encoded),
            (None, Some(message)) => message.encode(buffer),
            (None, None) => {}
        }
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buffer: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        match tag {
            1..=5 => watch_game_response::Message::merge(
                &mut self.message,
                tag,
                wire_type,
                buffer,
                context,
            ),
            _ => skip_field(wire_type, tag, buffer, context),
        }
    }

    fn encoded_len(&self) -> usize {
        match (&self.encoded, &self.message) {
            (Some(encoded), _) => encoded.len(),
            (None, Some(message)) => message.encoded_len(),
            (None, None) => 0,
        }
    }

    fn clear(&mut self) {
        *self = WatchGameResponse::default();
    }
}
