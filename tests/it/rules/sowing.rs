//! The limit of laps: exact on both sides, and what follows where only too long sowings are left.

use mancala::{
    catalog::RuleSet,
    rules::{
        BlockReason, IllegalMove, MAX_LAPS, ParseError, PositionError, Reason, Rules, Side, Step,
    },
};

use super::{At, legal};
use crate::reference::{self, State};

/// A sowing of 11,367 laps, cut short: this is its board when exactly 10,000 laps are left, …
const TEN_THOUSAND: &str = "1,4,0,6,1,4,4,5,6,1/2,1,0,3,0,12,0,3,0,2 25-0 S";
/// … and this one lap before.
const ONE_MORE: &str = "1,4,3,5,0,3,4,5,6,1/2,1,0,3,0,12,0,3,0,2 25-0 S";

#[test]
fn laps_10_000_laps_are_legal() {
    let board = At::text("en-dodoi", TEN_THOUSAND);
    assert_eq!(MAX_LAPS, 10_000);
    assert!(board.legal().contains('f'));
    assert_eq!(board.play("f").laps, MAX_LAPS);
    let lifts = board.steps('f').into_iter();
    let lifts = lifts.filter(|step| matches!(step, Step::Lift { .. }));
    assert_eq!(lifts.count(), 10_000);
    let slow = reference::play(
        board.rules.definition(),
        &State::of(&board.position),
        5,
        None,
    );
    assert_eq!(slow.unwrap().state, State::of(&board.play("f").position));
}

#[test]
fn laps_10_001_laps_are_too_long() {
    let board = At::text("en-dodoi", ONE_MORE);
    let too_long = BlockReason::SowingTooLong;
    assert!(!board.legal().contains('c'));
    assert_eq!(board.refused('c'), IllegalMove::Blocked(too_long));
    assert_eq!(board.blocked(), [('c', too_long)]);
}

/// A sowing that returns to its start is refused just as one that never does so in time.
#[test]
fn laps_a_sowing_that_never_ends_is_too_long() {
    let board = At::text("bosh", "0,1,0,2,1/0,3,1,2,1 3-26 N round=1");
    let too_long = BlockReason::SowingTooLong;
    assert_eq!(board.refused('C'), IllegalMove::Blocked(too_long));
    assert!(board.blocked().contains(&('C', too_long)));
    assert!(!board.legal().contains('C') && !board.legal().is_empty());
}

/// Perft takes a sowing that is too long for no move, as everything else does.
#[test]
fn laps_counting_leaves_out_sowings_that_are_too_long() {
    for (variant, text) in [
        ("en-dodoi", ONE_MORE),
        ("en-dodoi", TEN_THOUSAND),
        ("bosh", "0,1,0,2,1/0,3,1,2,1 3-26 N round=1"),
    ] {
        let At { rules, position } = At::text(variant, text);
        let state = State::of(&position);
        for depth in 0..3 {
            let slow = reference::perft(rules.definition(), &state, depth);
            assert_eq!(rules.perft(&position, depth, u64::MAX), Ok(slow));
        }
        let divided: Vec<_> = rules.perft_divided(&position, 1, u64::MAX).collect();
        let moves = rules.legal_moves(&position).iter();
        assert_eq!(divided, moves.map(|hole| Ok((hole, 1))).collect::<Vec<_>>());
    }
}

/// Counting gives up when its budget of laps is spent, and needs no more than it sows.
#[test]
fn laps_counting_keeps_its_budget() {
    let At { rules, position } = At::text("en-dodoi", "1,0,0,0,0,0/1,0,0,0,0,0 23-23 S");
    assert!(rules.perft(&position, 1, 0).is_err());
    assert_eq!(rules.perft(&position, 1, 1), Ok(1));
    let long = At::text("en-dodoi", TEN_THOUSAND);
    assert!(long.rules.perft(&long.position, 1, 9_999).is_err());
    assert!(long.rules.perft(&long.position, 1, 20_000).is_ok());
}

/// A count asks every thousand laps whether it may go on, and ends when it may not.
#[test]
fn laps_counting_asks_often_whether_it_may_go_on() {
    let At { rules, position } = At::text("oware", "4,4,4,4,4,4/4,4,4,4,4,4 0-0 S");
    let count = |most: u64| {
        let mut asked = 0;
        let mut may_go_on = || {
            asked += 1;
            asked <= most
        };
        let counted = rules.perft_while(&position, 6, u64::MAX, &mut may_go_on);
        (counted, asked)
    };
    let (nodes, asked) = count(u64::MAX);
    assert_eq!(nodes, rules.perft(&position, 6, u64::MAX));
    assert!(asked >= nodes.unwrap() / 1_100, "{asked} times");
    assert!(matches!(count(3), (Err(_), 4)));
}

/// Sadeqa II: North's first move must be from `F`, whose sowing never ends; so North has lost.
#[test]
fn laps_sadeqa_ii_who_has_only_too_long_moves_has_lost() {
    let board = At::text("sadeqa-ii", "0,3,3,2,1,1/2,1,0,3,2,3 0-0 S opened=0/0");
    assert_eq!(board.after("f"), "1,0,4,3,2,1/0,2,1,0,3,4 0-0 -");
    let end = board.play("f").end.unwrap();
    assert_eq!(
        (end.winner, end.reason),
        (Some(Side::South), Reason::NoMoves)
    );
    let north_to_move = "1,0,4,3,2,1/0,2,1,0,3,4 0-0 N opened=1/0";
    let stuck = ParseError::Position(PositionError::NoLegalMove);
    assert_eq!(board.rules.parse(north_to_move), Err(stuck));
}

/// The smallest relay game: one hole a player, two seeds each. South's `a` drops in A and a, and ends
/// in `a`, emptied. Then A sows a A a, a sows A a A, and A lies there with its three again.
fn smallest(blocked: &str, remainder: &str) -> RuleSet {
    RuleSet::parse(&format!(
        "seeds = 2\nlift = \"all\"\nopening = \"free\"\nlaps = \"relay\"\nblocked = \"{blocked}\"\n\
         remainder = \"{remainder}\"\nwinner = \"more-seeds\"\n\
         holes = {{ min = 1, max = 1, default = 1 }}\n\
         capture = {{ kind = \"next-run\", to = \"store\", during-opening = true, sizes = [9] }}\n"
    ))
    .unwrap()
}

fn after_a(rules: &Rules) -> (String, Option<Side>) {
    let played = rules.play(&rules.start(Side::South), 0).unwrap();
    assert_eq!(played.passed.is_none(), played.end.is_some());
    (rules.text(&played.position).to_string(), played.passed)
}

/// Where a blocked player ends it, one with only too long moves does.
#[test]
fn laps_too_long_moves_alone_end_it() {
    let rule_set = smallest("ends", "opponent");
    let after = after_a(rule_set.rules(1).unwrap());
    assert_eq!(after, ("0/0 4-0 -".into(), None));
}

/// Where a blocked player passes, one with only too long moves does.
#[test]
fn laps_too_long_moves_alone_make_a_player_pass() {
    let rule_set = smallest("passes", "own-row");
    let rules = rule_set.rules(1).unwrap();
    assert_eq!(after_a(rules), ("1/3 0-0 S".into(), Some(Side::North)));
    assert_eq!(legal(rules, &rules.parse("1/3 0-0 S").unwrap()), "a");
    let stuck = ParseError::Position(PositionError::NoLegalMove);
    assert_eq!(rules.parse("1/3 0-0 N"), Err(stuck));
}
