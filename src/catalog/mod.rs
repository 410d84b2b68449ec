//! The variants that a server knows: TOML files, read and checked once.

mod file;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use sha2::{Digest as _, Sha256};

use crate::rules::{Definition, ParseError, Position, Rules};

pub use file::{Decision, Source};

/// File name and text of every built-in variant.
const BUILT_IN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/seeds.rs"));

/// Largest TOML file that is read, in bytes.
const MAX_FILE: u64 = 256 * 1024;

/// A variant: its rule set, compiled for each of its board sizes, and what people read of it.
#[derive(Debug)]
pub struct Variant {
    /// Id: lower-case letters, digits and hyphens.
    pub id: String,
    /// Name in English.
    pub name: String,
    /// Other names and spellings.
    pub other_names: Vec<String>,
    /// Where it is played.
    pub region: String,
    /// Who plays it.
    pub people: String,
    /// Two or three sentences.
    pub summary: String,
    /// The rules in plain English.
    pub description: String,
    /// Where the rules come from.
    pub sources: Vec<Source>,
    /// What the sources leave open.
    pub decisions: Vec<Decision>,
    rule_set: Arc<RuleSet>,
}

/// A definition with its canonical text and digest, compiled for each of its board sizes.
#[derive(Debug)]
pub struct RuleSet {
    text: String,
    digest: String,
    /// From the smallest board size on.
    boards: Vec<Arc<Rules>>,
}

/// A registry of variants, by id.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    variants: BTreeMap<String, Arc<Variant>>,
}

/// Why a variant's file, or a folder of them, is refused.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// It can't be read.
    #[error("{}: can't be read", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// It says something wrong.
    #[error("{}: {key}: {reason}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// The key, or where in the file.
        key: String,
        /// What is wrong.
        reason: String,
    },
}

impl Catalog {
    /// The built-in variants.
    ///
    /// # Panics
    ///
    /// Never: the files are part of the program, and its tests load them.
    pub fn built_in() -> Catalog {
        let mut catalog = Catalog::default();
        for (name, text) in BUILT_IN {
            let variant = file::parse(Path::new(name), text).expect("built-in files are tested");
            catalog
                .variants
                .insert(variant.id.clone(), Arc::new(variant));
        }
        catalog
    }

    /// Adds every `*.toml` file of a folder.
    ///
    /// # Errors
    ///
    /// Refuses the first bad file, and an id that is already there.
    pub fn add_folder(&mut self, folder: &Path) -> Result<(), CatalogError> {
        let unreadable = |source| CatalogError::Read {
            path: folder.into(),
            source,
        };
        let entries = fs::read_dir(folder).map_err(unreadable)?;
        let mut paths = entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<Vec<_>, _>>()
            .map_err(unreadable)?;
        paths.retain(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        });
        paths.sort();
        for path in paths {
            let variant = read(&path)?;
            if self.variants.contains_key(&variant.id) {
                return Err(CatalogError::Refused {
                    path,
                    key: "id".into(),
                    reason: format!("there is already a variant {:?}", variant.id),
                });
            }
            self.variants.insert(variant.id.clone(), Arc::new(variant));
        }
        Ok(())
    }

    /// The variant with this id.
    pub fn get(&self, id: &str) -> Option<&Arc<Variant>> {
        self.variants.get(id)
    }

    /// All variants, in order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Variant>> {
        self.variants.values()
    }
}

/// Reads one variant's file.
///
/// # Errors
///
/// Refuses a bad file with the key and what is wrong.
pub fn read(path: &Path) -> Result<Variant, CatalogError> {
    let unreadable = |source| CatalogError::Read {
        path: path.into(),
        source,
    };
    if fs::metadata(path).map_err(unreadable)?.len() > MAX_FILE {
        return Err(CatalogError::Refused {
            path: path.into(),
            key: "file".into(),
            reason: format!("larger than {MAX_FILE} bytes"),
        });
    }
    let text = fs::read_to_string(path).map_err(unreadable)?;
    file::parse(path, &text)
}

impl Variant {
    /// The rule set.
    pub fn rule_set(&self) -> &Arc<RuleSet> {
        &self.rule_set
    }

    /// The rules for a board size; `None` if the variant has no such board.
    pub fn rules(&self, holes: u8) -> Option<&Arc<Rules>> {
        self.rule_set.rules(holes)
    }

    /// Reads a position from text, on the board that the text has.
    ///
    /// # Errors
    ///
    /// As [`Rules::parse`]; a row that no board of the variant has counts as bad spelling.
    pub fn parse(&self, text: &str) -> Result<(&Arc<Rules>, Position), ParseError> {
        let row = text.split('/').next().unwrap_or_default();
        let holes = 1 + row.matches(',').count();
        let range = self.rule_set.definition().holes;
        let rules = u8::try_from(holes).ok().and_then(|holes| self.rules(holes));
        let rules = rules.ok_or_else(|| {
            let (min, max) = (range.min, range.max);
            ParseError::Spelling(format!("rows have {min} to {max} holes, not {holes}"))
        })?;
        Ok((rules, rules.parse(text)?))
    }
}

impl RuleSet {
    /// Compiles a checked definition.
    fn new(definition: &Definition) -> RuleSet {
        let text = toml::to_string(definition).expect("a definition is plain tables and values");
        RuleSet::compile(definition, text)
    }

    fn compile(definition: &Definition, text: String) -> RuleSet {
        let hash = Sha256::digest(text.as_bytes());
        let sizes = definition.holes.min..=definition.holes.max;
        RuleSet {
            digest: hash.iter().map(|byte| format!("{byte:02x}")).collect(),
            boards: sizes
                .map(|holes| Arc::new(Rules::compile(definition, holes)))
                .collect(),
            text,
        }
    }

    /// Reads a definition from TOML.
    ///
    /// # Errors
    ///
    /// Refuses what can't be played, or makes no sense, with the reason.
    pub fn parse(text: &str) -> Result<RuleSet, String> {
        let definition = read_definition(text)?;
        definition.check().map_err(|error| error.to_string())?;
        Ok(RuleSet::new(&definition))
    }

    /// Reads a definition from its text, as a game's log keeps it. The text is kept as it is, and so
    /// is its digest, whatever a later version would write; and a game under way ends under its
    /// rules even if a later version thinks that they make no sense.
    ///
    /// # Errors
    ///
    /// Refuses what no board has room for, with the reason.
    pub fn of_log(text: &str) -> Result<RuleSet, String> {
        let definition = read_definition(text)?;
        definition
            .check_sizes()
            .map_err(|error| error.to_string())?;
        Ok(RuleSet::compile(&definition, text.to_owned()))
    }

    /// The definition.
    pub fn definition(&self) -> &Definition {
        self.boards[0].definition()
    }

    /// The definition's canonical text: TOML.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// SHA-256 of the text, as 64 hexadecimal digits.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The rules for a board size, if there is such a board.
    pub fn rules(&self, holes: u8) -> Option<&Arc<Rules>> {
        let index = holes.checked_sub(self.definition().holes.min)?;
        self.boards.get(usize::from(index))
    }
}

fn read_definition(text: &str) -> Result<Definition, String> {
    toml::from_str(text).map_err(|error| error.message().to_owned())
}
