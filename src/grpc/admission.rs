//! Who is let in: what every call passes before it comes to a service, and what holds it while it lasts.

use std::{
    mem,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{HeaderMap, Request, Response, request::Parts};
use http_body::{Body, Frame, SizeHint};
use tonic::{Status, body::Body as TonicBody};
use tower::{Layer, Service};

use super::{
    Identity,
    address::{self, Counted, Proxies},
    body,
    identity::{Caller, Leash},
    method::Method,
    quotas::{Quotas, Taken},
};
use crate::session::Session;

/// Lets calls in.
#[derive(Clone)]
pub(super) struct Admission {
    pub(super) session: Session,
    pub(super) identity: Identity,
    pub(super) proxies: Arc<Proxies>,
    pub(super) quotas: Arc<Quotas>,
    /// Whether it is at the admin's own address, where nobody needs a token.
    pub(super) admins_door: bool,
}

/// What holds a call that was let in.
struct Held {
    /// Gives the status that ends it early.
    lapse: Option<BoxFuture<'static, Status>>,
    _taken: Taken,
}

impl Admission {
    /// Lets a call in, or says why not.
    async fn admit(&self, parts: &mut Parts) -> Result<Held, Status> {
        let method = Method::at(parts.uri.path());
        let peer = address::peer(&parts.extensions);
        let address = self.proxies.caller(peer, &parts.headers);
        self.quotas.pass_address(address, method.units).await?;
        let caller = self.caller(&parts.headers, method).await?;
        let paying = caller.paying_player();
        self.quotas.pass_player(paying, method.units).await?;
        let taken = self.quotas.take(address, paying, method).await?;
        let leash = match method.waits {
            true => Leash::of(&caller, &self.session),
            false => None,
        };
        parts.extensions.insert(caller);
        parts.extensions.insert(Counted(address));
        Ok(Held {
            lapse: leash.map(|leash| Box::pin(leash.lapse()) as _),
            _taken: taken,
        })
    }

    async fn caller(&self, headers: &HeaderMap, method: Method) -> Result<Caller, Status> {
        let caller = self.identity.identify(&self.session, headers, method);
        let caller = caller.await?;
        match self.admins_door && caller.is_nobody() {
            true => Ok(Caller::at_the_admins_door()),
            false => Ok(caller),
        }
    }
}

impl Held {
    /// Holds a call to the end of its body.
    async fn over<E>(
        mut self,
        call: impl Future<Output = Result<Response<TonicBody>, E>>,
    ) -> Result<Response<TonicBody>, E> {
        let response = match &mut self.lapse {
            None => call.await?,
            Some(lapse) => tokio::select! {
                response = call => response?,
                status = lapse => return Ok(status.into_http()),
            },
        };
        Ok(response.map(|body| {
            TonicBody::new(HeldBody {
                body,
                held: Some(self),
            })
        }))
    }
}

impl<S> Layer<S> for Admission {
    type Service = Admitted<S>;

    fn layer(&self, inner: S) -> Admitted<S> {
        Admitted {
            admission: self.clone(),
            inner,
        }
    }
}

#[derive(Clone)]
pub(super) struct Admitted<S> {
    admission: Admission,
    inner: S,
}

impl<S, B> Service<Request<B>> for Admitted<S>
where
    S: Service<Request<B>, Response = Response<TonicBody>> + Clone + Send + 'static,
    S::Future: Send,
    B: Send + 'static,
{
    type Response = Response<TonicBody>;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Self::Response, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let admission = self.admission.clone();
        // The one that was found ready is the one that is called.
        let next = self.inner.clone();
        let mut inner = mem::replace(&mut self.inner, next);
        Box::pin(async move {
            let (mut parts, body) = request.into_parts();
            let response = match admission.admit(&mut parts).await {
                Ok(held) => {
                    held.over(inner.call(Request::from_parts(parts, body)))
                        .await?
                }
                Err(status) => status.into_http(),
            };
            admission.quotas.see(response.headers());
            Ok(response)
        })
    }
}

/// A body that is let go at its end, or ended early.
struct HeldBody {
    body: TonicBody,
    /// `None` once it was ended early.
    held: Option<Held>,
}

impl Body for HeldBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let Some(held) = &mut self.held else {
            return Poll::Ready(None);
        };
        if let Some(lapse) = &mut held.lapse
            && let Poll::Ready(status) = lapse.as_mut().poll(context)
        {
            self.held = None;
            return Poll::Ready(Some(body::last(&status)));
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.held.is_none() || self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
