//! Bosh, rule by rule. Boards are drawn as South sees them; sowing runs
//! South's row left to right, then North's right to left.

use mancala::rules::{IllegalMove, Reason, Side, Step};

use super::At;

fn at(text: &str) -> At {
    At::text("bosh", text)
}

/// The worked example of Marin's report: `e` lifts 4 and sows A B C D; next is E with 4, which sows
/// a b c d; next is `e`, empty: `A` after it is captured with its 5.
///
/// ```text
///  4 4 4 4 4        0 5 5 5 0
///  4 4 4 4[4]  →    5 5 5 5 0    South captures 5
/// ```
#[test]
fn bosh_worked_example() {
    let start = At::start("bosh", 5);
    assert_eq!(start.after("e"), "5,5,5,5,0/0,5,5,5,0 5-0 N round=1");
    let steps = [
        Step::Lift { hole: 4, seeds: 4 },
        Step::Drop {
            holes: vec![5, 6, 7, 8],
        },
        Step::Lift { hole: 9, seeds: 4 },
        Step::Drop {
            holes: vec![0, 1, 2, 3],
        },
        Step::Capture {
            hole: 5,
            seeds: 5,
            to: Some(Side::South),
        },
    ];
    assert_eq!(start.steps('e'), steps);
}

/// Any one of the own occupied holes is played, and all of it sown.
///
/// ```text
///  0 0 0 0 1        0 0 0 0 1
/// [2]1 0 0 0   →    0 2 1 0 0
/// ```
#[test]
fn bosh_rule_1_any_own_occupied_hole_is_sown() {
    let board = at("2,1,0,0,0/1,0,0,0,0 18-18 S round=1");
    assert_eq!(board.legal(), "ab");
    assert_eq!(board.refused('c'), IllegalMove::Empty);
    assert_eq!(board.after("a"), "0,2,1,0,0/1,0,0,0,0 18-18 N round=1");
}

/// Closed holes are skipped in sowing, …
///
/// ```text
///  3 0 0 0 1        3 0 0 1 2
///  1 0[2]x x   →    1 0 0 x x
/// ```
#[test]
fn bosh_rule_1_closed_holes_are_skipped_in_sowing() {
    let board = at("1,0,2,x,x/1,0,0,0,3 20-13 S round=2");
    assert_eq!(board.after("c"), "1,0,0,x,x/2,1,0,0,3 20-13 N round=2");
    assert_eq!(board.refused('d'), IllegalMove::Closed);
    assert_eq!(board.legal(), "ac");
}

/// … in looking ahead: after `c` comes `A`, which is occupied and sown on, …
///
/// ```text
///  0 0 5 0 2        0 0 6 1 0
///  0[1]0 x x   →    0 0 1 x x
/// ```
#[test]
fn bosh_rule_1_closed_holes_are_skipped_in_looking_ahead() {
    let board = at("0,1,0,x,x/2,0,5,0,0 16-16 S round=2");
    assert_eq!(board.after("b"), "0,0,1,x,x/0,1,6,0,0 16-16 N round=2");
}

/// … and in capturing: after the empty `c` comes `A`.
///
/// ```text
///  0 0 0 1 4        0 0 0 1 0
/// [1]0 0 x x   →    0 1 0 x x    South captures 4
/// ```
#[test]
fn bosh_rule_1_closed_holes_are_skipped_in_capturing() {
    let board = at("1,0,0,x,x/4,1,0,0,0 17-17 S round=2");
    assert_eq!(board.after("a"), "0,1,0,x,x/0,1,0,0,0 21-17 N round=2");
}

/// The hole after the last stone's is looked at: if occupied, all of it is lifted and sown on.
///
/// ```text
///  0 0 0 0 1        0 0 0 0 1
/// [1]3 2 0 0   →    0 4 0 1 1    a sows b, c sows d e; A is next: it sows B; C is empty
/// ```
#[test]
fn bosh_rule_2_an_occupied_next_hole_is_sown_on() {
    let board = at("1,3,2,0,0/1,0,0,0,0 17-16 S round=1");
    assert_eq!(board.after("a"), "0,4,0,1,1/0,1,0,0,0 17-16 N round=1");
    assert_eq!(board.play("a").laps, 3);
}

/// If the next hole is empty the sowing ends, whether the last stone's hole was occupied or not.
///
/// ```text
///  0 0 0 0 1        0 0 0 0 1
/// [1]3 0 0 0   →    0 4 0 0 0
/// ```
#[test]
fn bosh_rule_2_an_empty_next_hole_ends_the_sowing() {
    let board = at("1,3,0,0,0/1,0,0,0,0 18-17 S round=1");
    assert_eq!(board.play("a").laps, 1);
    assert_eq!(board.after("a"), "0,4,0,0,0/1,0,0,0,0 18-17 N round=1");
}

/// The hole after the empty one is captured, whoever owns it: the mover's own here, North's in the
/// worked example.
///
/// ```text
///  0 0 0 0 1        0 0 0 0 1
/// [1]0 0 3 0   →    0 1 0 0 0    South captures 3
/// ```
#[test]
fn bosh_rule_3_the_hole_after_the_empty_one_is_captured() {
    let board = at("1,0,0,3,0/1,0,0,0,0 18-17 S round=1");
    assert_eq!(board.captures('a'), "d");
    assert_eq!(board.after("a"), "0,1,0,0,0/1,0,0,0,0 21-17 N round=1");
}

