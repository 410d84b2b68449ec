//! Which tokens of a player are good: asked at every call, so it is kept in memory, and followed by calls.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::sync::watch;

use super::{ATTEMPTS, Outcome, Session, SessionError};
use crate::game::{Player, PlayerId, Time};

/// So many players are remembered before those without calls are forgotten.
const REMEMBERED: usize = 100_000;

/// What of a player decides whether a token of it is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Login {
    /// The generation of its good tokens.
    pub generation: u32,
    /// When others were last revoked.
    pub revoked: Option<Time>,
    /// Whether an admin has shut it out.
    pub banned: bool,
    /// Whether it is no more.
    pub deleted: bool,
    /// The number of its newest event.
    seq: u64,
}

impl Login {
    /// A player's.
    pub fn of(player: &Player) -> Login {
        Login {
            generation: player.generation,
            revoked: player.revoked,
            banned: player.banned,
            deleted: player.deleted,
            seq: player.seq,
        }
    }
}

/// The logins of players who have called.
#[derive(Debug)]
pub(super) struct Logins(Mutex<Known>);

#[derive(Debug)]
struct Known {
    players: HashMap<PlayerId, watch::Sender<Login>>,
    /// So many are had before space is made.
    most: usize,
    /// Grows whenever something changes that is not kept: what was read before may be old.
    epoch: u64,
}

impl Default for Logins {
    fn default() -> Logins {
        Logins(Mutex::new(Known {
            players: HashMap::new(),
            most: REMEMBERED,
            epoch: 0,
        }))
    }
}

impl Logins {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells all who follow a player of a change, unless they know a newer one.
    pub(super) fn change(&self, player: &Player) {
        let login = Login::of(player);
        let mut known = self.known();
        let Some(kept) = known.players.get(&player.id) else {
            known.epoch += 1;
            return;
        };
        kept.send_if_modified(|kept| {
            let newer = login.seq > kept.seq;
            if newer {
                *kept = login;
            }
            newer
        });
    }

    /// Forgets a player's login, of which it is not known any more what it is. Its calls end.
    pub(super) fn forget(&self, player: PlayerId) {
        let mut known = self.known();
        known.players.remove(&player);
        known.epoch += 1;
    }

    /// Follows what is kept of a player; or the epoch in which nothing is.
    fn follow(&self, player: PlayerId) -> Result<watch::Receiver<Login>, u64> {
        let known = self.known();
        let kept = known.players.get(&player);
        kept.map(watch::Sender::subscribe).ok_or(known.epoch)
    }

    /// Keeps what was read of a player since an epoch, if that can't be old.
    fn keep(&self, player: &Player, epoch: u64) {
        let mut known = self.known();
        if known.epoch != epoch {
            return;
        }
        if known.players.len() >= known.most {
            known.players.retain(|_, login| login.receiver_count() > 0);
            // If nearly all are in use, the next ones are let in without looking at all again.
            known.most = REMEMBERED.max(known.players.len() + REMEMBERED / 10);
            known.epoch += 1;
        }
        let login = || watch::Sender::new(Login::of(player));
        known.players.entry(player.id).or_insert_with(login);
    }
}

impl Session {
    /// Follows a player's login; `None` if there is no such player. It ends when it is not known any more.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn follow_login(&self, id: PlayerId) -> Outcome<Option<watch::Receiver<Login>>> {
        let logins = &self.shared.logins;
        for _ in 0..ATTEMPTS {
            let epoch = match logins.follow(id) {
                Ok(login) => return Ok(Some(login)),
                Err(epoch) => epoch,
            };
            let Some(player) = self.find_player(id).await? else {
                return Ok(None);
            };
            logins.keep(&player, epoch);
        }
        Err(SessionError::Contended)
    }
}
