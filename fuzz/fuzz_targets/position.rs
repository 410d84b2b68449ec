//! Position text: `VARIANT TEXT`.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::{Corpus, fuzz_target};
use mancala::catalog::Catalog;
use mancala_fuzz::{memory::bounded, play::walk};

static CATALOG: LazyLock<Catalog> = LazyLock::new(Catalog::built_in);

fuzz_target!(init: LazyLock::force(&CATALOG), |data: &[u8]| -> Corpus {
    let Ok(input) = str::from_utf8(data) else {
        return Corpus::Reject;
    };
    let Some((id, text)) = input.split_once(' ') else {
        return Corpus::Reject;
    };
    let Some(variant) = CATALOG.get(id) else {
        return Corpus::Reject;
    };
    bounded(|| {
        match variant.parse(text) {
            Ok((rules, position)) => {
                assert_eq!(rules.text(&position).to_string(), text);
                walk(rules, &position, data);
            }
            // Whoever sent it is shown why.
            Err(error) => drop(error.to_string()),
        }
    });
    Corpus::Keep
});
