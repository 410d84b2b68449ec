//! A connection's calls: what it has begun and not finished, and when that is too much.

use std::{
    collections::BTreeMap,
    future::pending,
    net::IpAddr,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{Request, Response, header::ORIGIN};
use http_body::{Body, Frame, SizeHint};
use hyper::{body::Incoming, service::Service as HyperService};
use tokio::{sync::Notify, time::Instant};
use tower::{Service, ServiceExt as _};

use super::{
    connections::Peer,
    intake::Intake,
    method::Method,
    quotas::{Begun, Quotas},
};

/// What is handed to the transport at once, in bytes. It takes more only when this is on its way, so that
/// it holds little of what a client doesn't take, and a call isn't finished before nearly all is taken.
pub(super) const SEND_BUFFER: usize = 16 * 1024;

/// What a connection has begun and not finished.
pub(super) struct Tally {
    state: Mutex<State>,
    /// Told when whoever serves the connection has to look again.
    pub(super) stirred: Notify,
}

struct State {
    /// When the calls began that have to be finished soon, in the order in which they did.
    short: BTreeMap<u64, Instant>,
    begun: u64,
    /// Unfinished calls of all kinds.
    open: u32,
    /// When the last of them ended.
    quiet_since: Instant,
    cut: bool,
    /// Whether the connection is looked at again before its oldest short call has lasted too long.
    watched: bool,
}

/// How a connection is.
pub(super) struct Look {
    /// Whether it has to end at once.
    pub(super) cut: bool,
    /// Whether it ever called.
    pub(super) called: bool,
    /// When its oldest call began that has to be finished soon.
    pub(super) oldest: Option<Instant>,
    /// Since when it has no call.
    pub(super) quiet_since: Option<Instant>,
}

impl Tally {
    pub(super) fn new() -> Tally {
        Tally {
            state: Mutex::new(State {
                short: BTreeMap::new(),
                begun: 0,
                open: 0,
                quiet_since: Instant::now(),
                cut: false,
                watched: false,
            }),
            stirred: Notify::new(),
        }
    }

    /// Ends the connection at once, whatever is open on it.
    pub(super) fn cut(&self) {
        self.lock().cut = true;
        self.stirred.notify_one();
    }

    /// How the connection is. Whoever looks has to look again before its oldest call has lasted too long.
    pub(super) fn look(&self) -> Look {
        let mut state = self.lock();
        let oldest = state.short.values().next().copied();
        state.watched = oldest.is_some();
        Look {
            cut: state.cut,
            called: state.begun > 0,
            oldest,
            quiet_since: (state.open == 0).then_some(state.quiet_since),
        }
    }

    fn begin(self: &Arc<Tally>, method: Method, begun: Begun) -> Unfinished {
        let mut state = self.lock();
        let number = state.begun;
        state.begun += 1;
        state.open += 1;
        if !method.waits {
            state.short.insert(number, Instant::now());
            if !state.watched {
                state.watched = true;
                self.stirred.notify_one();
            }
        }
        drop(state);
        Unfinished {
            tally: self.clone(),
            number,
            _begun: begun,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call until its answer is taken, or it is given up.
struct Unfinished {
    tally: Arc<Tally>,
    number: u64,
    _begun: Begun,
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let mut state = self.tally.lock();
        state.short.remove(&self.number);
        state.open -= 1;
        if state.open == 0 {
            state.quiet_since = Instant::now();
        }
    }
}

/// Takes a connection's calls.
pub(super) struct Calls<S> {
    pub(super) service: Arc<S>,
    pub(super) peer: Peer,
    pub(super) quotas: Arc<Quotas>,
    /// What it counts as an address's, unless it comes from a proxy.
    pub(super) address: Option<IpAddr>,
    pub(super) intake: Arc<Intake>,
    pub(super) tally: Arc<Tally>,
    /// Whether a web page's requests end the connection.
    pub(super) no_pages: bool,
}

impl<S, R> HyperService<Request<Incoming>> for Calls<S>
where
    S: Service<Request<Incoming>, Response = Response<R>> + Clone + Send + Sync + 'static,
    S::Future: Send,
    S::Error: Send,
    R: Send + 'static,
{
    type Response = Response<Taken<R>>;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Self::Response, S::Error>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        let from_page = self.no_pages && request.headers().contains_key(ORIGIN);
        self.intake.begin();
        let Some(begun) = self.quotas.begin(self.address).filter(|_| !from_page) else {
            self.tally.cut();
            // It ends with the connection.
            return Box::pin(pending());
        };
        let method = Method::at(request.uri().path());
        let unfinished = self.tally.begin(method, begun);
        request.extensions_mut().insert(self.peer);
        let answer = S::clone(&self.service).oneshot(request);
        Box::pin(async move {
            // Moved in first, so that a call dropped at any moment is finished.
            let unfinished = unfinished;
            let response = answer.await?;
            Ok(response.map(|body| Taken {
                body,
                rest: Bytes::new(),
                _unfinished: unfinished,
            }))
        })
    }
}

/// A body that is given to the transport bit by bit, and is a call's until all of it is given.
pub(super) struct Taken<R> {
    body: R,
    rest: Bytes,
    _unfinished: Unfinished,
}

impl<R: Body<Data = Bytes> + Unpin> Body for Taken<R> {
    type Data = Bytes;
    type Error = R::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, R::Error>>> {
        if self.rest.is_empty() {
            let frame = Pin::new(&mut self.body).poll_frame(context);
            let Poll::Ready(Some(Ok(frame))) = frame else {
                return frame;
            };
            match frame.into_data() {
                Ok(data) => self.rest = data,
                Err(frame) => return Poll::Ready(Some(Ok(frame))),
            }
        }
        let bit = SEND_BUFFER.min(self.rest.len());
        let bit = self.rest.split_to(bit);
        Poll::Ready(Some(Ok(Frame::data(bit))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        match self.rest.len() {
            0 => self.body.size_hint(),
            _ => SizeHint::default(),
        }
    }
}
