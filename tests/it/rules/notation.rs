//! Position text: what is accepted and printed again, and what is misspelt.

use mancala::rules::{ParseError, Side};

use super::{At, CATALOG};

pub(super) fn parse(variant: &str, text: &str) -> Result<(), ParseError> {
    CATALOG.get(variant).unwrap().parse(text).map(|_| ())
}

/// All of these are accepted, and print back to the same text.
pub(super) fn accepts(variant: &str, texts: &[&str]) {
    for text in texts {
        let At { rules, position } = At::text(variant, text);
        assert_eq!(rules.text(&position).to_string(), *text);
    }
}

/// All of these are refused as bad spelling.
pub(super) fn misspelt(variant: &str, texts: &[&str]) {
    for text in texts {
        let error = parse(variant, text);
        assert!(
            matches!(error, Err(ParseError::Spelling(_))),
            "{text:?}: {error:?}"
        );
    }
}

#[test]
fn notation_starts() {
    for (variant, holes, text) in [
        (
            "adji-boto",
            5,
            "10,10,10,10,10/10,10,10,10,10 0-0 S opened=00000/00000",
        ),
        ("bosh", 5, "4,4,4,4,4/4,4,4,4,4 0-0 S round=1"),
        ("en-dodoi", 6, "4,4,4,4,4,4/4,4,4,4,4,4 0-0 S"),
        (
            "en-dodoi",
            10,
            "4,4,4,4,4,4,4,4,4,4/4,4,4,4,4,4,4,4,4,4 0-0 S",
        ),
        ("sadeqa-ii", 6, "3,3,3,3,3,3/3,3,3,3,3,3 0-0 S opened=0/0"),
    ] {
        let At { rules, position } = At::start(variant, holes);
        assert_eq!(rules.text(&position).to_string(), text);
        assert_eq!(rules.parse(text), Ok(position));
        let north = rules.start(Side::North);
        let mut north_text = text.replace(" S", " N");
        if rules.definition().rounds.is_some() {
            north_text += " first=N";
        }
        assert_eq!(rules.text(&north).to_string(), north_text);
        assert_eq!(rules.parse(&north_text), Ok(north));
    }
}

#[test]
fn notation_rows_read_along_the_ring_and_stores_south_first() {
    let At { rules: _, position } = At::text("bosh", "1,2,3,x,x/4,5,6,7,8 3-1 N round=7 first=N");
    let south: Vec<u8> = position.row(Side::South).collect();
    let north: Vec<u8> = position.row(Side::North).collect();
    assert_eq!((south, north), (vec![1, 2, 3, 0, 0], vec![4, 5, 6, 7, 8]));
    let ring: Vec<u8> = (0..10).map(|hole| position.seeds(hole)).collect();
    assert_eq!(ring, [1, 2, 3, 0, 0, 4, 5, 6, 7, 8]);
    assert_eq!(position.closed().iter().collect::<Vec<_>>(), [3, 4]);
    assert_eq!((position.stores().south, position.stores().north), (3, 1));
    assert_eq!(position.to_move(), Some(Side::North));
    assert_eq!((position.round(), position.first()), (Some(7), Side::North));
}

#[test]
fn notation_opened_has_a_digit_for_each_hole_to_open() {
    let text = "12,1,10,11,11/11,11,11,11,11 0-0 N opened=01000/00000";
    let unopened = At::text("adji-boto", text).position.unopened();
    assert_eq!(
        unopened.iter().collect::<Vec<_>>(),
        [0, 2, 3, 4, 5, 6, 7, 8, 9]
    );
    let text = "0,4,4,0,0,1/5,5,1,4,4,4 0-0 N opened=1/0";
    let unopened = At::text("sadeqa-ii", text).position.unopened();
    assert_eq!(unopened.iter().collect::<Vec<_>>(), [11]);
}

/// Swept rows of zeros in Adji-Boto and En Dodoi, the rows as they are in Sadeqa II, the last round's
/// closed holes, its number and the stores of the end in Bosh; `-` doesn't carry the result.
#[test]
fn notation_of_positions_that_are_over() {
    accepts(
        "adji-boto",
        &["0,0,0,0,0/0,0,0,0,0 57-43 -", "0,0,0,0,0/0,0,0,0,0 0-100 -"],
    );
    accepts("en-dodoi", &["0,0,0,0,0,0/0,0,0,0,0,0 25-23 -"]);
    accepts(
        "sadeqa-ii",
        &[
            "0,1,0,0,2,0/0,0,0,0,0,0 0-0 -",
            "1,0,0,0,0,0/1,0,0,0,0,0 0-0 -",
        ],
    );
    accepts(
        "bosh",
        &[
            "0,0,0,0,0/0,0,0,0,0 3-37 - round=1",
            "0,0,0,x,x/0,0,0,0,0 1-39 - round=4",
            "0,0,0,0,0/0,x,x,x,x 38-2 - round=100 first=N",
        ],
    );
}

