//! The rules, held against their own sentences, against recorded games and against the reference.

mod adji_boto;
mod bosh;
mod choices;
mod combinations;
mod definition;
mod en_dodoi;
mod files;
mod impossible;
mod kalah;
mod notation;
mod oware;
mod playouts;
mod properties;
mod random;
mod sadeqa_ii;
mod solved;
mod sowing;
mod swap;
mod vectors;

use std::sync::{Arc, LazyLock};

use mancala::{
    catalog::{Catalog, RuleSet},
    rules::{BlockReason, IllegalMove, Played, Position, Rules, Side, Step},
};

static CATALOG: LazyLock<Catalog> = LazyLock::new(Catalog::built_in);

/// A position with its rules, to be asked in the letters of the rules: `a b …` South's holes from
/// South's left, `A B …` North's from North's.
struct At {
    rules: Arc<Rules>,
    position: Position,
}

impl At {
    fn start(variant: &str, holes: u8) -> At {
        let rules = CATALOG.get(variant).unwrap().rules(holes).unwrap().clone();
        let position = rules.start(Side::South);
        At { rules, position }
    }

    fn text(variant: &str, text: &str) -> At {
        let (rules, position) = CATALOG.get(variant).unwrap().parse(text).unwrap();
        At {
            rules: rules.clone(),
            position,
        }
    }

    /// A position of a rule set that no variant has.
    fn of(rule_set: &RuleSet, text: &str) -> At {
        let holes = 1 + text.split('/').next().unwrap().matches(',').count();
        let rules = rule_set.rules(holes as u8).unwrap().clone();
        let position = rules.parse(text).unwrap();
        At { rules, position }
    }

    /// Plays holes one after another and gives what the last one did.
    fn play(&self, letters: &str) -> Played {
        let mut position = self.position;
        let mut last = None;
        for letter in letters.chars() {
            let hole = self.hole_of_mover(&position, letter);
            let played = self.rules.play(&position, hole).unwrap();
            position = played.position;
            last = Some(played);
        }
        last.expect("at least one hole is played")
    }

    /// The text of the position after these holes.
    fn after(&self, letters: &str) -> String {
        let position = self.play(letters).position;
        self.rules.text(&position).to_string()
    }

    fn refused(&self, letter: char) -> IllegalMove {
        let hole = self.hole_of_mover(&self.position, letter);
        let error = self.rules.play(&self.position, hole).unwrap_err();
        assert_eq!(self.rules.check_move(&self.position, hole), Err(error));
        error
    }

    /// The legal moves, as letters.
    fn legal(&self) -> String {
        legal(&self.rules, &self.position)
    }

    /// What is in the way of the occupied holes that may not be played.
    fn blocked(&self) -> Vec<(char, BlockReason)> {
        let side = self.position.to_move().unwrap();
        let blocked = self.rules.blocked_moves(&self.position);
        blocked
            .map(|(hole, why)| (letter_of(side, hole), why))
            .collect()
    }

    fn steps(&self, letter: char) -> Vec<Step> {
        let mut steps = Vec::new();
        let hole = self.hole_of_mover(&self.position, letter);
        let played = self
            .rules
            .play_recorded(&self.position, hole, &mut steps)
            .unwrap();
        assert_eq!(Ok(played), self.rules.play(&self.position, hole));
        steps
    }

    /// The holes that the move captures, in order, as letters.
    fn captures(&self, letter_played: char) -> String {
        let steps = self.steps(letter_played);
        let captured = steps.iter().filter_map(|step| match step {
            Step::Capture { hole, .. } => Some(letter(&self.rules, *hole)),
            _ => None,
        });
        captured.collect()
    }

    fn hole_of_mover(&self, position: &Position, letter: char) -> u32 {
        let (side, first) = match letter {
            'a'..='z' => (Side::South, 'a'),
            _ => (Side::North, 'A'),
        };
        assert_eq!(position.to_move(), Some(side), "{letter} is to be played");
        letter as u32 - first as u32
    }
}

/// The letter of a hole of the ring; `+` for a store, since seeds are sown into the mover's alone.
fn letter(rules: &Rules, ring_index: u8) -> char {
    if ring_index >= 2 * rules.holes() {
        return '+';
    }
    let first = if ring_index < rules.holes() {
        b'a'
    } else {
        b'A'
    };
    char::from(first + ring_index % rules.holes())
}

/// The letter of a side's hole, counted from its left. A swap of sides has the one after the last hole's.
fn letter_of(side: Side, hole: u8) -> char {
    let first = match side {
        Side::South => b'a',
        Side::North => b'A',
    };
    char::from(first + hole)
}

/// The legal moves, as letters.
fn legal(rules: &Rules, position: &Position) -> String {
    let Some(side) = position.to_move() else {
        return String::new();
    };
    let holes = rules.legal_moves(position);
    holes.iter().map(|hole| letter_of(side, hole)).collect()
}
