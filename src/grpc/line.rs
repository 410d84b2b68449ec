//! The moves that `ApplyMoves` plays: holes, or text as games have it.

use tonic::Status;

use super::error::{self, invalid};
use crate::{
    game::Ply,
    rules::{Position, Rules},
};

/// Most moves of one `ApplyMoves`.
const MOST_MOVES: usize = 256;

/// Moves, one after another.
pub(super) enum Line {
    /// Each its mover's hole.
    Holes(Vec<u32>),
    /// As text.
    Text(Vec<Ply>),
}

impl Line {
    /// The moves that a request gives in one way or the other.
    pub(super) fn read(moves: Vec<u32>, text: &str) -> Result<Line, Status> {
        let line = match text {
            "" => Line::Holes(moves),
            _ if !moves.is_empty() => return Err(invalid("move_text", "stands beside moves")),
            text => {
                let plies = Ply::read_all(text);
                Line::Text(plies.map_err(|error| error::of_text("move_text", &error))?)
            }
        };
        if !(1..=MOST_MOVES).contains(&line.len()) {
            return Err(invalid(
                line.name(),
                format!("from 1 to {MOST_MOVES} moves"),
            ));
        }
        Ok(line)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Line::Holes(holes) => holes.len(),
            Line::Text(plies) => plies.len(),
        }
    }

    /// A move's hole at the position that the moves before it lead to. A text must name the side to
    /// move, and where the rules count rounds, its marks the round.
    pub(super) fn hole(
        &self,
        index: usize,
        rules: &Rules,
        position: &Position,
    ) -> Result<u32, Status> {
        match self {
            Line::Holes(holes) => Ok(holes[index]),
            Line::Text(plies) => {
                let hole = plies[index].hole_at(rules, position);
                hole.map_err(|error| error::of_text(self.name(), &error))
            }
        }
    }

    /// The field that names a move.
    pub(super) fn field(&self, index: usize) -> String {
        format!("{}[{index}]", self.name())
    }

    fn name(&self) -> &'static str {
        match self {
            Line::Holes(_) => "moves",
            Line::Text(_) => "move_text",
        }
    }
}
