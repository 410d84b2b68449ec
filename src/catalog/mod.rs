//! The variants that a server knows: TOML files, read and checked once.

mod file;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use sha2::{Digest as _, Sha256};

use crate::rules::{Definition, ParseError, Position, PositionError, Rules, Setup};

pub use file::{Decision, Source, parse};

/// File name and text of every built-in variant.
const BUILT_IN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/seeds.rs"));

/// Largest TOML file that is read, in bytes.
const MAX_FILE: u64 = 256 * 1024;

/// A variant: its rule set, and what people read of it.
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

/// A definition with its canonical text and digest, compiled for each of its boards when that is
/// first asked for.
#[derive(Debug)]
pub struct RuleSet {
    definition: Definition,
    text: String,
    digest: String,
    /// For each number of holes, from the fewest on, each number of seeds.
    boards: Vec<OnceLock<Arc<Rules>>>,
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

/// Why a variant has no such board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    /// Its rows are never so long or so short.
    #[error("the variant has {min} to {max} holes a row, not {given}")]
    Holes {
        /// Fewest.
        min: u8,
        /// Most.
        max: u8,
        /// Asked for.
        given: u32,
    },
    /// There is no such choice of seeds.
    #[error("the variant has {min} to {max} seeds a hole, not {given}")]
    Seeds {
        /// Fewest.
        min: u8,
        /// Most.
        max: u8,
        /// Asked for.
        given: u32,
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
            let variant = parse(Path::new(name), text).expect("built-in files are tested");
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
    parse(path, &text)
}

impl Variant {
    /// The rule set.
    pub fn rule_set(&self) -> &Arc<RuleSet> {
        &self.rule_set
    }

    /// The rules for a board size, with the seeds a hole of the definition; `None` if the variant has
    /// no such board.
    pub fn rules(&self, holes: u8) -> Option<&Arc<Rules>> {
        self.rule_set.rules(holes)
    }

    /// Reads a position from text, on the board that the text has, of a game with as many seeds.
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
        Ok(self.rule_set.position(&rules.parse_setup(text)?)?)
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
        RuleSet {
            definition: definition.clone(),
            digest: hash.iter().map(|byte| format!("{byte:02x}")).collect(),
            boards: definition.boards().map(|_| OnceLock::new()).collect(),
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
        &self.definition
    }

    /// The definition's canonical text: TOML.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// SHA-256 of the text, as 64 hexadecimal digits.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The rules for a board size, with the seeds a hole of the definition, if there is such a board.
    pub fn rules(&self, holes: u8) -> Option<&Arc<Rules>> {
        self.rules_with(holes, self.definition.seeds)
    }

    /// The rules for a board size and a choice of seeds a hole, if there is such a board.
    pub fn rules_with(&self, holes: u8, seeds: u8) -> Option<&Arc<Rules>> {
        let mut boards = self.definition.boards();
        let index = boards.position(|board| board == (holes, seeds))?;
        let compile = || Arc::new(Rules::compile(&self.definition, holes, seeds));
        Some(self.boards[index].get_or_init(compile))
    }

    /// The rules for the board that somebody asks for; `None` stands for the definition's.
    ///
    /// # Errors
    ///
    /// Refuses numbers of holes or seeds that the definition does not have.
    pub fn board(&self, holes: Option<u32>, seeds: Option<u32>) -> Result<&Arc<Rules>, BoardError> {
        let (range, choice) = (self.definition.holes, self.definition.seed_range());
        let within = |given: u32, min: u8, max: u8| {
            let given = u8::try_from(given).ok();
            given.filter(|given| (min..=max).contains(given))
        };
        let given = holes.unwrap_or(range.default.into());
        let holes = within(given, range.min, range.max).ok_or(BoardError::Holes {
            min: range.min,
            max: range.max,
            given,
        })?;
        let given = seeds.unwrap_or(self.definition.seeds.into());
        let seeds = within(given, choice.min, choice.max);
        let rules = seeds.and_then(|seeds| self.rules_with(holes, seeds));
        rules.ok_or(BoardError::Seeds {
            min: choice.min,
            max: choice.max,
            given,
        })
    }

    /// Checks a setup, with the rules of the board and the seeds that it has.
    ///
    /// # Errors
    ///
    /// As [`Rules::position`].
    pub fn position(&self, setup: &Setup) -> Result<(&Arc<Rules>, Position), PositionError> {
        let (range, given) = (self.definition.holes, setup.rows.south.len());
        let holes = u8::try_from(given).unwrap_or(u8::MAX);
        let mut rules = self.rules(holes).ok_or(PositionError::RowLength {
            expected: holes.clamp(range.min, range.max),
            given,
        })?;
        if self.definition.seeds_choice.is_some() {
            let seeds = self.definition.seed_range();
            let total = |seeds: u8| 2 * u32::from(holes) * u32::from(seeds);
            let given = setup.seeds();
            let fitting = (seeds.min..=seeds.max).find(|seeds| u64::from(total(*seeds)) == given);
            let fitting = fitting.and_then(|seeds| self.rules_with(holes, seeds));
            rules = fitting.ok_or(PositionError::NoTotal {
                step: total(1),
                min: total(seeds.min),
                max: total(seeds.max),
                given,
            })?;
        }
        Ok((rules, rules.position(setup)?))
    }
}

fn read_definition(text: &str) -> Result<Definition, String> {
    toml::from_str(text).map_err(|error| error.message().to_owned())
}
