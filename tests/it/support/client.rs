//! Callers: the real clients, each with a player's token or none.

use mancala::grpc::proto::{
    self, CreateGameRequest, CreateGameResponse, Game, GetGameRequest, JoinGameRequest,
    ListGamesRequest, ListGamesResponse, ListLegalMovesRequest, ListLegalMovesResponse, Position,
    RegisterPlayerRequest, ResignGameRequest, SeatRequest, SubmitMoveRequest, SubmitMoveResponse,
    WatchGameRequest, game_service_client::GameServiceClient,
    player_service_client::PlayerServiceClient, rules_service_client::RulesServiceClient,
    seat_request,
};
use tonic::{Request, Status, Streaming, transport::Channel};
use uuid::Uuid;

use super::{chance::Chance, server::Server, within};

pub(crate) type Answer<T> = Result<T, Status>;
pub(crate) type Stream = Streaming<proto::WatchGameResponse>;

/// Somebody who calls.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(crate) channel: Channel,
    pub(crate) token: Option<String>,
    /// The player's id; empty without a token.
    pub(crate) id: String,
}

/// Registers a player.
pub(crate) async fn register(channel: Channel, name: &str) -> Caller {
    let request = RegisterPlayerRequest {
        name: name.into(),
        kind: proto::PlayerKind::Bot.into(),
        request_id: String::new(),
    };
    let mut players = PlayerServiceClient::new(channel.clone());
    let answer = within(players.register_player(request)).await.unwrap();
    let answer = answer.into_inner();
    Caller::new(
        channel,
        Some(answer.token),
        answer.player.unwrap().player_id,
    )
}

impl Caller {
    pub(crate) fn new(channel: Channel, token: Option<String>, id: String) -> Caller {
        Caller { channel, token, id }
    }

    /// The same player at another server.
    pub(crate) fn at(&self, server: &Server) -> Caller {
        Caller::new(server.channel(), self.token.clone(), self.id.clone())
    }

    /// The same player on a connection of its own.
    pub(crate) async fn on_own_channel(&self, server: &Server) -> Caller {
        Caller::new(
            server.own_channel().await,
            self.token.clone(),
            self.id.clone(),
        )
    }

