//! En Dodoi, rule by rule. Boards are drawn as South sees them; sowing runs
//! South's row left to right, then North's right to left.
//!
//! A series of rounds (rule 5) is a game's matter, not that of the bare rules.

use mancala::rules::{IllegalMove, Reason, Side, Step};

use super::{At, CATALOG};

fn at(text: &str) -> At {
    At::text("en-dodoi", text)
}

/// Two rows of 6 to 10 holes, 6 if nobody says, four seeds a hole.
#[test]
fn en_dodoi_boards_have_6_to_10_holes() {
    let variant = CATALOG.get("en-dodoi").unwrap();
    let sizes: Vec<u8> = (0..=20).filter(|n| variant.rules(*n).is_some()).collect();
    assert_eq!(sizes, [6, 7, 8, 9, 10]);
    assert_eq!(variant.rule_set().definition().holes.default, 6);
    for holes in sizes {
        assert_eq!(variant.rules(holes).unwrap().total(), 8 * holes);
    }
}

/// All seeds of an own occupied hole are sown counterclockwise.
///
/// ```text
///  0 0 0 0 0 1        0 0 0 0 0 1
/// [2]1 0 0 0 0   →    0 2 1 0 0 0
/// ```
#[test]
fn en_dodoi_rule_1_all_seeds_are_sown() {
    let board = at("2,1,0,0,0,0/1,0,0,0,0,0 22-22 S");
    assert_eq!(board.legal(), "ab");
    assert_eq!(board.refused('c'), IllegalMove::Empty);
    assert_eq!(board.after("a"), "0,2,1,0,0,0/1,0,0,0,0,0 22-22 N");
}

/// No hole is skipped, the origin included: the twelfth seed falls into `a`, which is empty then.
///
/// ```text
///  0 0 0 0 0 2        0 1 1 1 1 3
///[12]0 0 0 0 0   →    0 1 1 1 1 1    South captures F and a
/// ```
#[test]
fn en_dodoi_rule_1_the_origin_is_not_skipped() {
    let board = at("12,0,0,0,0,0/2,0,0,0,0,0 17-17 S");
    assert_eq!(board.play("a").laps, 1);
    assert_eq!(board.after("a"), "0,1,1,1,1,1/3,1,1,1,1,0 19-17 N");
}

/// If the last seed falls in an occupied hole, all of it is lifted, that seed too, and sown on; the
/// sowing ends in an empty hole.
///
/// ```text
///  0 0 0 0 0 1        0 0 0 0 0 1
/// [1]2 1 0 0 0   →    0 0 2 1 1 0    a sows b, b sows c d e
/// ```
#[test]
fn en_dodoi_rule_2_an_occupied_hole_is_sown_on() {
    let board = at("1,2,1,0,0,0/1,0,0,0,0,0 22-21 S");
    assert_eq!(board.after("a"), "0,0,2,1,1,0/1,0,0,0,0,0 22-21 N");
    let steps = [
        Step::Lift { hole: 0, seeds: 1 },
        Step::Drop { holes: vec![1] },
        Step::Lift { hole: 1, seeds: 3 },
        Step::Drop {
            holes: vec![2, 3, 4],
        },
    ];
    assert_eq!(board.steps('a'), steps);
    assert_eq!(board.play("a").laps, 2);
}

/// Ending in an own empty hole captures the opposite hole, and then the seed that fell.
///
/// ```text
///  0 5 0 0 0 1        0 0 0 0 0 1
/// [1]0 0 0 0 0   →    0 0 0 0 0 0    South captures 6
/// ```
#[test]
fn en_dodoi_rule_3_the_opposite_hole_and_the_seed_that_fell_are_captured() {
    let board = at("1,0,0,0,0,0/1,0,0,0,5,0 19-22 S");
    assert_eq!(board.captures('a'), "Eb");
    assert_eq!(board.after("a"), "0,0,0,0,0,0/1,0,0,0,0,0 25-22 N");
    assert_eq!(board.play("a").captured, 6);
}

/// If the opposite hole is empty nothing is captured, and the seed stays.
///
/// ```text
///  0 0 0 0 0 1        0 0 0 0 0 1
/// [1]0 0 0 0 0   →    0 1 0 0 0 0
/// ```
#[test]
fn en_dodoi_rule_3_an_empty_opposite_hole_captures_nothing() {
    let board = at("1,0,0,0,0,0/1,0,0,0,0,0 23-23 S");
    assert_eq!(board.after("a"), "0,1,0,0,0,0/1,0,0,0,0,0 23-23 N");
}

/// Ending in the opponent's row captures nothing, though `e` opposite `B` is occupied.
///
/// ```text
///  0 1 0 0 0 0        0 1 0 0 1 1
///  0 0 0 0 3[2]  →    0 0 0 0 3 0
/// ```
#[test]
fn en_dodoi_rule_3_the_opponents_row_captures_nothing() {
    let board = at("0,0,0,0,3,2/0,0,0,0,1,0 20-22 S");
    assert_eq!(board.after("f"), "0,0,0,0,3,0/1,1,0,0,1,0 20-22 N");
}

/// When the player to move can't, all seeds left go to who made the last move.
///
/// ```text
///  0 0 0 0 0 0        0 0 0 0 0 0
/// [1]0 0 0 3 0   →    0 1 0 0 3 0    North has no seeds
/// ```
#[test]
fn en_dodoi_rule_4_the_last_mover_gets_all_seeds_left() {
    let board = at("1,0,0,0,3,0/0,0,0,0,0,0 21-23 S");
    assert_eq!(board.after("a"), "0,0,0,0,0,0/0,0,0,0,0,0 25-23 -");
    let end = board.play("a").end.unwrap();
    assert_eq!(
        (end.winner, end.reason),
        (Some(Side::South), Reason::NoMoves)
    );
    let sweep = Step::Sweep {
        side: Side::South,
        seeds: 4,
        holes: [1, 4].into_iter().collect(),
    };
    assert_eq!(board.steps('a').last(), Some(&sweep));
}

/// Who has more seeds has won, even if the other made the last move; equal is a draw.
#[test]
fn en_dodoi_rule_4_more_seeds_win_and_equal_is_a_draw() {
    let winner = |stores: &str| {
        let board = at(&format!("1,0,0,0,3,0/0,0,0,0,0,0 {stores} S"));
        board.play("a").end.unwrap().winner
    };
    assert_eq!(winner("19-25"), Some(Side::North));
    assert_eq!(winner("20-24"), None);
}

/// A majority ends nothing.
#[test]
fn en_dodoi_rule_4_a_majority_ends_nothing() {
    let board = at("1,0,0,0,0,0/1,0,0,0,0,0 40-6 S");
    assert_eq!(board.play("a").end, None);
}
