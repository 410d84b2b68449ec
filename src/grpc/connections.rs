//! Connections: accepted within bounds, served, and ended in time.
//!
//! None stays for ever. One without a call is closed early; any is said goodbye when it is old, whereupon
//! clients call on a new one, and is cut when its last stream must have ended. So a reader who stopped
//! reading, whose stream can't end because its last messages are never taken, holds them no longer than
//! that: about 13 hours, with 16 KiB and a message a stream at the most. One is cut at once whose client
//! doesn't take the answer of a call that isn't a stream, or has more unfinished than it may.

use std::{
    future::{Future, pending},
    io,
    net::{IpAddr, SocketAddr},
    pin::pin,
    sync::Arc,
    thread,
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use hyper::body::Incoming;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto::Builder,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
    sync::watch,
    task::JoinSet,
    time::{self, Instant},
};
use tower::Service;

use super::{
    Limit, Proxies,
    calls::{Calls, SEND_BUFFER, Tally},
    intake::Paced,
    quotas::{Quotas, Taken},
    tls::Tls,
};

/// How long connections may take for what.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// A TLS handshake takes no longer.
    pub handshake: Duration,
    /// A connection without any call is closed after so long.
    pub first_call: Duration,
    /// A connection that has called is said goodbye when it was without any call for so long, or up to
    /// twice as long.
    pub idle: Duration,
    /// A call that isn't open for long has its answer by then, or is told that it has none.
    pub answer: Duration,
    /// So long after that its answer is taken, or the connection is cut.
    pub taking: Duration,
    /// A connection is said goodbye at this age, or up to a tenth earlier.
    pub age: Duration,
    /// So long after that goodbye it is cut.
    pub farewell: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            // A round trip of the slowest links takes a second, and a handshake two of them.
            handshake: Duration::from_secs(10),
            // Clients connect because they have something to call, but some connect a while before.
            first_call: Duration::from_secs(60),
            // Clients connect anew for their next call.
            idle: Duration::from_secs(10 * 60),
            // The longest is a count, which takes a second, behind others.
            answer: Duration::from_secs(30),
            // At the least for 1 MiB: what takes longer over such a link is asked for in pages.
            taking: Duration::from_secs(10),
            // Long enough that a new connection is nothing that clients notice, short enough that a
            // balancer's share finds its way to new servers within a day.
            age: Duration::from_secs(12 * 60 * 60),
            // A stream lives 60 minutes at most: what is still there after these is one that nobody reads.
            farewell: Duration::from_secs(65 * 60),
        }
    }
}

/// What connections are let in by.
pub(super) struct Places {
    pub(super) quotas: Arc<Quotas>,
    pub(super) proxies: Arc<Proxies>,
    pub(super) patience: Patience,
    /// Whether it is at the admin's own address, where a web page that a browser shows on the same machine
    /// must not get through: HTTP/2 without TLS, which no browser speaks, and no requests of pages.
    pub(super) admins_door: bool,
}

impl Places {
    /// A place for a connection, if there is one, and whose it is unless it is a proxy's.
    fn take(&self, peer: SocketAddr) -> Option<(Taken, Option<IpAddr>)> {
        let address = self.proxies.connecting(peer.ip());
        let taken = self.quotas.connect(address)?;
        Some((taken, address))
    }
}

/// A connection is asked for a sign of life after so long without one, and closed without an answer.
const KEEPALIVE: Duration = Duration::from_secs(20);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(10);

/// HTTP/2 windows: what a client may send, unread, on a stream and on a connection, in bytes. Requests
/// are small.
const STREAM_WINDOW: u32 = 128 * 1024;
const CONNECTION_WINDOW: u32 = 1024 * 1024;

/// Largest metadata of a call, in bytes.
const MAX_METADATA: u16 = 8 * 1024;

/// An HTTP/1.1 request has its headers sent by then, or the connection is closed.
const HEADERS_READ: Duration = Duration::from_secs(10);

/// A connection without a call that was said goodbye is cut so long after.
const SILENT_FAREWELL: Duration = Duration::from_secs(10);

/// After a failure to accept, as when there are no file descriptors left: they come back by time alone.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Failures to accept are told of so often.
const WARNINGS: Duration = Duration::from_secs(10);

/// Where a call comes from: an extension of each request.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

