//! A connection as it is, without what the client library adds to it: it is made once, and no call has
//! a deadline that the client itself keeps.

use std::{future::Future, net::SocketAddr};

use http::{Request, Response, Uri};
use hyper::{body::Incoming, client::conn::http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use mancala::grpc::proto::{
    ListVariantsRequest, game_service_client::GameServiceClient,
    rules_service_client::RulesServiceClient,
};
use tokio::{
    io::AsyncReadExt as _,
    net::{TcpSocket, TcpStream},
    task::JoinHandle,
};
use tonic::body::Body;
use tower::{Service, service_fn};

use super::within;

/// What calls go to. The server doesn't look at it.
const ORIGIN: &str = "http://localhost";

/// A connection, and the task that ends when it does.
pub(crate) struct Wire {
    sender: http2::SendRequest<Body>,
    pub(crate) ended: JoinHandle<hyper::Result<()>>,
}

impl Wire {
    /// Connects.
    pub(crate) async fn open(address: SocketAddr) -> Wire {
        Wire::over(TcpStream::connect(address).await.unwrap()).await
    }

    /// Connects from another address of this machine.
    pub(crate) async fn open_from(host: &str, address: SocketAddr) -> Wire {
        Wire::over(stream_from(host, address).await).await
    }

    /// Connects as a client that takes no answers.
    pub(crate) async fn open_deaf(address: SocketAddr) -> Wire {
        let stream = TcpStream::connect(address).await.unwrap();
        let mut builder = http2::Builder::new(TokioExecutor::new());
        builder.initial_stream_window_size(0);
        let (sender, connection) = within(builder.handshake(TokioIo::new(stream)))
            .await
            .unwrap();
        Wire {
            sender,
            ended: tokio::spawn(connection),
        }
    }

    async fn over(stream: TcpStream) -> Wire {
        let handshake = http2::handshake(TokioExecutor::new(), TokioIo::new(stream));
        let (sender, connection) = within(handshake).await.unwrap();
        Wire {
            sender,
            ended: tokio::spawn(connection),
        }
    }

    /// Calls over it.
    pub(crate) fn games(&self) -> GameServiceClient<impl Sends + use<>> {
        GameServiceClient::with_origin(self.sends(), Uri::from_static(ORIGIN))
    }

    /// Calls over it.
    pub(crate) fn rules(&self) -> RulesServiceClient<impl Sends + use<>> {
        RulesServiceClient::with_origin(self.sends(), Uri::from_static(ORIGIN))
    }

    /// Makes a call, which must succeed.
    #[track_caller]
    pub(crate) fn serves(&self) -> impl Future<Output = ()> + use<> {
        let mut rules = self.rules();
        within(async move {
            let request = ListVariantsRequest::default();
            rules.list_variants(request).await.unwrap();
        })
    }

    /// Sends requests over it.
    pub(crate) fn sends(&self) -> impl Sends + use<> {
        let sender = self.sender.clone();
        service_fn(move |request| sender.clone().send_request(request))
    }
}

/// What sends a call.
pub(crate) trait Sends:
    Service<Request<Body>, Response = Response<Incoming>, Error = hyper::Error, Future: Send> + Clone
{
}

impl<S> Sends for S where
    S: Service<Request<Body>, Response = Response<Incoming>, Error = hyper::Error, Future: Send>
        + Clone
{
}

/// Connects from another address of this machine.
pub(crate) async fn stream_from(host: &str, address: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket
        .bind(SocketAddr::new(host.parse().unwrap(), 0))
        .unwrap();
    within(socket.connect(address)).await.unwrap()
}

/// Waits until the other side closes a connection; gives what it had sent.
pub(crate) async fn closed(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    // It may also be reset, which is an error.
    let _ = within(stream.read_to_end(&mut bytes)).await;
    bytes
}
