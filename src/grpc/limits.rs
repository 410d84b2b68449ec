//! Every limit of the server: the one table of what they are called, are by default, and mean.

use std::{
    fmt,
    ops::{Index, RangeInclusive},
    str::FromStr,
};

macro_rules! limits {
    ($($variant:ident $name:literal $default:literal $meaning:literal,)*) => {
        /// A limit that an operator can set.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Limit {
            $(#[doc = $meaning] $variant,)*
        }

        impl Limit {
            /// All limits.
            pub const ALL: &[Limit] = &[$(Limit::$variant,)*];

            /// Its name on the command line, and in a `QuotaFailure`.
            pub fn name(self) -> &'static str {
                match self { $(Limit::$variant => $name,)* }
            }

            /// What it is if nobody sets it.
            pub fn default_value(self) -> u32 {
                match self { $(Limit::$variant => $default,)* }
            }

            /// What it bounds, in a sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Limit::$variant => $meaning,)* }
            }
        }
    };
}

limits! {
    CallsPerPlayer "calls-per-player" 500 "Units a second of one player's calls; twice as many may be saved up.",
    CallsPerAddress "calls-per-address" 1_000 "Units a second of calls from one address; twice as many may be saved up.",
    ConcurrentCalls "concurrent-calls" 10_000 "Calls at the same time, of all.",
    ConcurrentCallsPerPlayer "concurrent-calls-per-player" 256 "Calls of one player at the same time.",
    ConcurrentCallsPerAddress "concurrent-calls-per-address" 1_024 "Calls from one address at the same time.",
    Streams "streams" 100_000 "Open streams, of all.",
    StreamsPerPlayer "streams-per-player" 256 "Open streams of one player.",
    StreamsPerAddress "streams-per-address" 2_048 "Open streams from one address.",
    StreamsPerConnection "streams-per-connection" 256 "Calls and streams of one connection at the same time.",
    Connections "connections" 100_000 "Open connections, of all.",
    ConnectionsPerAddress "connections-per-address" 128 "Open connections from one address.",
    GamesPerPlayer "games-per-player" 1_000 "Games of one player that are not over: those with a seat taken, and those created that still wait.",
    OpenSeatsPerPlayer "open-seats-per-player" 100 "Games created by one player in which a seat is still open or kept.",
    RequestBytes "request-bytes" 65_536 "Bytes of a request.",
    AnswerBytes "answer-bytes" 1_048_576 "Bytes of an answer, and of a message of a stream.",
    CountLaps "count-laps" 40_000_000 "Laps that one `CountMoves` may sow: about a second.",
    LongCalls "long-calls" 1 "Long calls that are worked on at the same time, one of each player or address: counts, applied moves, imports, and legal moves with long sowings.",
    LongCallsWaiting "long-calls-waiting" 64 "Long calls that may wait for their turn, up to four of each player or address.",
}

impl Limit {
    /// The limit with a name.
    pub(super) fn named(name: &str) -> Option<Limit> {
        let mut all = Limit::ALL.iter().copied();
        all.find(|limit| limit.name() == name)
    }

    /// What it can be set to.
    pub fn range(self) -> RangeInclusive<u32> {
        match self {
            // Clients' libraries take no more than 4 MiB unless they are told to.
            Limit::AnswerBytes => self.default_value()..=4 * 1024 * 1024,
            Limit::RequestBytes => 1_024..=4 * 1024 * 1024,
            Limit::LongCalls => 1..=256,
            _ => 1..=u32::MAX,
        }
    }
}

/// What each limit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits([u32; Limit::ALL.len()]);

impl Default for Limits {
    fn default() -> Limits {
        let mut limits = Limits([0; Limit::ALL.len()]);
        for limit in Limit::ALL {
            limits.set(*limit, limit.default_value());
        }
        limits
    }
}

impl Limits {
    /// Sets a limit.
    pub fn set(&mut self, limit: Limit, value: u32) {
        self.0[limit as usize] = value;
    }

    /// A limit of something that is counted in memory.
    pub(super) fn size(&self, limit: Limit) -> usize {
        // No target has less than 32 bits.
        self[limit] as usize
    }
}

impl Index<Limit> for Limits {
    type Output = u32;

    fn index(&self, limit: Limit) -> &u32 {
        &self.0[limit as usize]
    }
}

/// A limit with a value that an operator gives it, as `NAME=N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetLimit {
    /// Which.
    pub limit: Limit,
    /// What it is to be: at least 1.
    pub value: u32,
}

/// Why a text sets no limit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadLimit(String);

impl FromStr for SetLimit {
    type Err = BadLimit;

    fn from_str(text: &str) -> Result<SetLimit, BadLimit> {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| BadLimit("a limit is set by NAME=N".into()))?;
        let limit = Limit::named(name).ok_or_else(|| {
            let known: Vec<_> = Limit::ALL.iter().map(|limit| limit.name()).collect();
            BadLimit(format!("no limit {name:?}: there are {}", known.join(", ")))
        })?;
        let range = limit.range();
        let value = value.parse().ok().filter(|value| range.contains(value));
        let value = value.ok_or_else(|| {
            let (least, most) = (range.start(), range.end());
            BadLimit(format!("{name} is a number from {least} to {most}"))
        })?;
        Ok(SetLimit { limit, value })
    }
}

impl fmt::Display for SetLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.limit.name(), self.value)
    }
}
