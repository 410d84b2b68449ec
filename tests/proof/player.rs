//! What a random player does: all that players do, and much that they should not.

use mancala::grpc::proto::{self, GameStatus, Side, time_control::Control};
use prost_types::Duration;

use super::{
    client::Client,
    methods::{Method, decode},
    tables::Table,
};

/// Most moves of a player who plays alone, one right after the other.
const SPRINT: usize = 150;

/// Games that a player has going at a time.
const AT_A_TIME: usize = 4;

impl Client {
    /// Plays until it is over. `variants` are those of the server.
    pub(crate) async fn play(mut self, variants: Vec<proto::VariantSummary>) {
        while !self.world.is_over() {
            self.act(&variants).await;
            self.rest(0, 12).await;
        }
    }

    async fn act(&mut self, variants: &[proto::VariantSummary]) {
        match self.chance.below(100) {
            0..8 => self.create(variants).await,
            8..16 => self.join().await,
            16..60 => self.make_move().await,
            60..64 => self.offer().await,
            64..70 => self.answer_offer().await,
            70 => self.resign().await,
            71 => self.abort().await,
            72..76 => self.rematch().await,
            76..78 => self.exchange_text().await,
            78..82 => self.get().await,
            82..86 => self.list().await,
            86..91 => self.events().await,
            91..96 => self.once_more().await,
            96 | 97 => self.reuse_id().await,
            98 => self.sprint().await,
            _ => self.ask_too_much().await,
        }
    }

    /// One of the caller's games that are being played.
    fn own_active(&mut self) -> Option<Table> {
        let id = self.player.id.clone();
        let own = |table: &Table| table.is(GameStatus::Active) && !table.sides_of(&id).is_empty();
        self.world.tables.game(&mut self.chance, own)
    }

    /// Plays alone and fast, so that who watches falls behind.
    async fn sprint(&mut self) {
        let id = self.player.id.clone();
        let alone = |table: &Table| table.is(GameStatus::Active) && table.sides_of(&id).len() == 2;
        let Some(table) = self.world.tables.game(&mut self.chance, alone) else {
            return;
        };
        for _ in 0..SPRINT {
            if self.world.is_over() || !self.move_in(table.game.game_id.clone()).await {
                return;
            }
        }
    }

    pub(super) fn any(&mut self) -> Option<Table> {
        self.world.tables.game(&mut self.chance, |_| true)
    }

    async fn create(&mut self, variants: &[proto::VariantSummary]) {
        let id = self.player.id.clone();
        let going = |table: &Table| {
            table.is_of(&id) && (table.is(GameStatus::Active) || table.is(GameStatus::Waiting))
        };
        if self.world.tables.count(going) >= AT_A_TIME {
            return self.make_move().await;
        }
        let variant = self.chance.of(variants).clone();
        let holes = match self.chance.below(3) {
            0 => 0,
            1 => variant.min_holes,
            _ => variant.max_holes,
        };
        let (south, north) = self.seats();
        let request = proto::CreateGameRequest {
            variant: variant.variant,
            holes,
            south,
            north,
            first: self.chance.below(4) as i32,
            target_wins: match variant.max_seeds > 1 && self.once_in(6) {
                true => 2,
                false => 1,
            },
            visibility: self.chance.below(4) as i32,
            start_position: None,
            request_id: self.usual_id(),
            seeds: match self.once_in(3) {
                true => variant.min_seeds,
                false => 0,
            },
            time_control: self.time_control(),
        };
        self.change(Method::CreateGame, &request).await;
    }

    fn seats(&mut self) -> (Option<proto::SeatRequest>, Option<proto::SeatRequest>) {
        use proto::seat_request::Seat;
        let caller = Some(Seat::Caller(proto::CallerSeat {}));
        let other = match self.chance.below(8) {
            0 => caller.clone(),
            1..4 => {
                let other = self.world.tables.player(&mut self.chance);
                Some(Seat::InvitedPlayerId(other.id))
            }
            _ => Some(Seat::Open(proto::OpenSeat {})),
        };
        let caller = match self.once_in(12) {
            true => Some(Seat::Open(proto::OpenSeat {})),
            false => caller,
        };
        let seats = [caller, other].map(|seat| Some(proto::SeatRequest { seat }));
        let [one, two] = seats;
        match self.once_in(2) {
            true => (one, two),
            false => (two, one),
        }
    }

