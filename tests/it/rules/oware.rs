//! Oware, rule by rule. Boards are drawn as South sees them; sowing runs South's row left to right,
//! then North's right to left.
//!
//! Repetition is a game's matter, not that of the bare rules.

use mancala::rules::{BlockReason, IllegalMove, ParseError, PositionError, Reason, Side, Step};

use super::{
    At, CATALOG,
    notation::{accepts, parse},
};

fn at(text: &str) -> At {
    At::text("oware", text)
}

fn refusal(text: &str) -> PositionError {
    match parse("oware", text) {
        Err(ParseError::Position(error)) => error,
        other => panic!("{text:?}: {other:?}"),
    }
}

/// Two rows of six holes, four seeds a hole.
#[test]
fn oware_has_six_holes_of_four_seeds() {
    let rule_set = CATALOG.get("oware").unwrap().rule_set();
    for (holes, seeds) in (0..=12).flat_map(|holes| (0..=12).map(move |seeds| (holes, seeds))) {
        let is_board = rule_set.rules_with(holes, seeds).is_some();
        assert_eq!(is_board, (holes, seeds) == (6, 4));
    }
    accepts("oware", &["4,4,4,4,4,4/4,4,4,4,4,4 0-0 S"]);
    let (expected, given) = (48, 47);
    let total = PositionError::Total { expected, given };
    assert_eq!(refusal("4,4,4,4,4,4/4,4,4,4,4,3 0-0 S"), total);
}

/// All seeds of an own occupied hole are sown counterclockwise, one lap, past the stores.
///
/// ```text
///  4 4 4 4 4 4        4 4 5 5 5 5
///  4 4 4 4 4[4]  →    4 4 4 4 4 0
/// ```
#[test]
fn oware_all_seeds_are_sown_in_a_single_lap() {
    let start = At::start("oware", 6);
    assert_eq!(start.legal(), "abcdef");
    assert_eq!(start.after("f"), "4,4,4,4,4,0/5,5,5,5,4,4 0-0 N");
    let steps = [
        Step::Lift { hole: 5, seeds: 4 },
        Step::Drop {
            holes: vec![6, 7, 8, 9],
        },
    ];
    assert_eq!(start.steps('f'), steps);
    assert_eq!(start.play("f").laps, 1);
    let then = at("4,4,4,4,4,0/5,5,5,5,4,4 0-0 N");
    assert_eq!(then.legal(), "ABCDEF");
    assert_eq!(then.after("F"), "5,5,5,5,4,0/5,5,5,5,4,0 0-0 S");
    let empty = at("5,5,5,5,4,0/5,5,5,5,4,0 0-0 S");
    assert_eq!(empty.refused('f'), IllegalMove::Empty);
}

/// Both stores are passed over on the way round.
///
/// ```text
///  0 0 0 0 0 1        1 1 1 1 1 2
///  0 0 0 0 1[8]  →    1 1 0 0 1 0
/// ```
#[test]
fn oware_stores_are_passed_over() {
    let board = at("0,0,0,0,1,8/1,0,0,0,0,0 19-19 S");
    assert_eq!(board.after("f"), "1,1,0,0,1,0/2,1,1,1,1,1 19-19 N");
}

/// The hole that was lifted is skipped: the twelfth seed falls into the hole after it.
///
/// ```text
///  0 0 0 0 0 1        1 1 1 1 1 2
///[12]0 0 0 0 0   →    0 2 1 1 1 1
/// ```
#[test]
fn oware_twelve_seeds_skip_their_hole() {
    let board = at("12,0,0,0,0,0/1,0,0,0,0,0 17-18 S");
    assert_eq!(board.after("a"), "0,2,1,1,1,1/2,1,1,1,1,1 17-18 N");
    let holes = vec![1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1];
    assert_eq!(board.steps('a')[1], Step::Drop { holes });
}

