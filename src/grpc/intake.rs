//! What a connection may send: it is read no faster than that.
//!
//! Who sends more is neither refused nor cut off for it, which would have it come back at once: what it has
//! sent waits in its own socket, and costs others nothing there.

use std::{
    hash::Hash,
    io, mem,
    net::IpAddr,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf, Take},
    time::{self, Instant, Sleep},
};

use super::{Limit, Limits, rate::Rate};

/// Bytes that are read at most before other connections have their turn. A request counts for as many beside
/// its own.
const TURN: u32 = 2 * 1024;

/// The same, of who has to wait for its turns: a few requests are begun at a time, not dozens.
const SMALL_TURN: u32 = TURN / 8;

/// Requests are read at most so many quarters as often as an address may call: so that who calls more often is
/// told so, and what is refused takes little time.
pub(super) const QUARTERS: u32 = 5;

/// The same, for a connection of a trusted proxy.
const PROXY_QUARTERS: u32 = 64;

/// As if an address might call so often, if it may less: what it has saved up is soon read.
const LEAST: u32 = 256;

/// Requests and bytes may be saved up for such a part of a second.
const PART: u32 = 16;

/// Bytes that may be read, as units of a rate. Few may be saved up: as many calls as may be are begun within a
/// second or two, and not at once, which all others of that moment would feel.
pub(super) fn rate<K: Copy + Eq + Hash>(limits: &Limits, quarters: u32) -> Rate<K> {
    let turns = |calls: u32| calls.saturating_mul(quarters).saturating_mul(TURN / 4);
    let a_second = limits[Limit::CallsPerAddress].max(LEAST);
    Rate::new(turns(a_second), turns(a_second / PART))
}

/// What a connection may send.
pub(super) struct Intake {
    source: Source,
    /// Nothing is read before.
    paused: Mutex<Instant>,
}

/// Of what it takes.
enum Source {
    /// Of what its address may send.
    Address(Arc<Rate<IpAddr>>, IpAddr),
    /// Of its own, since nothing is counted for its address.
    Proxy(Rate<()>),
}

impl Intake {
    /// What a connection may send that comes from an address, of the rate of all of them; or from a proxy.
    pub(super) fn new(
        address: Option<IpAddr>,
        addresses: &Arc<Rate<IpAddr>>,
        limits: &Limits,
    ) -> Intake {
        let source = match address {
            Some(address) => Source::Address(addresses.clone(), address),
            None => Source::Proxy(rate(limits, PROXY_QUARTERS)),
        };
        let intake = Intake {
            source,
            paused: Mutex::new(Instant::now()),
        };
        // What others of its address have sent is paid for first.
        intake.pay(0);
        intake
    }

    /// Counts a request.
    pub(super) fn begin(&self) {
        self.pay(TURN);
    }

    fn pay(&self, bytes: u32) {
        let wait = match &self.source {
            Source::Address(rate, address) => rate.owe(*address, bytes),
            Source::Proxy(rate) => rate.owe((), bytes),
        };
        if wait > Duration::ZERO {
            *self.paused() = Instant::now() + wait;
        }
    }

    fn paused(&self) -> MutexGuard<'_, Instant> {
        self.paused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection's bytes, read as its intake allows.
pub(super) struct Paced<T> {
    stream: Take<T>,
    intake: Arc<Intake>,
    pause: Pin<Box<Sleep>>,
    /// Bytes that it may read in its next turn.
    turn: u32,
    /// Whether it has had its turn.
    had_turn: bool,
}

impl<T: AsyncRead> Paced<T> {
    pub(super) fn new(stream: T, intake: Arc<Intake>) -> Paced<T> {
        let pause = time::sleep_until(*intake.paused());
        Paced {
            stream: stream.take(0),
            intake,
            pause: Box::pin(pause),
            turn: TURN,
            had_turn: false,
        }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Paced<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if mem::take(&mut self.had_turn) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let paused = *self.intake.paused();
        if paused > self.pause.deadline() {
            self.pause.as_mut().reset(paused);
            self.turn = SMALL_TURN;
        }
        ready!(self.pause.as_mut().poll(context));
        let before = buffer.filled().len();
        let turn = self.turn.into();
        self.stream.set_limit(turn);
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        let bytes = buffer.filled().len() - before;
        self.had_turn = self.stream.limit() == 0;
        self.turn = TURN;
        self.intake.pay(bytes as u32);
        Poll::Ready(Ok(()))
    }
}

impl<T: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Paced<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(self.stream.get_mut()).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(self.stream.get_mut()).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.get_ref().is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.stream.get_mut()).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.stream.get_mut()).poll_shutdown(context)
    }
}
