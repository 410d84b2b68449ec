//! Positions that are spelt well but can't be in play, and so are refused.

use mancala::rules::{ParseError, PositionError};

use super::notation::{accepts, misspelt, parse};

/// All of these are refused for what a position can't be.
fn impossible(variant: &str, is: impl Fn(&PositionError) -> bool, texts: &[&str]) {
    for text in texts {
        match parse(variant, text) {
            Err(ParseError::Position(error)) => assert!(is(&error), "{text:?}: {error:?}"),
            other => panic!("{text:?}: {other:?}"),
        }
    }
}

#[test]
fn notation_refuses_wrong_row_lengths() {
    misspelt(
        "en-dodoi",
        &[
            "4,4,4,4,4/4,4,4,4,4 0-0 S",
            "4,4,4,4,4,4,4,4,4,4,4/4,4,4,4,4,4,4,4,4,4,4 0-0 S",
        ],
    );
    let row_length = |error: &PositionError| matches!(error, PositionError::RowLength { .. });
    impossible(
        "en-dodoi",
        row_length,
        &[
            "4,4,4,4,4,4/4,4,4,4,4,4,4 0-0 S",
            "4,4,4,4,4,4,4/4,4,4,4,4,4 0-0 S",
            "8,8,8,8,8,8/0 0-0 S",
        ],
    );
    impossible("bosh", row_length, &["4,4,4,4,4/4,4,4,4,4,0 0-0 S round=1"]);
}

#[test]
fn notation_refuses_another_total() {
    let total = |error: &PositionError| matches!(error, PositionError::Total { .. });
    impossible(
        "adji-boto",
        total,
        &[
            "10,10,10,10,10/10,10,10,10,11 0-0 S opened=00000/00000",
            "2,0,0,0,0/2,0,0,0,0 50-45 S",
            "0,0,0,0,0/0,0,0,0,0 50-51 -",
            "4294967295,4294967295,4294967295,0,0/0,0,0,0,0 4294967295-103 S",
        ],
    );
    impossible(
        "en-dodoi",
        total,
        &[
            "4,4,4,4,4,4/4,4,4,4,4,3 0-0 S",
            "4,4,4,4,4,4,4/4,4,4,4,4,4,3 0-0 S",
            "304,0,0,0,0,0/0,0,0,0,0,0 0-0 S",
        ],
    );
    impossible("bosh", total, &["4,4,4,4,4/4,4,4,4,4 0-1 S round=1"]);
}

/// Sadeqa II: rows hold 1 to 36, stores 0-0.
#[test]
fn notation_refuses_sadeqa_ii_with_no_seeds_more_than_36_or_stores() {
    let remaining = |error: &PositionError| *error == PositionError::Remaining { most: 36 };
    impossible(
        "sadeqa-ii",
        remaining,
        &[
            "0,0,0,0,0,0/0,0,0,0,0,0 0-0 -",
            "37,0,0,0,0,0/0,0,0,0,0,0 0-0 S",
            "30,0,0,0,0,0/7,0,0,0,0,0 0-0 S",
            "1,0,0,0,0,0/1,0,0,0,0,0 1-0 S",
            "1,0,0,0,0,0/1,0,0,0,0,0 0-34 S",
        ],
    );
    accepts(
        "sadeqa-ii",
        &[
            "36,0,0,0,0,0/0,0,0,0,0,0 0-0 S",
            "0,0,1,0,0,0/0,0,0,0,0,0 0-0 S",
        ],
    );
}

fn opening(error: &PositionError) -> bool {
    matches!(error, PositionError::Opening(_))
}

#[test]
fn notation_refuses_adji_boto_stores_before_all_is_opened() {
    impossible(
        "adji-boto",
        opening,
        &[
            "10,10,10,10,10/10,10,10,10,9 1-0 S opened=00000/00000",
            "20,10,10,10,10/5,5,0,0,10 0-20 N opened=11111/11110",
        ],
    );
}

#[test]
fn notation_refuses_adji_boto_unopened_holes_with_fewer_than_ten() {
    impossible(
        "adji-boto",
        opening,
        &[
            "9,11,10,10,10/10,10,10,10,10 0-0 S opened=00000/00000",
            "30,20,20,11,9/1,1,2,3,3 0-0 S opened=11110/11111",
        ],
    );
    accepts(
        "adji-boto",
        &["30,20,20,10,10/1,1,2,3,3 0-0 S opened=11110/11111"],
    );
}

/// Opened counts differ by at most one and the side with fewer is to move; equal: either.
#[test]
fn notation_refuses_adji_boto_opened_counts_that_cannot_be() {
    impossible(
        "adji-boto",
        opening,
        &[
            "10,10,10,10,10/10,10,10,10,10 0-0 S opened=10000/00000",
            "10,10,10,10,10/10,10,10,10,10 0-0 N opened=00000/01000",
            "10,10,10,10,10/10,10,10,10,10 0-0 N opened=11000/00000",
            "10,10,10,10,10/10,10,10,10,10 0-0 S opened=00011/11111",
        ],
    );
    accepts(
        "adji-boto",
        &[
            "10,10,10,10,10/10,10,10,10,10 0-0 N opened=10000/00000",
            "10,10,10,10,10/10,10,10,10,10 0-0 S opened=00000/01000",
            "10,10,10,10,10/10,10,10,10,10 0-0 S opened=00100/01000",
            "10,10,10,10,10/10,10,10,10,10 0-0 N opened=00100/01000",
        ],
    );
}

