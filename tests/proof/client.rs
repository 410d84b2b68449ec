//! A client: how it sends what it wants, once or twice at a time, and again when it doesn't know what came
//! of it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use prost::Message;
use uuid::Uuid;

use super::{
    chance::Chance,
    history::Answer,
    methods::Method,
    tables::Tables,
    wire::{Player, Wire},
};

/// What all clients share.
pub(crate) struct World {
    pub(crate) wire: Wire,
    pub(crate) tables: Tables,
    /// Set when no new calls are to be made.
    pub(crate) over: AtomicBool,
}

impl World {
    /// Whether no new calls are to be made.
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}

/// A call that changes something, as it was sent.
#[derive(Clone)]
pub(crate) struct Past {
    pub(crate) method: Method,
    pub(crate) request: Vec<u8>,
}

/// Calls that a client remembers, to send them again.
const REMEMBERED: usize = 100;

/// A call is made at most so often in a row, if nobody knows what came of it.
const ATTEMPTS: usize = 6;

/// How long an answer is waited for: longer than the server is ever stopped.
const PATIENCE: Duration = Duration::from_secs(12);

/// A client of a player.
pub(crate) struct Client {
    pub(crate) world: Arc<World>,
    pub(crate) player: Player,
    pub(crate) chance: Chance,
    past: Vec<Past>,
}

impl Client {
    /// A client whose choices follow from a seed.
    pub(crate) fn new(world: Arc<World>, player: Player, seed: u64) -> Client {
        Client {
            world,
            player,
            chance: Chance::new(seed),
            past: Vec::new(),
        }
    }

    /// Whether something happens that does once in so many times.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.chance.below(times) == 0
    }

    /// An id for a request.
    pub(crate) fn request_id(&mut self) -> String {
        let mut half = || {
            let parts = [(); 4].map(|()| self.chance.below(1 << 16) as u128);
            parts.into_iter().fold(0, |id, part| id << 16 | part)
        };
        let (high, low) = (half(), half());
        uuid::Builder::from_random_bytes((high << 64 | low).to_be_bytes())
            .into_uuid()
            .to_string()
    }

    /// An id for a request, or seldom none.
    pub(crate) fn usual_id(&mut self) -> String {
        match self.once_in(15) {
            true => String::new(),
            false => self.request_id(),
        }
    }

    /// Makes a call that changes nothing.
    pub(crate) async fn ask(&mut self, method: Method, request: &impl Message) -> Option<Vec<u8>> {
        let request = request.encode_to_vec();
        self.done(method, request).await
    }

    async fn done(&mut self, method: Method, request: Vec<u8>) -> Option<Vec<u8>> {
        match self.send(method, request).await {
            Answer::Done(answer) => Some(answer),
            Answer::Refused(_) | Answer::Unknown(_) => None,
        }
    }

    async fn send(&mut self, method: Method, request: Vec<u8>) -> Answer {
        let patience = match self.chance.below(60) {
            0 => Duration::from_millis(self.chance.below(20) as u64),
            _ => PATIENCE,
        };
        let connection = self.chance.below(1 << 16);
        let wire = &self.world.wire;
        let answer = wire.call(connection, &self.player, method, request, patience);
        let answer = answer.await;
        match &answer {
            Answer::Done(bytes) => self.hear(method, bytes),
            Answer::Refused(reason) if reason.starts_with("TOO_MANY_") => {
                self.rest(200, 400).await;
            }
            Answer::Refused(_) => {}
            // Nobody is there, perhaps.
            Answer::Unknown(_) => self.rest(20, 150).await,
        }
        answer
    }

    fn hear(&self, method: Method, answer: &[u8]) {
        let tables = &self.world.tables;
        if method == Method::CreateGame {
            let created: mancala::grpc::proto::CreateGameResponse = super::methods::decode(answer);
            if let Some(game) = &created.game {
                tables.hear(game, &created.join_code);
            }
        } else if let Some(game) = method.game(answer) {
            tables.hear(&game, "");
        }
    }

    /// Waits for so many milliseconds.
    pub(crate) async fn rest(&mut self, least: usize, more: usize) {
        let time = least + self.chance.below(more.max(1));
        tokio::time::sleep(Duration::from_millis(time as u64)).await;
    }

    /// Makes a call that changes something; with an id perhaps twice at once, and again until it is known
    /// what came of it, or sometimes not.
    pub(crate) async fn change(
        &mut self,
        method: Method,
        request: &impl Message,
    ) -> Option<Vec<u8>> {
        self.change_bytes(method, request.encode_to_vec()).await
    }

    async fn change_bytes(&mut self, method: Method, request: Vec<u8>) -> Option<Vec<u8>> {
        let change = method.change(&request)?;
        if Uuid::try_parse(&change.request_id).is_err() {
            return self.done(method, request).await;
        }
        self.remember(method, &request);
        if self.once_in(15) {
            let wire = &self.world.wire;
            let (one, player) = (self.chance.below(1 << 16), &self.player);
            let twice = [one, one + 1]
                .map(|connection| wire.call(connection, player, method, request.clone(), PATIENCE));
            let [first, second] = twice;
            tokio::join!(first, second);
        }
        for _ in 0..ATTEMPTS {
            match self.send(method, request.clone()).await {
                Answer::Done(answer) => return Some(answer),
                Answer::Refused(_) => return None,
                Answer::Unknown(_) if self.once_in(8) || self.world.is_over() => return None,
                Answer::Unknown(_) => {}
            }
        }
        None
    }

    fn remember(&mut self, method: Method, request: &[u8]) {
        let past = Past {
            method,
            request: request.to_vec(),
        };
        match self.past.len() {
            REMEMBERED => {
                let index = self.chance.below(REMEMBERED);
                self.past[index] = past;
            }
            _ => self.past.push(past),
        }
    }

    /// A call of the past.
    pub(crate) fn past(&mut self) -> Option<Past> {
        (!self.past.is_empty()).then(|| self.chance.of(&self.past).clone())
    }

    /// Makes a call of the past again, just as it was.
    pub(crate) async fn repeat(&mut self, past: Past) {
        self.send(past.method, past.request).await;
    }
}
