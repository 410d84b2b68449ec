//! What a random player does beside playing: texts of games, calls of the past once more, ids taken twice, and
//! more than is allowed.

use mancala::grpc::proto::{self, GameStatus};

use super::{
    client::{Client, Past},
    methods::{Method, decode},
    tables::Table,
};

impl Client {
    pub(super) async fn exchange_text(&mut self) {
        if self.once_in(2) {
            let Some(text) = self.world.tables.text(&mut self.chance) else {
                return;
            };
            let request = proto::ImportGameRequest {
                text,
                visibility: self.chance.below(4) as i32,
                request_id: self.usual_id(),
            };
            self.change(Method::ImportGame, &request).await;
            return;
        }
        let finished = |table: &Table| table.is(GameStatus::Finished);
        if let Some(table) = self.world.tables.game(&mut self.chance, finished) {
            let game_id = table.game.game_id;
            let request = proto::ExportGameRequest { game_id };
            if let Some(answer) = self.ask(Method::ExportGame, &request).await {
                let answer: proto::ExportGameResponse = decode(&answer);
                self.world.tables.hear_text(answer.text);
            }
        }
    }

    pub(super) async fn once_more(&mut self) {
        if let Some(past) = self.past() {
            self.repeat(past).await;
        }
    }

    /// Takes the id of a call of the past for something else.
    pub(super) async fn reuse_id(&mut self) {
        let Some(Past { method, request }) = self.past() else {
            return;
        };
        let Some(change) = method.change(&request) else {
            return;
        };
        let (game_id, request_id) = (change.game_id, change.request_id);
        match method {
            Method::CreateGame => {
                let mut request: proto::CreateGameRequest = decode(&request);
                request.visibility = (request.visibility + 1) % 4;
                self.change(method, &request).await;
            }
            Method::ImportGame => {
                let mut request: proto::ImportGameRequest = decode(&request);
                request.visibility = (request.visibility + 1) % 4;
                self.change(method, &request).await;
            }
            Method::SubmitMove if self.once_in(2) => {
                let mut request: proto::SubmitMoveRequest = decode(&request);
                request.hole = request.hole.map(|hole| (hole + 1) % 5);
                self.change(method, &request).await;
            }
            Method::OfferDraw => {
                let request = proto::RequestTakebackRequest {
                    game_id,
                    request_id,
                    ..Default::default()
                };
                self.change(Method::RequestTakeback, &request).await;
            }
            _ => {
                let request = proto::OfferDrawRequest {
                    game_id,
                    request_id,
                    ..Default::default()
                };
                self.change(Method::OfferDraw, &request).await;
            }
        }
    }

    pub(super) async fn ask_too_much(&mut self) {
        match self.chance.below(4) {
            0 => {
                let request = proto::ImportGameRequest {
                    text: " ".repeat(70_000),
                    request_id: self.request_id(),
                    ..Default::default()
                };
                self.ask(Method::ImportGame, &request).await;
            }
            1 => {
                let request = proto::ListGamesRequest {
                    page_size: 201,
                    ..Default::default()
                };
                self.ask(Method::ListGames, &request).await;
            }
            2 => {
                let request = proto::ApplyMovesRequest {
                    position: Some(proto::Position {
                        variant: "kalah".into(),
                        text: "4,4,4,4,4,4/4,4,4,4,4,4 0-0 S".into(),
                        ..Default::default()
                    }),
                    moves: vec![0; 300],
                    ..Default::default()
                };
                self.ask(Method::ApplyMoves, &request).await;
            }
            _ => {
                let Some(table) = self.any() else { return };
                let request = proto::ListGameEventsRequest {
                    after_seq: Some(table.game.seq + 1_000_000),
                    game_id: table.game.game_id,
                    ..Default::default()
                };
                self.ask(Method::ListGameEvents, &request).await;
            }
        }
    }
}
