//! A call's deadline: one that has no answer by then is given up, and says so.
//!
//! It is the caller's or the server's own, so that none waits for ever for a request that isn't sent.
//!
//! It ends with the answer's headers: a stream may outlive it, and callers who set one end it themselves.

use std::{
    task::{Context, Poll},
    time::Duration,
};

use futures_util::future::BoxFuture;
use http::{HeaderMap, Request, Response};
use tokio::time;
use tower::{Layer, Service};

use super::{error::Reason, listing::LONGEST_WAIT, method::Method};

/// Holds every call to the deadline that its caller set, and to the server's own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadlines {
    /// How long the answer to a call may take. One that may wait has the longest wait beside.
    pub(super) most: Duration,
}

impl<S> Layer<S> for Deadlines {
    type Service = Deadlined<S>;

    fn layer(&self, inner: S) -> Deadlined<S> {
        let most = self.most;
        Deadlined { inner, most }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Deadlined<S> {
    inner: S,
    most: Duration,
}

impl<S, B, R> Service<Request<B>> for Deadlined<S>
where
    S: Service<Request<B>, Response = Response<R>>,
    S::Future: Send + 'static,
    S::Error: 'static,
    R: Default + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Response<R>, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let left = time_left(request.headers());
        let most = match Method::at(request.uri().path()).waits {
            true => self.most + LONGEST_WAIT,
            false => self.most,
        };
        let left = left.map_or(most, |left| left.min(most));
        let answer = self.inner.call(request);
        Box::pin(async move {
            let answered = time::timeout(left, answer).await;
            answered.unwrap_or_else(|_| Ok(Reason::DeadlineExceeded.plain().into_http()))
        })
    }
}

/// The time that the caller gives a call, if it says so in a way that can be understood: at most eight
/// digits and a unit.
fn time_left(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get("grpc-timeout")?.to_str().ok()?;
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if number.len() > 8 || !number.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let number = number.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(number * 60 * 60)),
        "M" => Some(Duration::from_secs(number * 60)),
        "S" => Some(Duration::from_secs(number)),
        "m" => Some(Duration::from_millis(number)),
        "u" => Some(Duration::from_micros(number)),
        "n" => Some(Duration::from_nanos(number)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &'static str) -> Option<Duration> {
        let value = http::HeaderValue::from_static(text);
        time_left(&HeaderMap::from_iter([(
            http::HeaderName::from_static("grpc-timeout"),
            value,
        )]))
    }

    #[test]
    fn deadlines_are_read_and_what_is_none_is_ignored() {
        assert_eq!(of("3H"), Some(Duration::from_secs(10_800)));
        assert_eq!(of("2M"), Some(Duration::from_secs(120)));
        assert_eq!(of("99999999S"), Some(Duration::from_secs(99_999_999)));
        assert_eq!(of("50m"), Some(Duration::from_millis(50)));
        assert_eq!(of("0u"), Some(Duration::ZERO));
        assert_eq!(of("7n"), Some(Duration::from_nanos(7)));
        for none in [
            "",
            "S",
            "5",
            "+5S",
            "-5S",
            "5 S",
            "100000000S",
            "5s",
            "1.5S",
        ] {
            assert_eq!(of(none), None, "{none:?}");
        }
        assert_eq!(time_left(&HeaderMap::new()), None);
    }
}
