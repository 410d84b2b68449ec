//! A variant's TOML file.

use std::{path::Path, sync::Arc};

use serde::Deserialize;

use super::{CatalogError, RuleSet, Variant};
use crate::rules::Definition;

/// Longest text of a file's keys, in bytes.
const MAX_PROSE: usize = 64 * 1024;

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    id: String,
    name: String,
    #[serde(default)]
    other_names: Vec<String>,
    region: String,
    people: String,
    summary: String,
    description: String,
    sources: Vec<Source>,
    #[serde(default)]
    decisions: Vec<Decision>,
    rules: Definition,
}

/// A source of a variant's rules.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// As a bibliography has it.
    pub citation: String,
    /// Where it can be read.
    #[serde(default)]
    pub url: String,
}

/// A point that the sources leave open.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// What was decided.
    pub decision: String,
    /// Why.
    pub reason: String,
}

/// Reads and checks the text of a variant's file. The path is only for errors.
///
/// # Errors
///
/// Refuses a bad text with the key and what is wrong.
pub fn parse(path: &Path, text: &str) -> Result<Variant, CatalogError> {
    let refused = |key: String, reason: String| CatalogError::Refused {
        path: path.into(),
        key,
        reason: reason.lines().collect::<Vec<_>>().join(" "),
    };
    let syntax = |error: &toml::de::Error| {
        let line = error
            .span()
            .map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        refused(format!("line {line}"), error.message().to_owned())
    };
    let toml = toml::Deserializer::parse(text).map_err(|error| syntax(&error))?;
    let file: File = serde_path_to_error::deserialize(toml).map_err(|error| {
        let key = error.path().to_string();
        if key == "." {
            syntax(error.inner())
        } else {
            refused(key, error.inner().message().to_owned())
        }
    })?;
    check_prose(&file).map_err(|(key, reason)| refused(key.into(), reason.into()))?;
    let check = file.rules.check();
    check.map_err(|error| refused(format!("rules.{}", error.key), error.reason))?;
    Ok(Variant {
        rule_set: Arc::new(RuleSet::new(&file.rules)),
        id: file.id,
        name: file.name,
        other_names: file.other_names,
        region: file.region,
        people: file.people,
        summary: file.summary,
        description: file.description,
        sources: file.sources,
        decisions: file.decisions,
    })
}

fn check_prose(file: &File) -> Result<(), (&'static str, &'static str)> {
    let id_char = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-';
    if !(1..=32).contains(&file.id.len()) || !file.id.chars().all(id_char) {
        return Err((
            "id",
            "must be 1 to 32 lower-case letters, digits and hyphens",
        ));
    }
    let prose = [
        ("name", &file.name),
        ("region", &file.region),
        ("people", &file.people),
        ("summary", &file.summary),
        ("description", &file.description),
    ];
    for (key, text) in prose {
        if text.trim().is_empty() || text.len() > MAX_PROSE {
            return Err((key, "must not be empty, nor longer than 64 KiB"));
        }
    }
    if file.sources.is_empty() {
        return Err(("sources", "needs at least one"));
    }
    Ok(())
}
