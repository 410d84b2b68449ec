//! Kalah, rule by rule. Boards are drawn as South sees them; sowing runs South's row left to right,
//! into South's store, then North's row right to left, into North's store.

use mancala::rules::{IllegalMove, ParseError, PositionError, Reason, Side, Step};

use super::{
    At, CATALOG,
    notation::{accepts, parse},
};

fn at(text: &str) -> At {
    At::text("kalah", text)
}

fn refusal(text: &str) -> PositionError {
    match parse("kalah", text) {
        Err(ParseError::Position(error)) => error,
        other => panic!("{text:?}: {other:?}"),
    }
}

/// One to ten holes a row, six if nobody says; one to ten seeds a hole, four if nobody says.
#[test]
fn kalah_boards_have_1_to_10_holes_of_1_to_10_seeds() {
    let rule_set = CATALOG.get("kalah").unwrap().rule_set();
    let definition = rule_set.definition();
    assert_eq!((definition.holes.default, definition.seeds), (6, 4));
    for (holes, seeds) in (0..=20).flat_map(|holes| (0..=20).map(move |seeds| (holes, seeds))) {
        let rules = rule_set.rules_with(holes, seeds);
        let possible = (1..=10).contains(&holes) && (1..=10).contains(&seeds);
        assert_eq!(rules.is_some(), possible, "{holes} holes of {seeds}");
        if let Some(rules) = rules {
            let row = vec![seeds.to_string(); holes.into()].join(",");
            let start = rules.start(Side::North);
            let text = format!("{row}/{row} 0-0 N");
            assert_eq!(rules.text(&start).to_string(), text);
        }
    }
}

/// The position's seeds tell how many were in each hole at the start.
#[test]
fn kalah_a_position_tells_the_seeds_a_hole() {
    for (text, seeds) in [
        ("1/1 0-0 S", 1),
        ("1/2 4-3 N", 5),
        ("3/1 8-8 S", 10),
        ("0,0/0,0 1-3 -", 1),
        ("1,0,0,0,0,0/1,0,0,0,0,0 5-5 S", 1),
        ("1,0,0,0,0,0/1,0,0,0,0,0 40-6 S", 4),
        ("1,0,0,0,0,0/1,0,0,0,0,0 58-60 S", 10),
        (
            "10,10,10,10,10,10,10,10,10,10/10,10,10,10,10,10,10,10,10,10 0-0 S",
            10,
        ),
    ] {
        assert_eq!(at(text).rules.seeds(), seeds, "{text}");
        accepts("kalah", &[text]);
    }
}

/// So the seeds in all are the same number for every hole, from one to ten.
#[test]
fn kalah_totals_of_no_game_are_refused() {
    let refused = |text: &str, min, max, given| {
        let step = min;
        let error = PositionError::NoTotal {
            step,
            min,
            max,
            given,
        };
        assert_eq!(refusal(text), error);
    };
    refused("4,4,4,4,4,4/4,4,4,4,4,3 0-0 S", 12, 120, 47);
    refused("4,4,4,4,4,4/4,4,4,4,4,4 1-0 S", 12, 120, 49);
    refused("0,0,0,0,0,0/0,0,0,0,0,0 0-0 -", 12, 120, 0);
    refused("11,11,11,11,11,11/11,11,11,11,11,11 0-0 S", 12, 120, 132);
    refused("1/1 1-0 S", 2, 20, 3);
    refused("1/1 4294967295-4294967295 S", 2, 20, 8_589_934_592);
}

/// All seeds of an own hole are sown one by one into the holes that follow; where the last one falls,
/// the sowing ends. Any hole that holds seeds may be played.
///
/// ```text
///  0 0 0 0 0 1        0 0 0 0 0 1
/// [2]1 1 0 0 0   →    0 2 2 0 0 0
/// ```
#[test]
fn kalah_all_seeds_are_sown_in_a_single_lap() {
    let board = at("2,1,1,0,0,0/1,0,0,0,0,0 20-23 S");
    assert_eq!(board.legal(), "abc");
    assert_eq!(board.blocked(), []);
    assert_eq!(board.refused('d'), IllegalMove::Empty);
    assert_eq!(board.after("a"), "0,2,2,0,0,0/1,0,0,0,0,0 20-23 N");
    assert_eq!(board.play("a").laps, 1);
}

