//! What every call goes through: one span with method, game, player, code and time, and a word in the
//! log when it ends. Statuses that the library makes itself get our reasons.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Instant,
};

use futures_util::future::BoxFuture;
use http::{HeaderMap, Request, Response};
use http_body::{Body, Frame, SizeHint};
use tonic::{Code, Status};
use tower::{Layer, Service};
use tracing::{Instrument as _, Span, field};

use super::{Limit, error::Reason};

/// Puts every call into a span.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traced;

impl<S> Layer<S> for Traced {
    type Service = TracedService<S>;

    fn layer(&self, inner: S) -> TracedService<S> {
        TracedService { inner }
    }
}

#[derive(Clone, Debug)]
pub(super) struct TracedService<S> {
    inner: S,
}

impl<S, B, R> Service<Request<B>> for TracedService<S>
where
    S: Service<Request<B>, Response = Response<R>>,
    S::Future: Send + 'static,
    S::Error: 'static,
    R: 'static,
{
    type Response = Response<TracedBody<R>>;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Self::Response, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let span = tracing::info_span!(
            "call",
            method = request.uri().path(),
            game = field::Empty,
            player = field::Empty,
            code = field::Empty,
            ms = field::Empty
        );
        let ending = Ending {
            span: span.clone(),
            began: Instant::now(),
            code: Code::Cancelled,
        };
        let answer = span.in_scope(|| self.inner.call(request));
        let traced = async move {
            // Moved in first, so that a call dropped at any moment is told of.
            let mut ending = ending;
            let response = answer.await?;
            ending.see(response.headers());
            Ok(response.map(|body| TracedBody { body, ending }))
        };
        Box::pin(traced.instrument(span))
    }
}

/// Tells of a call when it is dropped, with the code that it had by then.
struct Ending {
    span: Span,
    began: Instant,
    code: Code,
}

impl Ending {
    fn see(&mut self, headers: &HeaderMap) {
        if let Some(code) = headers.get(Status::GRPC_STATUS) {
            self.code = Code::from_bytes(code.as_bytes());
        }
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.span.record("code", field::debug(self.code));
        self.span
            .record("ms", self.began.elapsed().as_secs_f64() * 1_000.0);
        let _entered = self.span.enter();
        match self.code {
            // Unknown is what is left of a connection that broke: no fault of the server.
            Code::Internal | Code::DataLoss => tracing::error!("call failed"),
            Code::Unavailable => tracing::warn!("call failed"),
            _ => tracing::debug!("call ended"),
        }
    }
}

/// A body that sees its call's end.
pub(super) struct TracedBody<B> {
    body: B,
    ending: Ending,
}

impl<B: Body + Unpin> Body for TracedBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let this = &mut *self;
        let entered = this.ending.span.enter();
        let frame = Pin::new(&mut this.body).poll_frame(context);
        drop(entered);
        if let Poll::Ready(Some(Ok(frame))) = &frame
            && let Some(trailers) = frame.trailers_ref()
        {
            this.ending.see(trailers);
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Gives statuses that the library made itself, which have no details, our reasons.
pub(super) fn refine(response: Response<tonic::body::Body>) -> Response<tonic::body::Body> {
    let headers = response.headers();
    if headers.contains_key("grpc-status-details-bin") {
        return response;
    }
    let Some(code) = headers.get(Status::GRPC_STATUS) else {
        return response;
    };
    match Code::from_bytes(code.as_bytes()) {
        // A message over the limit, and bytes that are no message.
        Code::OutOfRange => Reason::RequestTooLarge
            .quota(Limit::RequestBytes)
            .into_http(),
        Code::Internal => Reason::MalformedRequest.plain().into_http(),
        Code::Unimplemented => Reason::Unimplemented.plain().into_http(),
        _ => response,
    }
}

/// What a call answers whose handler panicked.
pub(super) fn panicked(_: Box<dyn std::any::Any + Send>) -> Response<tonic::body::Body> {
    Reason::Internal.plain().into_http()
}
