//! `GameService`: games that are stored.

use std::sync::Arc;

use tokio::time::Instant;
use tonic::{Request, Response, Status};

use super::{
    asked::{Asked, asked, asked_of_game, required},
    board,
    error::{self, invalid},
    game::{self, Names},
    gate::{self, Gate},
    identity,
    legal::LegalMoves,
    listing, page,
    proto::{self, game_service_server::GameService},
    watch::{self, WatchStream},
};
use crate::{
    catalog::Catalog,
    game::{Command, Event, Game, GameId, OfferKind, Status as GameStatus},
    session::{Change, Session},
};

/// The service over a session.
pub(super) struct Games {
    pub(super) session: Session,
    pub(super) catalog: Arc<Catalog>,
    pub(super) gate: Gate,
    /// Most bytes of an answer.
    pub(super) most_bytes: usize,
}

impl Games {
    /// Carries out a command and answers what `view` makes of it.
    async fn execute<T: Send + 'static>(
        &self,
        asked: Asked,
        id: GameId,
        command: Command,
        view: impl FnOnce(&Change, &Game) -> T + Send + 'static,
    ) -> Result<Response<T>, Status> {
        let done = self
            .session
            .execute(id, asked.player, command, asked.request, view)
            .await;
        done.map(Response::new).map_err(error::of_game(id))
    }

    /// Carries out a command and shows the game after it.
    async fn change(
        &self,
        asked: Asked,
        id: GameId,
        command: Command,
    ) -> Result<Option<proto::Game>, Status> {
        let changed = self.execute(asked, id, command, |_, game| game::game(game));
        Ok(Some(changed.await?.into_inner()))
    }
}

#[tonic::async_trait]
impl GameService for Games {
    type WatchGameStream = WatchStream;

    async fn create_game(
        &self,
        request: Request<proto::CreateGameRequest>,
    ) -> Result<Response<proto::CreateGameResponse>, Status> {
        let (asked, content) = asked(request)?;
        let known = self.session.created_by(asked.request).await;
        let game = match known.map_err(error::of_none)? {
            Some(game) => game,
            None => {
                let new = self.new_game(asked, content).await?;
                let created = self.session.create(new, asked.request).await;
                created.map_err(error::of_none)?
            }
        };
        game::name(game.created().game_id);
        Ok(Response::new(proto::CreateGameResponse {
            game: Some(game::game(&game)),
            join_code: game.created().join_code.clone().unwrap_or_default(),
        }))
    }

    async fn get_game(
        &self,
        request: Request<proto::GetGameRequest>,
    ) -> Result<Response<proto::GetGameResponse>, Status> {
        let viewer = identity::viewer(&request)?;
        let proto::GetGameRequest { game_id } = request.into_inner();
        let id = game::named(&game_id)?;
        let look = |game: &Game| game::at(game::game(game), self.session.clocks(game.summary()));
        let game = self.session.look(id, viewer, look).await;
        Ok(Response::new(proto::GetGameResponse {
            game: Some(game.map_err(error::of_game(id))?),
        }))
    }

    async fn list_games(
        &self,
        request: Request<proto::ListGamesRequest>,
    ) -> Result<Response<proto::ListGamesResponse>, Status> {
        let viewer = identity::viewer(&request)?;
        let mut content = request.into_inner();
        let size = page::size(std::mem::take(&mut content.page_size))?;
        let token = std::mem::take(&mut content.page_token);
        let filter = listing::game_filter(viewer, &content)?;
        let (games, next_page_token) =
            listing::games(&self.session, filter, &content, size, &token).await?;
        Ok(Response::new(proto::ListGamesResponse {
            games,
            next_page_token,
        }))
    }

    async fn join_game(
        &self,
        request: Request<proto::JoinGameRequest>,
    ) -> Result<Response<proto::JoinGameResponse>, Status> {
        let (asked, id, content) = asked_of_game(request)?;
        let proto::JoinGameRequest {
            game_id: _,
            side,
            join_code,
            request_id: _,
        } = content;
        let side = board::maybe_side("side", side)?;
        let command = Command::Join { side, join_code };
        let game = self.change(asked, id, command).await?;
        Ok(Response::new(proto::JoinGameResponse { game }))
    }

