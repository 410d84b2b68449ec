//! Callers: the real clients, each with a player's token or none.

use mancala::grpc::proto::{
    self, AbortGameRequest, AnswerOfferRequest, CreateGameRequest, CreateGameResponse,
    ExportGameRequest, Game, GetGameRequest, ImportGameRequest, JoinGameRequest,
    ListGameEventsRequest, ListGameEventsResponse, ListGamesRequest, ListGamesResponse,
    ListLegalMovesRequest, ListLegalMovesResponse, OfferAnswer, OfferDrawRequest, Position,
    RegisterPlayerRequest, RematchGameRequest, RequestTakebackRequest, ResignGameRequest,
    SeatRequest, SubmitMoveRequest, SubmitMoveResponse, WatchGameRequest, WatchGameResponse,
    admin_service_client::AdminServiceClient, game_service_client::GameServiceClient,
    player_service_client::PlayerServiceClient, rules_service_client::RulesServiceClient,
    seat_request, watch_game_response,
};
use tonic::{Request, Status, Streaming, transport::Channel};
use uuid::Uuid;

use super::{chance::Chance, server::Server, within};

pub(crate) type Answer<T> = Result<T, Status>;
#[derive(Debug)]
pub(crate) struct Stream(Streaming<WatchGameResponse>);

impl Stream {
    /// The next message, but for who comes and goes.
    pub(crate) async fn message(&mut self) -> Result<Option<WatchGameResponse>, Status> {
        loop {
            let message = self.0.message().await?;
            let presence = |response: &WatchGameResponse| {
                matches!(
                    response.message,
                    Some(watch_game_response::Message::Presence(_))
                )
            };
            if !message.as_ref().is_some_and(presence) {
                return Ok(message.map(|mut response| {
                    if let Some(watch_game_response::Message::Snapshot(snapshot)) =
                        &mut response.message
                    {
                        snapshot.game = snapshot.game.take().map(timeless);
                    }
                    response
                }));
            }
        }
    }

    /// The next message, whichever it is.
    pub(crate) async fn any(&mut self) -> Result<Option<WatchGameResponse>, Status> {
        self.0.message().await
    }
}