/// Seeds are sown into the own store and past the opponent's. The stores' ring indices are 12 and 13.
///
/// ```text
///    0 0 0 0 0 1             1 1 1 1 1 2
/// 18             20   →   18             21
///    1 0 0 0 0[8]            2 0 0 0 0 0
/// ```
#[test]
fn kalah_the_own_store_is_sown_and_the_opponents_is_not() {
    let south = at("1,0,0,0,0,8/1,0,0,0,0,0 20-18 S");
    assert_eq!(south.after("f"), "2,0,0,0,0,0/2,1,1,1,1,1 21-18 N");
    let steps = [
        Step::Lift { hole: 5, seeds: 8 },
        Step::Drop {
            holes: vec![12, 6, 7, 8, 9, 10, 11, 0],
        },
    ];
    assert_eq!(south.steps('f'), steps);
    let north = at("1,0,0,0,0,0/1,0,0,0,0,8 18-20 N");
    assert_eq!(north.after("F"), "2,1,1,1,1,1/2,0,0,0,0,0 18-21 S");
    let steps = [
        Step::Lift { hole: 11, seeds: 8 },
        Step::Drop {
            holes: vec![13, 0, 1, 2, 3, 4, 5, 6],
        },
    ];
    assert_eq!(north.steps('F'), steps);
    let small = at("0,2/1,0 1-0 S");
    let drop = Step::Drop { holes: vec![4, 2] };
    assert_eq!(small.steps('b')[1], drop, "2n on a smaller board");
}

/// No hole is skipped, not even the origin: the thirteenth seed falls into it. It was empty, so the
/// sowing captures from there.
///
/// ```text
///  0 0 2 0 0 1        1 1 0 1 1 2
///  0 0[13]0 0 0  →    1 1 0 1 1 1    one into the store, three from D, and the one in c
/// ```
#[test]
fn kalah_thirteen_seeds_come_back_to_their_hole_and_capture_from_it() {
    let board = at("0,0,13,0,0,0/1,0,0,2,0,0 16-16 S");
    let played = board.play("c");
    assert_eq!((played.laps, played.captured), (1, 4));
    assert_eq!(board.captures('c'), "Dc");
    assert_eq!(board.after("c"), "1,1,0,1,1,1/2,1,1,0,1,1 21-16 N");
}

/// The fourteenth falls into the hole after it, which has one by then.
///
/// ```text
///  0 0 1 0 0 1        1 1 2 1 1 2
///  0 0[14]0 0 0  →    1 1 1 2 1 1
/// ```
#[test]
fn kalah_fourteen_seeds_go_past_their_hole() {
    let board = at("0,0,14,0,0,0/1,0,0,1,0,0 16-16 S");
    assert_eq!(board.after("c"), "1,1,1,2,1,1/2,1,1,2,1,1 17-16 N");
}

/// Twenty-six go round twice: the last makes two in the origin, which captures nothing.
///
/// ```text
///  0 0 1 0 0 1        2 2 3 2 2 3
///  0 0[26]0 0 0  →    2 2 2 2 2 2
/// ```
#[test]
fn kalah_twenty_six_seeds_come_back_twice() {
    let board = at("0,0,26,0,0,0/1,0,0,1,0,0 10-10 S");
    assert_eq!(board.after("c"), "2,2,2,2,2,2/3,2,2,3,2,2 12-10 N");
}

/// A last seed in the own store: the same player moves again, from any hole, as often as it happens.
///
/// ```text
///  0 0 0 0 0 1        0 0 0 0 0 1        0 0 0 0 0 1        0 0 0 0 0 1
///  0 0 0 1 2[1]  →    0 0 0 1[2]0   →    0 0 0 1 0[1]  →    0 0 0 1 0 0
/// ```
#[test]
fn kalah_a_last_seed_in_the_own_store_moves_again() {
    let board = at("0,0,0,1,2,1/1,0,0,0,0,0 21-22 S");
    assert_eq!(board.after("f"), "0,0,0,1,2,0/1,0,0,0,0,0 22-22 S");
    assert_eq!(at("0,0,0,1,2,0/1,0,0,0,0,0 22-22 S").legal(), "de");
    assert_eq!(board.after("fe"), "0,0,0,1,0,1/1,0,0,0,0,0 23-22 S");
    assert_eq!(board.after("fef"), "0,0,0,1,0,0/1,0,0,0,0,0 24-22 S");
    assert_eq!(board.after("fefd"), "0,0,0,0,1,0/1,0,0,0,0,0 24-22 N");
    let north = at("0,0,0,1,2,1/1,0,0,0,0,1 21-21 N");
    assert_eq!(north.after("F"), "0,0,0,1,2,1/1,0,0,0,0,0 21-22 N");
}

