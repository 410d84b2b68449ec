//! A game's text, as it is read: its tags and moves with their places, not yet held against any rules.
//! The README's "Games as text" describes it to clients.

mod moves;
mod reader;
mod tags;
mod write;

use super::{EndReason, Outcome};
use crate::rules::{BySide, IllegalMove, Side};

pub use moves::Ply;
use reader::Reader;
use tags::{Tag, Tags};

/// Most characters of a player's name in a text.
const MAX_NAME: usize = 64;

/// A place in a text, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line.
    pub line: u32,
    /// Column, in characters.
    pub column: u32,
}

/// Something that a text says, and where: a tag's value stands at its first quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed<T> {
    /// What.
    pub value: T,
    /// Where.
    pub place: Place,
}

/// What a text says of a game that is over.
#[derive(Clone, Debug)]
pub struct Transcript {
    /// Variant id.
    pub variant: Placed<String>,
    /// Digest of its rule set.
    pub rules: Option<Placed<String>>,
    /// Holes a row.
    pub holes: Option<Placed<u32>>,
    /// Seeds in each hole at the start.
    pub seeds: Option<Placed<u32>>,
    /// Who sat where.
    pub names: BySide<String>,
    /// When it was played, as `YYYY-MM-DD`; may be empty.
    pub date: String,
    /// Rounds that win the series.
    pub target_wins: Option<Placed<u32>>,
    /// Who moved first.
    pub first: Option<Placed<Side>>,
    /// The start position's text.
    pub start: Option<Placed<String>>,
    /// Who won.
    pub outcome: Placed<Outcome>,
    /// Why it ended.
    pub reason: Placed<EndReason>,
    /// The score.
    pub score: Option<Placed<BySide<u32>>>,
    /// The moves.
    pub moves: Vec<Ply>,
}

/// Why a text is no game that is over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {}, column {}: {problem}", .place.line, .place.column)]
pub struct TranscriptError {
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub problem: String,
    /// The rule that a move is against.
    pub illegal: Option<IllegalMove>,
}

impl Place {
    /// An error here.
    pub(super) fn error(self, problem: impl Into<String>) -> TranscriptError {
        TranscriptError {
            place: self,
            problem: problem.into(),
            illegal: None,
        }
    }
}

impl Transcript {
    /// Reads a text. Tags may come in any order, and any spaces and ends of lines between tags and moves.
    ///
    /// # Errors
    ///
    /// Refuses bad spelling, a tag that is unknown, missing or there twice, and a game that is not over.
    pub fn parse(text: &str) -> Result<Transcript, TranscriptError> {
        let mut reader = Reader::new(text);
        let mut tags = Tags::read(&mut reader)?;
        let transcript = Transcript {
            variant: tags.required(Tag::Variant)?,
            rules: tags.read_as(Tag::Rules, "64 hexadecimal digits", digest)?,
            holes: tags.read_as(Tag::Holes, "a number", number)?,
            seeds: tags.read_as(Tag::Seeds, "a number", number)?,
            names: BySide {
                south: tags.text(Tag::South, "at most 64 characters long", is_name)?,
                north: tags.text(Tag::North, "at most 64 characters long", is_name)?,
            },
            date: tags.text(Tag::Date, "a day as YYYY-MM-DD, or empty", |text| {
                text.is_empty() || super::date::is_date(text)
            })?,
            target_wins: tags.read_as(Tag::TargetWins, "a number above 1", |text| {
                number(text).filter(|wins| *wins > 1)
            })?,
            first: tags.read_as(Tag::First, "South or North", side)?,
            start: tags.take(Tag::Start),
            outcome: match tags.required(Tag::Result)? {
                open if open.value == write::NOT_OVER => {
                    return Err(open.place.error("the game is not over"));
                }
                result => tags::converted(
                    Tag::Result,
                    result,
                    "South, North, Draw, None or *",
                    Outcome::named,
                )?,
            },
            reason: tags::converted(
                Tag::Reason,
                tags.required(Tag::Reason)?,
                "the reason of an end",
                EndReason::named,
            )?,
            score: tags.read_as(Tag::Score, "two numbers with - between them", score)?,
            moves: Vec::new(),
        };
        let moves = moves::read_moves(&mut reader)?;
        Ok(Transcript {
            moves,
            ..transcript
        })
    }
}

/// A decimal number without signs or leading zeros.
fn number(text: &str) -> Option<u32> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let plain = digits && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|_| plain)
}

fn score(text: &str) -> Option<BySide<u32>> {
    let (south, north) = text.split_once('-')?;
    Some(BySide {
        south: number(south)?,
        north: number(north)?,
    })
}

fn side(text: &str) -> Option<Side> {
    match Outcome::named(text) {
        Some(Outcome::Won(side)) => Some(side),
        _ => None,
    }
}

fn digest(text: &str) -> Option<String> {
    let hexadecimal = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (text.len() == 64 && text.bytes().all(hexadecimal)).then(|| text.to_owned())
}

fn is_name(text: &str) -> bool {
    text.chars().count() <= MAX_NAME
}

/// A part of a text as an error shows it: escaped, and not too much of it.
pub(super) fn shown(text: &str) -> String {
    let short: String = text.chars().take(16).collect();
    format!("{short:?}")
}
