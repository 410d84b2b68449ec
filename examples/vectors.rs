//! Makes vectors of a variant by the plain reference of the tests: random games, or counts of move
//! sequences. The fast rules have no part in it, so that the tests can hold them against it.
//!
//! ```sh
//! cargo run --release --example vectors -- kalah > tests/vectors/kalah-6.jsonl
//! cargo run --release --example vectors -- kalah --perft 8 >> tests/vectors/perft.txt
//! ```

#[allow(dead_code)] // The tests use all of it.
#[path = "../tests/it/reference.rs"]
mod reference;

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use clap::{CommandFactory as _, Parser, error::ErrorKind};
use mancala::{
    catalog::Catalog,
    rules::{Definition, Opening, Reason, SeedRange, Side, Step},
};
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use reference::State;
use serde::Serialize;

/// Plies after which a game is cut, since the rules alone know no repetition.
const MOST_PLIES: usize = 400;

const EXAMPLES: &str = "\
Examples:
  cargo run --release --example vectors -- kalah --holes 4 > tests/vectors/kalah-4.jsonl
  cargo run --release --example vectors -- kalah --perft 8 >> tests/vectors/perft.txt";

/// Makes vectors of a variant by the plain reference of the tests, and prints them.
///
/// North begins every fourth game. Where a game can be made with more or fewer seeds, every third is.
#[derive(Debug, Parser)]
#[command(name = "vectors", after_help = EXAMPLES)]
struct Options {
    /// Id of the variant.
    game: String,
    /// Holes a row; the variant's default if not given.
    #[arg(long)]
    holes: Option<u8>,
    /// Random games to play, a line each.
    #[arg(long, default_value_t = 12, conflicts_with = "perft")]
    games: u32,
    /// What chance begins with: the same seed gives the same games.
    #[arg(long, default_value_t = 1, conflicts_with = "perft")]
    seed: u64,
    /// Count the move sequences of 1 to so many plies instead, a line each.
    #[arg(long, value_name = "DEPTH", value_parser = clap::value_parser!(u32).range(1..=64))]
    perft: Option<u32>,
}

#[derive(Serialize)]
struct Game<'a> {
    game: &'a str,
    holes: u8,
    start: String,
    plies: Vec<Ply>,
    result: Option<Ending>,
}

#[derive(Serialize)]
struct Ply {
    mover: char,
    legal: Vec<u8>,
    pit: u8,
    steps: Vec<VectorStep>,
    after: String,
}

