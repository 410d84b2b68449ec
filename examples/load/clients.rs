//! Players: each drives a game of its own, with one move in flight.

use std::{
    error::Error,
    sync::Arc,
    time::{Duration, Instant},
};

use mancala::{
    catalog::Catalog,
    grpc::proto::{
        self, game_service_client::GameServiceClient, player_service_client::PlayerServiceClient,
    },
    rules::{Position, Rules, Side},
};
use tokio::task::JoinSet;
use tonic::{Request, Status, Streaming, metadata::MetadataValue, transport::Channel};
use uuid::Uuid;

use super::{
    binary,
    lot::Lot,
    report::{Measured, cpu_time},
};

const VARIANT: &str = "en-dodoi";
const HOLES: u8 = 6;

/// Rounds that win the longest series.
const MOST_WINS: u32 = 100;

/// Plays games until the time is over, as many at once as moves may be in flight.
pub async fn play(
    address: &str,
    connections: usize,
    in_flight: usize,
    time: Duration,
) -> Result<Measured, Box<dyn Error>> {
    let channels = connect(address, connections).await?;
    let mut players = Vec::new();
    for index in 0..in_flight {
        let channel = channels[index % channels.len()].clone();
        players.push(Player::new(channel, index as u64).await?);
    }
    let (began, cpu) = (Instant::now(), cpu_time());
    let end = began + time;
    let mut playing = JoinSet::new();
    for player in players {
        playing.spawn(player.play_until(end));
    }
    let mut latencies = Vec::new();
    while let Some(played) = playing.join_next().await {
        latencies.extend(played??);
    }
    Ok(Measured::new(began, cpu, latencies))
}

/// So many connections.
pub async fn connect(address: &str, connections: usize) -> Result<Vec<Channel>, Box<dyn Error>> {
    let endpoint = binary::endpoint(address)?;
    let mut channels = Vec::new();
    for _ in 0..connections {
        channels.push(endpoint.connect().await?);
    }
    Ok(channels)
}

/// Watches a game from a snapshot on.
pub async fn watch(channel: Channel, game_id: &str) -> Result<Watching, Status> {
    let mut client = GameServiceClient::new(channel);
    Ok(client.watch_game(watch_of(game_id)).await?.into_inner())
}

fn watch_of(game_id: &str) -> proto::WatchGameRequest {
    proto::WatchGameRequest {
        game_id: game_id.into(),
        omit_steps: true,
        ..proto::WatchGameRequest::default()
    }
}

/// What `WatchGame` answers with.
pub type Watching = Streaming<proto::WatchGameResponse>;

/// A player with both seats of a game, who follows the game by the bare rules: so it plays on alike
/// whether the answers are of its game or not.
pub struct Player {
    /// How it was registered.
    pub registered: proto::RegisterPlayerResponse,
    /// How its game was created.
    pub created: proto::CreateGameResponse,
    games: GameServiceClient<Channel>,
    token: MetadataValue<tonic::metadata::Ascii>,
    rules: Arc<Rules>,
    position: Position,
    turn: u32,
    lot: Lot,
    target_wins: u32,
}

impl Player {
    /// Registers a player and creates its first game.
    pub async fn new(channel: Channel, seed: u64) -> Result<Player, Box<dyn Error>> {
        let catalog = Catalog::built_in();
        let variant = catalog.get(VARIANT).ok_or("no such variant")?;
        let rules = variant.rules(HOLES).ok_or("no such board")?.clone();
        let request = proto::RegisterPlayerRequest {
            name: "Load".into(),
            kind: proto::PlayerKind::Bot.into(),
            request_id: String::new(),
        };
        let mut players = PlayerServiceClient::new(channel.clone());
        let registered = players.register_player(request).await?.into_inner();
        let token = format!("Bearer {}", registered.token).parse()?;
        let mut player = Player {
            registered,
            created: proto::CreateGameResponse::default(),
            games: GameServiceClient::new(channel),
            token,
            position: rules.start(Side::South),
            rules,
            turn: 0,
            lot: Lot(seed),
            target_wins: 1,
        };
        player.new_game().await?;
        Ok(player)
    }

