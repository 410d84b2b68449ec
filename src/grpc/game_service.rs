//! `GameService`: games that are stored.

use std::sync::Arc;

use prost::Message as _;
use tonic::{Request, Response, Status};
use tracing::{Span, field};
use uuid::Uuid;

use super::{
    board,
    error::{self, invalid},
    game::{self, Names},
    identity, page,
    proto::{self, game_service_server::GameService, seat_request},
    watch::{self, WatchStream},
};
use crate::{
    catalog::Catalog,
    game::{
        Command, Event, Game, GameId, NewGame, PlayerId, Request as RequestHash, Seat,
        Status as GameStatus, Visibility,
    },
    rules::{BySide, Side},
    session::{self, Change, Session},
    store::GameFilter,
};

/// The service over a session.
pub(super) struct Games {
    pub(super) session: Session,
    pub(super) catalog: Arc<Catalog>,
}

impl Games {
    /// Carries out a command and answers what `view` makes of it.
    async fn execute<T: Send + 'static>(
        &self,
        id: GameId,
        player: PlayerId,
        command: Command,
        request: Option<RequestHash>,
        view: impl FnOnce(&Change, &Game) -> T + Send + 'static,
    ) -> Result<Response<T>, Status> {
        let done = self
            .session
            .execute(id, player, command, request, view)
            .await;
        done.map(Response::new).map_err(error::of_game(id))
    }

    /// What a request asks a new game to be.
    async fn new_game(
        &self,
        creator: PlayerId,
        request: Option<RequestHash>,
        content: proto::CreateGameRequest,
    ) -> Result<NewGame<'_>, Status> {
        let proto::CreateGameRequest {
            variant,
            holes,
            south,
            north,
            first,
            target_wins,
            visibility,
            start_position,
            request_id: _,
            seeds,
        } = content;
        let variant = board::variant(&self.catalog, &variant)?;
        let visibility = match proto::Visibility::try_from(visibility) {
            Ok(proto::Visibility::Unspecified | proto::Visibility::Public) => Visibility::Public,
            Ok(proto::Visibility::Unlisted) => Visibility::Unlisted,
            Ok(proto::Visibility::Private) => Visibility::Private,
            Err(_) => return Err(invalid("visibility", "is none of them")),
        };
        let start = match start_position {
            None => None,
            Some(mut position) => {
                if position.variant.is_empty() {
                    position.variant = variant.id.clone();
                }
                if position.variant != variant.id {
                    return Err(invalid("start_position.variant", "is another variant"));
                }
                if first != 0 {
                    return Err(invalid("first", "the start position says it itself"));
                }
                let read = board::read_position(&self.catalog, "start_position", Some(&position))?;
                Some((read.1.clone(), read.2))
            }
        };
        let seats = BySide {
            south: self.seat("south", south, creator).await?,
            north: self.seat("north", north, creator).await?,
        };
        let coded =
            visibility == Visibility::Private && seats.iter().any(|(_, seat)| *seat == Seat::Open);
        Ok(NewGame {
            game_id: session::new_game_id(request),
            creator,
            variant,
            holes: (holes != 0).then_some(holes),
            seeds: (seeds != 0).then_some(seeds),
            seats,
            first: first_mover(first)?,
            target_wins,
            visibility,
            join_code: coded.then(|| Uuid::new_v4().simple().to_string()),
            start,
        })
    }

    async fn seat(
        &self,
        field: &str,
        seat: Option<proto::SeatRequest>,
        creator: PlayerId,
    ) -> Result<Seat, Status> {
        match seat.and_then(|seat| seat.seat) {
            None | Some(seat_request::Seat::Open(proto::OpenSeat {})) => Ok(Seat::Open),
            Some(seat_request::Seat::Caller(proto::CallerSeat {})) => Ok(Seat::Player(creator)),
            Some(seat_request::Seat::InvitedPlayerId(id)) => {
                let player = game::player_id(&format!("{field}.invited_player_id"), &id)?;
                let known = self.session.player(player).await;
                known.map_err(error::of_player(player))?;
                Ok(Seat::Invited(player))
            }
        }
    }
}

#[tonic::async_trait]
impl GameService for Games {
    type WatchGameStream = WatchStream;

