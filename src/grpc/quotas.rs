//! Who has used how much of what is limited, and how often that was too much.

use std::{
    array,
    collections::HashMap,
    convert::Infallible,
    hash::Hash,
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use http::HeaderMap;
use tokio::time;
use tonic::Status;

use super::{
    error,
    intake::{self, Intake},
    limits::{Limit, Limits},
    method::{MOST_UNITS, Method},
    rate::Rate,
};
use crate::game::PlayerId;

/// So long a call waits for its player's or address's rate to allow it. One that would have to wait longer is
/// refused, but not before: who sends more than it may has its own refusals to wait for.
const PATIENCE: Duration = Duration::from_millis(500);

/// When a caller who has too much open may try again.
const LATER: Duration = Duration::from_secs(1);

/// How often the rates of those who don't call any more are forgotten.
const TIDY: Duration = Duration::from_secs(10);

/// Unfinished requests of an address, beside those that are let in: they wait to be refused.
const WAITING: u32 = 1_024;

/// New connections of an address, in a second and at once, are at least so many.
const NEW_CONNECTIONS: u32 = 50;

/// What is limited, and what is used of it.
pub(super) struct Quotas {
    pub(super) limits: Limits,
    players: Rate<PlayerId>,
    addresses: Rate<IpAddr>,
    calls: Uses,
    streams: Uses,
    connections: Uses,
    connecting: Rate<IpAddr>,
    intake: Arc<Rate<IpAddr>>,
    unfinished: Counts<IpAddr>,
    refused: [AtomicU64; Limit::ALL.len()],
}

/// What is open of one kind: of all, of each player, and of each address.
struct Uses {
    of_all: (Limit, Counts<()>),
    of_players: Option<(Limit, Counts<PlayerId>)>,
    of_addresses: (Limit, Counts<IpAddr>),
}

/// What a call or stream takes of a limit, until it is dropped.
pub(super) struct Taken {
    _of_all: Place<()>,
    _of_player: Option<Place<PlayerId>>,
    _of_address: Option<Place<IpAddr>>,
}

impl Quotas {
    pub(super) fn new(limits: Limits) -> Quotas {
        let uses = |all, player: Option<Limit>, address| Uses {
            of_all: (all, Counts::default()),
            of_players: player.map(|player| (player, Counts::default())),
            of_addresses: (address, Counts::default()),
        };
        let connections = limits[Limit::ConnectionsPerAddress];
        Quotas {
            players: units(limits[Limit::CallsPerPlayer]),
            addresses: units(limits[Limit::CallsPerAddress]),
            calls: uses(
                Limit::ConcurrentCalls,
                Some(Limit::ConcurrentCallsPerPlayer),
                Limit::ConcurrentCallsPerAddress,
            ),
            streams: uses(
                Limit::Streams,
                Some(Limit::StreamsPerPlayer),
                Limit::StreamsPerAddress,
            ),
            connections: uses(Limit::Connections, None, Limit::ConnectionsPerAddress),
            // All at once, and half of them each second.
            connecting: Rate::new(
                NEW_CONNECTIONS.max(connections / 2),
                NEW_CONNECTIONS.max(connections),
            ),
            intake: Arc::new(intake::rate(&limits, intake::QUARTERS)),
            unfinished: Counts::default(),
            refused: array::from_fn(|_| AtomicU64::new(0)),
            limits,
        }
    }

    /// Lets a call of an address pass as its rate allows.
    pub(super) async fn pass_address(
        &self,
        address: Option<IpAddr>,
        units: u32,
    ) -> Result<(), Status> {
        let Some(address) = address else {
            return Ok(());
        };
        let passed = self.addresses.pass(address, units, PATIENCE).await;
        passed.map_err(|wait| error::over(Limit::CallsPerAddress, wait))
    }

    /// Lets a call of a player pass as its rate allows.
    pub(super) async fn pass_player(
        &self,
        player: Option<PlayerId>,
        units: u32,
    ) -> Result<(), Status> {
        let Some(player) = player else {
            return Ok(());
        };
        let passed = self.players.pass(player, units, PATIENCE).await;
        passed.map_err(|wait| error::over(Limit::CallsPerPlayer, wait))
    }

    /// Takes a place for a call or stream of an address, and of a player if there is one.
    pub(super) async fn take(
        &self,
        address: Option<IpAddr>,
        player: Option<PlayerId>,
        method: Method,
    ) -> Result<Taken, Status> {
        let uses = match method.stream {
            true => &self.streams,
            false => &self.calls,
        };
        match uses.take(&self.limits, address, player) {
            Ok(taken) => Ok(taken),
            Err(limit) => {
                time::sleep(PATIENCE).await;
                Err(error::over(limit, LATER))
            }
        }
    }

    /// Takes a place for a connection of an address, if there is one.
    pub(super) fn connect(&self, address: Option<IpAddr>) -> Option<Taken> {
        let in_time = address.is_none_or(|address| self.connecting.take(address));
        let taken = match in_time {
            true => self.connections.take(&self.limits, address, None),
            false => Err(Limit::ConnectionsPerAddress),
        };
        taken.map_err(|limit| self.count(limit)).ok()
    }

    /// What a connection of an address may send, or of a proxy.
    pub(super) fn intake(&self, address: Option<IpAddr>) -> Intake {
        Intake::new(address, &self.intake, &self.limits)
    }

    /// Begins a request of an address, if there aren't too many.
    pub(super) fn begin(&self, address: Option<IpAddr>) -> Option<Begun> {
        let limits = &self.limits;
        let most = limits[Limit::ConcurrentCallsPerAddress]
            .saturating_add(limits[Limit::StreamsPerAddress])
            .saturating_add(WAITING);
        // How much of a proxy's is unfinished is bounded by the streams that its connection may have.
        let place = address.map(|address| self.unfinished.take(address, most).ok_or(()));
        let begun = place.transpose().map(|_place| Begun { _place });
        begun
            .map_err(|()| self.count(Limit::ConcurrentCallsPerAddress))
            .ok()
    }

    fn count(&self, limit: Limit) {
        self.refused[limit as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an answer by which a limit has refused something, whichever it was and wherever.
    pub(super) fn see(&self, answer: &HeaderMap) {
        if let Some(limit) = error::limit_of(answer) {
            self.count(limit);
        }
    }

    /// How often a limit has refused something.
    pub(super) fn refused(&self, limit: Limit) -> u64 {
        self.refused[limit as usize].load(Ordering::Relaxed)
    }

    /// How much of a limit of the whole server is in use.
    pub(super) fn used(&self, limit: Limit) -> Option<u32> {
        let all = [
            &self.calls.of_all,
            &self.streams.of_all,
            &self.connections.of_all,
        ];
        let of_all = all.into_iter().find(|(known, _)| *known == limit);
        of_all.map(|(_, counts)| counts.of(&()))
    }

    /// Forgets who doesn't call any more, for as long as it is polled.
    pub(super) async fn tidy_for_ever(&self) -> Infallible {
        loop {
            time::sleep(TIDY).await;
            self.players.tidy();
            self.addresses.tidy();
            self.connecting.tidy();
            self.intake.tidy();
        }
    }
}

/// A request that was begun, until it is dropped.
pub(super) struct Begun {
    _place: Option<Place<IpAddr>>,
}

/// Units a second, of which twice as many may be saved up: so a call of any method passes at some time.
fn units<K: Copy + Eq + Hash>(a_second: u32) -> Rate<K> {
    Rate::new(a_second, a_second.saturating_mul(2).max(MOST_UNITS))
}

impl Uses {
    fn take(
        &self,
        limits: &Limits,
        address: Option<IpAddr>,
        player: Option<PlayerId>,
    ) -> Result<Taken, Limit> {
        fn take<K: Copy + Eq + Hash>(
            (limit, counts): &(Limit, Counts<K>),
            key: K,
            limits: &Limits,
        ) -> Result<Place<K>, Limit> {
            counts.take(key, limits[*limit]).ok_or(*limit)
        }
        Ok(Taken {
            _of_player: self
                .of_players
                .as_ref()
                .zip(player)
                .map(|(counts, player)| take(counts, player, limits))
                .transpose()?,
            _of_address: address
                .map(|address| take(&self.of_addresses, address, limits))
                .transpose()?,
            _of_all: take(&self.of_all, (), limits)?,
        })
    }
}

/// How many are open of each key.
struct Counts<K>(Arc<Mutex<HashMap<K, u32>>>);

impl<K> Default for Counts<K> {
    fn default() -> Counts<K> {
        Counts(Arc::default())
    }
}

impl<K: Copy + Eq + Hash> Counts<K> {
    /// A place for one more, if there are fewer than so many.
    fn take(&self, key: K, most: u32) -> Option<Place<K>> {
        let mut counts = lock(&self.0);
        let count = counts.entry(key).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        let counts = self.0.clone();
        Some(Place { counts, key })
    }

    fn of(&self, key: &K) -> u32 {
        lock(&self.0).get(key).copied().unwrap_or_default()
    }
}

fn lock<K>(counts: &Mutex<HashMap<K, u32>>) -> MutexGuard<'_, HashMap<K, u32>> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One that is open, until it is dropped.
pub(super) struct Place<K: Copy + Eq + Hash> {
    counts: Arc<Mutex<HashMap<K, u32>>>,
    key: K,
}

impl<K: Copy + Eq + Hash> Drop for Place<K> {
    fn drop(&mut self) {
        let mut counts = lock(&self.counts);
        if let Some(count) = counts.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.key);
            }
        }
    }
}