/// `x` in one row only, at its right end, at most four, and not in round 1 or another variant.
#[test]
fn notation_refuses_closed_holes_that_cannot_be() {
    let closed = |error: &PositionError| matches!(error, PositionError::Closed(_));
    impossible(
        "bosh",
        closed,
        &[
            "4,4,4,4,x/4,4,4,4,x 4-4 S round=2",
            "4,4,4,x,4/4,4,4,4,4 4-0 S round=2",
            "x,4,4,4,4/4,4,4,4,4 4-0 S round=2",
            "4,x,4,4,x/4,4,4,4,4 4-4 S round=2",
            "x,x,x,x,x/4,4,4,4,4 10-10 N round=2",
            "0,0,0,0,0/x,x,x,x,x 40-0 - round=2",
            "4,4,4,4,x/4,4,4,4,4 4-0 S round=1",
            "4,4,4,4,x/4,4,4,4,4 4-0 N round=1 first=N",
        ],
    );
    impossible("en-dodoi", closed, &["4,4,4,4,4,x/4,4,4,4,4,4 4-0 S"]);
    impossible("sadeqa-ii", closed, &["4,4,4,4,4,x/4,4,4,4,0,0 0-0 S"]);
    impossible("adji-boto", closed, &["20,20,0,0,x/20,20,20,0,0 0-0 S"]);
    accepts(
        "bosh",
        &[
            "4,x,x,x,x/4,4,4,4,4 16-0 S round=2",
            "4,4,4,4,4/4,4,4,4,x 4-0 S round=99",
        ],
    );
}

#[test]
fn notation_refuses_a_round_of_0_or_above_100() {
    let round = |error: &PositionError| matches!(error, PositionError::Round(_));
    let start = "4,4,4,4,4/4,4,4,4,4 0-0 S";
    for wrong in ["", " round=0", " round=101", " round=65537", " first=N"] {
        impossible("bosh", round, &[&format!("{start}{wrong}")]);
    }
    accepts("bosh", &["4,4,4,4,4/4,4,4,4,4 0-0 S round=100"]);
    for (variant, start) in [
        ("en-dodoi", "4,4,4,4,4,4/4,4,4,4,4,4 0-0 S"),
        ("sadeqa-ii", "3,3,3,3,3,3/3,3,3,3,3,3 0-0 S opened=0/0"),
        ("adji-boto", "20,20,20,20,20/0,0,0,0,0 0-0 S"),
    ] {
        for wrong in [" round=1", " first=N", " round=1 first=N"] {
            impossible(variant, round, &[&format!("{start}{wrong}")]);
        }
    }
}

/// A side that hasn't opened has seeds in its rightmost hole; if only one hasn't, it is to move.
#[test]
fn notation_refuses_sadeqa_ii_openings_that_cannot_be() {
    impossible(
        "sadeqa-ii",
        opening,
        &[
            "3,3,3,3,3,0/3,3,3,3,3,3 0-0 S opened=0/0",
            "3,3,3,3,3,3/3,3,3,3,3,0 0-0 S opened=0/0",
            "3,3,3,3,3,3/3,3,3,3,3,0 0-0 N opened=1/0",
            "3,3,3,3,3,0/3,3,3,3,3,3 0-0 S opened=0/1",
            "3,3,3,3,3,3/3,3,3,3,3,3 0-0 S opened=1/0",
            "3,3,3,3,3,3/3,3,3,3,3,3 0-0 N opened=0/1",
        ],
    );
    accepts(
        "sadeqa-ii",
        &[
            "3,3,3,3,3,0/3,3,3,3,3,3 0-0 N opened=1/0",
            "3,3,3,3,3,3/3,3,3,3,3,0 0-0 S opened=0/1",
        ],
    );
}

/// Empty rows, ones where two are needed, and a single sowing that never ends.
#[test]
fn notation_refuses_a_side_to_move_without_a_legal_move() {
    let no_move = |error: &PositionError| *error == PositionError::NoLegalMove;
    impossible(
        "adji-boto",
        no_move,
        &["1,1,1,1,1/2,0,0,0,0 50-43 S", "2,0,0,0,0/1,1,0,0,0 50-46 N"],
    );
    impossible("en-dodoi", no_move, &["0,0,0,0,0,0/1,0,0,0,0,0 20-27 S"]);
    impossible("sadeqa-ii", no_move, &["1,0,0,0,0,0/0,0,0,0,0,0 0-0 N"]);
    impossible("bosh", no_move, &["0,0,0,x,x/4,4,4,4,4 10-10 S round=2"]);
}

#[test]
fn notation_refuses_an_end_with_seeds_in_a_row_or_holes_to_open() {
    let not_over = |error: &PositionError| *error == PositionError::NotOver;
    impossible(
        "adji-boto",
        not_over,
        &[
            "1,0,0,0,0/0,0,0,0,0 50-49 -",
            "10,10,10,10,10/10,10,10,10,10 0-0 - opened=00000/00000",
        ],
    );
    impossible("en-dodoi", not_over, &["0,0,0,0,0,0/0,0,0,0,0,1 20-27 -"]);
    impossible("bosh", not_over, &["4,4,4,4,4/4,4,4,4,4 0-0 - round=1"]);
    impossible(
        "sadeqa-ii",
        not_over,
        &["3,3,3,3,3,3/3,3,3,3,3,3 0-0 - opened=0/0"],
    );
}
