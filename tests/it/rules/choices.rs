//! The choices of other rule books: values of the mechanisms that no shipped variant picks, each in a
//! shipped rule set with that one value changed. Boards are drawn as South sees them.

use mancala::{
    catalog::RuleSet,
    rules::{BlockReason, IllegalMove, ParseError, PositionError, Reason, Side, Standings, Step},
};

use super::{At, CATALOG};

/// A shipped variant's rule set with something of its text changed.
pub(super) fn changed(variant: &str, changes: &[(&str, &str)]) -> RuleSet {
    let mut text = CATALOG.get(variant).unwrap().rule_set().text().to_owned();
    for (from, to) in changes {
        let from = format!("\n{from}\n");
        assert_eq!(text.matches(&from).count(), 1, "{from}");
        text = text.replace(&from, &format!("\n{to}\n"));
    }
    RuleSet::parse(&text).unwrap()
}

pub(super) fn kalah(from: &str, to: &str) -> RuleSet {
    changed("kalah", &[(from, to)])
}

fn oware(from: &str, to: &str) -> RuleSet {
    changed("oware", &[(from, to)])
}

pub(super) fn end(board: &At, letters: &str) -> (Option<Side>, Reason) {
    let end = board.play(letters).end.unwrap();
    (end.winner, end.reason)
}

pub(super) const SOUTH: Option<Side> = Some(Side::South);
pub(super) const NORTH: Option<Side> = Some(Side::North);

/// Kalah's empty capture: the last seed is captured even if nothing lies opposite.
///
/// ```text
///  0 0 0 0 0 1        0 0 0 0 0 1
/// [1]0 0 0 0 3   →    0 0 0 0 0 3    South captures 1
/// ```
#[test]
fn choice_opposite_empty_last_seed() {
    let last = "last-seed = \"captured\"";
    let rules = kalah(last, &format!("{last}\nopposite-empty = \"last-seed\""));
    let board = At::of(&rules, "1,0,0,0,0,3/1,0,0,0,0,0 21-22 S");
    assert_eq!(board.captures('a'), "b");
    assert_eq!(board.play("a").captured, 1);
    assert_eq!(board.after("a"), "0,0,0,0,0,3/1,0,0,0,0,0 22-22 N");
    let both = At::of(&rules, "1,0,0,0,0,3/1,0,0,0,5,0 19-19 S");
    assert_eq!(both.captures('a'), "Eb");
    // Occupied holes and the opponent's row capture nothing, as ever.
    let occupied = At::of(&rules, "1,1,0,0,0,0/1,0,0,0,0,0 22-23 S");
    assert_eq!(occupied.play("a").captured, 0);
    let across = At::of(&rules, "0,0,0,1,0,3/1,0,0,0,0,0 21-22 S");
    assert_eq!(across.after("f"), "0,0,0,1,0,0/2,1,0,0,0,0 22-22 N");
}

const VOID: &str = "grand-slam = \"void\"";

/// South's `f` would capture all that North has: C with 2, B with 3, A with 2.
///
/// ```text
///  0 0 0 1 2 1
///  0 2 0 0 1[3]
/// ```
const SLAM: &str = "0,2,0,0,1,3/1,2,1,0,0,0 17-21 S";

/// The grand slam is taken; North, without seeds, can't move then.
#[test]
fn choice_grand_slam_taken() {
    let board = At::of(&oware(VOID, "grand-slam = \"taken\""), SLAM);
    assert_eq!(board.captures('f'), "CBA");
    assert_eq!(board.after("f"), "0,0,0,0,0,0/0,0,0,0,0,0 27-21 -");
    assert_eq!(end(&board, "f"), (SOUTH, Reason::NoMoves));
}

/// Where ones are captured too, a move can take back all that it gives. That feeds nobody.
///
/// ```text
///  0 0 0 0 0 0        0 0 0 0 0 0
///  0 0 0[3]0 7   →    0 0 0 0 1 8    `d` would capture what it sows into A
/// ```
#[test]
fn choice_grand_slam_taken_of_the_seeds_just_given_does_not_feed() {
    let changes = [
        (VOID, "grand-slam = \"taken\""),
        ("sizes = [2, 3]", "sizes = [1]"),
    ];
    let rules = changed("oware", &changes);
    let board = At::of(&rules, "0,0,0,3,0,7/0,0,0,0,0,0 18-20 S");
    assert_eq!(board.blocked(), [('d', BlockReason::DoesNotFeed)]);
    assert_eq!(board.legal(), "f", "it ends in the own row, and gives six");
}

