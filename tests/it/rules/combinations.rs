//! Which values of the mechanisms go together: each sentence that refuses some has rule sets that it
//! refuses.

use std::fmt::Write as _;

use mancala::catalog::RuleSet;

/// One lap a move and captures by the opposite hole: goes together with most of what there is.
const GOOD: &str = "
seeds = 4
lift = 'all'
opening = 'free'
laps = 'single'
blocked = 'ends'
remainder = 'opponent'
winner = 'more-seeds'
holes.min = 6
holes.max = 10
holes.default = 6
capture.kind = 'opposite'
capture.to = 'store'
capture.during-opening = true
capture.landing = 'own-row'
capture.last-seed = 'captured'
";

const RELAY: &str = "laps = 'relay'";
const FROM_NEXT: &str = "laps = 'relay-from-next'";
/// What `opposite` needs is left out for another way of capturing.
const NEXT_RUN: &str = "capture.kind = 'next-run'; capture.sizes = [1, 3]; \
                        capture.landing; capture.last-seed";
const RUN_BACK: &str = "capture.kind = 'run-back'; capture.sizes = [2, 3]; \
                        capture.grand-slam = 'void'; capture.landing; capture.last-seed";
const BEYOND: &str = "laps = 'relay-from-next'; capture.kind = 'beyond-empty'; \
                      capture.landing; capture.last-seed";
/// Captured seeds leave play, and the last one stays.
const REMOVED: &str = "capture.to = 'removed'; capture.last-seed = 'stays'; remainder = 'stays'; \
                       winner = 'last-able-to-move'";
const EVERY_HOLE: &str = "opening = 'every-hole'; capture.during-opening = false";
/// On boards where the second player's first move is possible.
const RIGHTMOST: &str = "opening = 'rightmost-hole'; seeds = 3; holes.max = 6";
const STORE: &str = "store = 'sown'";
const SWAP: &str = "swap = 'after-first-turn'";
const MAJORITY: &str = "majority = 'ends'";
const ROUNDS: &str = "rounds.limit = 5";
const CHOICE: &str = "seeds-choice.min = 1; seeds-choice.max = 6";

/// The good rule set with some keys set, or left out where no value is given.
fn with(changes: &[&str]) -> String {
    let mut lines: Vec<(String, String)> = Vec::new();
    let given = GOOD.lines().filter(|line| !line.is_empty());
    for line in given.chain(changes.iter().flat_map(|change| change.split("; "))) {
        let (key, value) = line.split_once(" = ").unwrap_or((line, ""));
        lines.retain(|(before, _)| before != key);
        lines.push((key.to_owned(), value.to_owned()));
    }
    let mut text = String::new();
    for (key, value) in lines.iter().filter(|(_, value)| !value.is_empty()) {
        writeln!(text, "{key} = {value}").unwrap();
    }
    text
}

#[track_caller]
fn accepted(changes: &[&str]) {
    let read = RuleSet::parse(&with(changes));
    assert!(read.is_ok(), "{changes:?}: {}", read.unwrap_err());
}

/// Refused for this key, by a sentence that has these words.
#[track_caller]
fn refused(changes: &[&str], key: &str, words: &str) {
    let error = RuleSet::parse(&with(changes)).expect_err(words);
    let reason = error.strip_prefix(&format!("{key}: "));
    assert!(
        reason.is_some_and(|reason| reason.contains(words)),
        "{changes:?} for {key} ({words}): {error}"
    );
}

#[test]
fn combinations_that_make_sense_are_accepted() {
    let stays = "remainder = 'stays'";
    accepted(&[]);
    for mechanisms in [RELAY, NEXT_RUN, RUN_BACK, BEYOND, REMOVED, RIGHTMOST] {
        accepted(&[mechanisms]);
    }
    for mechanisms in [STORE, SWAP, MAJORITY, ROUNDS, CHOICE, stays] {
        accepted(&[mechanisms]);
    }
    accepted(&[NEXT_RUN, EVERY_HOLE]);
    accepted(&[REMOVED, NEXT_RUN]);
    accepted(&[REMOVED, BEYOND]);
    accepted(&["capture.opposite-empty = 'last-seed'"]);
    accepted(&["blocked = 'passes'; remainder = 'own-row'"]);
    accepted(&["blocked = 'ends-with-empty-row'; remainder = 'blocked'"]);
    accepted(&[STORE, SWAP, MAJORITY, CHOICE, "again = 'last-in-store'"]);
    accepted(&["lift = 'all-but-one'"]);
}

