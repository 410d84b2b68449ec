//! Whether the checks find what they are to find: a small good history has nothing to be found in it, and each
//! way of spoiling it is found by the promise that it breaks.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use mancala::{
    grpc::proto::{self, Side},
    store::Sqlite,
};
use prost::Message;
use tokio::{net::TcpListener, sync::oneshot};
use uuid::Uuid;

use super::{
    case::Case,
    check::{self, Past},
    faulty,
    history::Answer,
    methods::{Method, decode},
    tamper,
    wire::{Player, Stream, Wire},
};

const PATIENCE: Duration = Duration::from_secs(20);

/// Tries all checks; whether they are good.
pub(crate) async fn run() -> bool {
    let good = small().await;
    let past = Past::of(good.lines.clone(), good.entries.clone());
    let judged = check::all(&past);
    let mut problems: Vec<String> = judged
        .findings
        .iter()
        .map(|finding| format!("found in the good history: {finding}"))
        .collect();
    let mut tried: BTreeSet<&str> = BTreeSet::new();
    for (promise, what, tamper) in tamper::ALL {
        let mut case = good.clone();
        tamper(&mut case);
        let judged = check::all(&Past::of(case.lines, case.entries));
        if !judged
            .findings
            .iter()
            .any(|finding| finding.promise == *promise)
        {
            problems.push(format!("{promise:?} did not find: {what}"));
        }
        tried.insert(promise);
    }
    let untried = judged
        .checked
        .keys()
        .filter(|promise| !tried.contains(promise.as_str()));
    problems.extend(untried.map(|promise| format!("{promise:?} was not tried")));
    for problem in &problems {
        eprintln!("SELF-TEST {problem}");
    }
    eprintln!(
        "self-test: {} spoiled histories, {} problems",
        tamper::ALL.len(),
        problems.len()
    );
    problems.is_empty()
}

/// A small good history.
async fn small() -> Case {
    let folder = tempfile::tempdir().expect("there are temporary folders");
    let listener = TcpListener::bind("127.0.0.1:0")
        .await
        .expect("there is a free port");
    let address = listener.local_addr().expect("it is bound").to_string();
    let (stop, stopping) = oneshot::channel::<()>();
    let store = Arc::new(Sqlite::open(folder.path()).expect("the folder is free"));
    let path = folder.path().to_owned();
    let serving = tokio::spawn(async move {
        faulty::serve_store(store, &path, listener, async {
            let _ = stopping.await;
        })
        .await;
    });
    let wire = Wire::new(&address, 2);
    Script { wire: &wire }.play().await;
    stop.send(()).expect("it serves");
    serving.await.expect("it stops");
    let lines = wire.history.take();
    drop(wire);
    Case {
        lines,
        entries: check::entries(folder.path()).await,
    }
}

struct Script<'a> {
    wire: &'a Wire,
}