/// Each time it comes round: 23 seeds skip it twice.
///
/// ```text
///  0 0 0 0 0 1        2 2 2 2 2 3
///[23]0 0 0 0 0   →    0 3 2 2 2 2
/// ```
#[test]
fn oware_twenty_three_seeds_skip_their_hole_twice() {
    let board = at("23,0,0,0,0,0/1,0,0,0,0,0 12-12 S");
    assert_eq!(board.after("a"), "0,3,2,2,2,2/3,2,2,2,2,2 12-12 N");
}

/// Such a sowing captures as any other: what it has sown twice, and nothing ahead of it.
///
/// ```text
///  0 0 0 0 1 0        1 1 1 1 2 0
///  0 0 0 0 0[12] →    1 1 1 1 1 0    South captures A
/// ```
#[test]
fn oware_a_sowing_that_comes_round_captures() {
    let board = at("0,0,0,0,0,12/0,1,0,0,0,0 17-18 S");
    assert_eq!(board.captures('f'), "A");
    assert_eq!(board.after("f"), "1,1,1,1,1,0/0,2,1,1,1,1 19-18 N");
}

/// Twos and threes of the opponent's row are captured, from the last seed's hole backwards.
///
/// ```text
///  6 0 0 1 2 1        6 0 0 0 0 0
///  0 2 0 0 1[3]  →    0 2 0 0 1 0    C with 2, B with 3, A with 2
/// ```
#[test]
fn oware_twos_and_threes_are_captured_backwards() {
    let board = at("0,2,0,0,1,3/1,2,1,0,0,6 14-18 S");
    assert_eq!(board.captures('f'), "CBA");
    assert_eq!(board.play("f").captured, 7);
    assert_eq!(board.after("f"), "0,2,0,0,1,0/0,0,0,0,0,6 21-18 N");
    let first = Step::Capture {
        hole: 8,
        seeds: 2,
        to: Some(Side::South),
    };
    assert_eq!(board.steps('f')[2], first);
    let north = at("1,2,1,0,0,6/0,2,0,0,1,3 18-14 N");
    assert_eq!(north.captures('F'), "cba");
    assert_eq!(north.after("F"), "0,0,0,0,0,6/0,2,0,0,1,0 18-21 S");
}

/// The first other number ends the capture: here B with four, or with one.
///
/// ```text
///  5 0 0 1 3 1        5 0 0 0 4 2
///  0 2 0 0 1[3]  →    0 2 0 0 1 0    C only
/// ```
#[test]
fn oware_another_number_ends_the_capture() {
    let four = at("0,2,0,0,1,3/1,3,1,0,0,5 14-18 S");
    assert_eq!(four.captures('f'), "C");
    assert_eq!(four.after("f"), "0,2,0,0,1,0/2,4,0,0,0,5 16-18 N");
    let one = at("0,2,0,0,1,3/1,0,1,0,0,8 14-18 S");
    assert_eq!(one.captures('f'), "C");
    assert_eq!(one.after("f"), "0,2,0,0,1,0/2,1,0,0,0,8 16-18 N");
}

/// A last seed that makes another number captures nothing, whatever lies before it.
///
/// ```text
///  5 0 0 3 1 1        5 0 0 4 2 2
///  0 2 0 0 1[3]  →    0 2 0 0 1 0
/// ```
#[test]
fn oware_a_last_seed_that_makes_four_or_one_captures_nothing() {
    let four = at("0,2,0,0,1,3/1,1,3,0,0,5 14-18 S");
    assert_eq!(four.after("f"), "0,2,0,0,1,0/2,2,4,0,0,5 14-18 N");
    let one = at("0,2,0,0,1,3/1,1,0,0,0,8 14-18 S");
    assert_eq!(one.after("f"), "0,2,0,0,1,0/2,2,1,0,0,8 14-18 N");
}

/// Holes ahead of the last seed are not captured.
///
/// ```text
///  5 0 2 1 2 1        5 0 2 0 0 0
///  0 2 0 0 1[3]  →    0 2 0 0 1 0    not D with two
/// ```
#[test]
fn oware_nothing_ahead_is_captured() {
    let board = at("0,2,0,0,1,3/1,2,1,2,0,5 14-17 S");
    assert_eq!(board.captures('f'), "CBA");
    assert_eq!(board.after("f"), "0,2,0,0,1,0/0,0,0,2,0,5 21-17 N");
}