/// The grand slam is not legal; a capture that leaves the opponent a seed is.
#[test]
fn choice_grand_slam_forbidden() {
    let rules = oware(VOID, "grand-slam = \"forbidden\"");
    let board = At::of(&rules, SLAM);
    assert_eq!(board.legal(), "be");
    assert_eq!(board.blocked(), [('f', BlockReason::GrandSlam)]);
    let refused = IllegalMove::Blocked(BlockReason::GrandSlam);
    assert_eq!(board.refused('f'), refused);
    let spared = At::of(&rules, "0,2,0,0,1,3/1,2,1,0,0,6 14-18 S");
    assert_eq!(spared.legal(), "bef");
    assert_eq!(spared.captures('f'), "CBA");
    // Not even if it is the only move: then there is none.
    let only = "0,0,0,0,0,3/1,2,1,0,0,0 20-21 S";
    let no_move = ParseError::Position(PositionError::NoLegalMove);
    assert_eq!(rules.rules(6).unwrap().parse(only), Err(no_move));
}

/// All are captured but those of the hole that the run reached last.
///
/// ```text
///  0 0 0 1 2 1        0 0 0 0 0 2
///  0 2 0 0 1[3]  →    0 2 0 0 1 0    C and B
/// ```
#[test]
fn choice_grand_slam_spares_last() {
    let rules = oware(VOID, "grand-slam = \"spares-last\"");
    let board = At::of(&rules, SLAM);
    assert_eq!(board.captures('f'), "CB");
    assert_eq!(board.after("f"), "0,2,0,0,1,0/2,0,0,0,0,0 22-21 N");
    assert_eq!(board.play("f").captured, 5);
    let no_slam = At::of(&rules, "0,2,0,0,1,3/1,2,1,0,0,6 14-18 S");
    assert_eq!(no_slam.captures('f'), "CBA");
    let single = At::of(&rules, "1,0,0,0,0,1/1,0,0,0,0,0 22-23 S");
    assert_eq!(single.after("f"), "1,0,0,0,0,0/2,0,0,0,0,0 22-23 N");
}

/// All are captured but those of the hole in which the last seed fell.
///
/// ```text
///  0 0 0 1 2 1        0 0 0 2 0 0
///  0 2 0 0 1[3]  →    0 2 0 0 1 0    B and A
/// ```
#[test]
fn choice_grand_slam_spares_first() {
    let rules = oware(VOID, "grand-slam = \"spares-first\"");
    let board = At::of(&rules, SLAM);
    assert_eq!(board.captures('f'), "BA");
    assert_eq!(board.after("f"), "0,2,0,0,1,0/0,0,2,0,0,0 22-21 N");
    assert_eq!(board.play("f").captured, 5);
    let no_slam = At::of(&rules, "0,2,0,0,1,3/1,2,1,0,0,6 14-18 S");
    assert_eq!(no_slam.captures('f'), "CBA");
    let single = At::of(&rules, "1,0,0,0,0,1/1,0,0,0,0,0 22-23 S");
    assert_eq!(single.after("f"), "1,0,0,0,0,0/2,0,0,0,0,0 22-23 N");
}

/// The grand slam is taken, and the opponent gets the seeds left in the capturer's row.
#[test]
fn choice_grand_slam_rest_to_opponent() {
    let rules = oware(VOID, "grand-slam = \"rest-to-opponent\"");
    let board = At::of(&rules, "0,2,0,0,1,3/1,2,1,0,0,0 16-22 S");
    assert_eq!(board.captures('f'), "CBA");
    assert_eq!(board.play("f").captured, 7);
    assert_eq!(board.after("f"), "0,0,0,0,0,0/0,0,0,0,0,0 23-25 -");
    let sweep = Step::Sweep {
        side: Side::North,
        seeds: 3,
        holes: [1, 4].into_iter().collect(),
    };
    assert_eq!(board.steps('f')[5..], [sweep]);
    // Where 25 captured seeds end it, North has them here; else nobody could move.
    assert_eq!(end(&board, "f"), (NORTH, Reason::Majority));
    let even = At::of(&rules, SLAM);
    assert_eq!(even.after("f"), "0,0,0,0,0,0/0,0,0,0,0,0 24-24 -");
    assert_eq!(end(&even, "f"), (None, Reason::NoMoves));
    let no_slam = At::of(&rules, "0,2,0,0,1,3/1,2,1,0,0,6 14-18 S");
    assert_eq!(no_slam.after("f"), "0,2,0,0,1,0/0,0,0,0,0,6 21-18 N");
}

