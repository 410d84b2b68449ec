//! All that happened, as it is checked: calls with their answers, streams with their messages, deeds of the
//! nemesis. A line of JSON each.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead as _, BufReader, BufWriter, Write as _},
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

use super::methods::Method;

/// Microseconds since 1970, by a clock that never goes back.
pub(crate) type Micros = u64;

/// Something that happened.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Line {
    /// A call that has ended.
    Call(Call),
    /// A stream was asked for.
    Opened(Opened),
    /// A message of a stream was read.
    Told(Told),
    /// A stream has ended.
    Closed(Closed),
    /// The nemesis, or the server, did something.
    Deed(Deed),
}

/// A call with its answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Call {
    /// The caller's player id; empty for nobody.
    pub(crate) player: String,
    pub(crate) method: Method,
    /// The request's message.
    #[serde(with = "hex")]
    pub(crate) request: Vec<u8>,
    pub(crate) invoked: Micros,
    pub(crate) returned: Micros,
    pub(crate) answer: Answer,
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Answer {
    /// It was done: the answer's message.
    Done(#[serde(with = "hex")] Vec<u8>),
    /// It was refused, and so has done nothing: the reason of the error.
    Refused(String),
    /// It may have been done, or not: what is known.
    Unknown(String),
}

/// A stream that was asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Opened {
    /// One number a stream.
    pub(crate) stream: u64,
    pub(crate) player: String,
    pub(crate) method: Method,
    #[serde(with = "hex")]
    pub(crate) request: Vec<u8>,
    pub(crate) at: Micros,
}

/// A message of a stream.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Told {
    pub(crate) stream: u64,
    #[serde(with = "hex")]
    pub(crate) message: Vec<u8>,
    pub(crate) at: Micros,
}

/// How a stream ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Closed {
    pub(crate) stream: u64,
    pub(crate) end: End,
    pub(crate) at: Micros,
}

/// How a stream ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum End {
    /// With `OK`.
    Whole,
    /// With an error: its reason, or what is known.
    Failed(String),
    /// Its reader went away.
    Left,
}

/// What the nemesis did, or what happened to the server.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Deed {
    pub(crate) what: String,
    /// Set if it must not happen, whatever is done to the server.
    pub(crate) wrong: bool,
    pub(crate) at: Micros,
}

/// Where all that happens is put.
pub(crate) struct History {
    base: u64,
    began: Instant,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    lines: Vec<Line>,
    tally: Tally,
    streams: u64,
}

/// How often what happened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Calls done, by method.
    pub(crate) done: BTreeMap<String, u64>,
    /// Calls refused, by reason.
    pub(crate) refused: BTreeMap<String, u64>,
    /// Calls of which nobody knows.
    pub(crate) unknown: u64,
    /// Messages of streams.
    pub(crate) told: u64,
    /// Deeds of the nemesis.
    pub(crate) deeds: BTreeMap<String, u64>,
}

impl Tally {
    /// Calls in all.
    pub(crate) fn calls(&self) -> u64 {
        self.acked() + self.refused.values().sum::<u64>() + self.unknown
    }

    /// Calls done.
    pub(crate) fn acked(&self) -> u64 {
        self.done.values().sum()
    }

    /// Adds another tally.
    pub(crate) fn add(&mut self, other: &Tally) {
        for (own, others) in [
            (&mut self.done, &other.done),
            (&mut self.refused, &other.refused),
            (&mut self.deeds, &other.deeds),
        ] {
            add(own, others);
        }
        self.unknown += other.unknown;
        self.told += other.told;
    }

    fn count(&mut self, line: &Line) {
        match line {
            Line::Call(call) => match &call.answer {
                Answer::Done(_) => *self.done.entry(call.method.name().into()).or_default() += 1,
                Answer::Refused(reason) => *self.refused.entry(reason.clone()).or_default() += 1,
                Answer::Unknown(_) => self.unknown += 1,
            },
            Line::Told(_) => self.told += 1,
            Line::Deed(deed) => *self.deeds.entry(deed.what.clone()).or_default() += 1,
            Line::Opened(_) | Line::Closed(_) => {}
        }
    }
}

impl History {
    /// A history that begins now.
    pub(crate) fn new() -> History {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        History {
            base: since.unwrap_or_default().as_micros() as u64,
            began: Instant::now(),
            kept: Mutex::default(),
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Which time it is.
    pub(crate) fn now(&self) -> Micros {
        self.base + self.began.elapsed().as_micros() as u64
    }

    /// A number for a new stream.
    pub(crate) fn stream(&self) -> u64 {
        let mut kept = self.kept();
        kept.streams += 1;
        kept.streams
    }

    /// Keeps what happened.
    pub(crate) fn keep(&self, line: Line) {
        let mut kept = self.kept();
        kept.tally.count(&line);
        kept.lines.push(line);
    }

    /// Keeps a deed.
    pub(crate) fn deed(&self, what: impl Into<String>, wrong: bool) {
        let (what, at) = (what.into(), self.now());
        self.keep(Line::Deed(Deed { what, wrong, at }));
    }

    /// How often what happened so far.
    pub(crate) fn tally(&self) -> Tally {
        self.kept().tally.clone()
    }

    /// All lines so far; none are left.
    pub(crate) fn take(&self) -> Vec<Line> {
        std::mem::take(&mut self.kept().lines)
    }
}

/// Adds counts to others.
pub(crate) fn add(own: &mut BTreeMap<String, u64>, others: &BTreeMap<String, u64>) {
    for (name, count) in others {
        *own.entry(name.clone()).or_default() += count;
    }
}

/// Writes lines to a file.
pub(crate) fn save(lines: &[Line], path: &Path) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for line in lines {
        serde_json::to_writer(&mut file, line)?;
        file.write_all(b"\n")?;
    }
    file.flush()
}

/// Reads lines from a file.
pub(crate) fn load(path: &Path) -> io::Result<Vec<Line>> {
    let lines = BufReader::new(File::open(path)?).lines();
    lines
        .map(|line| Ok(serde_json::from_str(&line?)?))
        .collect()
}

mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digit = |value: u8| char::from(DIGITS[usize::from(value)]);
        let text: String = bytes
            .iter()
            .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
            .collect();
        to.serialize_str(&text)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(from)?;
        let byte = |pair: &[u8]| {
            let pair = std::str::from_utf8(pair).map_err(D::Error::custom)?;
            u8::from_str_radix(pair, 16).map_err(D::Error::custom)
        };
        text.as_bytes().chunks(2).map(byte).collect()
    }
}