    fn time_control(&mut self) -> Option<proto::TimeControl> {
        let millis = |millis: usize| Duration {
            seconds: (millis / 1_000) as i64,
            nanos: (millis % 1_000 * 1_000_000) as i32,
        };
        let control = match self.chance.below(6) {
            0 | 1 => return None,
            2 => Control::PerMove(millis(1_000 + self.chance.below(5_000))),
            3 => Control::PerMove(millis(60_000)),
            4 => Control::BaseTime(proto::BaseTime {
                base: Some(millis(1_000 + self.chance.below(6_000))),
                increment: Some(millis(self.chance.below(300))),
            }),
            _ => Control::BaseTime(proto::BaseTime {
                base: None,
                increment: Some(millis(1_000 + self.chance.below(1_000))),
            }),
        };
        Some(proto::TimeControl {
            control: Some(control),
        })
    }

    async fn join(&mut self) {
        // Most often of others.
        let (id, any) = (self.player.id.clone(), self.once_in(8));
        let waiting = |table: &Table| {
            table.is(GameStatus::Waiting) && (any || table.sides_of(&id).is_empty())
        };
        let Some(table) = self.world.tables.game(&mut self.chance, waiting) else {
            return;
        };
        let request = proto::JoinGameRequest {
            side: match self.once_in(5) {
                true => 1 + self.chance.below(2) as i32,
                false => Side::Unspecified.into(),
            },
            join_code: match self.once_in(10) {
                true => "wrong".into(),
                false => table.join_code,
            },
            game_id: table.game.game_id,
            request_id: self.usual_id(),
        };
        self.change(Method::JoinGame, &request).await;
    }

    async fn make_move(&mut self) {
        let id = self.player.id.clone();
        let own_turn = |table: &Table| {
            table.is(GameStatus::Active) && table.sides_of(&id).contains(&table.to_move())
        };
        let careless = self.once_in(12);
        let table = match careless {
            true => self.own_active(),
            false => self.world.tables.game(&mut self.chance, own_turn),
        };
        if let Some(table) = table {
            self.move_in(table.game.game_id).await;
        }
    }

    /// Makes a move, good or not, and says whether there may be more of them.
    async fn move_in(&mut self, game_id: String) -> bool {
        let request = proto::ListLegalMovesRequest {
            game_id: game_id.clone(),
            omit_steps: true,
        };
        let Some(legal) = self.ask(Method::ListLegalMoves, &request).await else {
            return false;
        };
        let legal: proto::ListLegalMovesResponse = decode(&legal);
        let hole = match legal.moves.is_empty() || self.once_in(20) {
            true => self.chance.below(12) as u32,
            false => self.chance.of(&legal.moves).hole,
        };
        let request = proto::SubmitMoveRequest {
            game_id,
            hole: Some(hole),
            expected_turn: match self.chance.below(12) {
                0 => None,
                1 => Some(legal.turn.saturating_sub(1)),
                2 => Some(legal.turn + 1),
                _ => Some(legal.turn),
            },
            request_id: self.usual_id(),
            omit_steps: self.once_in(2),
        };
        self.change(Method::SubmitMove, &request).await;
        !legal.moves.is_empty()
    }

    async fn offer(&mut self) {
        let Some(table) = self.own_active() else {
            return;
        };
        let side = table.side_for(&self.player.id, &mut self.chance);
        let expected_turn = self.once_in(2).then_some(table.game.turn);
        let (game_id, request_id) = (table.game.game_id, self.usual_id());
        match self.once_in(3) {
            true => {
                let request = proto::OfferDrawRequest {
                    game_id,
                    expected_turn,
                    request_id,
                    side,
                };
                self.change(Method::OfferDraw, &request).await;
            }
            false => {
                let request = proto::RequestTakebackRequest {
                    game_id,
                    expected_turn,
                    request_id,
                    side,
                };
                self.change(Method::RequestTakeback, &request).await;
            }
        }
    }