    /// Registers a player and creates a game that goes on for very many moves.
    pub async fn of_series(channel: Channel) -> Result<Player, Box<dyn Error>> {
        let mut player = Player::new(channel, 0).await?;
        player.target_wins = MOST_WINS;
        player.new_game().await?;
        Ok(player)
    }

    /// Creates the next game.
    pub async fn new_game(&mut self) -> Result<(), Status> {
        let caller = || proto::SeatRequest {
            seat: Some(proto::seat_request::Seat::Caller(proto::CallerSeat {})),
        };
        let request = self.request(proto::CreateGameRequest {
            variant: VARIANT.into(),
            holes: HOLES.into(),
            south: Some(caller()),
            north: Some(caller()),
            target_wins: self.target_wins,
            ..proto::CreateGameRequest::default()
        });
        self.created = self.games.create_game(request).await?.into_inner();
        self.position = self.rules.start(Side::South);
        self.turn = 0;
        Ok(())
    }

    async fn play_until(mut self, end: Instant) -> Result<Vec<Duration>, Status> {
        let mut latencies = Vec::new();
        loop {
            let began = Instant::now();
            if began >= end {
                return Ok(latencies);
            }
            let ended = self.submit_in_game().await?;
            latencies.push(began.elapsed());
            if ended {
                self.new_game().await?;
            }
        }
    }

    /// Submits a random legal move, and says whether it ended the game.
    pub async fn submit_in_game(&mut self) -> Result<bool, Status> {
        let answer = self.submit_any().await?;
        // A repetition ends games that the bare rules would play on.
        let ended = answer
            .outcome
            .is_some_and(|outcome| outcome.result.is_some());
        Ok(ended || self.position.to_move().is_none())
    }

    /// Ends the game.
    pub async fn resign(&mut self) -> Result<(), Status> {
        let request = self.request(proto::ResignGameRequest {
            game_id: self.game_id().into(),
            side: proto::Side::South.into(),
            ..proto::ResignGameRequest::default()
        });
        self.games.resign_game(request).await.map(drop)
    }

    /// Watches the game, as the player, from a snapshot on.
    pub async fn watch(&self) -> Result<Watching, Status> {
        let request = self.request(watch_of(self.game_id()));
        let mut games = self.games.clone();
        Ok(games.watch_game(request).await?.into_inner())
    }

    /// Goes on over another connection.
    pub fn go_on(&mut self, channel: Channel) {
        self.games = GameServiceClient::new(channel);
    }

    /// The id of the game.
    pub fn game_id(&self) -> &str {
        let game = self.created.game.as_ref();
        game.map_or("", |game| &game.game_id)
    }

    /// Submits a random legal move.
    pub async fn submit_any(&mut self) -> Result<proto::SubmitMoveResponse, Status> {
        let legal = self.rules.legal_moves(&self.position);
        let chosen = self.lot.below(legal.len().max(1) as usize);
        let hole = legal.iter().nth(chosen).unwrap_or_default();
        let request = self.request(proto::SubmitMoveRequest {
            game_id: self.game_id().into(),
            hole: Some(hole.into()),
            expected_turn: Some(self.turn),
            request_id: Uuid::new_v4().to_string(),
            omit_steps: true,
        });
        let answer = self.games.submit_move(request).await?.into_inner();
        if let Ok(played) = self.rules.play(&self.position, hole.into()) {
            self.position = played.position;
            self.turn += 1;
        }
        // A series goes on with a new round.
        let round = answer
            .outcome
            .as_ref()
            .and_then(|outcome| outcome.round_result.as_ref());
        if round.is_some()
            && let Some(game) = &answer.game
        {
            let south = game.position.as_ref().map(|position| position.to_move);
            let first = if south == Some(proto::Side::South.into()) {
                Side::South
            } else {
                Side::North
            };
            self.position = self.rules.start(first);
            self.turn = game.turn;
        }
        Ok(answer)
    }

    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request
            .metadata_mut()
            .insert("authorization", self.token.clone());
        request
    }
}
