//! Recorded games, sowings and counts (see `tests/vectors`): every file and every line of them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
};

use mancala::rules::{BlockReason, IllegalMove, MAX_LAPS, Played, Reason, Rules, Side, Step};
use serde::Deserialize;

use super::{At, CATALOG, letter};
use crate::reference::{self, State};

#[derive(Deserialize)]
struct Game {
    game: String,
    holes: u8,
    start: String,
    plies: Vec<Ply>,
    /// None if the recording was cut before the end.
    result: Option<Ending>,
}

#[derive(Deserialize)]
struct Ply {
    mover: char,
    legal: Vec<u8>,
    pit: u8,
    steps: Vec<VectorStep>,
    after: String,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum VectorStep {
    /// `lift` or `capture`: the hole and the seeds.
    Counted(String, char, u8),
    /// `drop`: one letter a seed.
    Drop(String, String),
}

#[derive(Debug, PartialEq, Deserialize)]
struct Ending {
    winner: Option<char>,
    reason: String,
    stores: [u8; 2],
}

#[derive(Deserialize)]
struct LongSowing {
    game: String,
    position: String,
    hole: u8,
    /// None if it is too long.
    laps: Option<u32>,
}

/// Where the vectors are.
fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "vectors"]
        .iter()
        .collect()
}

fn read(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap()
}