    /// A request with the caller's token.
    pub(crate) fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        if let Some(token) = &self.token {
            let header = format!("Bearer {token}").parse().unwrap();
            request.metadata_mut().insert("authorization", header);
        }
        request
    }

    pub(crate) fn games(&self) -> GameServiceClient<Channel> {
        GameServiceClient::new(self.channel.clone())
    }

    pub(crate) fn rules(&self) -> RulesServiceClient<Channel> {
        RulesServiceClient::new(self.channel.clone())
    }

    pub(crate) fn players(&self) -> PlayerServiceClient<Channel> {
        PlayerServiceClient::new(self.channel.clone())
    }

    pub(crate) async fn create_whole(
        &self,
        request: CreateGameRequest,
    ) -> Answer<CreateGameResponse> {
        let (mut games, request) = (self.games(), self.request(request));
        let answer = within(games.create_game(request)).await?;
        Ok(answer.into_inner())
    }

    pub(crate) async fn create(&self, request: CreateGameRequest) -> Answer<Game> {
        Ok(self.create_whole(request).await?.game.unwrap())
    }

    pub(crate) async fn get(&self, game_id: &str) -> Answer<Game> {
        let (mut games, game_id) = (self.games(), game_id.into());
        let request = self.request(GetGameRequest { game_id });
        Ok(within(games.get_game(request))
            .await?
            .into_inner()
            .game
            .unwrap())
    }

    pub(crate) async fn list(&self, request: ListGamesRequest) -> Answer<ListGamesResponse> {
        let (mut games, request) = (self.games(), self.request(request));
        Ok(within(games.list_games(request)).await?.into_inner())
    }

    pub(crate) async fn join(&self, request: JoinGameRequest) -> Answer<Game> {
        let (mut games, request) = (self.games(), self.request(request));
        Ok(within(games.join_game(request))
            .await?
            .into_inner()
            .game
            .unwrap())
    }

    pub(crate) async fn legal(&self, game_id: &str) -> Answer<ListLegalMovesResponse> {
        let mut games = self.games();
        let request = self.request(ListLegalMovesRequest {
            game_id: game_id.into(),
            omit_steps: true,
        });
        Ok(within(games.list_legal_moves(request)).await?.into_inner())
    }

    pub(crate) async fn submit(&self, request: SubmitMoveRequest) -> Answer<SubmitMoveResponse> {
        let (mut games, request) = (self.games(), self.request(request));
        Ok(within(games.submit_move(request)).await?.into_inner())
    }

    /// Plays a hole, whatever turn it is.
    pub(crate) async fn play(&self, game_id: &str, hole: u32) -> Answer<SubmitMoveResponse> {
        self.submit(play(game_id, hole)).await
    }

    pub(crate) async fn resign(&self, request: ResignGameRequest) -> Answer<Game> {
        let (mut games, request) = (self.games(), self.request(request));
        Ok(within(games.resign_game(request))
            .await?
            .into_inner()
            .game
            .unwrap())
    }

    pub(crate) async fn watch(&self, game_id: &str, after_seq: Option<u64>) -> Answer<Stream> {
        let mut games = self.games();
        let request = self.request(WatchGameRequest {
            game_id: game_id.into(),
            after_seq,
            omit_steps: false,
        });
        Ok(within(games.watch_game(request)).await?.into_inner())
    }

    /// Plays legal moves by chance for both sides, until so many are made or the game is over.
    pub(crate) async fn play_any(&self, game_id: &str, moves: usize, chance: &mut Chance) {
        for _ in 0..moves {
            let legal = self.legal(game_id).await.unwrap().moves;
            if legal.is_empty() {
                return;
            }
            self.play(game_id, chance.of(&legal).hole).await.unwrap();
        }
    }
}

/// A game with both seats the caller's.
pub(crate) fn solo(variant: &str) -> CreateGameRequest {
    CreateGameRequest {
        variant: variant.into(),
        south: caller_seat(),
        north: caller_seat(),
        ..CreateGameRequest::default()
    }
}

/// A game with South the caller's and North open.
pub(crate) fn open(variant: &str) -> CreateGameRequest {
    CreateGameRequest {
        north: None,
        ..solo(variant)
    }
}

/// The caller's seat.
pub(crate) fn caller_seat() -> Option<SeatRequest> {
    let seat = seat_request::Seat::Caller(proto::CallerSeat {});
    Some(SeatRequest { seat: Some(seat) })
}

/// A seat kept for somebody.
pub(crate) fn invited(player: &Caller) -> Option<SeatRequest> {
    let seat = seat_request::Seat::InvitedPlayerId(player.id.clone());
    Some(SeatRequest { seat: Some(seat) })
}

/// A request to take any seat.
pub(crate) fn join(game_id: &str) -> JoinGameRequest {
    JoinGameRequest {
        game_id: game_id.into(),
        ..JoinGameRequest::default()
    }
}

/// A request to play a hole.
pub(crate) fn play(game_id: &str, hole: u32) -> SubmitMoveRequest {
    SubmitMoveRequest {
        game_id: game_id.into(),
        hole: Some(hole),
        ..SubmitMoveRequest::default()
    }
}

/// A request to resign.
pub(crate) fn resign(game_id: &str) -> ResignGameRequest {
    ResignGameRequest {
        game_id: game_id.into(),
        ..ResignGameRequest::default()
    }
}

/// A position given as text.
pub(crate) fn text(variant: &str, text: &str) -> Position {
    Position {
        variant: variant.into(),
        text: text.into(),
        ..Position::default()
    }
}

/// A new UUID as text.
pub(crate) fn fresh_id() -> String {
    Uuid::new_v4().to_string()
}