impl Script<'_> {
    async fn send(&self, player: &Player, method: Method, request: Vec<u8>) -> Answer {
        self.wire.call(0, player, method, request, PATIENCE).await
    }

    async fn done<A: Message + Default>(
        &self,
        player: &Player,
        method: Method,
        request: &impl Message,
    ) -> A {
        match self.send(player, method, request.encode_to_vec()).await {
            Answer::Done(answer) => decode(&answer),
            other => panic!("{} was answered {other:?}", method.name()),
        }
    }

    async fn register(&self, name: &str) -> Player {
        let request = proto::RegisterPlayerRequest {
            name: name.into(),
            kind: proto::PlayerKind::Bot.into(),
            request_id: id(),
        };
        let nobody = Player::default();
        let again = request.encode_to_vec();
        let first: proto::RegisterPlayerResponse =
            self.done(&nobody, Method::RegisterPlayer, &request).await;
        self.send(&nobody, Method::RegisterPlayer, again).await;
        Player {
            id: first.player.unwrap_or_default().player_id,
            token: first.token,
        }
    }

    async fn game(
        &self,
        ann: &Player,
        bob: &Player,
        control: proto::time_control::Control,
    ) -> String {
        let request = proto::CreateGameRequest {
            variant: "kalah".into(),
            south: Some(proto::SeatRequest {
                seat: Some(proto::seat_request::Seat::Caller(proto::CallerSeat {})),
            }),
            time_control: Some(proto::TimeControl {
                control: Some(control),
            }),
            request_id: id(),
            ..Default::default()
        };
        let created: proto::CreateGameResponse = self.done(ann, Method::CreateGame, &request).await;
        let game_id = created.game.unwrap_or_default().game_id;
        let request = proto::JoinGameRequest {
            game_id: game_id.clone(),
            request_id: id(),
            ..Default::default()
        };
        let _: proto::JoinGameResponse = self.done(bob, Method::JoinGame, &request).await;
        game_id
    }

    async fn make_move(&self, players: [&Player; 2], game_id: &str) -> (Vec<u8>, proto::Game) {
        let request = proto::GetGameRequest {
            game_id: game_id.into(),
        };
        let game: proto::GetGameResponse = self.done(players[0], Method::GetGame, &request).await;
        let position = game.game.and_then(|game| game.position).unwrap_or_default();
        let mover = players[usize::from(position.to_move() == Side::North)];
        let request = proto::ListLegalMovesRequest {
            game_id: game_id.into(),
            omit_steps: true,
        };
        let legal: proto::ListLegalMovesResponse =
            self.done(mover, Method::ListLegalMoves, &request).await;
        let request = proto::SubmitMoveRequest {
            game_id: game_id.into(),
            hole: legal.moves.first().map(|outcome| outcome.hole),
            expected_turn: Some(legal.turn),
            request_id: id(),
            omit_steps: false,
        };
        let answer: proto::SubmitMoveResponse =
            self.done(mover, Method::SubmitMove, &request).await;
        (request.encode_to_vec(), answer.game.unwrap_or_default())
    }

    /// Opens a stream and reads so many messages.
    async fn read(
        &self,
        player: &Player,
        method: Method,
        request: &impl Message,
        count: usize,
    ) -> Stream {
        let mut stream = self
            .wire
            .open(1, player, method, request.encode_to_vec())
            .await;
        for _ in 0..count {
            stream.next().await;
        }
        stream
    }

    async fn play(&self) {
        let (ann, bob) = (self.register("Ann").await, self.register("Bob").await);
        let players = [&ann, &bob];
        let inbox = proto::WatchPlayerRequest::default();
        let mut inbox = self.read(&ann, Method::WatchPlayer, &inbox, 1).await;
        let base = proto::time_control::Control::BaseTime(proto::BaseTime {
            base: Some(seconds(60)),
            increment: Some(seconds(1)),
        });
        let game_id = self.game(&ann, &bob, base).await;
        let watch = |after_seq| proto::WatchGameRequest {
            game_id: game_id.clone(),
            after_seq,
            omit_steps: true,
        };
        let mut live = self.read(&bob, Method::WatchGame, &watch(None), 1).await;
        let mut last = (Vec::new(), proto::Game::default());
        for _ in 0..6 {
            last = self.make_move(players, &game_id).await;
        }
        self.quarrel(players, &game_id, &last).await;
        let request = proto::ResignGameRequest {
            game_id: game_id.clone(),
            request_id: id(),
            ..Default::default()
        };
        let _: proto::ResignGameResponse = self.done(&bob, Method::ResignGame, &request).await;
        while live.next().await.is_some() {}
        let mut late = self.read(&ann, Method::WatchGame, &watch(Some(0)), 0).await;
        while late.next().await.is_some() {}

        // One that ends by time.
        let control = proto::time_control::Control::PerMove(seconds(1));
        let quick = self.game(&ann, &bob, control).await;
        for _ in 0..4 {
            self.make_move(players, &quick).await;
        }
        let attention = proto::WatchPlayerRequest::default();
        drop(self.read(&ann, Method::WatchPlayer, &attention, 1).await);
        drop(self.read(&bob, Method::WatchPlayer, &attention, 1).await);
        let request = proto::WatchGameRequest {
            game_id: quick.clone(),
            after_seq: Some(0),
            omit_steps: true,
        };
        let mut to_end = self.read(&ann, Method::WatchGame, &request, 0).await;
        while to_end.next().await.is_some() {}
        for game_id in [&game_id, &quick] {
            let request = proto::ListGameEventsRequest {
                game_id: game_id.clone(),
                omit_steps: true,
                ..Default::default()
            };
            let page: proto::ListGameEventsResponse =
                self.done(&ann, Method::ListGameEvents, &request).await;
            for _ in page.events {
                inbox.next().await;
            }
        }
        let request = proto::ListGamesRequest {
            player_id: ann.id.clone(),
            ..Default::default()
        };
        let _: proto::ListGamesResponse = self.done(&ann, Method::ListGames, &request).await;
    }

    /// A repeated move, its id for another hole, a move at the wrong turn, and an offer that is declined.
    async fn quarrel(&self, players: [&Player; 2], game_id: &str, last: &(Vec<u8>, proto::Game)) {
        let (request, game) = last;
        let mover = game.moves.last().map_or(Side::South, proto::Move::mover);
        let mover = players[usize::from(mover == Side::North)];
        self.send(mover, Method::SubmitMove, request.clone()).await;
        let mut other: proto::SubmitMoveRequest = decode(request);
        other.expected_turn = None;
        self.send(mover, Method::SubmitMove, other.encode_to_vec())
            .await;
        let (expected_turn, request_id) = (Some(900), id());
        let stale = proto::SubmitMoveRequest {
            expected_turn,
            request_id,
            ..other
        };
        self.send(mover, Method::SubmitMove, stale.encode_to_vec())
            .await;
        let request = proto::OfferDrawRequest {
            game_id: game_id.into(),
            expected_turn: Some(game.turn),
            request_id: id(),
            ..Default::default()
        };
        let offered: proto::OfferDrawResponse =
            self.done(players[0], Method::OfferDraw, &request).await;
        let offer = offered
            .game
            .and_then(|game| game.open_offer)
            .unwrap_or_default();
        let request = proto::AnswerOfferRequest {
            game_id: game_id.into(),
            offer_id: offer.offer_id,
            answer: proto::OfferAnswer::Decline.into(),
            request_id: id(),
        };
        let _: proto::AnswerOfferResponse =
            self.done(players[1], Method::AnswerOffer, &request).await;
    }
}

fn id() -> String {
    Uuid::new_v4().to_string()
}

fn seconds(seconds: i64) -> prost_types::Duration {
    prost_types::Duration { seconds, nanos: 0 }
}
