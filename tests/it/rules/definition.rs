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
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    let names = fs::read_dir(folder).unwrap().map(|entry| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        name.strip_suffix(".toml").map(str::to_owned)
    });
    let mut names: Vec<String> = names.flatten().collect();
    names.sort();
    assert_eq!(ids, names);
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
    let rounds = format!("{PROSE}{RULES}\n[rules.rounds]\nlimit = 5\nlength = 2\n");
    refused(&rounds, "rules.rounds.length");
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
    let rounds = format!("{PROSE}{RULES}\n[rules.rounds]\nlimit = 70000\n");
    refused(&rounds, "rules.rounds.limit");
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

/// Which combinations are refused is read without files; a file's error names the key in its table.
#[test]
fn definition_refuses_combinations_with_their_key() {
    for (from, to, key) in [
        ("lift = \"all\"", "lift = \"all-but-one\"", "rules.lift"),
        ("landing = \"own-row\"\n", "", "rules.capture.landing"),
        ("to = \"store\"", "to = \"removed\"", "rules.capture.to"),
    ] {
        refused(&with(from, to), key);
    }
}

/// Games under way say which rules they are played by: what a later version adds leaves that as it was.
#[test]
fn definition_digests_stay_as_they_were() {
    for (variant, digest) in [
        (
            "adji-boto",
            "7cc6574ca3e48d505012703a0a5aeb62a8d397a3119409f6dcebdaf11d435798",
        ),
        (
            "bosh",
            "97166f6f49cb06b9e10636daf315931afd532cc9ee4c25dd7f7415a08df204cc",
        ),
        (
            "en-dodoi",
            "45afea8451315efed7803ce0c44605f8bfd82c5e2bc3ec51f52ffeda4927eea6",
        ),
        (
            "sadeqa-ii",
            "40385a48dc53a19d8805de40de5c7030a28088093f806de5190981e4531467bf",
        ),
    ] {
        let rule_set = CATALOG.get(variant).unwrap().rule_set();
        assert_eq!(rule_set.digest(), digest, "{variant}");
    }
}
