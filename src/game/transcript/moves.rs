//! Moves as text: a hole's letter, lower case for South's and upper case for North's, or `swap`.

use super::{Place, Placed, TranscriptError, number, reader::Reader, shown};
use crate::rules::{MAX_HOLES, Position, Rules, Side};

/// A swap of sides, by South; North's is in upper case.
const SWAP: &str = "swap";

/// A move as text has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ply {
    /// Where it stands.
    pub place: Place,
    /// The number of the round that it begins, where the text marks it.
    pub round: Option<Placed<u32>>,
    /// Whose move it is.
    pub side: Side,
    /// The hole, from the mover's left; `None` for a swap of sides.
    pub hole: Option<u8>,
}

impl Ply {
    /// Reads moves.
    ///
    /// # Errors
    ///
    /// Refuses anything else, with its place.
    pub fn read_all(text: &str) -> Result<Vec<Ply>, TranscriptError> {
        read_moves(&mut Reader::new(text))
    }

    /// The hole as the rules count it, checked to be of the side to move, and of the round that it is
    /// marked with, where the rules count rounds. Whether it is legal is theirs to say.
    ///
    /// # Errors
    ///
    /// Refuses another side's move, and another round's.
    pub fn hole_at(&self, rules: &Rules, position: &Position) -> Result<u32, TranscriptError> {
        let Some(to_move) = position.to_move() else {
            return Ok(self.number(rules));
        };
        if to_move != self.side {
            let problem = format!("{:?}'s move, but {to_move:?} is to move", self.side);
            return Err(self.place.error(problem));
        }
        match (&self.round, position.round()) {
            (Some(mark), Some(round)) if mark.value != u32::from(round) => {
                Err(mark.place.error(format!("it is round {round}")))
            }
            _ => Ok(self.number(rules)),
        }
    }

    fn number(&self, rules: &Rules) -> u32 {
        self.hole.unwrap_or(rules.holes()).into()
    }
}

/// Reads moves up to the end.
pub(super) fn read_moves(reader: &mut Reader) -> Result<Vec<Ply>, TranscriptError> {
    let (mut moves, mut round) = (Vec::new(), None::<Placed<u32>>);
    loop {
        reader.skip_space();
        let word = reader.word();
        let place = word.place;
        if word.value.is_empty() {
            return match round {
                Some(round) => Err(round.place.error("a round without moves")),
                None => Ok(moves),
            };
        }
        if let Some(value) = word.value.strip_suffix(':').and_then(number) {
            if let Some(earlier) = round.replace(Placed { value, place }) {
                return Err(earlier.place.error("a round without moves"));
            }
            continue;
        }
        let (side, hole) = read_move(word.value).ok_or_else(|| match word.value {
            tag if tag.starts_with('[') => place.error("tags come before the moves"),
            other => place.error(format!("{} is no move", shown(other))),
        })?;
        moves.push(Ply {
            place,
            round: round.take(),
            side,
            hole,
        });
    }
}

fn read_move(word: &str) -> Option<(Side, Option<u8>)> {
    let side = match word.bytes().next()? {
        b'a'..=b'z' => Side::South,
        _ => Side::North,
    };
    if word == spelt(side, SWAP) {
        return Some((side, None));
    }
    let &[letter] = word.as_bytes() else {
        return None;
    };
    let hole = letter.to_ascii_lowercase().checked_sub(b'a')?;
    (hole < MAX_HOLES).then_some((side, Some(hole)))
}

/// A move's word: the number of holes a row is a swap of sides.
pub(super) fn word(side: Side, hole: u8, holes: u8) -> String {
    match hole {
        hole if hole < holes => spelt(side, &char::from(b'a' + hole).to_string()),
        _ => spelt(side, SWAP),
    }
}

fn spelt(side: Side, word: &str) -> String {
    match side {
        Side::South => word.to_owned(),
        Side::North => word.to_ascii_uppercase(),
    }
}
