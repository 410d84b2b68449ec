//! Adji-Boto, rule by rule. Boards are drawn as South sees them; sowing runs
//! South's row left to right, then North's right to left.

use mancala::rules::{BlockReason, IllegalMove, Reason, Side, Step};

use super::At;

fn at(text: &str) -> At {
    At::text("adji-boto", text)
}

/// All but one seed are sown counterclockwise, one by one.
///
/// ```text
///  10 10 10 10 10        11 11 11 11 11
///  10 10[10]10 10   →    11 11  1 11 11
/// ```
#[test]
fn adji_boto_rule_1_all_but_one_are_sown() {
    let start = At::start("adji-boto", 5);
    assert_eq!(
        start.after("c"),
        "11,11,1,11,11/11,11,11,11,11 0-0 N opened=00100/00000"
    );
    let all_but_one = Step::Lift { hole: 2, seeds: 9 };
    assert_eq!(start.steps('c')[0], all_but_one);
}

/// One seed must stay and something must be sown, so a hole needs two.
///
/// ```text
///   0  0  0  0  4
///   1  0  2  0  3
/// ```
#[test]
fn adji_boto_rule_1_a_move_needs_two_seeds() {
    let board = at("1,0,2,0,3/4,0,0,0,0 50-40 S");
    assert_eq!(board.legal(), "ce");
    assert_eq!(board.blocked(), [('a', BlockReason::TooFewSeeds)]);
    let too_few = IllegalMove::Blocked(BlockReason::TooFewSeeds);
    assert_eq!(board.refused('a'), too_few);
    assert_eq!(board.refused('b'), IllegalMove::Empty);
}

/// The stores are passed over: from `e` the next seed falls into `A`.
///
/// ```text
///   0  0  0  0  0         0  0  0  1  1
///   0  0  0  0 [3]   →    0  0  0  0  1
/// ```
#[test]
fn adji_boto_rule_1_stores_are_passed_over() {
    let board = at("0,0,0,0,3/0,0,0,0,2 50-45 S");
    assert_eq!(board.after("e"), "0,0,0,0,1/1,1,0,0,2 50-45 N");
}

/// A sowing of ten or more drops one in the hole that it came from, as it passes.
///
/// ```text
///   1  1  1  1  1         2  2  2  2  2
/// [12] 1  1  1  1    →    2  3  2  2  2
/// ```
#[test]
fn adji_boto_rule_1_a_long_sowing_drops_in_its_own_hole() {
    let board = at("12,1,1,1,1/1,1,1,1,1 50-29 S");
    assert_eq!(board.after("a"), "2,3,2,2,2/2,2,2,2,2 50-29 N");
}

/// The first five moves of each player start from five different own holes, in any order.
#[test]
fn adji_boto_rule_2_each_hole_is_opened_before_any_is_played_twice() {
    let start = At::start("adji-boto", 5);
    assert_eq!(start.legal(), "abcde");
    let text = start.after("cA");
    assert!(text.ends_with("S opened=00100/10000"), "{text}");
    let board = at(&text);
    assert_eq!(board.legal(), "abde");
    let opened = BlockReason::AlreadyOpened;
    assert_eq!(board.blocked(), [('c', opened)]);
    assert_eq!(board.refused('c'), IllegalMove::Blocked(opened));
}

/// When all ten are opened, every hole may be played again and text says no more of it.
#[test]
fn adji_boto_rule_2_after_ten_moves_play_is_free() {
    let start = At::start("adji-boto", 5);
    let nine = start.after("eAaEcBbDd");
    assert!(nine.ends_with("N opened=11111/11011"), "{nine}");
    let ten = start.after("eAaEcBbDdC");
    assert!(ten.ends_with(" S"), "{ten}");
    assert_eq!(at(&ten).legal(), "abcde");
}

/// No captures until all ten holes are opened: neither for who has opened all of the own, with `e`
/// and `A…D` ahead holding one each, …
///
/// ```text
///  10  0  0  0  0        11  1  1  1  1
///  20 20 20 20[10]   →   21 21 21 21  1
/// ```
#[test]
fn adji_boto_rule_2_no_captures_before_all_ten_holes_are_opened() {
    let board = at("20,20,20,20,10/0,0,0,0,10 0-0 S opened=11110/11110");
    assert_eq!(
        board.after("e"),
        "21,21,21,21,1/1,1,1,1,11 0-0 N opened=11111/11110"
    );
}

/// … nor in the tenth opening move, with `E` ahead of the last seed holding one and `a` five.
///
/// ```text
/// [10] 4  2  2  2         1  5  3  3  3
///   4 11 22 22 21    →    5 12 23 23 22
/// ```
#[test]
fn adji_boto_rule_2_the_tenth_opening_move_captures_nothing() {
    let board = at("4,11,22,22,21/2,2,2,4,10 0-0 N opened=11111/11110");
    assert_eq!(board.after("E"), "5,12,23,23,22/3,3,3,5,1 0-0 S");
    assert_eq!(board.captures('E'), "");
}

