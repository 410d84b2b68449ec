//! Moves as games play them, each beside the reference: one file of plain loops, one seed at a time,
//! never tuned. The ratio of the two is what to look at; machines differ. `scripts/speed` measures counts
//! and rounds at random.

#[allow(dead_code)] // The tests use all of it.
#[path = "../tests/it/reference.rs"]
mod reference;

use std::sync::Arc;

use divan::{Bencher, black_box, counter::ItemsCount};
use mancala::{
    catalog::Catalog,
    rules::{Position, Rules, Side},
};
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use reference::State;

fn main() {
    divan::main();
}

fn rules(variant: &str, holes: u8) -> Arc<Rules> {
    let catalog = Catalog::built_in();
    let variant = catalog.get(variant).expect("it is built in");
    variant.rules(holes).expect("it has such a board").clone()
}

/// How many moves of random games are sown.
const MOVES: usize = 10_000;

/// Variant, holes a row.
#[derive(Debug)]
struct Game(&'static str, u8);

const GAMES: [Game; 7] = [
    Game("en-dodoi", 6),
    Game("en-dodoi", 10),
    Game("sadeqa-ii", 6),
    Game("bosh", 5),
    Game("adji-boto", 5),
    Game("kalah", 6),
    Game("oware", 6),
];

/// Positions of random games with a legal move in each, the same at every run.
fn random_moves(rules: &Rules) -> Vec<(Position, u8)> {
    let mut rng = SmallRng::seed_from_u64(1);
    let mut moves = Vec::with_capacity(MOVES);
    let mut position = rules.start(Side::South);
    while moves.len() < MOVES {
        let legal: Vec<u8> = rules.legal_moves(&position).iter().collect();
        if legal.is_empty() {
            position = rules.start(Side::South);
            continue;
        }
        let hole = legal[rng.random_range(..legal.len())];
        moves.push((position, hole));
        let played = rules.play(&position, hole.into());
        position = played.expect("it is legal").position;
    }
    moves
}

/// A move as it is played: sown, captured, and what follows.
#[divan::bench(args = &GAMES)]
fn play(bencher: Bencher, game: &Game) {
    let rules = rules(game.0, game.1);
    let moves = random_moves(&rules);
    bencher.counter(ItemsCount::new(MOVES)).bench(|| {
        for (position, hole) in black_box(&moves) {
            let _ = black_box(rules.play(position, (*hole).into()));
        }
    });
}

#[divan::bench(args = &GAMES)]
fn play_reference(bencher: Bencher, game: &Game) {
    let rules = rules(game.0, game.1);
    let moves = random_moves(&rules).into_iter();
    let moves: Vec<_> = moves.map(|(from, hole)| (State::of(&from), hole)).collect();
    bencher.counter(ItemsCount::new(MOVES)).bench(|| {
        for (state, hole) in black_box(&moves) {
            black_box(reference::play(
                rules.definition(),
                state,
                (*hole).into(),
                None,
            ));
        }
    });
}