#[derive(Serialize)]
#[serde(untagged)]
enum VectorStep {
    /// `lift` or `capture`: the hole and the seeds.
    Counted(&'static str, char, u8),
    /// `drop`: one letter a seed.
    Drop(&'static str, String),
}

#[derive(Serialize)]
struct Ending {
    winner: Option<char>,
    reason: &'static str,
    stores: [u8; 2],
}

fn main() -> io::Result<()> {
    let options = Options::parse();
    let catalog = Catalog::built_in();
    let Some(variant) = catalog.get(&options.game) else {
        let ids: Vec<&str> = catalog.iter().map(|variant| variant.id.as_str()).collect();
        refuse(&format!(
            "there is no variant {:?}; there are {}",
            options.game,
            ids.join(", ")
        ));
    };
    let rules = variant.rule_set().definition();
    let range = rules.holes;
    let holes = options.holes.unwrap_or(range.default);
    if !(range.min..=range.max).contains(&holes) {
        refuse(&format!(
            "{} has {} to {} holes a row, not {holes}",
            variant.id, range.min, range.max
        ));
    }
    let mut out = io::stdout().lock();
    if let Some(depth) = options.perft {
        let start = State::start(rules, holes, rules.seeds, Side::South);
        for depth in 1..=depth {
            let nodes = reference::perft(rules, &start, depth);
            writeln!(out, "{} {holes} {depth} {nodes}", variant.id)?;
        }
        return Ok(());
    }
    let mut chance = SmallRng::seed_from_u64(options.seed);
    for number in 0..options.games {
        let start = start(rules, holes, number, &mut chance);
        let (plies, result) = play(rules, start, &mut chance);
        let game = Game {
            game: &variant.id,
            holes,
            start: text(rules, &start),
            plies,
            result,
        };
        let line = serde_json::to_string(&game)?;
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// Ends the program as a wrong command line does: with what is wrong, and the usage.
fn refuse(message: &str) -> ! {
    Options::command()
        .error(ErrorKind::ValueValidation, message)
        .exit()
}

fn start(rules: &Definition, holes: u8, number: u32, chance: &mut SmallRng) -> State {
    let SeedRange { min, max } = rules.seed_range();
    let seeds = match number % 3 {
        1 => chance.random_range(min..=max),
        _ => rules.seeds,
    };
    let first = match number % 4 {
        3 => Side::North,
        _ => Side::South,
    };
    State::start(rules, holes, seeds, first)
}

/// A random game: its plies, and how it came out unless it was cut.
fn play(rules: &Definition, start: State, chance: &mut SmallRng) -> (Vec<Ply>, Option<Ending>) {
    let mut state = start;
    let mut plies = Vec::new();
    while let Some(mover) = state.to_move.filter(|_| plies.len() < MOST_PLIES) {
        let legal = reference::legal(rules, &state);
        let pit = legal[chance.random_range(..legal.len())];
        let mut steps = Vec::new();
        let outcome = reference::play(rules, &state, pit.into(), Some(&mut steps));
        let outcome = outcome.expect("it is legal");
        state = outcome.state;
        plies.push(Ply {
            mover: letter(mover),
            legal,
            pit,
            steps: vector_steps(state.holes, &steps),
            after: text(rules, &state),
        });
        if let Some(end) = outcome.end {
            let result = Ending {
                winner: end.winner.map(letter),
                reason: reason(end.reason),
                stores: state.stores,
            };
            return (plies, Some(result));
        }
    }
    (plies, None)
}

fn reason(reason: Reason) -> &'static str {
    match reason {
        Reason::NoMoves => "no-moves",
        Reason::EmptyRow => "empty-row",
        Reason::Majority => "majority",
        Reason::HolesClosed => "holes-closed",
        Reason::Repetition | Reason::TooLong => unreachable!("only a game ends so"),
    }
}

fn letter(side: Side) -> char {
    match side {
        Side::South => 'S',
        Side::North => 'N',
    }
}

/// Steps as the vectors write them; they leave out what is not part of the move itself.
fn vector_steps(holes: usize, steps: &[Step]) -> Vec<VectorStep> {
    let letter = |hole: u8| match usize::from(hole) {
        south if south < holes => char::from(b'a' + hole),
        north if north < 2 * holes => char::from(b'A' + hole - holes as u8),
        _ => '+',
    };
    let told = steps.iter().filter_map(|step| match step {
        Step::Lift { hole, seeds } => Some(VectorStep::Counted("lift", letter(*hole), *seeds)),
        Step::Drop { holes } => {
            let letters = holes.iter().map(|hole| letter(*hole)).collect();
            Some(VectorStep::Drop("drop", letters))
        }
        Step::Capture { hole, seeds, to: _ } => {
            Some(VectorStep::Counted("capture", letter(*hole), *seeds))
        }
        Step::Swap { .. } | Step::Pass { .. } | Step::Sweep { .. } | Step::NewRound { .. } => None,
    });
    told.collect()
}

/// Position text.
fn text(rules: &Definition, state: &State) -> String {
    let rows = [0..state.holes, state.holes..2 * state.holes];
    let rows = rows.clone().map(|row| {
        let cells = row.map(|cell| match state.closed[cell] {
            true => "x".to_owned(),
            false => state.cells[cell].to_string(),
        });
        cells.collect::<Vec<_>>().join(",")
    });
    let [south, north] = state.stores;
    let side = state.to_move.map_or('-', letter);
    let mut text = format!("{} {south}-{north} {side}", rows.join("/"));
    let mut key = |key: &str, value: String| {
        let _ = write!(text, " {key}={value}");
    };
    if state.unopened.contains(&true) {
        let digits = Side::BOTH.map(|side| opened(rules, state, side));
        key("opened", digits.join("/"));
    }
    if state.round > 0 {
        key("round", state.round.to_string());
    }
    if state.first == Side::North {
        key("first", "N".into());
    }
    if let Some(side) = state.swap {
        key("swap", letter(side).into());
    }
    text
}

/// A digit for each hole that a side must open: 1 once that is done.
fn opened(rules: &Definition, state: &State, side: Side) -> String {
    let row = side.index() * state.holes;
    let first = match rules.opening {
        Opening::RightmostHole => state.holes - 1,
        Opening::EveryHole | Opening::Free => 0,
    };
    let cells = row + first..row + state.holes;
    let digits = cells.map(|cell| if state.unopened[cell] { '0' } else { '1' });
    digits.collect()
}