    async fn list_legal_moves(
        &self,
        request: Request<proto::ListLegalMovesRequest>,
    ) -> Result<Response<proto::ListLegalMovesResponse>, Status> {
        let viewer = identity::viewer(&request)?;
        let who = gate::who(&request);
        let proto::ListLegalMovesRequest {
            game_id,
            omit_steps,
        } = request.into_inner();
        let id = game::named(&game_id)?;
        let look = |game: &Game| {
            let variant = game.created().variant.clone();
            (variant, game.rules().clone(), *game.state())
        };
        let looked = self.session.look(id, viewer, look).await;
        let (variant, rules, state) = looked.map_err(error::of_game(id))?;
        let (moves, blocked) = match state.status {
            GameStatus::Active => {
                let asked = LegalMoves {
                    variant,
                    rules,
                    position: state.position,
                    omit_steps,
                    most_bytes: self.most_bytes,
                };
                asked.find(&self.gate, who).await?
            }
            GameStatus::Waiting | GameStatus::Finished | GameStatus::Aborted => Default::default(),
        };
        Ok(Response::new(proto::ListLegalMovesResponse {
            moves,
            blocked,
            turn: state.turn,
        }))
    }

    async fn submit_move(
        &self,
        mut request: Request<proto::SubmitMoveRequest>,
    ) -> Result<Response<proto::SubmitMoveResponse>, Status> {
        // How the answer is told is no part of what is asked for.
        let omit_steps = std::mem::take(&mut request.get_mut().omit_steps);
        let (asked, id, content) = asked_of_game(request)?;
        let proto::SubmitMoveRequest {
            game_id: _,
            hole,
            expected_turn,
            request_id: _,
            omit_steps: _,
        } = content;
        let command = Command::Move {
            hole: required("hole", hole)?,
            expected_turn,
        };
        self.execute(asked, id, command, move |change, game| {
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
        let (asked, id, content) = asked_of_game(request)?;
        let proto::ResignGameRequest {
            game_id: _,
            request_id: _,
            side,
        } = content;
        let side = board::maybe_side("side", side)?;
        let game = self.change(asked, id, Command::Resign { side }).await?;
        Ok(Response::new(proto::ResignGameResponse { game }))
    }

    async fn abort_game(
        &self,
        request: Request<proto::AbortGameRequest>,
    ) -> Result<Response<proto::AbortGameResponse>, Status> {
        let (asked, id, content) = asked_of_game(request)?;
        let proto::AbortGameRequest {
            game_id: _,
            request_id: _,
        } = content;
        let game = self.change(asked, id, Command::Abort).await?;
        Ok(Response::new(proto::AbortGameResponse { game }))
    }

    async fn offer_draw(
        &self,
        request: Request<proto::OfferDrawRequest>,
    ) -> Result<Response<proto::OfferDrawResponse>, Status> {
        let (asked, id, content) = asked_of_game(request)?;
        let proto::OfferDrawRequest {
            game_id: _,
            expected_turn,
            request_id: _,
            side,
        } = content;
        let command = Command::Offer {
            kind: OfferKind::Draw,
            side: board::maybe_side("side", side)?,
            expected_turn,
        };
        let game = self.change(asked, id, command).await?;
        Ok(Response::new(proto::OfferDrawResponse { game }))
    }

    async fn request_takeback(
        &self,
        request: Request<proto::RequestTakebackRequest>,
    ) -> Result<Response<proto::RequestTakebackResponse>, Status> {
        let (asked, id, content) = asked_of_game(request)?;
        let proto::RequestTakebackRequest {
            game_id: _,
            expected_turn,
            request_id: _,
            side,
        } = content;
        let command = Command::Offer {
            kind: OfferKind::Takeback,
            side: board::maybe_side("side", side)?,
            expected_turn,
        };
        let game = self.change(asked, id, command).await?;
        Ok(Response::new(proto::RequestTakebackResponse { game }))
    }

    async fn answer_offer(
        &self,
        request: Request<proto::AnswerOfferRequest>,
    ) -> Result<Response<proto::AnswerOfferResponse>, Status> {
        let (asked, id, content) = asked_of_game(request)?;
        let proto::AnswerOfferRequest {
            game_id: _,
            offer_id,
            answer,
            request_id: _,
        } = content;
        let accept = match proto::OfferAnswer::try_from(answer) {
            Ok(proto::OfferAnswer::Accept) => true,
            Ok(proto::OfferAnswer::Decline) => false,
            Ok(proto::OfferAnswer::Unspecified) | Err(_) => {
                return Err(invalid("answer", "is required: accept or decline"));
            }
        };
        let command = Command::Answer {
            offer: required("offer_id", (offer_id != 0).then_some(offer_id))?,
            accept,
        };
        let game = self.change(asked, id, command).await?;
        Ok(Response::new(proto::AnswerOfferResponse { game }))
    }

    async fn rematch_game(
        &self,
        request: Request<proto::RematchGameRequest>,
    ) -> Result<Response<proto::RematchGameResponse>, Status> {
        let (asked, id, content) = asked_of_game(request)?;
        let proto::RematchGameRequest {
            game_id: _,
            request_id: _,
        } = content;
        let game = self.session.rematch(id, asked.player, asked.request).await;
        Ok(Response::new(proto::RematchGameResponse {
            game: Some(game::game(&game.map_err(error::of_game(id))?)),
        }))
    }

    async fn list_game_events(
        &self,
        request: Request<proto::ListGameEventsRequest>,
    ) -> Result<Response<proto::ListGameEventsResponse>, Status> {
        let viewer = identity::viewer(&request)?;
        let proto::ListGameEventsRequest {
            game_id,
            after_seq,
            page_size,
            wait,
            omit_steps,
        } = request.into_inner();
        let id = game::named(&game_id)?;
        let size = page::size(page_size)?;
        let deadline = Instant::now() + listing::wait(wait)?;
        let after = Some(after_seq.unwrap_or(0));
        let watch = self.session.watch(id, viewer, after).await;
        let watch = watch.map_err(error::of_game(id))?;
        let page =
            listing::events(id, watch, omit_steps, (size, self.most_bytes), deadline).await?;
        Ok(Response::new(page))
    }

    async fn export_game(
        &self,
        request: Request<proto::ExportGameRequest>,
    ) -> Result<Response<proto::ExportGameResponse>, Status> {
        let viewer = identity::viewer(&request)?;
        let proto::ExportGameRequest { game_id } = request.into_inner();
        let text = self.export(game::named(&game_id)?, viewer).await?;
        Ok(Response::new(proto::ExportGameResponse { text }))
    }

    async fn import_game(
        &self,
        request: Request<proto::ImportGameRequest>,
    ) -> Result<Response<proto::ImportGameResponse>, Status> {
        let who = gate::who(&request);
        let (asked, content) = asked(request)?;
        let known = self.session.created_by(asked.request).await;
        let game = match known.map_err(error::of_none)? {
            Some(game) => game,
            None => {
                let replayed = self.replayed(asked, content, who).await?;
                let imported = self.session.import(replayed, asked.request).await;
                imported.map_err(error::of_none)?
            }
        };
        game::name(game.created().game_id);
        Ok(Response::new(proto::ImportGameResponse {
            game: Some(game::game(&game)),
        }))
    }

    async fn watch_game(
        &self,
        request: Request<proto::WatchGameRequest>,
    ) -> Result<Response<WatchStream>, Status> {
        let viewer = identity::viewer(&request)?;
        let proto::WatchGameRequest {
            game_id,
            after_seq,
            omit_steps,
        } = request.into_inner();
        let id = game::named(&game_id)?;
        let watch = self.session.watch(id, viewer, after_seq).await;
        let watch = watch.map_err(error::of_game(id))?;
        Ok(Response::new(watch::stream(watch, omit_steps)))
    }
}
