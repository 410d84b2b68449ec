//! What a variant's rules may not say: refused with the file, the key and the reason.

use std::{fs, path::Path};

use mancala::catalog::{CatalogError, RuleSet, read};

use super::CATALOG;

pub(super) const RULES: &str = r#"
[rules]
seeds = 4
lift = "all"
opening = "free"
laps = "relay"
blocked = "ends"
remainder = "opponent"
winner = "more-seeds"
holes = { min = 6, max = 10, default = 6 }

[rules.capture]
kind = "opposite"
to = "store"
during-opening = true
landing = "own-row"
last-seed = "captured"
"#;

pub(super) const PROSE: &str = r#"
id = "my-game"
name = "My Game"
region = "here"
people = "we"
summary = "We play it."
description = "As we play it."
sources = [{ citation = "ourselves" }]
"#;

/// A good file with something replaced.
pub(super) fn with(from: &str, to: &str) -> String {
    let good = format!("{PROSE}{RULES}");
    assert_eq!(good.matches(from).count(), 1, "{from}");
    good.replace(from, to)
}

pub(super) fn written(folder: &Path, text: &str) -> Result<String, CatalogError> {
    let path = folder.join("mine.toml");
    fs::write(&path, text).unwrap();
    read(&path).map(|variant| variant.id)
}

/// The file is refused for this key, and the message says file, key and reason.
pub(super) fn refused(text: &str, expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let error = written(folder.path(), text).unwrap_err();
    let message = error.to_string();
    let CatalogError::Refused { path, key, reason } = error else {
        panic!("{message}");
    };
    assert_eq!(key, expected, "{message}");
    assert_eq!(path.file_name().unwrap(), "mine.toml");
    assert!(!reason.is_empty() && !reason.contains('\n'), "{message}");
    assert!(
        message.ends_with(&format!("mine.toml: {key}: {reason}")),
        "{message}"
    );
}

#[test]
fn definition_good_files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let good = format!("{PROSE}{RULES}");
    assert_eq!(written(folder.path(), &good).unwrap(), "my-game");
    for (from, to) in [
        ("min = 6", "min = 1"),
        ("default = 6", "default = 10"),
        ("seeds = 4", "seeds = 12"),
        ("\"own-row\"", "\"either-row\""),
        ("my-game", "a-name-of-thirty-two-letters-abc"),
    ] {
        written(folder.path(), &with(from, to)).unwrap();
    }
}

#[test]
fn definition_built_in_files_are_read() {
    let ids: Vec<&str> = CATALOG.iter().map(|variant| variant.id.as_str()).collect();
    assert_eq!(ids, ["adji-boto", "bosh", "en-dodoi", "sadeqa-ii"]);
    for variant in CATALOG.iter() {
        let rule_set = variant.rule_set();
        let again = RuleSet::parse(rule_set.text()).unwrap();
        assert_eq!(again.definition(), rule_set.definition());
        assert_eq!(again.digest(), rule_set.digest());
        assert_eq!(rule_set.digest().len(), 64);
    }
}

#[test]
fn definition_refuses_unknown_keys() {
    refused(&with("seeds = 4", "seeds = 4\nstones = 4"), "rules.stones");
    refused(
        &with("to = \"store\"", "to = \"store\"\nfrom = 1"),
        "rules.capture.from",
    );
    refused(
        &with("default = 6", "default = 6, odd = 1"),
        "rules.holes.odd",
    );
    refused(&with("region", "colour = \"red\"\nregion"), "colour");
    refused(
        &with("citation = \"ourselves\"", "citation = \"x\", page = 1"),
        "sources[0].page",
    );
}

#[test]
fn definition_refuses_missing_keys() {
    for (from, table, key) in [
        ("seeds = 4\n", "rules", "seeds"),
        ("lift = \"all\"\n", "rules", "lift"),
        ("winner = \"more-seeds\"\n", "rules", "winner"),
        ("kind = \"opposite\"\n", "rules.capture", "kind"),
        (", default = 6", "rules.holes", "default"),
    ] {
        let text = with(from, "");
        refused(&text, table);
        let folder = tempfile::tempdir().unwrap();
        let message = written(folder.path(), &text).unwrap_err().to_string();
        assert!(message.contains(key), "{message}");
    }
    refused(RULES, "line 1");
}

#[test]
fn definition_refuses_values_that_are_none() {
    for (from, to, key) in [
        ("lift = \"all\"", "lift = \"some\"", "rules.lift"),
        ("lift = \"all\"", "lift = \"All\"", "rules.lift"),
        (
            "opening = \"free\"",
            "opening = \"closed\"",
            "rules.opening",
        ),
        ("laps = \"relay\"", "laps = 2", "rules.laps"),
        ("blocked = \"ends\"", "blocked = true", "rules.blocked"),
        (
            "remainder = \"opponent\"",
            "remainder = \"nobody\"",
            "rules.remainder",
        ),
        ("winner = \"more-seeds\"", "winner = \"\"", "rules.winner"),
        (
            "kind = \"opposite\"",
            "kind = \"custodial\"",
            "rules.capture.kind",
        ),
        ("to = \"store\"", "to = \"pocket\"", "rules.capture.to"),
        (
            "during-opening = true",
            "during-opening = \"no\"",
            "rules.capture.during-opening",
        ),
        (
            "landing = \"own-row\"",
            "landing = \"middle\"",
            "rules.capture.landing",
        ),
        (
            "last-seed = \"captured\"",
            "last-seed = 1",
            "rules.capture.last-seed",
        ),
        ("seeds = 4", "seeds = -4", "rules.seeds"),
        ("seeds = 4", "seeds = 400", "rules.seeds"),
        ("seeds = 4", "seeds = \"4\"", "rules.seeds"),
        ("min = 6", "min = 6.0", "rules.holes.min"),
        ("name = \"My Game\"", "name = 1", "name"),
    ] {
        refused(&with(from, to), key);
    }
}