const OWN_ROW: &str = "remainder = \"own-row\"";

/// South's `f` empties the own row; five seeds are left in North's.
///
/// ```text
///    0 3 0 0 2 0
/// 20             22
///    0 0 0 0 0[1]
/// ```
const OWN_ROW_EMPTIED: &str = "0,0,0,0,0,1/0,2,0,0,3,0 22-20 S";

/// South's `a` captures all that North has; three seeds are left in South's row.
///
/// ```text
///    0 5 0 0 0 0
/// 19             20
///   [1]0 0 0 0 3
/// ```
const OTHER_ROW_EMPTIED: &str = "1,0,0,0,0,3/0,0,0,0,5,0 20-19 S";

/// The seeds left go to the player who has none in the own row.
#[test]
fn choice_remainder_blocked_with_an_empty_row() {
    let rules = kalah(OWN_ROW, "remainder = \"blocked\"");
    let own = At::of(&rules, OWN_ROW_EMPTIED);
    assert_eq!(own.after("f"), "0,0,0,0,0,0/0,0,0,0,0,0 28-20 -");
    assert_eq!(end(&own, "f"), (SOUTH, Reason::EmptyRow));
    let other = At::of(&rules, OTHER_ROW_EMPTIED);
    assert_eq!(other.after("a"), "0,0,0,0,0,0/0,0,0,0,0,0 26-22 -");
    // Not whoever would have been to move: South's `f` empties the own row, and North would be.
    let turn_passes = At::of(&rules, "0,0,0,0,0,2/0,2,0,0,3,0 21-20 S");
    let swept = "0,0,0,0,0,0/0,0,0,0,0,0 28-20 -";
    assert_eq!(turn_passes.after("f"), swept);
}

/// The seeds left go to the opponent of the player who has none in the own row: to their owner.
#[test]
fn choice_remainder_opponent_with_an_empty_row() {
    let rules = kalah(OWN_ROW, "remainder = \"opponent\"");
    let own = At::of(&rules, OWN_ROW_EMPTIED);
    assert_eq!(own.after("f"), "0,0,0,0,0,0/0,0,0,0,0,0 23-25 -");
    assert_eq!(end(&own, "f"), (NORTH, Reason::EmptyRow));
    let other = At::of(&rules, OTHER_ROW_EMPTIED);
    assert_eq!(other.after("a"), "0,0,0,0,0,0/0,0,0,0,0,0 29-19 -");
    let turn_passes = At::of(&rules, "0,0,0,0,0,2/0,2,0,0,3,0 21-20 S");
    let swept = "0,0,0,0,0,0/0,0,0,0,0,0 22-26 -";
    assert_eq!(turn_passes.after("f"), swept);
}

/// The seeds left stay on the board and count for nobody.
#[test]
fn choice_remainder_stays_with_an_empty_row() {
    let rules = kalah(OWN_ROW, "remainder = \"stays\"");
    let own = At::of(&rules, OWN_ROW_EMPTIED);
    assert_eq!(own.after("f"), "0,0,0,0,0,0/0,2,0,0,3,0 23-20 -");
    assert_eq!(end(&own, "f"), (SOUTH, Reason::EmptyRow));
    let score = own.play("f").end.unwrap().score;
    assert_eq!((score.south, score.north), (23, 20));
    let other = At::of(&rules, OTHER_ROW_EMPTIED);
    assert_eq!(other.after("a"), "0,0,0,0,0,3/0,0,0,0,0,0 26-19 -");
}