/// Serves connections until `stop` is done, says goodbye to them, and waits for their ends. Dropping the
/// future cuts them all.
pub(super) async fn serve<S, R>(
    listener: TcpListener,
    tls: Option<Tls>,
    places: Places,
    service: S,
    stop: impl Future<Output = ()>,
) where
    S: Service<Request<Incoming>, Response = Response<R>> + Clone + Send + Sync + 'static,
    S::Future: Send,
    S::Error: Into<Failure> + Send + Sync,
    R: Body<Data = Bytes, Error: Into<Failure>> + Send + Unpin + 'static,
{
    let follow = async {
        match &tls {
            Some(tls) => tls.follow().await,
            None => pending().await,
        }
    };
    tokio::select! {
        () = accept(listener, tls.clone(), places, service, stop) => {}
        never = follow => match never {}
    }
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

async fn accept<S, R>(
    listener: TcpListener,
    tls: Option<Tls>,
    places: Places,
    service: S,
    stop: impl Future<Output = ()>,
) where
    S: Service<Request<Incoming>, Response = Response<R>> + Clone + Send + Sync + 'static,
    S::Future: Send,
    S::Error: Into<Failure> + Send + Sync,
    R: Body<Data = Bytes, Error: Into<Failure>> + Send + Unpin + 'static,
{
    let server = server(places.quotas.limits[Limit::StreamsPerConnection]);
    let server = Arc::new(match places.admins_door {
        true => server.http2_only(),
        false => server,
    });
    let service = Arc::new(service);
    let (goodbye, leaving) = watch::channel(());
    let mut connections = JoinSet::new();
    let mut stop = pin!(stop);
    let mut warned = None;
    loop {
        let accepted = tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => accepted,
            Some(_) = connections.join_next() => continue,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            // That one was gone before it was accepted: no reason to let others wait.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => continue,
            Err(error) => {
                if warned.is_none_or(|warned: Instant| warned.elapsed() >= WARNINGS) {
                    warned = Some(Instant::now());
                    tracing::warn!(%error, "connections can't be accepted");
                }
                time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let Some((taken, address)) = places.take(peer) else {
            // There may be thousands in a second: the calls that there are go first.
            thread::yield_now();
            continue;
        };
        // Answers are small and wanted at once. What fails here fails again at the first read.
        let _ = stream.set_nodelay(true);
        let mut connection = Connection {
            server: server.clone(),
            calls: Calls {
                service: service.clone(),
                peer: Peer(peer),
                quotas: places.quotas.clone(),
                address,
                intake: Arc::new(places.quotas.intake(address)),
                tally: Arc::new(Tally::new()),
                no_pages: places.admins_door,
            },
            leaving: leaving.clone(),
            patience: places.patience,
            _taken: taken,
        };
        match &tls {
            None => connections.spawn(connection.live(stream)),
            Some(tls) => {
                let handshake = tls.acceptor().accept(stream);
                connections.spawn(async move {
                    if let Some(stream) = connection.shake_hands(handshake).await {
                        connection.live(stream).await;
                    }
                })
            }
        };
    }
    drop((listener, leaving));
    let _ = goodbye.send(());
    while connections.join_next().await.is_some() {}
}

fn server(streams: u32) -> Builder<TokioExecutor> {
    let mut server = Builder::new(TokioExecutor::new());
    server
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_READ)
        .max_buf_size(MAX_METADATA.into());
    server
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(streams)
        .keep_alive_interval(KEEPALIVE)
        .keep_alive_timeout(KEEPALIVE_TIMEOUT)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_send_buf_size(SEND_BUFFER)
        .max_header_list_size(MAX_METADATA.into());
    server
}

/// What a connection has from its beginning to its end.
struct Connection<S> {
    server: Arc<Builder<TokioExecutor>>,
    calls: Calls<S>,
    leaving: watch::Receiver<()>,
    patience: Patience,
    _taken: Taken,
}

impl<S, R> Connection<S>
where
    S: Service<Request<Incoming>, Response = Response<R>> + Clone + Send + Sync + 'static,
    S::Future: Send,
    S::Error: Into<Failure> + Send + Sync,
    R: Body<Data = Bytes, Error: Into<Failure>> + Send + Unpin + 'static,
{
    /// The stream that a handshake comes to, if it comes to one in time.
    async fn shake_hands<T>(
        &mut self,
        handshake: impl Future<Output = io::Result<T>>,
    ) -> Option<T> {
        let handshake = time::timeout(self.patience.handshake, handshake);
        tokio::select! {
            shaken = handshake => match shaken {
                Ok(Ok(stream)) => Some(stream),
                Ok(Err(error)) => {
                    tracing::debug!(%error, "a TLS handshake failed");
                    None
                }
                Err(_) => None,
            },
            _ = self.leaving.changed() => None,
        }
    }

    /// Serves it to its end.
    async fn live<T: AsyncRead + AsyncWrite + Unpin + Send + 'static>(self, stream: T) {
        let Connection {
            server,
            calls,
            mut leaving,
            patience,
            _taken,
        } = self;
        let stream = Paced::new(stream, calls.intake.clone());
        let tally = calls.tally.clone();
        let old = Instant::now() + by_lot(patience.age);
        let mut serving = pin!(server.serve_connection(TokioIo::new(stream), calls));
        let mut timer = pin!(time::sleep(Duration::ZERO));
        let mut goodbye = None;
        loop {
            let (look, now) = (tally.look(), Instant::now());
            let late = look
                .oldest
                .map(|began| began + patience.answer + patience.taking);
            let quiet = look.quiet_since.map(|since| match look.called {
                true => since + patience.idle,
                false => since + patience.first_call,
            });
            // One that has calls now may have none by the time it is looked at again.
            let idle = quiet.unwrap_or(now + patience.idle);
            if goodbye.is_none() && now >= idle.min(old) {
                goodbye = Some(now);
                serving.as_mut().graceful_shutdown();
            }
            let end = match (goodbye, quiet) {
                (None, _) => idle.min(old),
                // It may have called just when it was said goodbye.
                (Some(said), None) => said + patience.farewell,
                (Some(said), Some(_)) => said + SILENT_FAREWELL.min(patience.farewell),
            };
            let end = late.map_or(end, |late| late.min(end));
            if look.cut || now >= end {
                return;
            }
            timer.as_mut().reset(end);
            tokio::select! {
                ended = &mut serving => {
                    if let Err(error) = ended {
                        tracing::debug!(error = &*error, "a connection failed");
                    }
                    return;
                }
                Ok(()) = leaving.changed() => serving.as_mut().graceful_shutdown(),
                () = tally.stirred.notified() => {}
                () = &mut timer => {}
            }
        }
    }
}

/// An age less up to a tenth, so that clients who came together don't come back together.
fn by_lot(age: Duration) -> Duration {
    age.mul_f64(rand::random_range(0.9..=1.0))
}