    async fn create_game(
        &self,
        request: Request<proto::CreateGameRequest>,
    ) -> Result<Response<proto::CreateGameResponse>, Status> {
        let creator = identity::caller(&request)?;
        let mut content = request.into_inner();
        let id = std::mem::take(&mut content.request_id);
        let request = game::request(Some(creator), &id, || content.encode_to_vec())?;
        let known = self
            .session
            .created_by(request)
            .await
            .map_err(error::of_none)?;
        let game = match known {
            Some(game) => game,
            None => {
                let new = self.new_game(creator, request, content).await?;
                self.session
                    .create(new, request)
                    .await
                    .map_err(error::of_none)?
            }
        };
        name_game(game.created().game_id);
        Ok(Response::new(proto::CreateGameResponse {
            game: Some(game::game(&game)),
            join_code: game.created().join_code.clone().unwrap_or_default(),
        }))
    }

    async fn get_game(
        &self,
        request: Request<proto::GetGameRequest>,
    ) -> Result<Response<proto::GetGameResponse>, Status> {
        let viewer = identity::viewer(&request);
        let proto::GetGameRequest { game_id } = request.into_inner();
        let id = named_game(&game_id)?;
        let game = self.session.look(id, viewer, game::game).await;
        Ok(Response::new(proto::GetGameResponse {
            game: Some(game.map_err(error::of_game(id))?),
        }))
    }

    async fn list_games(
        &self,
        request: Request<proto::ListGamesRequest>,
    ) -> Result<Response<proto::ListGamesResponse>, Status> {
        let viewer = identity::viewer(&request);
        let mut content = request.into_inner();
        let size = page::size(std::mem::take(&mut content.page_size))?;
        let token = std::mem::take(&mut content.page_token);
        let after = page::cursor(&content, &token)?;
        let after = after.map(|id| GameId(Uuid::from_u128(id)));
        let Some(filter) = game_filter(viewer, &content)? else {
            return Ok(Response::new(proto::ListGamesResponse::default()));
        };
        // One more than asked for tells whether there is a next page.
        let mut listed = self
            .session
            .list(filter, after, size + 1)
            .await
            .map_err(error::of_none)?;
        let more = listed.len() > size as usize;
        listed.truncate(size as usize);
        // The last game, which the viewer has seen, tells where to go on: no number of others.
        let last = listed.last().filter(|_| more);
        let last = last.map(|last| last.created.game_id.0.as_u128());
        let games = listed.iter().map(game::summary);
        Ok(Response::new(proto::ListGamesResponse {
            games: games.collect::<Result<_, _>>()?,
            next_page_token: last
                .map(|last| page::token(&content, last))
                .unwrap_or_default(),
        }))
    }

    async fn join_game(
        &self,
        request: Request<proto::JoinGameRequest>,
    ) -> Result<Response<proto::JoinGameResponse>, Status> {
        let player = identity::caller(&request)?;
        let mut content = request.into_inner();
        let id = std::mem::take(&mut content.request_id);
        let request = game::request(Some(player), &id, || tagged(b"join", &content))?;
        let proto::JoinGameRequest {
            game_id,
            side,
            join_code,
            request_id: _,
        } = content;
        let id = named_game(&game_id)?;
        let command = Command::Join {
            side: board::maybe_side("side", side)?,
            join_code,
        };
        self.execute(id, player, command, request, |_, game| {
            proto::JoinGameResponse {
                game: Some(game::game(game)),
            }
        })
        .await
    }

    async fn list_legal_moves(
        &self,
        request: Request<proto::ListLegalMovesRequest>,
    ) -> Result<Response<proto::ListLegalMovesResponse>, Status> {
        let viewer = identity::viewer(&request);
        let proto::ListLegalMovesRequest {
            game_id,
            omit_steps,
        } = request.into_inner();
        let id = named_game(&game_id)?;
        let look = |game: &Game| {
            let variant = game.created().variant.clone();
            (variant, game.rules().clone(), *game.state())
        };
        let looked = self.session.look(id, viewer, look).await;
        let (variant, rules, state) = looked.map_err(error::of_game(id))?;
        let (moves, blocked) = match state.status {
            GameStatus::Active => board::moves(&variant, &rules, &state.position, omit_steps)?,
            GameStatus::Waiting | GameStatus::Finished => Default::default(),
        };
        Ok(Response::new(proto::ListLegalMovesResponse {
            moves,
            blocked,
            turn: state.turn,
        }))
    }

