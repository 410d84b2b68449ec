//! Reading a player's inbox.

use mancala::grpc::proto::{
    AttentionGame, Game, GameEvent, ListGameEventsRequest, PlayerChange, WatchPlayerRequest,
    WatchPlayerResponse, watch_player_response::Message,
};
use tonic::{Status, Streaming};

use super::{
    client::{Answer, Caller, events, timeless},
    within,
};

/// A stream that `WatchPlayer` answered with.
#[derive(Debug)]
pub(crate) struct Inbox(Streaming<WatchPlayerResponse>);

/// All messages of a snapshot as one.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) games: Vec<AttentionGame>,
    pub(crate) cursor: String,
    pub(crate) reset: bool,
    /// How many messages it came in.
    pub(crate) parts: usize,
}

impl Caller {
    /// Watches the caller's own games.
    pub(crate) async fn inbox(&self, cursor: &str) -> Answer<Inbox> {
        let (mut players, cursor) = (self.players(), cursor.to_owned());
        let request = self.request(WatchPlayerRequest { cursor });
        Ok(Inbox(
            within(players.watch_player(request)).await?.into_inner(),
        ))
    }

    /// A whole log, as an inbox tells of it: without steps and states.
    pub(crate) async fn log(&self, game_id: &str) -> Vec<GameEvent> {
        let mut log: Vec<GameEvent> = Vec::new();
        loop {
            let request = ListGameEventsRequest {
                after_seq: log.last().map(|event| event.seq),
                page_size: 200,
                omit_steps: true,
                ..events(game_id)
            };
            let page = self.events(request).await.unwrap().events;
            if page.is_empty() {
                return log;
            }
            log.extend(page);
        }
    }
}

impl Inbox {
    /// The next message, but for heartbeats.
    pub(crate) async fn message(&mut self) -> Result<Message, Status> {
        loop {
            let response = within(self.0.message()).await?;
            let message = response.expect("it never ends with OK").message.unwrap();
            if !matches!(message, Message::Heartbeat(_)) {
                return Ok(message);
            }
        }
    }

    /// The next message, which is a change.
    pub(crate) async fn change(&mut self) -> PlayerChange {
        match self.message().await.unwrap() {
            Message::Change(change) => change,
            other => panic!("a change expected, not {other:?}"),
        }
    }

    /// So many changes.
    pub(crate) async fn changes(&mut self, count: usize) -> Vec<PlayerChange> {
        let mut changes = Vec::new();
        for _ in 0..count {
            changes.push(self.change().await);
        }
        changes
    }

    /// The next messages, which are a snapshot.
    pub(crate) async fn snapshot(&mut self) -> Snapshot {
        let first = self.message().await.unwrap();
        self.snapshot_from(first).await
    }

    /// The snapshot that begins with this message.
    pub(crate) async fn snapshot_from(&mut self, first: Message) -> Snapshot {
        let (mut message, mut games, mut parts) = (first, Vec::new(), 0);
        loop {
            let Message::Snapshot(part) = message else {
                panic!("a snapshot expected, not {message:?}")
            };
            games.extend(part.games);
            parts += 1;
            assert_eq!(part.more, part.cursor.is_empty(), "the last one has it");
            if !part.more {
                return Snapshot {
                    games,
                    cursor: part.cursor,
                    reset: part.reset,
                    parts,
                };
            }
            message = self.message().await.unwrap();
        }
    }
}

/// Which change of which game it is.
pub(crate) fn place(change: &PlayerChange) -> (String, u64) {
    let event = change.event.as_ref().unwrap();
    (change.game.as_ref().unwrap().game_id.clone(), event.seq)
}

/// The ids of a snapshot's games.
pub(crate) fn ids(snapshot: &Snapshot) -> Vec<&str> {
    let games = snapshot.games.iter();
    games
        .map(|game| game.game.as_ref().unwrap().game_id.as_str())
        .collect()
}

/// Asserts that a game and its event are what the game's log says.
#[track_caller]
pub(crate) fn assert_told(game: Option<&Game>, event: Option<&GameEvent>, log: &[GameEvent]) {
    let (game, event) = (game.unwrap(), event.unwrap());
    let logged = &log[event.seq as usize - 1];
    let state = logged.state.clone().unwrap();
    let told = GameEvent {
        state: None,
        ..logged.clone()
    };
    assert_eq!(event, &told);
    assert!(game.moves.is_empty() && game.rounds.is_empty());
    assert_eq!((game.seq, game.turn), (event.seq, state.turn));
    assert_eq!(game.update_time, event.create_time);
    assert_eq!(game.position, state.position);
    assert_eq!((game.ply, game.round), (state.ply, state.round));
    assert_eq!((game.status, game.result), (state.status, state.result));
    assert_eq!(game.open_offer, state.open_offer);
}

/// A game as an inbox tells of it.
pub(crate) fn small(game: Game) -> Game {
    Game {
        moves: Vec::new(),
        rounds: Vec::new(),
        ..timeless(game)
    }
}