/// The holes after the last seed's are captured while they hold 1, 3 or 5; the first other ends it.
///
/// ```text
///   0  0  0  1  2         0  0  0  1  2
///  [2] 0  1  3  5    →    1  1  0  0  0    South captures 9
/// ```
#[test]
fn adji_boto_rule_3_capture_runs_on_while_next_holes_hold_1_3_or_5() {
    let board = at("2,0,1,3,5/2,1,0,0,0 46-40 S");
    assert_eq!(board.captures('a'), "cde");
    assert_eq!(board.after("a"), "1,1,0,0,0/2,1,0,0,0 55-40 N");
    let to_the_mover = Step::Capture {
        hole: 2,
        seeds: 1,
        to: Some(Side::South),
    };
    assert!(board.steps('a').contains(&to_the_mover));
}

/// Whoever owns them: here North's.
///
/// ```text
///   0  4  1  5  3         0  4  0  0  0
///   0  0  0 [2] 0    →    0  0  0  1  1    South captures 9
/// ```
#[test]
fn adji_boto_rule_3_holes_of_either_player_are_captured() {
    let board = at("0,0,0,2,0/3,5,1,4,0 45-40 S");
    assert_eq!(board.captures('d'), "ABC");
    assert_eq!(board.after("d"), "0,0,0,1,1/0,0,0,4,0 54-40 N");
}

/// An empty hole ends the run: `e` is safe behind it.
///
/// ```text
///   0  0  0  0  2         0  0  0  0  2
///  [2] 0  1  0  3    →    1  1  0  0  3
/// ```
#[test]
fn adji_boto_rule_3_an_empty_hole_ends_the_run() {
    let board = at("2,0,1,0,3/2,0,0,0,0 52-40 S");
    assert_eq!(board.after("a"), "1,1,0,0,3/2,0,0,0,0 53-40 N");
}

/// Only 1, 3 and 5 are captured, not other odd numbers, nor even ones.
///
/// ```text
///   0  0  0  0  2
///  [2] 0  N  1  0     N = 2, 4, 6, 7, 9
/// ```
#[test]
fn adji_boto_rule_3_other_numbers_are_not_captured() {
    for seeds in [2, 4, 6, 7, 9] {
        let store = 55 - seeds;
        let board = at(&format!("2,0,{seeds},1,0/2,0,0,0,0 {store}-40 S"));
        let after = format!("1,1,{seeds},1,0/2,0,0,0,0 {store}-40 N");
        assert_eq!(board.after("a"), after);
    }
}

/// The hole where the last seed fell is never captured, so nine are the most.
///
/// ```text
///   3  1  5  3  1         0  0  0  0  0
///  [2] 0  1  3  5    →    0  1  0  0  0    South captures 23
/// ```
#[test]
fn adji_boto_rule_3_a_run_is_at_most_nine_holes_long() {
    let board = at("2,0,1,3,5/1,3,5,1,3 41-35 S");
    assert_eq!(board.captures('a'), "cdeABCDEa");
    assert_eq!(board.play("a").captured, 23);
}

/// A player with no legal move passes: North has ones only, and South plays on.
///
/// ```text
///   0  0  0  1  1         0  0  0  1  1
///  [3] 0  4  0  0    →    1  1  5  0  0    North passes
/// ```
#[test]
fn adji_boto_rule_4_who_cannot_move_is_passed_over() {
    let board = at("3,0,4,0,0/1,1,0,0,0 50-41 S");
    assert_eq!(board.after("a"), "1,1,5,0,0/1,1,0,0,0 50-41 S");
    let played = board.play("a");
    assert_eq!((played.passed, played.end), (Some(Side::North), None));
    let pass = Step::Pass { side: Side::North };
    assert_eq!(board.steps('a').last(), Some(&pass));
}

/// It ends when neither can move, and each player takes the seeds of the own row.
///
/// ```text
///   0  0  1  1  1         0  0  1  1  1
///  [2] 0  0  0  0    →    1  1  0  0  0    neither can move
/// ```
#[test]
fn adji_boto_rule_5_it_ends_when_neither_can_move() {
    let board = at("2,0,0,0,0/1,1,1,0,0 55-40 S");
    assert_eq!(board.after("a"), "0,0,0,0,0/0,0,0,0,0 57-43 -");
    let end = board.play("a").end.unwrap();
    assert_eq!(
        (end.winner, end.reason),
        (Some(Side::South), Reason::NoMoves)
    );
    assert_eq!((end.score.south, end.score.north), (57, 43));
    let sweeps = [(Side::South, [0, 1].as_slice()), (Side::North, &[5, 6, 7])];
    let sweeps = sweeps.map(|(side, holes)| Step::Sweep {
        side,
        seeds: holes.len() as u8,
        holes: holes.iter().copied().collect(),
    });
    assert_eq!(board.steps('a')[2..], sweeps);
}

/// Equal is a draw.
#[test]
fn adji_boto_rule_5_equal_is_a_draw() {
    let end = at("2,0,0,0,0/0,0,0,0,0 48-50 S").play("a").end.unwrap();
    assert_eq!(
        (end.winner, end.score.south, end.score.north),
        (None, 50, 50)
    );
}

/// A majority ends nothing.
#[test]
fn adji_boto_rule_5_a_majority_ends_nothing() {
    let board = at("2,0,0,0,0/0,2,0,0,0 60-36 S");
    assert_eq!(board.play("a").end, None);
    assert_eq!(board.after("a"), "1,1,0,0,0/0,2,0,0,0 60-36 N");
}
