//! Players: who plays, as their own small logs have it. Names live nowhere else.

use unicode_normalization::is_nfc;

use super::{PlayerId, Request, Time};

/// A player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// The id.
    pub id: PlayerId,
    /// Name, not unique; empty once it is deleted.
    pub name: String,
    /// Person or program.
    pub kind: PlayerKind,
    /// When it was registered.
    pub create_time: Time,
    /// How often its tokens were revoked: those of earlier generations are good no more.
    pub generation: u32,
    /// When they were last revoked.
    pub revoked: Option<Time>,
    /// Whether an admin has shut it out.
    pub banned: bool,
    /// Whether it is no more.
    pub deleted: bool,
    /// The number of its newest event.
    pub seq: u64,
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
    /// All tokens that it had by then are good no more.
    TokensRevoked,
    /// An admin gave it another name.
    Renamed {
        /// The new name.
        name: String,
        /// The audit's entry.
        audit: u64,
    },
    /// An admin shut it out.
    Banned {
        /// The audit's entry.
        audit: u64,
    },
    /// An admin let it in again.
    Unbanned {
        /// The audit's entry.
        audit: u64,
    },
    /// It is no more. Its log forgets all that was before, so this says what is still to be known.
    Deleted {
        /// Person or program.
        kind: PlayerKind,
        /// When it was registered.
        registered: Time,
    },
}

/// Why a name is no player's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a name is 2 to 32 characters in normal form C, without control characters or outer spaces"
)]
pub struct BadName;

/// Checks a player's name.
///
/// # Errors
///
/// Refuses a bad one.
pub fn check_name(name: &str) -> Result<(), BadName> {
    let good = Player::NAME.contains(&name.chars().take(33).count())
        && is_nfc(name)
        && !name.chars().any(char::is_control)
        && name.trim() == name;
    if good { Ok(()) } else { Err(BadName) }
}

impl PlayerRecord {
    /// The first record of a new player's log.
    pub fn first(event: PlayerEvent, request: Option<Request>, now: Time) -> PlayerRecord {
        PlayerRecord {
            seq: 1,
            time: now,
            request,
            event,
        }
    }

    /// Whether its log forgets all that was before.
    pub fn stands_alone(&self) -> bool {
        matches!(self.event, PlayerEvent::Deleted { .. })
    }
}

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
        check_name(&name)?;
        let event = PlayerEvent::Registered { name, kind };
        Ok(PlayerRecord::first(event, request, now))
    }

    /// A player from its log; `None` if there is nothing of it.
    pub fn replay(id: PlayerId, records: &[PlayerRecord]) -> Option<Player> {
        let (first, rest) = records.split_first()?;
        let mut player = Player {
            id,
            name: String::new(),
            kind: PlayerKind::Human,
            create_time: first.time,
            generation: 0,
            revoked: None,
            banned: false,
            deleted: false,
            seq: first.seq,
        };
        match &first.event {
            PlayerEvent::Registered { name, kind } => {
                player.name.clone_from(name);
                player.kind = *kind;
            }
            PlayerEvent::Deleted { .. } => player.apply(first),
            _ => return None,
        }
        rest.iter().for_each(|record| player.apply(record));
        Some(player)
    }

    /// The event that comes next.
    pub fn next(&self, event: PlayerEvent, request: Option<Request>, now: Time) -> PlayerRecord {
        PlayerRecord {
            seq: self.seq + 1,
            time: now.max(self.create_time),
            request,
            event,
        }
    }

    /// Its deletion.
    pub fn deletion(&self) -> PlayerEvent {
        PlayerEvent::Deleted {
            kind: self.kind,
            registered: self.create_time,
        }
    }

    /// Follows an event.
    pub fn apply(&mut self, record: &PlayerRecord) {
        self.seq = record.seq;
        match &record.event {
            PlayerEvent::Registered { .. } => {}
            PlayerEvent::TokensRevoked => {
                self.generation += 1;
                self.revoked = Some(record.time);
            }
            PlayerEvent::Renamed { name, audit: _ } => self.name.clone_from(name),
            PlayerEvent::Banned { audit: _ } => self.banned = true,
            PlayerEvent::Unbanned { audit: _ } => self.banned = false,
            PlayerEvent::Deleted { kind, registered } => {
                self.name.clear();
                (self.kind, self.create_time) = (*kind, *registered);
                self.deleted = true;
            }
        }
    }
}
