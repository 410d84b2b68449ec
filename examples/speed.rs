//! Measures the rules on one core: counts of move sequences beside the plain reference of the tests, and
//! rounds played at random.
//!
//! `scripts/speed` prints these figures beside those of OpenSpiel.
//!
//! ```sh
//! cargo run --release --example speed -- perft
//! cargo run --release --example speed -- playouts kalah
//! ```

#![allow(clippy::print_stdout, reason = "figures are what it is for")]

#[allow(dead_code)] // The tests use all of it.
#[path = "../tests/it/reference.rs"]
mod reference;

use std::{
    error::Error,
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use clap::{Parser, Subcommand};
use mancala::{
    catalog::Catalog,
    rules::{Rules, Side},
    search::playout,
};
use rand::{SeedableRng as _, rngs::SmallRng};
use reference::State;

/// Variant, holes a row, depth.
const COUNTS: [(&str, u8, u32); 6] = [
    ("en-dodoi", 6, 6),
    ("sadeqa-ii", 6, 9),
    ("bosh", 5, 7),
    ("adji-boto", 5, 9),
    ("kalah", 6, 6),
    ("oware", 6, 6),
];

/// Each count is done so often, the two implementations in turn: the fastest of each is told.
const REPEATS: usize = 40;

/// More plies than any round at random has.
const MOST_PLIES: u32 = 10_000;

/// Rounds between two looks at the clock.
const BATCH: u32 = 100;

/// Measures the rules on one core.
#[derive(Parser)]
struct Options {
    #[command(subcommand)]
    mode: Mode,
}

#[derive(Subcommand)]
enum Mode {
    /// Counts of move sequences, beside the plain reference.
    Perft,
    /// Rounds played at random from the start: rounds a second, moves a second, moves a round.
    Playouts {
        /// Id of the variant.
        variant: String,
        /// Milliseconds to play.
        #[arg(long, default_value_t = 1_000)]
        millis: u64,
        /// What the choices are drawn from.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

fn main() -> Result<(), Box<dyn Error>> {
    match Options::parse().mode {
        Mode::Perft => perft(),
        Mode::Playouts {
            variant,
            millis,
            seed,
        } => playouts(&variant, Duration::from_millis(millis), seed),
    }
}

fn rules(variant: &str, holes: Option<u8>) -> Result<Arc<Rules>, Box<dyn Error>> {
    let catalog = Catalog::built_in();
    let variant = catalog
        .get(variant)
        .ok_or_else(|| format!("no variant {variant:?}"))?;
    let holes = holes.unwrap_or(variant.rule_set().definition().holes.default);
    let rules = variant.rules(holes).ok_or("it has no such board")?;
    Ok(rules.clone())
}

fn perft() -> Result<(), Box<dyn Error>> {
    println!("| perft | reference | mancala | ratio |");
    println!("| --- | --- | --- | --- |");
    for (variant, holes, depth) in COUNTS {
        let rules = rules(variant, Some(holes))?;
        let start = rules.start(Side::South);
        let state = State::of(&start);
        let (mut slow, mut fast) = (Duration::MAX, Duration::MAX);
        for _ in 0..REPEATS {
            let began = Instant::now();
            let expected = reference::perft(rules.definition(), black_box(&state), depth);
            slow = slow.min(began.elapsed());
            let began = Instant::now();
            let counted = rules.perft(black_box(&start), depth, u64::MAX)?;
            fast = fast.min(began.elapsed());
            if counted != expected {
                return Err(format!("{variant}: {counted}, not {expected}").into());
            }
        }
        let millis = |time: Duration| time.as_secs_f64() * 1e3;
        println!(
            "| `{variant}` {holes}, depth {depth} | {:.2} ms | {:.3} ms | {:.1} |",
            millis(slow),
            millis(fast),
            slow.as_secs_f64() / fast.as_secs_f64()
        );
    }
    Ok(())
}

fn playouts(variant: &str, time: Duration, seed: u64) -> Result<(), Box<dyn Error>> {
    let rules = rules(variant, None)?;
    let start = rules.start(Side::South);
    let mut rng = SmallRng::seed_from_u64(seed);
    let (mut rounds, mut plies) = (0_u64, 0_u64);
    let began = Instant::now();
    let mut elapsed = Duration::ZERO;
    while elapsed < time {
        for _ in 0..BATCH {
            let played = playout(&rules, black_box(&start), MOST_PLIES, &mut rng);
            if played.end.is_none() {
                return Err("a round did not end".into());
            }
            plies += u64::from(played.plies);
        }
        rounds += u64::from(BATCH);
        elapsed = began.elapsed();
    }
    let seconds = elapsed.as_secs_f64();
    println!(
        "{:.0} {:.0} {:.1}",
        rounds as f64 / seconds,
        plies as f64 / seconds,
        plies as f64 / rounds as f64
    );
    Ok(())
}