/// The store is no hole: a first seed in it captures nothing. One that falls into it on the way earns
/// no move.
///
/// ```text
///    0 0 0 0 0 1
/// 43             0
///    0 0 0 0 2 2
/// ```
#[test]
fn kalah_an_empty_store_captures_nothing() {
    let board = at("0,0,0,0,2,2/1,0,0,0,0,0 0-43 S");
    assert_eq!(board.captures('e'), "");
    assert_eq!(board.after("e"), "0,0,0,0,0,3/1,0,0,0,0,0 1-43 S");
    assert_eq!(board.after("f"), "0,0,0,0,2,0/2,0,0,0,0,0 1-43 N");
}

/// Ending in an own empty hole captures the opposite hole, and the seed that fell, and ends the turn.
///
/// ```text
///  0 5 0 0 0 1        0 0 0 0 0 1
/// [1]0 0 0 0 3   →    0 0 0 0 0 3    South captures 6
/// ```
#[test]
fn kalah_the_opposite_hole_and_the_seed_that_fell_are_captured() {
    let board = at("1,0,0,0,0,3/1,0,0,0,5,0 19-19 S");
    assert_eq!(board.play("a").captured, 6);
    assert_eq!(board.after("a"), "0,0,0,0,0,3/1,0,0,0,0,0 25-19 N");
    let to = Some(Side::South);
    let captures = [
        Step::Capture {
            hole: 10,
            seeds: 5,
            to,
        },
        Step::Capture {
            hole: 1,
            seeds: 1,
            to,
        },
    ];
    assert_eq!(board.steps('a')[2..], captures);
    let north = at("1,0,0,0,5,0/1,0,0,0,0,3 19-19 N");
    assert_eq!(north.captures('A'), "eB");
    assert_eq!(north.after("A"), "1,0,0,0,0,0/0,0,0,0,0,3 19-25 S");
}

/// If the opposite hole is empty nothing is captured, and the seed stays.
///
/// ```text
///  0 0 0 0 0 1        0 0 0 0 0 1
/// [1]0 0 0 0 3   →    0 1 0 0 0 3
/// ```
#[test]
fn kalah_an_empty_opposite_hole_captures_nothing() {
    let board = at("1,0,0,0,0,3/1,0,0,0,0,0 21-22 S");
    assert_eq!(board.play("a").captured, 0);
    assert_eq!(board.after("a"), "0,1,0,0,0,3/1,0,0,0,0,0 21-22 N");
}

/// Ending in the opponent's row captures nothing, though `B` was empty and `e` opposite is not.
///
/// ```text
///  0 1 0 0 0 1        0 1 0 0 1 2
///  0 0 0 0 3[3]  →    0 0 0 0 3 0
/// ```
#[test]
fn kalah_the_opponents_row_captures_nothing() {
    let board = at("0,0,0,0,3,3/1,0,0,0,1,0 20-20 S");
    assert_eq!(board.after("f"), "0,0,0,0,3,0/2,1,0,0,1,0 21-20 N");
}

/// Nor does ending in an own hole that held seeds.
///
/// ```text
///  0 5 0 0 0 1        0 5 0 0 0 1
/// [1]1 0 0 0 0   →    0 2 0 0 0 0
/// ```
#[test]
fn kalah_an_occupied_hole_captures_nothing() {
    let board = at("1,1,0,0,0,0/1,0,0,0,5,0 20-20 S");
    assert_eq!(board.after("a"), "0,2,0,0,0,0/1,0,0,0,5,0 20-20 N");
}

/// The example of the description, move by move.
#[test]
fn kalah_the_example() {
    let start = At::start("kalah", 6);
    for (line, text) in [
        ("c", "4,4,0,5,5,5/4,4,4,4,4,4 1-0 S"),
        ("cf", "4,4,0,5,5,0/5,5,5,5,4,4 2-0 N"),
        ("cfB", "4,4,0,5,5,0/5,0,6,6,5,5 2-1 N"),
        ("cfBD", "5,5,1,5,5,0/5,0,6,0,6,6 2-2 S"),
        ("cfBDa", "0,6,2,6,6,0/0,0,6,0,6,6 8-2 N"),
    ] {
        assert_eq!(start.after(line), text, "{line}");
    }
}

/// The game ends when the mover's own row is empty, though the opponent could move; the rest is the
/// opponent's.
///
/// ```text
///  0 3 0 0 2 0        0 3 0 0 2 1
///  0 0 0 0 0[2]  →    0 0 0 0 0 0
/// ```
#[test]
fn kalah_it_ends_when_the_movers_own_row_is_empty() {
    let board = at("0,0,0,0,0,2/0,2,0,0,3,0 21-20 S");
    assert_eq!(board.after("f"), "0,0,0,0,0,0/0,0,0,0,0,0 22-26 -");
    let end = board.play("f").end.unwrap();
    let expected = (Some(Side::North), Reason::EmptyRow);
    assert_eq!((end.winner, end.reason), expected);
    assert_eq!((end.score.south, end.score.north), (22, 26));
}

