//! A variant's TOML file.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use mancala::{
    catalog::{RuleSet, parse},
    rules::Side,
};
use mancala_fuzz::{memory::bounded, play::walk};

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = str::from_utf8(data) {
        bounded(|| check(text));
    }
});

/// A rule set that is accepted can be played on the smallest, the usual and the largest board, and its
/// canonical text is read as the same rule set.
fn check(text: &str) {
    let variant = match parse(Path::new("fuzzed.toml"), text) {
        Ok(variant) => variant,
        // Whoever wrote it is shown why.
        Err(error) => return drop(error.to_string()),
    };
    let rule_set = variant.rule_set();
    let canonical = rule_set.text();
    for again in [RuleSet::parse(canonical), RuleSet::of_log(canonical)] {
        let again = again.expect("a text that was written can be read");
        assert_eq!(again.text(), canonical);
        assert_eq!(again.digest(), rule_set.digest());
        assert_eq!(again.definition(), rule_set.definition());
    }
    let (range, choice) = (
        rule_set.definition().holes,
        rule_set.definition().seed_range(),
    );
    let boards = [
        (range.min, choice.min),
        (range.default, rule_set.definition().seeds),
        (range.max, choice.max),
    ];
    for (holes, seeds) in boards {
        let rules = rule_set.rules_with(holes, seeds);
        let rules = rules.expect("a definition has the boards that it names");
        for first in Side::BOTH {
            let start = rules.start(first);
            // A start from which nobody can move begins no game.
            if !rules.legal_moves(&start).is_empty() {
                walk(rules, &start, text.as_bytes());
            }
        }
    }
}
