//! Entries as bytes: the messages of `mancala.log.v1`, which exist only here.

mod audit;
mod clocks;
mod created;
mod game;
mod player;
mod system;
mod values;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use prost::Message as _;

use super::{Entry, StoreError, Subject};
use crate::{catalog::RuleSet, game::Time};
use audit::{decode_audit, encode_audit};
use game::encode_game;
use player::{decode_player, encode_player};
use system::{decode_system, encode_system};

#[allow(missing_docs, clippy::all)]
mod proto {
    tonic::include_proto!("mancala.log.v1");
}

/// An entry's bytes, as a store keeps them.
pub fn encode(entry: &Entry) -> Vec<u8> {
    match entry {
        Entry::Game(record) => encode_game(record).encode_to_vec(),
        Entry::Player(record) => encode_player(record).encode_to_vec(),
        Entry::System(record) => encode_system(record).encode_to_vec(),
        Entry::Audit(record) => encode_audit(record).encode_to_vec(),
    }
}

/// Turns bytes into entries. Games of one rule set share it.
#[derive(Debug, Default)]
pub struct Codec {
    rule_sets: Mutex<HashMap<String, Arc<RuleSet>>>,
}

type Decoded<T> = Result<T, StoreError>;

impl Codec {
    /// The entry with this number, of this time.
    ///
    /// # Errors
    ///
    /// Refuses what is damaged, or of a kind that this version doesn't know.
    pub fn decode(&self, subject: Subject, seq: u64, time: Time, body: &[u8]) -> Decoded<Entry> {
        let damaged = |error: prost::DecodeError| StoreError::Entry(error.to_string());
        match subject {
            Subject::Game(id) => {
                let message = proto::GameRecord::decode(body).map_err(damaged)?;
                self.decode_game(id, seq, time, message).map(Entry::Game)
            }
            Subject::Player(_) => {
                let message = proto::PlayerRecord::decode(body).map_err(damaged)?;
                decode_player(seq, time, message).map(Entry::Player)
            }
            Subject::System => {
                let message = proto::SystemRecord::decode(body).map_err(damaged)?;
                Ok(Entry::System(decode_system(seq, time, message)))
            }
            Subject::Audit => {
                let message = proto::AuditRecord::decode(body).map_err(damaged)?;
                decode_audit(seq, time, message).map(Entry::Audit)
            }
        }
    }

    /// The rule set of a definition, compiled once.
    fn rule_set(&self, definition: String) -> Decoded<Arc<RuleSet>> {
        let mut known = self
            .rule_sets
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(rule_set) = known.get(&definition) {
            return Ok(rule_set.clone());
        }
        let rule_set = Arc::new(RuleSet::of_log(&definition).map_err(StoreError::Entry)?);
        known.insert(definition, rule_set.clone());
        Ok(rule_set)
    }
}

fn unknown() -> StoreError {
    StoreError::Entry("it is of a kind, or has a value, that this version doesn't know".into())
}
