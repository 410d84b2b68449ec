//! Calls and streams as bytes, each kept in the history.

use std::{sync::Arc, time::Duration};

use bytes::{Buf as _, BufMut as _};
use http::uri::PathAndQuery;
use tonic::{
    Code, Request, Status, Streaming,
    client::Grpc,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    transport::{Channel, Endpoint},
};
use tonic_types::StatusExt as _;

use super::{
    history::{Answer, Call, Closed, End, History, Line, Opened, Told},
    methods::Method,
};

/// Bytes that are sent ahead of the reader of a stream on every second connection: so a slow reader falls behind.
const NARROW: u32 = 4 * 1024;

/// Who calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Player {
    /// Empty for nobody.
    pub(crate) id: String,
    pub(crate) token: String,
}

/// Connections to the server, which come back by themselves, and what is heard on them.
pub(crate) struct Wire {
    pub(crate) history: Arc<History>,
    channels: Vec<Channel>,
}

/// A stream that is read.
pub(crate) struct Stream {
    number: u64,
    history: Arc<History>,
    messages: Option<Streaming<Vec<u8>>>,
}

impl Wire {
    /// So many connections, made when they are needed.
    pub(crate) fn new(address: &str, connections: usize) -> Wire {
        let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
        let endpoint = endpoint
            .tcp_nodelay(true)
            .connect_timeout(Duration::from_secs(5));
        let narrow = endpoint.clone().initial_stream_window_size(NARROW);
        Wire {
            history: Arc::new(History::new()),
            channels: (0..connections)
                .map(|index| match index % 2 {
                    0 => endpoint.connect_lazy(),
                    _ => narrow.connect_lazy(),
                })
                .collect(),
        }
    }

    fn grpc(&self, connection: usize) -> Grpc<Channel> {
        let channel = self.channels[connection % self.channels.len()].clone();
        Grpc::new(channel).max_decoding_message_size(4 * 1024 * 1024)
    }

    /// Makes a call, for so long at most.
    pub(crate) async fn call(
        &self,
        connection: usize,
        player: &Player,
        method: Method,
        request: Vec<u8>,
        patience: Duration,
    ) -> Answer {
        let mut grpc = self.grpc(connection);
        let message = authorized(player, request.clone());
        let invoked = self.history.now();
        let called = async {
            ready(&mut grpc).await?;
            let path = PathAndQuery::from_static(method.path());
            grpc.unary(message, path, Bare).await
        };
        let answer = match tokio::time::timeout(patience, called).await {
            Ok(Ok(answer)) => Answer::Done(answer.into_inner()),
            Ok(Err(status)) => refused(&status),
            Err(_) => Answer::Unknown("no answer in time".into()),
        };
        self.history.keep(Line::Call(Call {
            player: player.id.clone(),
            method,
            request,
            invoked,
            returned: self.history.now(),
            answer: answer.clone(),
        }));
        answer
    }

    /// Opens a stream.
    pub(crate) async fn open(
        &self,
        connection: usize,
        player: &Player,
        method: Method,
        request: Vec<u8>,
    ) -> Stream {
        let mut grpc = self.grpc(connection);
        let message = authorized(player, request.clone());
        let mut stream = Stream {
            number: self.history.stream(),
            history: self.history.clone(),
            messages: None,
        };
        self.history.keep(Line::Opened(Opened {
            stream: stream.number,
            player: player.id.clone(),
            method,
            request,
            at: self.history.now(),
        }));
        let opened = async {
            ready(&mut grpc).await?;
            let path = PathAndQuery::from_static(method.path());
            grpc.server_streaming(message, path, Bare).await
        };
        match tokio::time::timeout(Duration::from_secs(10), opened).await {
            Ok(Ok(answer)) => stream.messages = Some(answer.into_inner()),
            Ok(Err(status)) => stream.closed(End::Failed(known(&status))),
            Err(_) => stream.closed(End::Left),
        }
        stream
    }
}

impl Stream {
    /// The next message; `None` after the last, and then how it ended is in the history.
    pub(crate) async fn next(&mut self) -> Option<Vec<u8>> {
        match self.messages.as_mut()?.message().await {
            Ok(Some(message)) => {
                self.history.keep(Line::Told(Told {
                    stream: self.number,
                    message: message.clone(),
                    at: self.history.now(),
                }));
                return Some(message);
            }
            Ok(None) => self.closed(End::Whole),
            Err(status) => self.closed(End::Failed(known(&status))),
        }
        None
    }

    fn closed(&mut self, end: End) {
        self.messages = None;
        self.history.keep(Line::Closed(Closed {
            stream: self.number,
            end,
            at: self.history.now(),
        }));
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.messages.is_some() {
            self.closed(End::Left);
        }
    }
}

async fn ready(grpc: &mut Grpc<Channel>) -> Result<(), Status> {
    let ready = grpc.ready().await;
    ready.map_err(|error| Status::unavailable(error.to_string()))
}

fn authorized(player: &Player, message: Vec<u8>) -> Request<Vec<u8>> {
    let mut request = Request::new(message);
    if !player.token.is_empty() {
        let header = format!("Bearer {}", player.token).parse().unwrap();
        request.metadata_mut().insert("authorization", header);
    }
    request
}

/// The reason that the service gives; without one, what the transport says.
fn known(status: &Status) -> String {
    match status.get_details_error_info() {
        Some(info) => info.reason,
        None => format!("{:?}: {}", status.code(), status.message()),
    }
}

/// What an error says of the call: only a reason of the service that is no failure of its store or of its
/// process says that nothing was done.
fn refused(status: &Status) -> Answer {
    let definite = status.get_details_error_info().is_some() && status.code() != Code::Unavailable;
    match definite {
        true => Answer::Refused(known(status)),
        false => Answer::Unknown(known(status)),
    }
}

/// Messages as they are.
#[derive(Clone, Copy, Debug, Default)]
struct Bare;

impl Codec for Bare {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Bare;
    type Decoder = Bare;

    fn encoder(&mut self) -> Bare {
        Bare
    }

    fn decoder(&mut self) -> Bare {
        Bare
    }
}

impl Encoder for Bare {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, item: Vec<u8>, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        to.put_slice(&item);
        Ok(())
    }
}

impl Decoder for Bare {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        let mut message = vec![0; from.remaining()];
        from.copy_to_slice(&mut message);
        Ok(Some(message))
    }
}
