//! The swap of sides: a choice of other rule books, in Kalah. Boards are drawn as South sees them.

use mancala::{
    catalog::RuleSet,
    rules::{IllegalMove, ParseError, PositionError, Reason, Side, Step},
};

use super::{
    At,
    choices::{NORTH, RELAY, SOUTH, changed, end, kalah},
};

fn kalah_with_swap() -> RuleSet {
    let again = "again = \"last-in-store\"";
    kalah(again, &format!("{again}\nswap = \"after-first-turn\""))
}

/// Instead of its first move the second player may swap sides: the rows change places with all seeds
/// and stores, and the other player is to move. The first may have moved several times in its turn.
///
/// ```text
///    4 4 5 5 5 5             0 5 5 0 4 4
///  0             2   →     2             0    South is to move
///    4 4 0 5 5 0             5 5 5 5 4 4
/// ```
#[test]
fn choice_swap_after_first_turn() {
    let rules = kalah_with_swap();
    let start = At::of(&rules, "4,4,4,4,4,4/4,4,4,4,4,4 0-0 S swap=N");
    assert_eq!(start.position, start.rules.start(Side::South));
    assert_eq!(start.position.swap(), NORTH);
    assert_eq!(start.legal(), "abcdef", "not the first player");
    let no_hole = IllegalMove::NoSuchHole { hole: 6, last: 5 };
    assert_eq!(start.refused('g'), no_hole);
    assert_eq!(start.after("c"), "4,4,0,5,5,5/4,4,4,4,4,4 1-0 S swap=N");
    let first_turn = "4,4,0,5,5,0/5,5,5,5,4,4 2-0 N swap=N";
    assert_eq!(start.after("cf"), first_turn);

    let board = At::of(&rules, first_turn);
    assert_eq!(board.legal(), "ABCDEFG");
    assert_eq!(board.blocked(), []);
    assert_eq!(board.after("G"), "5,5,5,5,4,4/4,4,0,5,5,0 0-2 S");
    let played = board.play("G");
    assert_eq!((played.mover, played.hole), (Side::North, 6));
    assert_eq!((played.laps, played.captured), (0, 0));
    assert_eq!(played.position.swap(), None);
    let side = Side::North;
    assert_eq!(board.steps('G'), [Step::Swap { side }]);
    let beyond = IllegalMove::NoSuchHole { hole: 7, last: 5 };
    assert_eq!(board.refused('H'), beyond);
    let swapped = At::of(&rules, "5,5,5,5,4,4/4,4,0,5,5,0 0-2 S");
    assert_eq!(swapped.legal(), "abcdef");
    assert_eq!(swapped.refused('g'), no_hole);
}

/// After any other move of the second player nobody can swap any more, even if that player moves again.
#[test]
fn choice_swap_after_first_turn_is_lost_with_the_second_players_first_move() {
    let rules = kalah_with_swap();
    let board = At::of(&rules, "4,4,0,5,5,0/5,5,5,5,4,4 2-0 N swap=N");
    let again = "4,4,0,5,5,0/5,0,6,6,5,5 2-1 N";
    assert_eq!(board.after("B"), again);
    let no_hole = IllegalMove::NoSuchHole { hole: 6, last: 5 };
    assert_eq!(At::of(&rules, again).refused('G'), no_hole);
    let south = "5,5,1,5,5,0/5,0,6,0,6,6 2-2 S";
    assert_eq!(board.after("BD"), south);
    assert_eq!(At::of(&rules, south).refused('g'), no_hole);
}

/// If North begins, South may swap.
#[test]
fn choice_swap_after_first_turn_is_souths_if_north_begins() {
    let rules = kalah_with_swap();
    let start = At::of(&rules, "4,4,4,4,4,4/4,4,4,4,4,4 0-0 N swap=S");
    assert_eq!(start.position, start.rules.start(Side::North));
    assert_eq!(start.legal(), "ABCDEF");
    let turned = "5,5,4,4,4,4/4,4,4,4,0,5 0-1 S swap=S";
    assert_eq!(start.after("E"), turned);
    let board = At::of(&rules, turned);
    assert_eq!(board.after("g"), "4,4,4,4,0,5/5,5,4,4,4,4 1-0 N");
    let side = Side::South;
    assert_eq!(board.steps('g'), [Step::Swap { side }]);
}

/// Swapping is a move, also for who has no seeds; it can leave the other without any.
///
/// ```text
///  0 0 0 0 0 0        0 0 0 0 0 3
///  3 0 0 0 0 0   →    0 0 0 0 0 0    South can't move: North gets 3
/// ```
#[test]
fn choice_swap_after_first_turn_without_seeds() {
    let swap = format!("{RELAY}\nswap = \"after-first-turn\"");
    let rules = changed("en-dodoi", &[(RELAY, &swap)]);
    let board = At::of(&rules, "3,0,0,0,0,0/0,0,0,0,0,0 20-25 N swap=N");
    assert_eq!(board.legal(), "G");
    assert_eq!(board.after("G"), "0,0,0,0,0,0/0,0,0,0,0,0 25-23 -");
    assert_eq!(end(&board, "G"), (SOUTH, Reason::NoMoves));
}

/// `swap=` names a side; what is over has nothing left to swap.
#[test]
fn choice_swap_after_first_turn_in_position_text() {
    let rules = kalah_with_swap();
    let rules = rules.rules(6).unwrap();
    let start = "4,4,4,4,4,4/4,4,4,4,4,4 0-0 S";
    for bad in ["swap=", "swap=n", "swap=-", "swap=N swap=N", "swap"] {
        let parsed = rules.parse(&format!("{start} {bad}"));
        assert!(matches!(parsed, Err(ParseError::Spelling(_))), "{bad}");
    }
    let over = "0,0,0,0,0,0/0,0,0,0,0,0 24-24 -";
    assert!(rules.parse(over).is_ok());
    let not_over = ParseError::Position(PositionError::NotOver);
    assert_eq!(rules.parse(&format!("{over} swap=N")), Err(not_over));
}