/// The capture ends at the end of the opponent's row: `f` with two is South's own.
///
/// ```text
///  6 0 0 1 2 1        6 0 0 0 0 0
///  0 2 0 0[4]1   →    0 2 0 0 0 2
/// ```
#[test]
fn oware_a_capture_does_not_go_on_into_the_own_row() {
    let board = at("0,2,0,0,4,1/1,2,1,0,0,6 14-17 S");
    assert_eq!(board.captures('e'), "CBA");
    assert_eq!(board.after("e"), "0,2,0,0,0,2/0,0,0,0,0,6 21-17 N");
}

/// A sowing that ends in the own row captures nothing, neither there nor in the opponent's.
///
/// ```text
///  1 1 1 1 1 1        2 2 2 2 2 2
///  1 0 0 0 0[7]  →    2 0 0 0 0 0
/// ```
#[test]
fn oware_a_sowing_that_ends_in_the_own_row_captures_nothing() {
    let board = at("1,0,0,0,0,7/1,1,1,1,1,1 17-17 S");
    assert_eq!(board.after("f"), "2,0,0,0,0,0/2,2,2,2,2,2 17-17 N");
}

/// A capture that would take all of the opponent's seeds is allowed and takes nothing.
///
/// ```text
///  0 0 0 1 2 1        0 0 0 2 3 2
///  0 2 0 0 1[3]  →    0 2 0 0 1 0
/// ```
#[test]
fn oware_a_grand_slam_takes_nothing() {
    let board = at("0,2,0,0,1,3/1,2,1,0,0,0 17-21 S");
    assert_eq!(board.legal(), "bef");
    assert_eq!(board.captures('f'), "");
    assert_eq!(board.play("f").captured, 0);
    assert_eq!(board.after("f"), "0,2,0,0,1,0/2,3,2,0,0,0 17-21 N");
}

/// An opponent without seeds must be given some.
///
/// ```text
///  0 0 0 0 0 0        0 0 0 0 0 1
///  1 0 0 0 0[1]  →    1 0 0 0 0 0
/// ```
#[test]
fn oware_an_opponent_without_seeds_must_be_fed() {
    let board = at("1,0,0,0,0,1/0,0,0,0,0,0 22-24 S");
    let hungry = BlockReason::DoesNotFeed;
    assert_eq!(board.legal(), "f");
    assert_eq!(board.blocked(), [('a', hungry)]);
    assert_eq!(board.refused('a'), IllegalMove::Blocked(hungry));
    assert_eq!(board.refused('b'), IllegalMove::Empty);
    assert_eq!(board.after("f"), "1,0,0,0,0,0/1,0,0,0,0,0 22-24 N");
}

/// Only then, and only the opponent: a player may sow the last seeds out of the own row, and the
/// opponent must then feed.
///
/// ```text
///  1 0 0 0 0 3        1 0 0 0 0 4
///  0 0 0 0 0[1]  →    0 0 0 0 0 0
/// ```
#[test]
fn oware_a_player_may_sow_the_own_last_seeds_away() {
    let board = at("0,0,0,0,0,1/3,0,0,0,0,1 21-22 S");
    let hungry = "0,0,0,0,0,0/4,0,0,0,0,1 21-22 N";
    assert_eq!(board.after("f"), hungry);
    assert_eq!(at(hungry).legal(), "F");
    assert_eq!(at(hungry).blocked(), [('A', BlockReason::DoesNotFeed)]);
}

/// Who can't feed an opponent without seeds ends the game, and both take the seeds of the own row.
///
/// ```text
/// [1]0 0 0 0 0        0 0 0 0 0 0
///  3 0 0 0 0 0   →    4 0 0 0 0 0    South can't feed, and takes 4
/// ```
#[test]
fn oware_it_ends_when_nobody_can_feed() {
    let board = at("3,0,0,0,0,0/0,0,0,0,0,1 21-23 N");
    assert_eq!(board.after("F"), "0,0,0,0,0,0/0,0,0,0,0,0 25-23 -");
    let end = board.play("F").end.unwrap();
    let expected = (Some(Side::South), Reason::NoMoves);
    assert_eq!((end.winner, end.reason), expected);
    assert_eq!((end.score.south, end.score.north), (25, 23));
    let sweep = Step::Sweep {
        side: Side::South,
        seeds: 4,
        holes: [0].into_iter().collect(),
    };
    assert_eq!(board.steps('F').last(), Some(&sweep));
}

