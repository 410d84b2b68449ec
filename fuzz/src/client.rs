//! An HTTP/2 client that sends whatever it is told to, and waits no longer than a second for anything.

use std::{net::SocketAddr, time::Duration};

use bytes::Bytes;
use h2::{Reason, RecvStream, client::SendRequest};
use http::{HeaderMap, HeaderValue, Method, Request, Version, header};
use prost::Message;
use tokio::{
    net::TcpStream,
    runtime::{Builder, Runtime},
    time::timeout,
};

/// How long an answer may take.
pub const PATIENCE: Duration = Duration::from_secs(1);

/// How long a stream, or a call that waits for news, is listened to.
const GLANCE: Duration = Duration::from_millis(5);

/// The gRPC status codes that are named here.
pub mod code {
    /// It went well.
    pub const OK: u32 = 0;
    /// There is no such thing.
    pub const NOT_FOUND: u32 = 5;
    /// It is not the caller's to do.
    pub const PERMISSION_DENIED: u32 = 7;
    /// The server's fault.
    pub const INTERNAL: u32 = 13;
    /// The server's fault, and data are lost.
    pub const DATA_LOSS: u32 = 15;
    /// No good token.
    pub const UNAUTHENTICATED: u32 = 16;
}

/// A connection, made anew when it dies.
pub struct Client {
    runtime: Runtime,
    address: SocketAddr,
    sender: Option<SendRequest<Bytes>>,
}

/// What is sent.
#[derive(Clone)]
pub struct Call {
    /// The method's path.
    pub path: String,
    /// The content type.
    pub content_type: &'static str,
    /// The `authorization` header.
    pub authorization: Option<HeaderValue>,
    /// The body, as it is sent.
    pub body: Bytes,
    /// Whether the answer may be waited for in vain: a stream, or a call that waits for news.
    pub may_last: bool,
}

/// What came back.
#[derive(Debug, Default)]
pub struct Answer {
    /// The gRPC status code of headers, trailers, or the trailers that gRPC-Web has in the body.
    pub code: Option<u32>,
    /// The body.
    pub body: Vec<u8>,
}

impl Call {
    /// A plain gRPC call with one whole message.
    pub fn plain(path: &str, message: &[u8]) -> Call {
        Call {
            path: path.into(),
            content_type: "application/grpc",
            authorization: None,
            body: framed(message),
            may_last: false,
        }
    }
}

/// A message with its flag and length before it.
///
/// # Panics
///
/// For a message of 4 GiB.
pub fn framed(message: &[u8]) -> Bytes {
    let length = u32::try_from(message.len()).expect("messages are small");
    let mut frame = vec![0];
    frame.extend_from_slice(&length.to_be_bytes());
    frame.extend_from_slice(message);
    frame.into()
}

impl Client {
    /// A client of the server at this address.
    ///
    /// # Panics
    ///
    /// If the system has no runtime to give.
    pub fn new(address: SocketAddr) -> Client {
        let runtime = Builder::new_current_thread().enable_all().build();
        Client {
            runtime: runtime.expect("the system has what a runtime needs"),
            address,
            sender: None,
        }
    }

    /// Makes a call, on a new connection if the old one is dead.
    ///
    /// # Panics
    ///
    /// If a new connection dies too, or the answer takes longer than it may, or blames the server.
    pub fn call(&mut self, call: &Call) -> Answer {
        let Client {
            runtime,
            address,
            sender,
        } = self;
        let answer = runtime.block_on(async {
            let whole = async {
                if let Some(alive) = sender.take()
                    && let Ok(answer) = send(alive, call, sender).await
                {
                    return answer;
                }
                let fresh = connect(*address).await;
                let answer = send(fresh, call, sender).await;
                answer.unwrap_or_else(|error| panic!("{}: {error}", call.path))
            };
            timeout(PATIENCE, whole).await
        });
        let answer = answer.unwrap_or_else(|_| panic!("{}: no answer within a second", call.path));
        let blamed = [code::INTERNAL, code::DATA_LOSS].map(Some);
        assert!(
            !blamed.contains(&answer.code),
            "{}: {:?}",
            call.path,
            answer.code
        );
        answer
    }

