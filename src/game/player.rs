//! Players: who plays, as their own small logs have it. Names live nowhere else.

use unicode_normalization::is_nfc;

use super::{PlayerId, Request, Time};

/// A player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// The id.
    pub id: PlayerId,
    /// Name, not unique.
    pub name: String,
    /// Person or program.
    pub kind: PlayerKind,
    /// When it was registered.
    pub create_time: Time,
}

/// What kind of player it is, by its own word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayerKind {
    /// A person.
    Human,
    /// A program.
    Bot,
}

/// One entry of a player's log.
#[derive(Clone, Debug)]
pub struct PlayerRecord {
    /// From 1, without gaps.
    pub seq: u64,
    /// When it happened.
    pub time: Time,
    /// The request that caused it, if it had an id.
    pub request: Option<Request>,
    /// What happened.
    pub event: PlayerEvent,
}

/// A change of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayerEvent {
    /// Registration: always the first event, and only that.
    Registered {
        /// Name.
        name: String,
        /// Person or program.
        kind: PlayerKind,
    },
}

/// Why a name is no player's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a name is 2 to 32 characters in normal form C, without control characters or outer spaces"
)]
pub struct BadName;

impl Player {
    /// Fewest and most characters of a name.
    const NAME: std::ops::RangeInclusive<usize> = 2..=32;

    /// The first record of a new player's log.
    ///
    /// # Errors
    ///
    /// Refuses a bad name.
    pub fn register(
        name: String,
        kind: PlayerKind,
        request: Option<Request>,
        now: Time,
    ) -> Result<PlayerRecord, BadName> {
        let good = Player::NAME.contains(&name.chars().take(33).count())
            && is_nfc(&name)
            && !name.chars().any(char::is_control)
            && name.trim() == name;
        if !good {
            return Err(BadName);
        }
        Ok(PlayerRecord {
            seq: 1,
            time: now,
            request,
            event: PlayerEvent::Registered { name, kind },
        })
    }

    /// A player from its log.
    pub fn replay(id: PlayerId, records: &[PlayerRecord]) -> Option<Player> {
        let PlayerRecord { time, event, .. } = records.first()?;
        let PlayerEvent::Registered { name, kind } = event;
        Some(Player {
            id,
            name: name.clone(),
            kind: *kind,
            create_time: *time,
        })
    }
}