/// 24 each is a draw.
#[test]
fn oware_24_each_is_a_draw() {
    let board = at("3,0,0,0,0,0/0,0,0,0,0,1 20-24 N");
    assert_eq!(board.after("F"), "0,0,0,0,0,0/0,0,0,0,0,0 24-24 -");
    let end = board.play("F").end.unwrap();
    assert_eq!((end.winner, end.reason), (None, Reason::NoMoves));
}

/// 25 captured seeds end the game at once, and both take the seeds of the own row.
///
/// ```text
///  6 0 0 1 2 1
///  0 2 0 0 1[3]   South has 18 + 7 + 3, North 14 + 6
/// ```
#[test]
fn oware_25_captured_seeds_end_it_at_once() {
    let board = at("0,2,0,0,1,3/1,2,1,0,0,6 18-14 S");
    assert_eq!(board.after("f"), "0,0,0,0,0,0/0,0,0,0,0,0 28-20 -");
    let played = board.play("f");
    let end = played.end.unwrap();
    let expected = (Some(Side::South), Reason::Majority);
    assert_eq!((end.winner, end.reason), expected);
    assert_eq!(played.captured, 7);
    let north = at("1,2,1,0,0,6/0,2,0,0,1,3 14-18 N");
    let end = north.play("F").end.unwrap();
    let expected = (Some(Side::North), Reason::Majority);
    assert_eq!((end.winner, end.reason), expected);
}

/// 24 don't.
#[test]
fn oware_24_captured_seeds_end_nothing() {
    let board = at("0,2,0,0,1,3/1,2,1,0,0,6 17-15 S");
    assert_eq!(board.after("f"), "0,2,0,0,1,0/0,0,0,0,0,6 24-15 N");
    assert_eq!(board.play("f").end, None);
}

/// So nobody is to move where a store holds 25.
#[test]
fn oware_a_store_of_25_with_a_side_to_move_is_refused() {
    for stores in ["25-15", "15-25", "40-0"] {
        for side in ["S", "N"] {
            let text = format!("4,0,0,0,0,0/4,0,0,0,0,0 {stores} {side}");
            assert_eq!(refusal(&text), PositionError::Decided, "{text}");
        }
    }
    accepts(
        "oware",
        &[
            "4,0,0,0,0,0/4,0,0,0,0,0 24-16 S",
            "4,0,0,0,0,0/4,0,0,0,0,0 16-24 N",
            "0,0,0,0,0,0/0,0,0,0,0,0 25-23 -",
            "0,0,0,0,0,0/0,0,0,0,0,0 0-48 -",
        ],
    );
}

/// Nor where the opponent can't be fed.
#[test]
fn oware_a_side_to_move_that_cannot_feed_is_refused() {
    let no_move = PositionError::NoLegalMove;
    assert_eq!(refusal("4,0,0,0,0,0/0,0,0,0,0,0 21-23 S"), no_move);
    assert_eq!(refusal("4,0,0,0,0,0/0,0,0,0,0,0 21-23 N"), no_move);
    accepts("oware", &["6,0,0,0,0,0/0,0,0,0,0,0 21-21 S"]);
}

/// A move that may not be made costs a count what it sows, not what a sowing too long would.
#[test]
fn oware_moves_that_do_not_feed_are_counted_at_their_laps() {
    let At { rules, position } = At::text("oware", "0,0,0,0,1,2/0,0,0,0,0,1 22-22 N");
    let nodes = rules.perft(&position, 18, u64::MAX);
    assert_eq!(nodes, Ok(14_381));
    assert_eq!(rules.perft(&position, 18, 200_000), nodes);
}