#[test]
fn combinations_of_lifting() {
    let lift = "lift = 'all-but-one'";
    refused(&[lift, RELAY], "lift", "single laps");
    refused(&[lift, "seeds = 1"], "lift", "two seeds a hole");
    // A choice of seeds may begin at one.
    refused(&[lift, CHOICE], "lift", "two seeds a hole");
    accepted(&[lift, "seeds-choice.min = 2; seeds-choice.max = 6"]);
}

#[test]
fn combinations_of_seeds() {
    for (min, max) in [(0, 6), (5, 6), (1, 3), (6, 5)] {
        let choice = format!("seeds-choice.min = {min}; seeds-choice.max = {max}");
        refused(&[&choice], "seeds-choice", "no choice from 1 on");
    }
    // 2 × 10 × 13 = 260.
    let many = "seeds-choice.min = 4; seeds-choice.max = 13";
    refused(&[many], "seeds", "more than 255");
    refused(&[CHOICE, REMOVED], "seeds-choice", "a position tells");
    refused(&[CHOICE, ROUNDS], "seeds-choice", "no rounds");
}

#[test]
fn combinations_of_capturing() {
    for key in ["landing", "last-seed"] {
        let without = format!("capture.{key}");
        refused(&[&without], &without, "is needed");
    }
    for key in ["sizes", "grand-slam"] {
        let key = format!("capture.{key}");
        refused(&[RUN_BACK, &key], &key, "is needed");
    }
    refused(&[NEXT_RUN, "capture.sizes"], "capture.sizes", "is needed");
    let not_here = "does not go with this capture.kind";
    for (kind, key, value) in [
        ("", "capture.sizes", "[1]"),
        (BEYOND, "capture.sizes", "[1]"),
        ("", "capture.grand-slam", "'void'"),
        (NEXT_RUN, "capture.grand-slam", "'void'"),
        (NEXT_RUN, "capture.landing", "'own-row'"),
        (RUN_BACK, "capture.last-seed", "'stays'"),
    ] {
        let change = format!("{key} = {value}");
        refused(&[kind, &change], key, not_here);
    }
    let alone = "capture.opposite-empty = 'last-seed'";
    for kind in ["capture.last-seed = 'stays'", NEXT_RUN, RUN_BACK, BEYOND] {
        let key = "capture.opposite-empty";
        refused(&[kind, alone], key, "needs last-seed = \"captured\"");
    }
    for run in [NEXT_RUN, RUN_BACK] {
        for (sizes, words) in [
            ("[]", "at least one"),
            ("[3, 1]", "ascending"),
            ("[1, 1]", "ascending"),
            ("[0]", "from 1 to 63"),
            ("[64]", "from 1 to 63"),
        ] {
            let change = format!("capture.sizes = {sizes}");
            refused(&[run, &change], "capture.sizes", words);
        }
    }
    refused(&[FROM_NEXT], "capture.kind", "end at an empty hole");
    for laps in [RELAY, "laps = 'single'"] {
        let kind = "capture.kind";
        refused(&[BEYOND, laps], kind, "needs laps = \"relay-from-next\"");
    }
    let during = "capture.during-opening";
    refused(&["capture.during-opening = false"], during, "an opening");
}