/// In Oware the player who can't feed takes the seeds left, or the one who was not fed does.
///
/// ```text
/// [1]0 0 0 0 0        0 0 0 0 0 0
///  3 0 0 0 0 0   →    4 0 0 0 0 0    South can't feed North
/// ```
#[test]
fn choice_remainder_where_nobody_can_feed() {
    let after = |remainder: &str| {
        let rules = oware(OWN_ROW, &format!("remainder = \"{remainder}\""));
        let board = At::of(&rules, "3,0,0,0,0,0/0,0,0,0,0,1 21-23 N");
        assert_eq!(board.play("F").end.unwrap().reason, Reason::NoMoves);
        board.after("F")
    };
    assert_eq!(after("blocked"), "0,0,0,0,0,0/0,0,0,0,0,0 25-23 -");
    assert_eq!(after("opponent"), "0,0,0,0,0,0/0,0,0,0,0,0 21-27 -");
    assert_eq!(after("stays"), "4,0,0,0,0,0/0,0,0,0,0,0 21-23 -");
}

const EMPTY_ROW: &str = "blocked = \"ends-with-empty-row\"";

/// Kalah goes on while the player to move can: an opponent's move may bring new seeds.
///
/// ```text
///  0 3 0 0 2 0        0 3 0 0 2 1        1 0 0 0 2 1
///  0 0 0 0 0[2]  →    0 0 0 0 0 0   →    1 0 0 0 0 0    or North plays A, and South can't move
/// ```
#[test]
fn choice_blocked_ends_only_when_the_player_to_move_cannot() {
    let rules = kalah(EMPTY_ROW, "blocked = \"ends\"");
    let board = At::of(&rules, "0,0,0,0,0,2/0,2,0,0,3,0 21-20 S");
    let goes_on = "0,0,0,0,0,0/1,2,0,0,3,0 22-20 N";
    assert_eq!(board.after("f"), goes_on);
    assert_eq!(board.play("f").end, None);
    assert_eq!(At::of(&rules, goes_on).legal(), "ABE");
    assert_eq!(board.after("fE"), "1,0,0,0,0,0/1,2,0,0,0,1 22-21 S");
    assert_eq!(board.after("fA"), "0,0,0,0,0,0/0,0,0,0,0,0 22-26 -");
    assert_eq!(end(&board, "fA"), (NORTH, Reason::NoMoves));
    // After a last seed in the store that is the mover.
    let again = At::of(&rules, OWN_ROW_EMPTIED);
    assert_eq!(again.after("f"), "0,0,0,0,0,0/0,0,0,0,0,0 23-25 -");
    assert_eq!(end(&again, "f"), (NORTH, Reason::NoMoves));
}

/// Or a player without seeds passes, also after a last seed in the store, and it ends when neither can
/// move.
///
/// ```text
///  0 3 0 0 2 0
///  0 0 0 0 0[1]   South would move again and can't
/// ```
#[test]
fn choice_blocked_passes_in_kalah() {
    let rules = kalah(EMPTY_ROW, "blocked = \"passes\"");
    let board = At::of(&rules, OWN_ROW_EMPTIED);
    assert_eq!(board.after("f"), "0,0,0,0,0,0/0,2,0,0,3,0 23-20 N");
    assert_eq!(board.play("f").passed, SOUTH);
    let side = Side::South;
    assert_eq!(board.steps('f')[2..], [Step::Pass { side }]);
    let over = "0,0,0,0,0,0/0,0,0,0,0,0 23-25 -";
    let north = At::of(&rules, "0,0,0,0,0,0/0,0,0,0,0,1 23-24 N");
    assert_eq!(north.after("F"), over);
    assert_eq!(end(&north, "F"), (NORTH, Reason::NoMoves));
}

/// A player may leave the opponent without seeds.
///
/// ```text
///  0 0 0 0 0 0        0 0 0 0 0 0
/// [1]0 0 0 0 1   →    0 1 0 0 0 1    North can't move
/// ```
#[test]
fn choice_feeding_free() {
    let rules = oware("feeding = \"required\"", "");
    let board = At::of(&rules, "1,0,0,0,0,1/0,0,0,0,0,0 22-24 S");
    assert_eq!(board.legal(), "af");
    assert_eq!(board.blocked(), []);
    assert_eq!(board.after("a"), "0,0,0,0,0,0/0,0,0,0,0,0 24-24 -");
    assert_eq!(end(&board, "a"), (None, Reason::NoMoves));
}