/// Somebody who calls.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(crate) channel: Channel,
    pub(crate) token: Option<String>,
    /// The player's id; empty without a token.
    pub(crate) id: String,
    /// The id of the player that a service acts for.
    pub(crate) acting_for: Option<String>,
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
        Caller {
            channel,
            token,
            id,
            acting_for: None,
        }
    }

    /// The same player with another token.
    pub(crate) fn with_token(&self, token: String) -> Caller {
        Caller {
            token: Some(token),
            ..self.clone()
        }
    }

    /// A service that acts for a player.
    pub(crate) fn acting_for(&self, player: &Caller) -> Caller {
        Caller {
            acting_for: Some(player.id.clone()),
            ..self.clone()
        }
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
        if let Some(player) = &self.acting_for {
            let metadata = request.metadata_mut();
            metadata.insert("x-mancala-player", player.parse().unwrap());
        }
        request
    }

    pub(crate) fn games(&self) -> GameServiceClient<Channel> {
        GameServiceClient::new(self.channel.clone())
    }

    pub(crate) fn rules(&self) -> RulesServiceClient<Channel> {
        RulesServiceClient::new(self.channel.clone())
    }

    pub(crate) fn admins(&self) -> AdminServiceClient<Channel> {
        AdminServiceClient::new(self.channel.clone())
    }

    pub(crate) fn players(&self) -> PlayerServiceClient<Channel> {
        PlayerServiceClient::new(self.channel.clone())
    }

    pub(crate) async fn create_whole(
        &self,
        request: CreateGameRequest,
    ) -> Answer<CreateGameResponse> {
        let (mut games, request) = (self.games(), self.request(request));
        let mut answer = within(games.create_game(request)).await?.into_inner();
        answer.game = answer.game.map(timeless);
        Ok(answer)
    }

    pub(crate) async fn create(&self, request: CreateGameRequest) -> Answer<Game> {
        Ok(self.create_whole(request).await?.game.unwrap())
    }

    pub(crate) async fn get(&self, game_id: &str) -> Answer<Game> {
        let (mut games, game_id) = (self.games(), game_id.into());
        let request = self.request(GetGameRequest { game_id });
        let answer = within(games.get_game(request)).await?.into_inner();
        Ok(timeless(answer.game.unwrap()))
    }

    pub(crate) async fn list(&self, request: ListGamesRequest) -> Answer<ListGamesResponse> {
        let (mut games, request) = (self.games(), self.request(request));
        let mut answer = within(games.list_games(request)).await?.into_inner();
        answer.games = answer.games.into_iter().map(timeless).collect();
        Ok(answer)
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
        let mut answer = within(games.submit_move(request)).await?.into_inner();
        answer.game = answer.game.map(timeless);
        Ok(answer)
    }

    /// Plays a hole, whatever turn it is.
    pub(crate) async fn play(&self, game_id: &str, hole: u32) -> Answer<SubmitMoveResponse> {
        self.submit(play(game_id, hole)).await
    }

    pub(crate) async fn events(
        &self,
        request: ListGameEventsRequest,
    ) -> Answer<ListGameEventsResponse> {
        let (mut games, request) = (self.games(), self.request(request));
        Ok(within(games.list_game_events(request)).await?.into_inner())
    }

    pub(crate) async fn watch(&self, game_id: &str, after_seq: Option<u64>) -> Answer<Stream> {
        let mut games = self.games();
        let request = self.request(WatchGameRequest {
            game_id: game_id.into(),
            after_seq,
            omit_steps: false,
        });
        Ok(Stream(
            within(games.watch_game(request)).await?.into_inner(),
        ))
    }

    /// A game as text.
    pub(crate) async fn export(&self, game_id: &str) -> Answer<String> {
        let (mut games, game_id) = (self.games(), game_id.into());
        let request = self.request(ExportGameRequest { game_id });
        Ok(within(games.export_game(request)).await?.into_inner().text)
    }

    /// Imports a game.
    pub(crate) async fn import(&self, request: ImportGameRequest) -> Answer<Game> {
        let (mut games, request) = (self.games(), self.request(request));
        Ok(within(games.import_game(request))
            .await?
            .into_inner()
            .game
            .unwrap())
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

/// A game without its clocks, which stand otherwise at every moment.
pub(crate) fn timeless(game: Game) -> Game {
    Game {
        clocks: None,
        ..game
    }
}

/// Calls that answer with a game and nothing else.
macro_rules! game_calls {
    ($($name:ident $rpc:ident $request:ident,)*) => {
        impl Caller {
            $(pub(crate) async fn $name(&self, request: $request) -> Answer<Game> {
                let (mut games, request) = (self.games(), self.request(request));
                let answer = within(games.$rpc(request)).await?.into_inner();
                Ok(timeless(answer.game.unwrap()))
            })*
        }
    };
}

game_calls! {
    join join_game JoinGameRequest,
    resign resign_game ResignGameRequest,
    abort abort_game AbortGameRequest,
    offer_draw offer_draw OfferDrawRequest,
    request_takeback request_takeback RequestTakebackRequest,
    answer answer_offer AnswerOfferRequest,
    rematch rematch_game RematchGameRequest,
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

/// A request to import a public game.
pub(crate) fn import(text: &str) -> ImportGameRequest {
    ImportGameRequest {
        text: text.into(),
        ..ImportGameRequest::default()
    }
}

/// A request to resign.
pub(crate) fn resign(game_id: &str) -> ResignGameRequest {
    ResignGameRequest {
        game_id: game_id.into(),
        ..ResignGameRequest::default()
    }
}

/// A request to abort a game.
pub(crate) fn abort(game_id: &str) -> AbortGameRequest {
    AbortGameRequest {
        game_id: game_id.into(),
        ..AbortGameRequest::default()
    }
}

/// A request to offer a draw.
pub(crate) fn draw(game_id: &str) -> OfferDrawRequest {
    OfferDrawRequest {
        game_id: game_id.into(),
        ..OfferDrawRequest::default()
    }
}

/// A request to ask for a takeback.
pub(crate) fn takeback(game_id: &str) -> RequestTakebackRequest {
    RequestTakebackRequest {
        game_id: game_id.into(),
        ..RequestTakebackRequest::default()
    }
}

/// A request to accept the offer that is open in a game.
#[track_caller]
pub(crate) fn accept(game: &Game) -> AnswerOfferRequest {
    let offer = game.open_offer.as_ref().expect("an offer is open");
    AnswerOfferRequest {
        game_id: game.game_id.clone(),
        offer_id: offer.offer_id,
        answer: OfferAnswer::Accept.into(),
        request_id: String::new(),
    }
}

/// A request to decline the offer that is open in a game.
#[track_caller]
pub(crate) fn decline(game: &Game) -> AnswerOfferRequest {
    AnswerOfferRequest {
        answer: OfferAnswer::Decline.into(),
        ..accept(game)
    }
}

/// A request to play a game again.
pub(crate) fn rematch(game_id: &str) -> RematchGameRequest {
    RematchGameRequest {
        game_id: game_id.into(),
        ..RematchGameRequest::default()
    }
}

/// A request for the first events of a game.
pub(crate) fn events(game_id: &str) -> ListGameEventsRequest {
    ListGameEventsRequest {
        game_id: game_id.into(),
        ..ListGameEventsRequest::default()
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

/// A game of a player with both seats, which it watches on a connection of its own: after the snapshot, with
/// who holds that connection.
pub(crate) async fn watched_game(server: &Server) -> (Caller, String, (Caller, Stream)) {
    let player = server.player("Alice").await;
    let id = player.create(solo("bosh")).await.unwrap().game_id;
    let watcher = player.on_own_channel(server).await;
    let mut watch = watcher.watch(&id, None).await.unwrap();
    within(watch.message()).await.unwrap().unwrap();
    (player, id, (watcher, watch))
}