/// A hole that must be opened may not be emptied before: by a relay, a capture, or South's first move.
#[test]
fn combinations_of_opening() {
    let empties = "nothing may empty a hole";
    refused(&[EVERY_HOLE, RELAY], "opening", empties);
    let captures = "capture.during-opening = true";
    refused(&[EVERY_HOLE, captures], "opening", empties);
    let passes = "blocked = 'passes'; remainder = 'own-row'";
    refused(&[RIGHTMOST, passes], "opening", "who passes can't open");
    let empty_row = "blocked = 'ends-with-empty-row'";
    refused(&[RIGHTMOST, empty_row], "opening", "needs blocked");
    // On 2 × 8 South's first sowing leaves North's rightmost hole so that it can't be played.
    let board = "seeds = 4; holes.max = 8";
    let impossible = "8 holes of 4 seeds the second player's first move is impossible";
    refused(&[RIGHTMOST, RELAY, board], "opening", impossible);
    accepted(&[RIGHTMOST, RELAY, "seeds = 4; holes.max = 7"]);
}

#[test]
fn combinations_of_turns() {
    let free = "needs opening = \"free\"";
    for opening in [EVERY_HOLE, RIGHTMOST] {
        refused(&[STORE, opening], "store", free);
        refused(&[SWAP, opening], "swap", free);
    }
    refused(&[STORE, REMOVED], "store", "needs capture.to = \"store\"");
    refused(&[SWAP, ROUNDS], "swap", "no rounds");
    let again = "again = 'last-in-store'";
    refused(&[again], "again", "needs store = \"sown\"");
    // One hole each with one seed: the only move takes all of the opponent's seeds.
    let slam = "capture.grand-slam = 'forbidden'; seeds = 1; holes.min = 1";
    let nobody = "with 1 holes of 1 seeds nobody could begin";
    refused(&[RUN_BACK, slam], "holes", nobody);
    accepted(&[RUN_BACK, slam, "seeds = 4"]);
}

#[test]
fn combinations_of_ending() {
    let passes = "blocked = 'passes'";
    let could_not = "one player could not move";
    refused(&[passes], "remainder", could_not);
    let blocked = "remainder = 'blocked'";
    refused(&[passes, blocked], "remainder", could_not);
    let needs_end = "needs blocked = \"ends\"";
    refused(&[REMOVED, passes], "winner", needs_end);
    let empty_row = "blocked = 'ends-with-empty-row'";
    refused(&[REMOVED, empty_row], "winner", needs_end);

    // Captured seeds that leave play must never be the last on the board.
    let empties = "never empty the board";
    let with_last = "capture.last-seed = 'captured'";
    refused(&[REMOVED, with_last], "capture.to", empties);
    refused(&[REMOVED, RUN_BACK], "capture.to", empties);
    let narrow = "holes.min = 1";
    refused(&[REMOVED, BEYOND, narrow], "capture.to", empties);
    let counted = "goes with capture.to = \"store\", and only with it";
    let more = "winner = 'more-seeds'";
    refused(&[REMOVED, more], "winner", counted);
    let last = "winner = 'last-able-to-move'";
    refused(&[last], "winner", counted);
    for remainder in ["opponent", "own-row", "blocked"] {
        let change = format!("remainder = '{remainder}'");
        refused(&[REMOVED, &change], "remainder", "needs \"stays\"");
    }
    refused(&[MAJORITY, REMOVED], "majority", "capture.to = \"store\"");
    refused(&[MAJORITY, ROUNDS], "majority", "no rounds");
}

#[test]
fn combinations_of_rounds() {
    for limit in [0, 1, 1001] {
        let change = format!("rounds.limit = {limit}");
        refused(&[&change], "rounds.limit", "not from 2 to 1000");
    }
    let stores = "all seeds in the stores at the end";
    refused(&[ROUNDS, REMOVED], "rounds", stores);
    refused(&[ROUNDS, "remainder = 'stays'"], "rounds", stores);
    refused(&[ROUNDS, RIGHTMOST], "rounds", "opening = \"free\"");
    let slam = "capture.grand-slam = 'forbidden'; seeds = 1; holes.min = 1";
    let round = "with 1 holes a round could begin where its starter can't move";
    refused(&[ROUNDS, RUN_BACK, slam], "rounds", round);
}
