//! Those who watch: they come and go, read fast or slowly, and go on from where they were.

use std::{collections::HashMap, sync::Arc, time::Duration};

use mancala::grpc::proto::{
    self, GameStatus, Visibility, watch_game_response, watch_player_response,
};
use prost::Message as _;
use tokio::time::Instant;

use super::{
    chance::Chance,
    client::World,
    methods::{Method, decode},
    tables::Table,
    wire::{Player, Stream},
};

/// Messages that a watcher reads before it may go away.
const MOST: usize = 300;

/// Somebody who watches games, or a player's inbox.
pub(crate) struct Watcher {
    world: Arc<World>,
    chance: Chance,
    /// The newest event that was read of each game.
    seen: HashMap<String, u64>,
}

impl Watcher {
    /// A watcher whose choices follow from a seed.
    pub(crate) fn new(world: Arc<World>, seed: u64) -> Watcher {
        Watcher {
            world,
            chance: Chance::new(seed),
            seen: HashMap::new(),
        }
    }

    /// Watches games, one after another, until it is over.
    pub(crate) async fn watch_games(mut self) {
        while !self.world.is_over() {
            self.pause(20, 100).await;
            // Those that one player plays alone go fastest.
            let alone = self.chance.below(3) == 0;
            let fits = |table: &Table| {
                !table.is(GameStatus::Aborted) && (!alone || table.game.south == table.game.north)
            };
            let Some(table) = self.world.tables.game(&mut self.chance, fits) else {
                continue;
            };
            // Again and again, so that it goes on from where it was.
            for _ in 0..3 {
                self.watch_game(&table).await;
            }
        }
    }

    async fn watch_game(&mut self, table: &Table) {
        let private = table.game.visibility() == Visibility::Private;
        let viewer = match private || self.chance.below(2) == 0 {
            true => self.world.tables.player_of(table.owner()),
            false => None,
        };
        let game_id = table.game.game_id.clone();
        let request = proto::WatchGameRequest {
            game_id: game_id.clone(),
            after_seq: match self.chance.below(5) {
                0 => None,
                1 => Some(0),
                _ => self.seen.get(&game_id).copied(),
            },
            omit_steps: self.chance.below(2) == 0,
        };
        let viewer = viewer.unwrap_or_default();
        let mut stream = self
            .open(&viewer, Method::WatchGame, request.encode_to_vec())
            .await;
        let reading = self.reading();
        let mut read = 0;
        while let Some(message) = self.next(&mut stream, reading, &mut read).await {
            let message: proto::WatchGameResponse = decode(&message);
            let seq = match message.message {
                Some(watch_game_response::Message::Snapshot(snapshot)) => {
                    snapshot.game.map(|game| game.seq)
                }
                Some(watch_game_response::Message::Event(event)) => Some(event.seq),
                _ => None,
            };
            if let Some(seq) = seq {
                self.seen.insert(game_id.clone(), seq);
            }
        }
    }

    /// Watches a player's inbox, again and again, until it is over.
    pub(crate) async fn watch_player(mut self, player: Player) {
        let mut cursor = String::new();
        while !self.world.is_over() {
            if self.chance.below(8) == 0 {
                cursor.clear();
            }
            let request = proto::WatchPlayerRequest {
                cursor: cursor.clone(),
            };
            let request = request.encode_to_vec();
            let mut stream = self.open(&player, Method::WatchPlayer, request).await;
            let reading = self.reading();
            let mut read = 0;
            while let Some(message) = self.next(&mut stream, reading, &mut read).await {
                use watch_player_response::Message;
                let message: proto::WatchPlayerResponse = decode(&message);
                let next = match message.message {
                    Some(Message::Snapshot(snapshot)) => snapshot.cursor,
                    Some(Message::Change(change)) => change.cursor,
                    Some(Message::Heartbeat(heartbeat)) => heartbeat.cursor,
                    Some(Message::Goodbye(goodbye)) => goodbye.cursor,
                    None => String::new(),
                };
                if !next.is_empty() {
                    cursor = next;
                }
            }
            self.pause(20, 200).await;
        }
    }

    async fn open(&mut self, player: &Player, method: Method, request: Vec<u8>) -> Stream {
        let connection = self.chance.below(1 << 16);
        self.world
            .wire
            .open(connection, player, method, request)
            .await
    }

    /// Until when, and how slowly, a stream is read.
    fn reading(&mut self) -> (Instant, u64) {
        let pause = match self.chance.below(3) {
            0 => 50 + self.chance.below(900),
            _ => 0,
        };
        let time = match self.chance.below(3) {
            // Who reads slowly stays, and so falls behind.
            _ if pause > 0 => 6_000 + self.chance.below(12_000),
            0 => self.chance.below(300),
            1 => self.chance.below(4_000),
            _ => self.chance.below(16_000),
        };
        (
            Instant::now() + Duration::from_millis(time as u64),
            pause as u64,
        )
    }

    async fn next(
        &mut self,
        stream: &mut Stream,
        (until, pause): (Instant, u64),
        read: &mut usize,
    ) -> Option<Vec<u8>> {
        if pause > 0 {
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
        *read += 1;
        if *read > MOST || self.world.is_over() {
            return None;
        }
        tokio::time::timeout_at(until, stream.next())
            .await
            .ok()
            .flatten()
    }

    async fn pause(&mut self, least: usize, more: usize) {
        let time = least + self.chance.below(more);
        tokio::time::sleep(Duration::from_millis(time as u64)).await;
    }
}