/// So it does when that move would have earned another.
///
/// ```text
///  0 3 0 0 2 0
///  0 0 0 0 0[1]   South has 23 and North 20 + 5
/// ```
#[test]
fn kalah_it_ends_even_if_the_mover_would_move_again() {
    let board = at("0,0,0,0,0,1/0,2,0,0,3,0 22-20 S");
    assert_eq!(board.after("f"), "0,0,0,0,0,0/0,0,0,0,0,0 23-25 -");
    let played = board.play("f");
    assert_eq!(played.end.unwrap().reason, Reason::EmptyRow);
    assert_eq!(played.captured, 0, "neither sown nor swept seeds are");
    let steps = [
        Step::Lift { hole: 5, seeds: 1 },
        Step::Drop { holes: vec![12] },
        Step::Sweep {
            side: Side::North,
            seeds: 5,
            holes: [7, 10].into_iter().collect(),
        },
    ];
    assert_eq!(board.steps('f'), steps);
}

/// And when the other's row is empty: then the rest is the mover's.
///
/// ```text
///  0 5 0 0 0 0        0 0 0 0 0 0
/// [1]0 0 0 0 3   →    0 0 0 0 0 3    South has 26 + 3
/// ```
#[test]
fn kalah_it_ends_when_the_others_row_is_empty() {
    let board = at("1,0,0,0,0,3/0,0,0,0,5,0 20-19 S");
    assert_eq!(board.after("a"), "0,0,0,0,0,0/0,0,0,0,0,0 29-19 -");
    let end = board.play("a").end.unwrap();
    let expected = (Some(Side::South), Reason::EmptyRow);
    assert_eq!((end.winner, end.reason), expected);
}

/// A capture can empty both rows.
#[test]
fn kalah_it_ends_when_both_rows_are_empty() {
    let board = at("1,0,0,0,0,0/0,0,0,0,5,0 20-22 S");
    assert_eq!(board.after("a"), "0,0,0,0,0,0/0,0,0,0,0,0 26-22 -");
    assert_eq!(board.play("a").end.unwrap().winner, Some(Side::South));
}

/// More seeds win; equal numbers are a draw.
#[test]
fn kalah_equal_numbers_are_a_draw() {
    let winner = |stores: &str| {
        let board = at(&format!("0,0,0,0,0,1/0,2,0,0,3,0 {stores} S"));
        board.play("f").end.unwrap().winner
    };
    assert_eq!(winner("22-20"), Some(Side::North));
    assert_eq!(winner("23-19"), None);
    assert_eq!(winner("24-18"), Some(Side::South));
}

/// A majority ends nothing.
#[test]
fn kalah_a_majority_ends_nothing() {
    let board = at("0,0,0,1,0,0/1,0,0,0,0,0 40-6 S");
    assert_eq!(board.after("d"), "0,0,0,0,1,0/1,0,0,0,0,0 40-6 N");
    assert_eq!(board.play("d").end, None);
}

/// So nobody is to move where a row is empty.
#[test]
fn kalah_an_empty_row_with_a_side_to_move_is_refused() {
    for rows in ["0,0,0,0,0,0/1,0,0,0,0,0", "1,0,0,0,0,0/0,0,0,0,0,0"] {
        for side in ["S", "N"] {
            let text = format!("{rows} 24-23 {side}");
            assert_eq!(refusal(&text), PositionError::Decided, "{text}");
        }
        let unsettled = format!("{rows} 24-23 -");
        assert_eq!(refusal(&unsettled), PositionError::NotOver);
    }
    accepts("kalah", &["0,0,0,0,0,0/0,0,0,0,0,0 25-23 -"]);
}

/// There is no swapping of sides.
#[test]
fn kalah_knows_no_swap() {
    let start = At::start("kalah", 6);
    assert_eq!(start.position.swap(), None);
    let after = At::text("kalah", "0,5,5,5,5,4/4,4,4,4,4,4 0-0 N");
    let expected = IllegalMove::NoSuchHole { hole: 6, last: 5 };
    assert_eq!(after.refused('G'), expected);
    let text = "0,5,5,5,5,4/4,4,4,4,4,4 0-0 N swap=N";
    assert_eq!(refusal(text), PositionError::Swap);
}