/// If that is empty too, nothing is captured.
///
/// ```text
///  0 0 0 0 1        0 0 0 0 1
/// [1]0 0 0 3   →    0 1 0 0 3
/// ```
#[test]
fn bosh_rule_3_two_empty_holes_capture_nothing() {
    let board = at("1,0,0,0,3/1,0,0,0,0 18-17 S round=1");
    assert_eq!(board.after("a"), "0,1,0,0,3/1,0,0,0,0 18-17 N round=1");
}

/// When the player to move can't, all stones left go to the opponent.
///
/// ```text
///  0 0 0 0 0        0 0 0 0 0
/// [1]0 0 0 2   →    0 1 0 0 2    North has no stones: South takes 3
/// ```
#[test]
fn bosh_rule_4_the_opponent_takes_all_stones_left() {
    let board = at("1,0,0,0,2/0,0,0,0,0 19-18 S round=1");
    let played = board.play("a");
    let round_end = played.round_end.unwrap();
    assert_eq!(round_end.reason, Reason::NoMoves);
    assert_eq!((round_end.score.south, round_end.score.north), (22, 18));
    assert_eq!(round_end.winner, Some(Side::South));
    let settled = board.rules.text(&round_end.position).to_string();
    assert_eq!(settled, "0,0,0,0,0/0,0,0,0,0 22-18 - round=1");
    assert_eq!(played.end, None);
    let last_steps = [
        Step::Sweep {
            side: Side::South,
            seeds: 3,
            holes: [1, 4].into_iter().collect(),
        },
        Step::NewRound {
            position: played.position,
        },
    ];
    assert_eq!(board.steps('a')[2..], last_steps);
}

/// Each player fills the own holes from the own left as far as the reserve goes; a hole that can't be
/// filled is closed; the rest stays in reserve.
///
/// ```text
///  South has 15: three holes and 3 over. North has 25: five holes and 5 over.
///  4 4 4 4 4
///  4 4 4 x x
/// ```
#[test]
fn bosh_rule_5_holes_are_filled_from_the_left_and_the_rest_is_closed() {
    let board = at("1,0,0,0,2/0,0,0,0,0 12-25 S round=1");
    assert_eq!(board.after("a"), "4,4,4,x,x/4,4,4,4,4 3-5 N round=2");
}

/// A closed hole opens again when its owner can fill it: South has 21 now, North 19.
///
/// ```text
///  0 0 0 0 0        x 4 4 4 4
/// [1]0 0 x x   →    4 4 4 4 4
/// ```
#[test]
fn bosh_rule_5_a_closed_hole_opens_again() {
    let board = at("1,0,0,x,x/0,0,0,0,0 20-19 S round=2");
    assert_eq!(board.after("a"), "4,4,4,4,4/4,4,4,4,x 1-3 S round=3");
}

/// Starters alternate: whoever began round 1 begins the odd rounds, whoever moved last.
#[test]
fn bosh_rule_5_starters_alternate() {
    for (round, next) in [
        ("round=1", "N round=2"),
        ("round=2", "S round=3"),
        ("round=3", "N round=4"),
        ("round=1 first=N", "S round=2 first=N"),
        ("round=2 first=N", "N round=3 first=N"),
    ] {
        let south = at(&format!("1,0,0,0,2/0,0,0,0,0 17-20 S {round}"));
        let after = format!("4,4,4,4,4/4,4,4,4,4 0-0 {next}");
        assert_eq!(south.after("a"), after);
        let north = at(&format!("0,0,0,0,0/1,0,0,0,2 20-17 N {round}"));
        assert_eq!(north.after("A"), after);
    }
}

/// Who can't fill one hole has lost the match, though South took the last stones here: 2 are too few.
#[test]
fn bosh_rule_6_who_cannot_fill_one_hole_has_lost() {
    let board = at("1,0,0,0,1/0,0,0,0,0 1-37 S round=1");
    assert_eq!(board.after("a"), "0,0,0,0,0/0,0,0,0,0 3-37 - round=1");
    let played = board.play("a");
    let end = played.end.unwrap();
    assert_eq!(end.winner, Some(Side::North));
    assert_eq!(end.reason, Reason::HolesClosed);
    assert_eq!((end.score.south, end.score.north), (3, 37));
    assert_eq!(played.round_end.unwrap().reason, Reason::NoMoves);
}

/// Holes that were closed in the last round stay so in its text.
#[test]
fn bosh_rule_6_the_end_keeps_the_last_rounds_closed_holes() {
    let board = at("1,0,0,x,x/0,0,0,0,0 0-39 S round=4");
    assert_eq!(board.after("a"), "0,0,0,x,x/0,0,0,0,0 1-39 - round=4");
}

/// Four stones fill one hole, and the match goes on.
#[test]
fn bosh_rule_6_four_stones_are_enough() {
    let board = at("1,0,0,0,2/0,0,0,0,0 1-36 S round=1");
    assert_eq!(board.after("a"), "4,x,x,x,x/4,4,4,4,4 0-16 N round=2");
}
