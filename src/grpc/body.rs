//! Bodies that end: requests of bounded size, and streams of bounded length.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Buf as _, Bytes};
use http::{HeaderMap, Request, Response};
use http_body::{Body, Frame, SizeHint};
use tokio::time::{self, Sleep};
use tonic::{Code, Status, body::Body as TonicBody};

use super::{Limit, error::Reason};

/// What precedes a message: a byte that says whether it is compressed, and four of its length.
const PREFIX: usize = 5;

/// Most messages that are asked in one stream of reflection.
const MOST_ASKED: u32 = 64;

/// A stream of health or reflection is at most so old, as watches are.
const MOST_AGE: Duration = Duration::from_secs(60 * 60);

/// The error of any body.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The one service whose requests are streams, in all its versions.
const REFLECTION: &str = "/grpc.reflection.";

/// Bounds a request that is one message: the library reads it to its end, however many messages follow the
/// one that it takes.
pub(super) fn bounded<B>(request: Request<B>, most: usize) -> Request<Bounded<B>> {
    let stream = request.uri().path().starts_with(REFLECTION);
    let left = (!stream).then_some(most.saturating_add(PREFIX));
    request.map(|body| Bounded { body, left })
}

/// A body with so many bytes at the most, if that is bounded.
pub(super) struct Bounded<B> {
    body: B,
    left: Option<usize>,
}

impl<B: Body<Data = Bytes, Error: Into<Failure>> + Unpin> Body for Bounded<B> {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        let frame = frame.map(|frame| frame.map_err(|error| Status::from_error(error.into())));
        if let (Some(Ok(frame)), Some(left)) = (&frame, &mut self.left) {
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            match left.checked_sub(bytes) {
                Some(less) => *left = less,
                None => {
                    let status = Reason::RequestTooLarge.quota(Limit::RequestBytes);
                    return Poll::Ready(Some(Err(status)));
                }
            }
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Ends a stream of requests after so many messages as may be asked in one.
pub(super) fn few<B>(request: Request<B>) -> Request<TonicBody>
where
    B: Body<Data = Bytes, Error: Into<Failure>> + Send + Unpin + 'static,
{
    request.map(|body| {
        TonicBody::new(Few {
            body,
            left: MOST_ASKED,
            prefix: Prefix::default(),
        })
    })
}

/// A body with so many messages at the most.
struct Few<B> {
    body: B,
    left: u32,
    prefix: Prefix,
}

/// How much of a message has come.
#[derive(Default)]
struct Prefix {
    /// Its first bytes, as far as they have come.
    bytes: Vec<u8>,
    /// What is missing of it once these have.
    missing: usize,
}

impl<B> Few<B> {
    /// Cuts off of some bytes what belongs to messages beyond the last.
    fn cut(&mut self, data: &mut Bytes) {
        let mut rest = data.clone();
        while !rest.is_empty() {
            if self.prefix.missing == 0 && self.prefix.bytes.is_empty() {
                match self.left.checked_sub(1) {
                    Some(left) => self.left = left,
                    None => break,
                }
            }
            if self.prefix.missing > 0 {
                let part = self.prefix.missing.min(rest.len());
                rest.advance(part);
                self.prefix.missing -= part;
                continue;
            }
            self.prefix.bytes.push(rest.get_u8());
            if let [_, length @ ..] = &self.prefix.bytes[..]
                && let Ok(length) = length.try_into()
            {
                self.prefix.missing = u32::from_be_bytes(length) as usize;
                self.prefix.bytes.clear();
            }
        }
        data.truncate(data.len() - rest.len());
    }
}

impl<B: Body<Data = Bytes, Error: Into<Failure>> + Unpin> Body for Few<B> {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = match ready!(Pin::new(&mut self.body).poll_frame(context)) {
            Some(Ok(frame)) => frame,
            other => {
                let failed = |error: B::Error| Status::from_error(error.into());
                return Poll::Ready(other.map(|frame| frame.map_err(failed)));
            }
        };
        Poll::Ready(match frame.into_data() {
            Ok(mut data) => {
                let whole = data.len();
                self.cut(&mut data);
                match data.is_empty() && whole > 0 {
                    true => None,
                    false => Some(Ok(Frame::data(data))),
                }
            }
            Err(frame) => Some(Ok(frame)),
        })
    }
}

/// The frame that ends a body early, with a status.
pub(super) fn last(status: &Status) -> Result<Frame<Bytes>, Status> {
    let mut trailers = HeaderMap::new();
    let added = status.add_header(&mut trailers);
    added.map(|()| Frame::trailers(trailers))
}

/// Ends a stream of answers, well, when it is old.
pub(super) fn ageing(response: Response<TonicBody>) -> Response<TonicBody> {
    response.map(|body| {
        TonicBody::new(Ageing {
            body,
            end: Some(Box::pin(time::sleep(MOST_AGE))),
        })
    })
}

/// A body that ends at some time.
struct Ageing {
    body: TonicBody,
    /// `None` once it was ended.
    end: Option<Pin<Box<Sleep>>>,
}

impl Body for Ageing {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let Some(end) = &mut self.end else {
            return Poll::Ready(None);
        };
        if end.as_mut().poll(context).is_ready() {
            self.end = None;
            return Poll::Ready(Some(last(&Status::new(Code::Ok, ""))));
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.end.is_none() || self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by it")]
mod tests {
    use std::future::poll_fn;

    use super::*;

    #[test]
    fn what_follows_the_last_message_is_cut_off_wherever_frames_end() {
        let message = |length: u8| [&[0, 0, 0, 0, length][..], &vec![7; length.into()]].concat();
        let all = [message(0), message(3), message(1), message(9)].concat();
        let kept = all.len() - message(9).len();
        for size in 1..=all.len() {
            let (body, prefix) = ((), Prefix::default());
            let mut few = Few {
                body,
                left: 3,
                prefix,
            };
            let mut through = Vec::new();
            for part in all.chunks(size) {
                let mut part = Bytes::copy_from_slice(part);
                few.cut(&mut part);
                through.extend(part);
            }
            assert_eq!(through, all[..kept], "{size}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_ends_well_when_it_is_old() {
        struct Silent;
        impl Body for Silent {
            type Data = Bytes;
            type Error = Status;

            fn poll_frame(
                self: Pin<&mut Self>,
                _: &mut Context<'_>,
            ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
                Poll::Pending
            }
        }
        let began = time::Instant::now();
        let mut body = ageing(Response::new(TonicBody::new(Silent))).into_body();
        let mut next = async || poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
        let last = next().await.unwrap().unwrap().into_trailers().unwrap();
        assert_eq!(last[Status::GRPC_STATUS], "0");
        assert!(next().await.is_none());
        assert!(began.elapsed() >= MOST_AGE);
    }
}
