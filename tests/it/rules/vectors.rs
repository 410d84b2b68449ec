//! Games, sowings and counts recorded by an independent implementation (see `tests/vectors`).

use std::{fs, path::Path};

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

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    fs::read_to_string(path.join(name)).unwrap()
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
        Step::Pass { .. } | Step::Sweep { .. } | Step::NewRound { .. } => return None,
    })
}

fn ending(played: &Played) -> Option<Ending> {
    let end = played.end?;
    let stores = played.position.stores();
    Some(Ending {
        winner: end.winner.map(side_letter),
        reason: match end.reason {
            Reason::NoMoves => "no-moves".into(),
            Reason::HolesClosed => "holes-closed".into(),
            other => panic!("the bare rules don't end by {other:?}"),
        },
        stores: [stores.south, stores.north],
    })
}

fn replay(name: &str, expected_games: usize) {
    let games: Vec<Game> = lines(name);
    assert_eq!(games.len(), expected_games);
    for (number, game) in games.iter().enumerate() {
        let At { rules, position } = At::text(&game.game, &game.start);
        let first = position.to_move().unwrap();
        assert_eq!((rules.holes(), position), (game.holes, rules.start(first)));
        let (mut position, mut end) = (position, None);
        for (ply, expected) in game.plies.iter().enumerate() {
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
            let last = ply + 1 == game.plies.len();
            assert_eq!(end.is_some(), last && game.result.is_some(), "{place}");
        }
        assert_eq!(end, game.result, "{name}, game {number}");
    }
}

#[test]
fn recorded_games_of_adji_boto() {
    replay("adji-boto-5.jsonl", 12);
}

#[test]
fn recorded_games_of_bosh() {
    replay("bosh-5.jsonl", 12);
}

#[test]
fn recorded_games_of_en_dodoi_6() {
    replay("en-dodoi-6.jsonl", 12);
}

#[test]
fn recorded_games_of_en_dodoi_7() {
    replay("en-dodoi-7.jsonl", 12);
}

#[test]
fn recorded_games_of_en_dodoi_8() {
    replay("en-dodoi-8.jsonl", 12);
}

#[test]
fn recorded_games_of_en_dodoi_9() {
    replay("en-dodoi-9.jsonl", 12);
}

#[test]
fn recorded_games_of_en_dodoi_10() {
    replay("en-dodoi-10.jsonl", 12);
}

#[test]
fn recorded_games_of_sadeqa_ii() {
    replay("sadeqa-ii-6.jsonl", 12);
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

/// Every count of a game on a board; the reference is asked only what it can count quickly.
fn counts(game: &str, holes: u8, expected_lines: usize) {
    let text = read("perft.txt");
    let mut lines = 0;
    let at = At::start(game, holes);
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<_> = line.split(' ').collect();
        let &[of, on, depth, nodes] = words.as_slice() else {
            panic!("{line}")
        };
        if (of, on.parse()) != (game, Ok(holes)) {
            continue;
        }
        lines += 1;
        let (depth, nodes) = (depth.parse().unwrap(), nodes.parse().unwrap());
        let counted = at.rules.perft(&at.position, depth, u64::MAX);
        assert_eq!(counted, Ok(nodes), "{line}");
        if nodes < 100_000 {
            let state = State::of(&at.position);
            let slow = reference::perft(at.rules.definition(), &state, depth);
            assert_eq!(slow, nodes, "{line}");
        }
    }
    assert_eq!(lines, expected_lines);
}

#[test]
fn recorded_counts_of_adji_boto() {
    counts("adji-boto", 5, 9);
}

#[test]
fn recorded_counts_of_en_dodoi() {
    for (holes, lines) in [(6, 8), (7, 7), (8, 6), (9, 6), (10, 5)] {
        counts("en-dodoi", holes, lines);
    }
}

#[test]
fn recorded_counts_of_bosh() {
    counts("bosh", 5, 9);
}

#[test]
fn recorded_counts_of_sadeqa_ii() {
    counts("sadeqa-ii", 6, 11);
}