#[test]
fn notation_refuses_bad_numbers() {
    for bad in [
        "",
        "04",
        "00",
        "+4",
        "-4",
        " 4",
        "4 ",
        "４",
        "4.0",
        "0x4",
        "X",
        "4294967296",
        "99999999999999999999",
        "y",
        "xx",
    ] {
        misspelt("en-dodoi", &[&format!("{bad},4,4,4,4,4/4,4,4,4,4,4 0-0 S")]);
        misspelt("en-dodoi", &[&format!("4,4,4,4,4,4/4,4,4,4,4,{bad} 0-0 S")]);
        misspelt("en-dodoi", &[&format!("4,4,4,4,4,4/4,4,4,4,4,4 {bad}-0 S")]);
        misspelt("en-dodoi", &[&format!("4,4,4,4,4,4/4,4,4,4,4,4 0-{bad} S")]);
        misspelt("bosh", &[&format!("4,4,4,4,4/4,4,4,4,4 0-0 S round={bad}")]);
    }
    misspelt("en-dodoi", &["4,4,4,4,4,4/4,4,4,4,4,4 x-0 S"]);
    misspelt("bosh", &["4,4,4,4,4/4,4,4,4,4 0-0 S round=01"]);
}

#[test]
fn notation_refuses_other_spaces_and_shapes() {
    misspelt(
        "en-dodoi",
        &[
            "",
            " ",
            "/",
            "4,4,4,4,4,4/4,4,4,4,4,4",
            "4,4,4,4,4,4/4,4,4,4,4,4 0-0",
            " 4,4,4,4,4,4/4,4,4,4,4,4 0-0 S",
            "4,4,4,4,4,4/4,4,4,4,4,4 0-0 S ",
            "4,4,4,4,4,4/4,4,4,4,4,4  0-0 S",
            "4,4,4,4,4,4/4,4,4,4,4,4\t0-0 S",
            "4,4,4,4,4,4/4,4,4,4,4,4\u{a0}0-0 S",
            "4,4,4,4,4,4/4,4,4,4,4,4 0-0 S\n",
            "4, 4,4,4,4,4/4,4,4,4,4,4 0-0 S",
            "4,4,4,4,4,4 4,4,4,4,4,4 0-0 S",
            "4,4,4,4,4,4/4,4,4,4,4,4/ 0-0 S",
            "4,4,4,4,4,4/4,4,4,4,4,4/0,0,0,0,0,0 0-0 S",
            "4,4,4,4,4,4,/4,4,4,4,4,4 0-0 S",
            "4,4,4,4,4,4/4,4,4,4,4,4 0 S",
            "4,4,4,4,4,4/4,4,4,4,4,4 0-0-0 S",
            "4,4,4,4,4,4/4,4,4,4,4,4 0/0 S",
            "4,4,4,4,4,4/4,4,4,4,4,4 0-0 s",
            "4,4,4,4,4,4/4,4,4,4,4,4 0-0 W",
            "4,4,4,4,4,4/4,4,4,4,4,4 0-0 SN",
            "4,4,4,4,4,4/4,4,4,4,4,4 S 0-0",
        ],
    );
    let long = format!("4,4,4,4,4,4/4,4,4,4,4,4 0-0 S {}", "k=v ".repeat(10_000));
    misspelt("en-dodoi", &[&long]);
}

#[test]
fn notation_refuses_unknown_repeated_and_misplaced_keys() {
    for bad in [
        "round=1 round=1",
        "first=N round=1",
        "round=1 first=N first=N",
        "round=1 first=S",
        "round=1 first=n",
        "round=1 first=",
        "round=1 Round=1",
        "round=1 colour=red",
        "round=1 =",
        "round=1 first",
        "round",
        "round=",
        "round==1",
        "round=1=1",
        "round=1,first=N",
        "opened=11111/11110 round=1",
        "round=1 opened=0/0",
    ] {
        misspelt("bosh", &[&format!("4,4,4,4,4/4,4,4,4,4 0-0 S {bad}")]);
    }
    misspelt("en-dodoi", &["4,4,4,4,4,4/4,4,4,4,4,4 0-0 S opened=1/0"]);
}

#[test]
fn notation_refuses_opened_with_nothing_left_or_misspelt() {
    for bad in [
        "11111/11111",
        "00000",
        "00000/0000",
        "0000/00000",
        "000000/00000",
        "00000/00000/",
        "0000 0/00000",
        "00002/00000",
        "0000x/00000",
        "/",
        "",
        "0/0",
    ] {
        let text = format!("10,10,10,10,10/10,10,10,10,10 0-0 S opened={bad}");
        misspelt("adji-boto", &[&text]);
    }
    for bad in ["1/1", "00/0", "0/", "/0", "0", "2/0", "000000/000000"] {
        let text = format!("3,3,3,3,3,3/3,3,3,3,3,3 0-0 S opened={bad}");
        misspelt("sadeqa-ii", &[&text]);
    }
}