    async fn answer_offer(&mut self) {
        let id = self.player.id.clone();
        let offered = |table: &Table| {
            table.is(GameStatus::Active)
                && table.game.open_offer.is_some()
                && !table.sides_of(&id).is_empty()
        };
        let Some(table) = self.world.tables.game(&mut self.chance, offered) else {
            return;
        };
        let offer = table.game.open_offer.unwrap_or_default();
        // A draw ends a game: most are declined.
        let accepts = match offer.kind() {
            proto::OfferKind::Draw => self.once_in(6),
            _ => !self.once_in(3),
        };
        let request = proto::AnswerOfferRequest {
            game_id: table.game.game_id,
            offer_id: offer.offer_id,
            answer: match accepts {
                true => proto::OfferAnswer::Accept.into(),
                false => proto::OfferAnswer::Decline.into(),
            },
            request_id: self.usual_id(),
        };
        self.change(Method::AnswerOffer, &request).await;
    }

    async fn resign(&mut self) {
        let Some(table) = self.own_active() else {
            return;
        };
        let request = proto::ResignGameRequest {
            side: table.side_for(&self.player.id, &mut self.chance),
            game_id: table.game.game_id,
            request_id: self.usual_id(),
        };
        self.change(Method::ResignGame, &request).await;
    }

    async fn abort(&mut self) {
        let id = self.player.id.clone();
        let own = |table: &Table| table.is_of(&id) || table.game.creator_id == id;
        let Some(table) = self.world.tables.game(&mut self.chance, own) else {
            return;
        };
        let request = proto::AbortGameRequest {
            game_id: table.game.game_id,
            request_id: self.usual_id(),
        };
        self.change(Method::AbortGame, &request).await;
    }

    async fn rematch(&mut self) {
        let id = self.player.id.clone();
        let over = |table: &Table| {
            let over = table.is(GameStatus::Finished) || table.is(GameStatus::Aborted);
            over && !table.sides_of(&id).is_empty()
        };
        let Some(table) = self.world.tables.game(&mut self.chance, over) else {
            return;
        };
        let request = proto::RematchGameRequest {
            game_id: table.game.game_id,
            request_id: self.usual_id(),
        };
        self.change(Method::RematchGame, &request).await;
    }

    async fn get(&mut self) {
        if let Some(table) = self.any() {
            let game_id = table.game.game_id;
            self.ask(Method::GetGame, &proto::GetGameRequest { game_id })
                .await;
        }
    }

    async fn list(&mut self) {
        let player_id = match self.chance.below(3) {
            0 => String::new(),
            1 => self.player.id.clone(),
            _ => self.world.tables.player(&mut self.chance).id,
        };
        let request = proto::ListGamesRequest {
            page_size: if self.once_in(3) { 200 } else { 10 },
            page_token: String::new(),
            status: if self.once_in(3) {
                self.chance.below(5) as i32
            } else {
                0
            },
            player_id,
            variant: String::new(),
            open_seat: self.once_in(10),
        };
        self.ask(Method::ListGames, &request).await;
    }

    async fn events(&mut self) {
        let Some(table) = self.any() else { return };
        let seq = table.game.seq;
        let request = proto::ListGameEventsRequest {
            game_id: table.game.game_id,
            after_seq: match self.chance.below(4) {
                0 => None,
                1 => Some(0),
                2 => Some(seq),
                _ => Some(seq.saturating_sub(self.chance.below(5) as u64)),
            },
            page_size: if self.once_in(4) { 3 } else { 200 },
            wait: self.once_in(3).then_some(Duration {
                seconds: 0,
                nanos: 200_000_000,
            }),
            omit_steps: !self.once_in(5),
        };
        self.ask(Method::ListGameEvents, &request).await;
    }
}