#[test]
fn definition_refuses_boards_that_cannot_be() {
    for (from, to, key) in [
        ("min = 6", "min = 0", "rules.holes.min"),
        ("min = 6", "min = 11", "rules.holes.min"),
        ("max = 10", "max = 11", "rules.holes.max"),
        ("max = 10", "max = 255", "rules.holes.max"),
        ("default = 6", "default = 5", "rules.holes.default"),
        ("default = 6", "default = 11", "rules.holes.default"),
        ("seeds = 4", "seeds = 0", "rules.seeds"),
        // 2 × 10 × 13 = 260.
        ("seeds = 4", "seeds = 13", "rules.seeds"),
    ] {
        refused(&with(from, to), key);
    }
}

#[test]
fn definition_refuses_combinations_that_make_no_sense() {
    for (from, to, key) in [
        ("lift = \"all\"", "lift = \"all-but-one\"", "rules.lift"),
        (
            "laps = \"relay\"",
            "laps = \"single\"",
            "rules.capture.kind",
        ),
        (
            "laps = \"relay\"",
            "laps = \"relay-from-next\"",
            "rules.capture.kind",
        ),
        ("landing = \"own-row\"\n", "", "rules.capture.landing"),
        ("last-seed = \"captured\"\n", "", "rules.capture.last-seed"),
        ("landing", "sizes = [1]\nlanding", "rules.capture.sizes"),
        (
            "kind = \"opposite\"",
            "kind = \"next-run\"",
            "rules.capture.sizes",
        ),
        (
            "kind = \"opposite\"",
            "kind = \"beyond-empty\"",
            "rules.capture.landing",
        ),
        (
            "during-opening = true",
            "during-opening = false",
            "rules.capture.during-opening",
        ),
        (
            "blocked = \"ends\"",
            "blocked = \"passes\"",
            "rules.remainder",
        ),
        (
            "winner = \"more-seeds\"",
            "winner = \"last-able-to-move\"",
            "rules.winner",
        ),
        ("to = \"store\"", "to = \"removed\"", "rules.capture.to"),
        (
            "remainder = \"opponent\"",
            "remainder = \"stays\"",
            "rules.remainder",
        ),
    ] {
        refused(&with(from, to), key);
    }
    // Captured seeds that leave play, and the last one with them, could empty the board.
    let removed = with("\"store\"", "\"removed\"")
        .replace("\"captured\"", "\"stays\"")
        .replace("\"opponent\"", "\"stays\"");
    refused(&removed, "rules.winner");
}

/// A hole that must be opened may not be emptied before: by a relay, a capture, or South's first move.
#[test]
fn definition_refuses_openings_that_can_be_blocked() {
    let every = with("\"free\"", "\"every-hole\"");
    refused(&every, "rules.opening");
    let captures = every
        .replace("laps = \"relay\"", "laps = \"single\"")
        .replace("\"opposite\"", "\"next-run\"\nsizes = [1]")
        .replace("landing = \"own-row\"\nlast-seed = \"captured\"\n", "");
    refused(&captures, "rules.opening");
    let none = captures.replace("during-opening = true", "during-opening = false");
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(written(folder.path(), &none).unwrap(), "my-game");

    // On 2 × 8 South's first sowing leaves North's rightmost hole so that it can't be played.
    let rightmost = with("\"free\"", "\"rightmost-hole\"");
    refused(&rightmost, "rules.opening");
    let narrow = rightmost.replace("max = 10", "max = 7");
    assert_eq!(written(folder.path(), &narrow).unwrap(), "my-game");
    let passes = narrow
        .replace("\"ends\"", "\"passes\"")
        .replace("\"opponent\"", "\"own-row\"");
    refused(&passes, "rules.opening");
}

#[test]
fn definition_refuses_bad_sizes_of_runs() {
    let opposite = "kind = \"opposite\"\nto = \"store\"\nduring-opening = true\nlanding = \"own-row\"\nlast-seed = \"captured\"\n";
    for sizes in ["[]", "[0]", "[1, 0]", "[3, 1]", "[1, 1]", "[64]"] {
        let run = format!(
            "kind = \"next-run\"\nto = \"store\"\nduring-opening = true\nsizes = {sizes}\n"
        );
        refused(&with(opposite, &run), "rules.capture.sizes");
    }
}

#[test]
fn definition_refuses_rounds_that_cannot_be() {
    let rounds = |limit: &str| format!("{PROSE}{RULES}\n[rules.rounds]\nlimit = {limit}\n");
    for limit in ["0", "1", "1001"] {
        refused(&rounds(limit), "rules.rounds.limit");
    }
    refused(&rounds("70000"), "rules.rounds.limit");
    refused(&rounds("5\nlength = 2"), "rules.rounds.length");
    let opening = rounds("5")
        .replace("\"free\"", "\"rightmost-hole\"")
        .replace("max = 10", "max = 7");
    refused(&opening, "rules.rounds");
    let removed = rounds("5")
        .replace("\"store\"", "\"removed\"")
        .replace("\"opponent\"", "\"stays\"")
        .replace("\"captured\"", "\"stays\"")
        .replace("\"more-seeds\"", "\"last-able-to-move\"");
    refused(&removed, "rules.rounds");
}