/// 25 captured seeds end nothing.
#[test]
fn choice_majority_plays_on() {
    let rules = oware("majority = \"ends\"", "");
    let board = At::of(&rules, "0,2,0,0,1,3/1,2,1,0,0,6 18-14 S");
    let goes_on = "0,2,0,0,1,0/0,0,0,0,0,6 25-14 N";
    assert_eq!(board.after("f"), goes_on);
    assert_eq!(board.play("f").end, None);
    assert_eq!(At::of(&rules, goes_on).legal(), "F");
}

/// In Kalah, where they can be sown into the store too: each takes the own row, and a last seed in the
/// store earns nothing.
///
/// ```text
///    0 0 0 0 0 1
/// 19             24
///    0 0 0 0 3[1]
/// ```
#[test]
fn choice_majority_ends_in_kalah() {
    let rules = kalah(EMPTY_ROW, &format!("{EMPTY_ROW}\nmajority = \"ends\""));
    let board = At::of(&rules, "0,0,0,0,3,1/1,0,0,0,0,0 24-19 S");
    assert_eq!(board.after("f"), "0,0,0,0,0,0/0,0,0,0,0,0 28-20 -");
    assert_eq!(end(&board, "f"), (SOUTH, Reason::Majority));
    // If a row is empty as well, the majority is the reason.
    let both = At::of(&rules, "0,0,0,0,0,1/1,3,0,0,0,0 24-19 S");
    assert_eq!(both.after("f"), "0,0,0,0,0,0/0,0,0,0,0,0 25-23 -");
    assert_eq!(end(&both, "f"), (SOUTH, Reason::Majority));
}

pub(super) const RELAY: &str = "laps = \"relay\"";

/// Each lap skips the hole that it was lifted from, every time round.
///
/// ```text
///  0 0 0 0 0 0        1 1 1 1 1 1        0 2 0 2 0 2
///[12]0 0 0 0 0   →    0 2 1 1 1 1   →    1 1 2 0 2 0    then b, where it ends, captures E
/// ```
#[test]
fn choice_origin_skipped_by_each_lap() {
    let origin = format!("{RELAY}\norigin = \"skipped\"");
    let rules = changed("en-dodoi", &[(RELAY, &origin)]);
    // The twelfth seed falls into b, not a: b sows on c d, d e f, f A B, B C D, D E F, and F a b.
    let board = At::of(&rules, "12,0,0,0,0,0/0,0,0,0,0,0 18-18 S");
    let holes = vec![1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1];
    assert_eq!(board.steps('a')[1], Step::Drop { holes });
    assert_eq!(board.play("a").laps, 7);
    assert_eq!(board.captures('a'), "Eb");
    assert_eq!(board.after("a"), "1,0,2,0,2,0/2,0,2,0,0,0 21-18 N");
    // The second lap skips b and sows a: then c sows d e, e f A, A B C, C D E, E F a, and a b c.
    let second = At::of(&rules, "1,11,0,0,0,0/0,0,0,0,0,0 18-18 S");
    let holes = vec![2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 2];
    assert_eq!(second.steps('a')[3], Step::Drop { holes });
    assert_eq!(second.play("a").laps, 8);
    assert_eq!(second.captures('a'), "Dc");
    assert_eq!(second.after("a"), "0,1,0,2,0,2/0,2,0,0,0,2 21-18 N");
}

/// A lap that ends in the store ends the sowing, whatever the store holds, and earns another move.
///
/// ```text
///  0 0 0 0 0 1        0 0 0 0 0 1
///  0 0 0[1]1 0   →    0 0 0 0 0 1    d sows e, e sows f and the store
/// ```
#[test]
fn choice_store_sown_with_relay_laps() {
    let sown = format!("{RELAY}\nstore = \"sown\"\nagain = \"last-in-store\"");
    let rules = changed("en-dodoi", &[(RELAY, &sown)]);
    let single = At::of(&rules, "0,0,0,0,3,1/1,0,0,0,0,0 20-23 S");
    assert_eq!(single.after("f"), "0,0,0,0,3,0/1,0,0,0,0,0 21-23 S");
    assert_eq!(single.play("f").laps, 1);
    let board = At::of(&rules, "0,0,0,1,1,0/1,0,0,0,0,0 22-23 S");
    assert_eq!(board.after("d"), "0,0,0,0,0,1/1,0,0,0,0,0 23-23 S");
    let steps = [
        Step::Lift { hole: 3, seeds: 1 },
        Step::Drop { holes: vec![4] },
        Step::Lift { hole: 4, seeds: 2 },
        Step::Drop { holes: vec![5, 12] },
    ];
    assert_eq!(board.steps('d'), steps);
    // Laps that go past it sow it: e sows f, f the store and A, and A B and C.
    let past = At::of(&rules, "0,0,0,0,1,1/1,0,0,0,0,0 22-23 S");
    assert_eq!(past.after("e"), "0,0,0,0,0,0/0,1,1,0,0,0 23-23 N");
    assert_eq!(past.play("e").laps, 3);
    // North's laps in South's row go past South's store: F sows the own and a to e, e sows f and A, and
    // A sows B and C, which captures d.
    let north = At::of(&rules, "0,0,0,0,1,1/1,0,0,0,0,6 17-22 N");
    assert_eq!(north.captures('F'), "dC");
    assert_eq!(north.after("F"), "1,1,1,0,0,2/0,1,0,0,0,0 17-25 S");
}

