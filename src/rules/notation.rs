//! Position text: one line that says all of a position.
//!
//! `SOUTH-ROW/NORTH-ROW STORES SIDE [key=value …]`, for example
//! `5,5,5,5,0/0,5,5,5,0 5-0 N round=1`. The README's "Position text" describes it to clients.

use std::fmt;

use super::{BySide, HoleSet, Opening, Position, PositionError, Rules, Setup, Side};

/// Longest text that is looked at, in bytes.
const MAX_TEXT: usize = 512;

/// A position together with its rules, to be printed as text.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    rules: &'a Rules,
    position: &'a Position,
}

/// Why a text is no position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// It is not spelt as a position is.
    #[error("{0}")]
    Spelling(String),
    /// It is spelt well, but can't be in play.
    #[error(transparent)]
    Position(#[from] PositionError),
}

impl Rules {
    /// A position as text.
    pub fn text<'a>(&'a self, position: &'a Position) -> Text<'a> {
        Text {
            rules: self,
            position,
        }
    }

    /// Reads a position from text. Printing it gives the same text again.
    ///
    /// # Errors
    ///
    /// Refuses bad spelling, and what can't be in play.
    pub fn parse(&self, text: &str) -> Result<Position, ParseError> {
        Ok(self.position(&self.parse_setup(text)?)?)
    }

    /// Reads the numbers of a position from text, unchecked.
    ///
    /// # Errors
    ///
    /// Refuses bad spelling.
    pub fn parse_setup(&self, text: &str) -> Result<Setup, ParseError> {
        if text.len() > MAX_TEXT {
            return spelling(format!("a position is at most {MAX_TEXT} bytes long"));
        }
        let mut words = text.split(' ');
        let mut word = |what| words.next().ok_or_else(|| missing(what));
        let (rows, stores, side) = (word("rows")?, word("stores")?, word("side")?);
        let (south, north) = pair(rows, '/', "rows are SOUTH/NORTH")?;
        let row = |row: &str| row.split(',').map(cell).collect::<Result<Vec<_>, _>>();
        let (south_store, north_store) = pair(stores, '-', "stores are SOUTH-NORTH")?;
        let mut setup = Setup {
            rows: BySide {
                south: row(south)?,
                north: row(north)?,
            },
            stores: BySide {
                south: number(south_store)?,
                north: number(north_store)?,
            },
            to_move: match side {
                "S" => Some(Side::South),
                "N" => Some(Side::North),
                "-" => None,
                _ => return spelling(format!("the side is S, N or -, not {}", shown(side))),
            },
            ..Setup::default()
        };
        let mut earlier = 0;
        for word in words {
            let (key, value) = pair(word, '=', "after the side come key=value")?;
            let place = match key {
                "opened" => {
                    setup.unopened = self.parse_opened(value)?;
                    1
                }
                "round" => {
                    setup.round = Some(number(value)?);
                    2
                }
                "first" if value == "N" => {
                    setup.first = Some(Side::North);
                    3
                }
                "first" => return spelling("first= is N, or left out".into()),
                "swap" => {
                    setup.swap = Some(match value {
                        "S" => Side::South,
                        "N" => Side::North,
                        _ => return spelling("swap= is S or N, or left out".into()),
                    });
                    4
                }
                _ => return spelling(format!("no key {}", shown(key))),
            };
            if place <= earlier {
                return spelling("keys come once, in the order opened, round, first, swap".into());
            }
            earlier = place;
        }
        Ok(setup)
    }

    fn parse_opened(&self, value: &str) -> Result<HoleSet, ParseError> {
        if self.definition().opening == Opening::Free {
            return spelling("this variant has no opening".into());
        }
        let (south, north) = pair(value, '/', "opened= is SOUTH/NORTH")?;
        let mut unopened = HoleSet::EMPTY;
        for (side, digits) in [(Side::South, south), (Side::North, north)] {
            let holes = self.opening_holes_of(side);
            if digits.len() != holes.len() as usize {
                return spelling(format!("opened= needs {} digits a side", holes.len()));
            }
            for (hole, digit) in holes.iter().zip(digits.bytes()) {
                match digit {
                    b'0' => unopened.insert(hole),
                    b'1' => {}
                    _ => return spelling("opened= is made of 0 and 1".into()),
                }
            }
        }
        if unopened.is_empty() {
            return spelling("opened= is left out when nothing is left to open".into());
        }
        Ok(unopened)
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Text { rules, position } = *self;
        for (side, before) in [(Side::South, ""), (Side::North, "/")] {
            f.write_str(before)?;
            for (hole, seeds) in (0..).zip(position.row(side)) {
                f.write_str(if hole > 0 { "," } else { "" })?;
                if position.closed.contains(position.ring_index(side, hole)) {
                    f.write_str("x")?;
                } else {
                    write!(f, "{seeds}")?;
                }
            }
        }
        let BySide { south, north } = position.stores();
        let side = position.to_move.map_or('-', letter);
        write!(f, " {south}-{north} {side}")?;
        if !position.unopened.is_empty() {
            f.write_str(" opened=")?;
            for (side, before) in [(Side::South, ""), (Side::North, "/")] {
                f.write_str(before)?;
                for hole in rules.opening_holes_of(side).iter() {
                    f.write_str(if position.unopened.contains(hole) {
                        "0"
                    } else {
                        "1"
                    })?;
                }
            }
        }
        if let Some(round) = position.round() {
            write!(f, " round={round}")?;
        }
        if position.first == Side::North {
            f.write_str(" first=N")?;
        }
        if let Some(side) = position.swap {
            write!(f, " swap={}", letter(side))?;
        }
        Ok(())
    }
}

/// A side's letter.
fn letter(side: Side) -> char {
    match side {
        Side::South => 'S',
        Side::North => 'N',
    }
}

fn spelling<T>(reason: String) -> Result<T, ParseError> {
    Err(ParseError::Spelling(reason))
}

fn missing(what: &str) -> ParseError {
    ParseError::Spelling(format!(
        "{what} missing: SOUTH-ROW/NORTH-ROW STORES SIDE [key=value …]"
    ))
}

/// A word as an error shows it: escaped, and not too much of it.
fn shown(word: &str) -> String {
    let short: String = word.chars().take(16).collect();
    format!("{short:?}")
}

/// The two parts of a word with one separator.
fn pair<'a>(word: &'a str, separator: char, shape: &str) -> Result<(&'a str, &'a str), ParseError> {
    match word.split_once(separator) {
        Some((first, second)) if !second.contains(separator) => Ok((first, second)),
        _ => spelling(format!("{shape}, not {}", shown(word))),
    }
}

/// A hole's seeds; `None` for a closed one.
fn cell(word: &str) -> Result<Option<u32>, ParseError> {
    if word == "x" {
        Ok(None)
    } else {
        number(word).map(Some)
    }
}

/// A decimal number without signs or leading zeros.
fn number(word: &str) -> Result<u32, ParseError> {
    let plain =
        word.bytes().all(|byte| byte.is_ascii_digit()) && (word == "0" || !word.starts_with('0'));
    match word.parse() {
        Ok(number) if plain => Ok(number),
        _ => spelling(format!("{} is no number here", shown(word))),
    }
}