fn lines<T: for<'a> Deserialize<'a>>(name: &str) -> Vec<T> {
    let text = read(name);
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

fn side_letter(side: Side) -> char {
    match side {
        Side::South => 'S',
        Side::North => 'N',
    }
}

/// A step as the vectors write it; they leave out what is not part of the move itself.
fn vector_step(rules: &Rules, step: &Step) -> Option<VectorStep> {
    Some(match step {
        Step::Lift { hole, seeds } => {
            VectorStep::Counted("lift".into(), letter(rules, *hole), *seeds)
        }
        Step::Drop { holes } => {
            let letters = holes.iter().map(|hole| letter(rules, *hole)).collect();
            VectorStep::Drop("drop".into(), letters)
        }
        Step::Capture { hole, seeds, to: _ } => {
            VectorStep::Counted("capture".into(), letter(rules, *hole), *seeds)
        }
        Step::Swap { .. } | Step::Pass { .. } | Step::Sweep { .. } | Step::NewRound { .. } => {
            return None;
        }
    })
}

fn ending(played: &Played) -> Option<Ending> {
    let end = played.end?;
    let stores = played.position.stores();
    Some(Ending {
        winner: end.winner.map(side_letter),
        reason: match end.reason {
            Reason::NoMoves => "no-moves".into(),
            Reason::EmptyRow => "empty-row".into(),
            Reason::Majority => "majority".into(),
            Reason::HolesClosed => "holes-closed".into(),
            other => panic!("the bare rules don't end by {other:?}"),
        },
        stores: [stores.south, stores.north],
    })
}

/// Files of recorded games, with the game and the holes that each is named after.
fn recorded() -> BTreeMap<(String, u8), String> {
    let names = fs::read_dir(folder()).unwrap().map(|entry| {
        let name = entry.unwrap().file_name();
        name.into_string().unwrap()
    });
    let games = names.filter(|name| name.ends_with(".jsonl") && name != "laps.jsonl");
    let of = |name: String| {
        let (game, holes) = name.strip_suffix(".jsonl")?.rsplit_once('-')?;
        let board = (game.to_owned(), holes.parse().ok()?);
        CATALOG.get(game)?.rules(board.1)?;
        Some((board, name))
    };
    let read = games.map(|name| of(name.clone()).ok_or(name));
    let read: Result<BTreeMap<_, _>, String> = read.collect();
    read.unwrap_or_else(|name| panic!("{name} is not named after a variant and a board of it"))
}

fn replay(game: &str, holes: u8, name: &str) {
    let games: Vec<Game> = lines(name);
    assert!(games.len() >= 10, "{name} has {} games", games.len());
    for (number, recorded) in games.iter().enumerate() {
        let place = format!("{name}, game {number}");
        assert_eq!(
            (recorded.game.as_str(), recorded.holes),
            (game, holes),
            "{place}"
        );
        let At { rules, position } = At::text(game, &recorded.start);
        let first = position.to_move().expect(&place);
        assert_eq!(
            (rules.holes(), position),
            (holes, rules.start(first)),
            "{place}"
        );
        let (mut position, mut end) = (position, None);
        for (ply, expected) in recorded.plies.iter().enumerate() {
            let place = format!("{name}, game {number}, ply {ply}");
            let mover = position.to_move().map(side_letter);
            assert_eq!(mover, Some(expected.mover), "{place}");
            let legal: Vec<u8> = rules.legal_moves(&position).iter().collect();
            assert_eq!(legal, expected.legal, "{place}");
            let state = State::of(&position);
            assert_eq!(
                reference::legal(rules.definition(), &state),
                legal,
                "{place}"
            );

            let mut steps = Vec::new();
            let played = rules
                .play_recorded(&position, expected.pit.into(), &mut steps)
                .expect(&place);
            let steps = steps.iter().filter_map(|step| vector_step(&rules, step));
            assert_eq!(steps.collect::<Vec<_>>(), expected.steps, "{place}");
            let text = rules.text(&played.position).to_string();
            assert_eq!(text, expected.after, "{place}");
            assert_eq!(rules.parse(&text), Ok(played.position), "{place}");
            let slow = reference::play(rules.definition(), &state, expected.pit.into(), None);
            let slow = slow.expect(&place);
            assert_eq!(slow.state, State::of(&played.position), "{place}");

            position = played.position;
            end = ending(&played);
            let last = ply + 1 == recorded.plies.len();
            assert_eq!(end.is_some(), last && recorded.result.is_some(), "{place}");
        }
        assert_eq!(end, recorded.result, "{place}");
        assert!(end.is_some() || recorded.plies.len() == 400, "{place}");
    }
}

/// Every file, and each variant has one of its usual board.
#[test]
fn recorded_games() {
    let recorded = recorded();
    for variant in CATALOG.iter() {
        let (id, holes) = (&variant.id, variant.rule_set().definition().holes.default);
        let name = format!("tests/vectors/{id}-{holes}.jsonl");
        assert!(
            recorded.contains_key(&(id.clone(), holes)),
            "{name} is missing; unless an independent implementation can make it: \
             cargo run --release --example vectors -- {id} > {name}"
        );
    }
    for ((game, holes), name) in &recorded {
        replay(game, *holes, name);
    }
}

#[test]
fn recorded_long_sowings() {
    let sowings: Vec<LongSowing> = lines("laps.jsonl");
    let too_long = sowings.iter().filter(|sowing| sowing.laps.is_none());
    assert_eq!((sowings.len(), too_long.count()), (96, 50));
    for LongSowing {
        game,
        position,
        hole,
        laps,
    } in sowings
    {
        let variant = CATALOG.get(&game).unwrap();
        let (rules, from) = variant.parse(&position).unwrap();
        let place = format!("{game} {position}, hole {hole}");
        let played = rules.play(&from, hole.into());
        let slow = reference::play(rules.definition(), &State::of(&from), hole.into(), None);
        assert_eq!(slow.map(|slow| slow.laps), laps, "{place}");
        match laps {
            Some(laps) => {
                assert_eq!(played.map(|played| played.laps), Ok(laps), "{place}");
                assert!(laps <= MAX_LAPS && rules.legal_moves(&from).contains(hole));
            }
            None => {
                let too_long = BlockReason::SowingTooLong;
                assert_eq!(played, Err(IllegalMove::Blocked(too_long)), "{place}");
                assert!(rules.blocked_moves(&from).any(|b| b == (hole, too_long)));
            }
        }
    }
}

/// Every line, and each variant has some of its usual board; the reference is asked only what it can
/// count quickly.
#[test]
fn recorded_counts() {
    let mut counted = BTreeSet::new();
    let text = read("perft.txt");
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<_> = line.split(' ').collect();
        let &[game, holes, depth, nodes] = words.as_slice() else {
            panic!("{line}")
        };
        let at = At::start(game, holes.parse().expect(line));
        let (depth, nodes) = (depth.parse().expect(line), nodes.parse().expect(line));
        let fast = at.rules.perft(&at.position, depth, u64::MAX);
        assert_eq!(fast, Ok(nodes), "{line}");
        if nodes < 100_000 {
            let state = State::of(&at.position);
            let slow = reference::perft(at.rules.definition(), &state, depth);
            assert_eq!(slow, nodes, "{line}");
        }
        counted.insert((game, at.rules.holes()));
    }
    for variant in CATALOG.iter() {
        let (id, holes) = (&variant.id, variant.rule_set().definition().holes.default);
        assert!(
            counted.contains(&(id.as_str(), holes)),
            "tests/vectors/perft.txt has no line of {id} {holes}: \
             cargo run --release --example vectors -- {id} --perft 6 >> tests/vectors/perft.txt"
        );
    }
}