    async fn submit_move(
        &self,
        request: Request<proto::SubmitMoveRequest>,
    ) -> Result<Response<proto::SubmitMoveResponse>, Status> {
        let player = identity::caller(&request)?;
        let mut content = request.into_inner();
        let id = std::mem::take(&mut content.request_id);
        let omit_steps = std::mem::take(&mut content.omit_steps);
        let request = game::request(Some(player), &id, || tagged(b"move", &content))?;
        let proto::SubmitMoveRequest {
            game_id,
            hole,
            expected_turn,
            request_id: _,
            omit_steps: _,
        } = content;
        let id = named_game(&game_id)?;
        let command = Command::Move {
            hole: hole.ok_or_else(|| invalid("hole", "is required"))?,
            expected_turn,
        };
        self.execute(id, player, command, request, move |change, game| {
            let names = Names::new(&game.created().variant, game.rules(), omit_steps);
            let outcome = match &change.record.event {
                Event::Moved(moved) => Some(names.outcome(change, moved)),
                _ => None,
            };
            proto::SubmitMoveResponse {
                outcome,
                game: Some(game::game(game)),
            }
        })
        .await
    }

    async fn resign_game(
        &self,
        request: Request<proto::ResignGameRequest>,
    ) -> Result<Response<proto::ResignGameResponse>, Status> {
        let player = identity::caller(&request)?;
        let mut content = request.into_inner();
        let id = std::mem::take(&mut content.request_id);
        let request = game::request(Some(player), &id, || tagged(b"resign", &content))?;
        let proto::ResignGameRequest {
            game_id,
            request_id: _,
            side,
        } = content;
        let id = named_game(&game_id)?;
        let side = board::maybe_side("side", side)?;
        self.execute(id, player, Command::Resign { side }, request, |_, game| {
            proto::ResignGameResponse {
                game: Some(game::game(game)),
            }
        })
        .await
    }

    async fn watch_game(
        &self,
        request: Request<proto::WatchGameRequest>,
    ) -> Result<Response<WatchStream>, Status> {
        let viewer = identity::viewer(&request);
        let proto::WatchGameRequest {
            game_id,
            after_seq,
            omit_steps,
        } = request.into_inner();
        let id = named_game(&game_id)?;
        let watch = self.session.watch(id, viewer, after_seq).await;
        let watch = watch.map_err(error::of_game(id))?;
        Ok(Response::new(watch::stream(watch, omit_steps)))
    }
}

/// The bytes that a request's fingerprint is taken of: those of different calls never agree.
fn tagged(call: &[u8], content: &impl prost::Message) -> Vec<u8> {
    [call, b" ", &content.encode_to_vec()].concat()
}

/// The id of the game that a request names, and that its span then names too.
fn named_game(text: &str) -> Result<GameId, Status> {
    let id = game::game_id(text)?;
    name_game(id);
    Ok(id)
}

fn name_game(id: GameId) {
    Span::current().record("game", field::display(id));
}

fn first_mover(code: i32) -> Result<Side, Status> {
    match proto::FirstMover::try_from(code) {
        Ok(proto::FirstMover::Unspecified | proto::FirstMover::South) => Ok(Side::South),
        Ok(proto::FirstMover::North) => Ok(Side::North),
        Ok(proto::FirstMover::Random) if rand::random() => Ok(Side::South),
        Ok(proto::FirstMover::Random) => Ok(Side::North),
        Err(_) => Err(invalid("first", "is none of them")),
    }
}

/// The filter of a list; `None` if no game can fit it.
fn game_filter(
    viewer: Option<PlayerId>,
    content: &proto::ListGamesRequest,
) -> Result<Option<GameFilter>, Status> {
    let proto::ListGamesRequest {
        page_size: _,
        page_token: _,
        status,
        player_id,
        variant,
        open_seat,
    } = content;
    let status = match game::status(*status)? {
        None => None,
        Some(proto::GameStatus::Waiting) => Some(GameStatus::Waiting),
        Some(proto::GameStatus::Active) => Some(GameStatus::Active),
        Some(proto::GameStatus::Finished) => Some(GameStatus::Finished),
        Some(proto::GameStatus::Aborted | proto::GameStatus::Unspecified) => return Ok(None),
    };
    let player = match player_id.as_str() {
        "" => None,
        id => Some(game::player_id("player_id", id)?),
    };
    Ok(Some(GameFilter {
        viewer,
        status,
        player,
        variant: (!variant.is_empty()).then(|| variant.clone()),
        open_seat: *open_seat,
    }))
}
