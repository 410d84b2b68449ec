//! Sadeqa II, rule by rule. Boards are drawn as South sees them; sowing runs
//! South's row left to right, then North's right to left.

use mancala::rules::{BlockReason, IllegalMove, Reason, Side, Step};

use super::At;

fn at(text: &str) -> At {
    At::text("sadeqa-ii", text)
}

/// All seeds are sown, and an occupied hole is sown on, as in En Dodoi.
///
/// ```text
///  0 0 0 0 0 1        0 0 0 0 0 1
/// [1]2 1 0 0 0   →    0 0 2 1 1 0    a sows b, b sows c d e
/// ```
#[test]
fn sadeqa_ii_rule_1_sowing_is_a_relay() {
    let board = at("1,2,1,0,0,0/1,0,0,0,0,0 0-0 S");
    assert_eq!(board.after("a"), "0,0,2,1,1,0/1,0,0,0,0,0 0-0 N");
    assert_eq!(board.play("a").laps, 2);
}

/// Each player's first move is from the own rightmost hole.
///
/// South's `f` sows A B C, C sows D E F a, a sows b c d e, e sows f A B C: C was emptied. Opposite is
/// `d`, whose 4 leave play. North's `F` sows a b c d: `d` is empty, and C opposite loses its 1.
///
/// ```text
///  3 3 3 3 3 3        4 4 4 1 5 5        0 4 4 0 5 5
///  3 3 3 3 3[3]  →    0 4 4 0 0 1   →    1 5 5 1 0 1
/// ```
#[test]
fn sadeqa_ii_rule_2_first_moves_are_from_the_rightmost_hole() {
    let start = At::start("sadeqa-ii", 6);
    let wrong = BlockReason::NotTheOpeningHole;
    assert_eq!(start.legal(), "f");
    assert_eq!(
        start.blocked(),
        ['a', 'b', 'c', 'd', 'e'].map(|c| (c, wrong))
    );
    assert_eq!(start.refused('a'), IllegalMove::Blocked(wrong));
    let north = "0,4,4,0,0,1/5,5,1,4,4,4 0-0 N opened=1/0";
    assert_eq!(start.after("f"), north);
    assert_eq!(at(north).legal(), "F");
    let free = "1,5,5,1,0,1/5,5,0,4,4,0 0-0 S";
    assert_eq!(start.after("fF"), free);
    assert_eq!(at(free).legal(), "abcdf");
}

/// Ending in an own empty hole removes the opposite hole's seeds; the seed that fell stays.
///
/// ```text
///  0 5 0 0 0 1        0 0 0 0 0 1
/// [1]0 0 0 0 0   →    0 1 0 0 0 0    5 leave play
/// ```
#[test]
fn sadeqa_ii_rule_3_the_opposite_hole_leaves_play_and_the_seed_stays() {
    let board = at("1,0,0,0,0,0/1,0,0,0,5,0 0-0 S");
    assert_eq!(board.after("a"), "0,1,0,0,0,0/1,0,0,0,0,0 0-0 N");
    assert_eq!(board.play("a").captured, 5);
    let out_of_play = Step::Capture {
        hole: 10,
        seeds: 5,
        to: None,
    };
    assert_eq!(board.steps('a').last(), Some(&out_of_play));
}

/// So does ending in an empty hole of the opponent's row: `e` lies opposite `B`.
///
/// ```text
///  0 1 0 0 0 0        0 1 0 0 1 1
///  0 0 0 0 3[2]  →    0 0 0 0 0 0    3 leave play
/// ```
#[test]
fn sadeqa_ii_rule_3_it_captures_on_either_side() {
    let board = at("0,0,0,0,3,2/0,0,0,0,1,0 0-0 S");
    assert_eq!(board.after("f"), "0,0,0,0,0,0/1,1,0,0,1,0 0-0 N");
}

/// An empty opposite hole has nothing to remove.
#[test]
fn sadeqa_ii_rule_3_an_empty_opposite_hole_captures_nothing() {
    let board = at("1,0,0,0,0,0/1,0,0,0,0,0 0-0 S");
    assert_eq!(board.play("a").captured, 0);
    assert_eq!(board.after("a"), "0,1,0,0,0,0/1,0,0,0,0,0 0-0 N");
}

/// Who has no legal move has lost, and the rows are kept.
///
/// ```text
///  0 0 0 0 0 0        0 0 0 0 0 0
/// [1]0 0 0 2 0   →    0 1 0 0 2 0    North can't move
/// ```
#[test]
fn sadeqa_ii_rule_4_who_cannot_move_has_lost() {
    let board = at("1,0,0,0,2,0/0,0,0,0,0,0 0-0 S");
    assert_eq!(board.after("a"), "0,1,0,0,2,0/0,0,0,0,0,0 0-0 -");
    let end = board.play("a").end.unwrap();
    assert_eq!(
        (end.winner, end.reason),
        (Some(Side::South), Reason::NoMoves)
    );
    assert_eq!((end.score.south, end.score.north), (3, 0));
}

/// Also if that player made the last move's opponent stronger: South's last seeds cross over, and
/// North, who can move, plays `A`; then South has nothing left.
///
/// ```text
///  0 0 0 0 0 0        0 0 0 0 0 1        0 0 0 0 1 0
///  0 0 0 0 0[1]  →    0 0 0 0 0 0   →    0 0 0 0 0 0
/// ```
#[test]
fn sadeqa_ii_rule_4_south_can_lose_too() {
    let board = at("0,0,0,0,0,1/0,0,0,0,0,0 0-0 S");
    assert_eq!(board.after("f"), "0,0,0,0,0,0/1,0,0,0,0,0 0-0 N");
    assert_eq!(board.after("fA"), "0,0,0,0,0,0/0,1,0,0,0,0 0-0 -");
    let end = board.play("fA").end.unwrap();
    assert_eq!((end.winner, end.score.north), (Some(Side::North), 1));
}