    /// Asks a question that is known to be answered well.
    ///
    /// # Panics
    ///
    /// If it is not.
    pub fn ask<A: Message + Default>(
        &mut self,
        path: &str,
        token: Option<&str>,
        question: &impl Message,
    ) -> A {
        let bearer = |token| format!("Bearer {token}").parse().expect("a token is ASCII");
        let call = Call {
            authorization: token.map(bearer),
            ..Call::plain(path, &question.encode_to_vec())
        };
        let answer = self.call(&call);
        assert_eq!(answer.code, Some(code::OK), "{path}");
        A::decode(&answer.body[5..]).expect("the answer has one message")
    }

    /// Asks whether the server serves.
    ///
    /// # Panics
    ///
    /// If it does not say so within a second.
    pub fn check_health(&mut self) {
        let answer = self.call(&Call::plain("/grpc.health.v1.Health/Check", &[]));
        assert_eq!(answer.code, Some(code::OK));
        // `status: SERVING`.
        assert_eq!(answer.body, *framed(&[8, 1]));
    }
}

async fn connect(address: SocketAddr) -> SendRequest<Bytes> {
    let stream = TcpStream::connect(address).await;
    let stream = stream.expect("the server takes connections");
    stream.set_nodelay(true).expect("it is a connection");
    let (sender, connection) = h2::client::handshake(stream)
        .await
        .expect("the server speaks HTTP/2");
    tokio::spawn(async {
        // Whoever uses it is told how it ended.
        let _ = connection.await;
    });
    sender
}

/// Sends a call and collects what comes back. The connection is kept if it is still good.
async fn send(
    sender: SendRequest<Bytes>,
    call: &Call,
    kept: &mut Option<SendRequest<Bytes>>,
) -> Result<Answer, h2::Error> {
    let mut sender = sender.ready().await?;
    let mut request = Request::new(());
    *request.method_mut() = Method::POST;
    *request.version_mut() = Version::HTTP_2;
    let uri = format!("http://mancala.test{}", call.path);
    *request.uri_mut() = uri.parse().expect("a method's path is a path");
    let headers = request.headers_mut();
    let content_type = HeaderValue::from_static(call.content_type);
    headers.insert(header::CONTENT_TYPE, content_type);
    headers.insert(header::TE, HeaderValue::from_static("trailers"));
    if let Some(authorization) = &call.authorization {
        headers.insert(header::AUTHORIZATION, authorization.clone());
    }
    let (response, mut body) = sender.send_request(request, false)?;
    // The answer may be there before all of the body: it says then what was wrong with it.
    let _ = body.send_data(call.body.clone(), true);
    let mut answer = Answer::default();
    let collected = async {
        let (head, body) = response.await?.into_parts();
        answer.see(&head.headers);
        collect(body, &mut answer).await
    };
    let ended = if call.may_last {
        timeout(GLANCE, collected).await.unwrap_or(Ok(()))
    } else {
        collected.await
    };
    match ended {
        Ok(()) => {}
        // This stream is refused, and the connection goes on.
        Err(error) if error.is_reset() => {
            assert_ne!(error.reason(), Some(Reason::INTERNAL_ERROR));
        }
        Err(error) => return Err(error),
    }
    *kept = Some(sender);
    answer.see_web(call.content_type);
    Ok(answer)
}

async fn collect(mut body: RecvStream, answer: &mut Answer) -> Result<(), h2::Error> {
    while let Some(part) = body.data().await {
        let part = part?;
        body.flow_control().release_capacity(part.len())?;
        answer.body.extend_from_slice(&part);
    }
    if let Some(trailers) = body.trailers().await? {
        answer.see(&trailers);
    }
    Ok(())
}

impl Answer {
    fn see(&mut self, headers: &HeaderMap) {
        if let Some(code) = headers.get("grpc-status") {
            let code = code.to_str().ok().and_then(|code| code.parse().ok());
            self.code = Some(code.expect("a status is a number"));
        }
    }

    /// Looks for the trailers that gRPC-Web has in the body, after the messages.
    fn see_web(&mut self, content_type: &str) {
        use base64::{Engine as _, prelude::BASE64_STANDARD};
        if !content_type.starts_with("application/grpc-web") {
            return;
        }
        // As text, parts may be encoded each for itself.
        let parts = self.body.split_inclusive(|byte| *byte == b'=');
        let decoded = parts.filter_map(|part| BASE64_STANDARD.decode(part).ok());
        for body in [self.body.clone(), decoded.flatten().collect()] {
            let text = String::from_utf8_lossy(&body);
            if let Some((_, after)) = text.rsplit_once("grpc-status:") {
                let code = after.lines().next().unwrap_or_default();
                self.code = code.trim().parse().ok();
            }
        }
    }
}