/// The hole after a lap that ended in the store is not sown on.
///
/// ```text
///  0 0 0 3 2
///  1 0 0 0[1]   A, after the store, has two
/// ```
#[test]
fn choice_store_sown_with_laps_from_the_next_hole() {
    let rules = RuleSet::parse(
        r#"
        seeds = 4
        lift = "all"
        opening = "free"
        laps = "relay-from-next"
        store = "sown"
        again = "last-in-store"
        blocked = "ends"
        remainder = "opponent"
        winner = "more-seeds"
        holes = { min = 5, max = 5, default = 5 }
        [capture]
        kind = "beyond-empty"
        to = "store"
        during-opening = true
        "#,
    );
    let rules = rules.unwrap();
    let board = At::of(&rules, "1,0,0,0,1/2,3,0,0,0 16-17 S");
    assert_eq!(board.after("e"), "1,0,0,0,0/2,3,0,0,0 17-17 S");
    let played = board.play("e");
    assert_eq!((played.laps, played.captured), (1, 0));
}

/// The store is sown, and a last seed in it earns nothing: the turn passes.
#[test]
fn choice_again_never() {
    let rules = kalah("again = \"last-in-store\"", "");
    let board = At::of(&rules, "0,0,0,1,2,1/1,0,0,0,0,0 21-22 S");
    assert_eq!(board.after("f"), "0,0,0,1,2,0/1,0,0,0,0,0 22-22 N");
}

/// A run after a last seed in the store takes each hole once, even if it comes all the way round.
///
/// ```text
///  1
/// [1]    the last seed is in South's store
/// ```
#[test]
fn choice_store_sown_with_a_run_all_the_way_round() {
    let rules = RuleSet::parse(
        r#"
        seeds = 3
        lift = "all"
        opening = "free"
        laps = "single"
        store = "sown"
        blocked = "ends"
        remainder = "own-row"
        winner = "more-seeds"
        holes = { min = 1, max = 1, default = 1 }
        [capture]
        kind = "next-run"
        to = "store"
        during-opening = true
        sizes = [1]
        "#,
    );
    let board = At::of(&rules.unwrap(), "4/0 1-1 S");
    assert_eq!(board.captures('a'), "Aa");
    assert_eq!(board.play("a").captured, 2);
    assert_eq!(board.after("a"), "0/0 5-1 -");
}

/// Laps from the next hole leave the row without passing the store, so positions do come back.
#[test]
fn choice_store_sown_with_laps_from_the_next_hole_lets_positions_come_back() {
    let rules = RuleSet::parse(
        r#"
        seeds = 1
        lift = "all"
        opening = "free"
        laps = "relay-from-next"
        store = "sown"
        blocked = "ends"
        remainder = "own-row"
        winner = "more-seeds"
        holes = { min = 3, max = 3, default = 3 }
        [capture]
        kind = "next-run"
        to = "store"
        during-opening = true
        sizes = [7]
        "#,
    );
    let At {
        rules,
        mut position,
    } = At::of(&rules.unwrap(), "0,1,0/1,0,1 1-2 S");
    let mut standings = Standings::default();
    for standing in 0..4 {
        assert_eq!(standings.would_end(&rules, &position), standing >= 2);
        standings.push(&rules, position);
        let came = position;
        for hole in [1, 1] {
            position = rules.play(&position, hole).unwrap().position;
        }
        assert_eq!(position, came);
    }
}
