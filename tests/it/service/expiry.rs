//! Seats that nobody takes: after a day the game is aborted.

use std::{
    task::{Context, Waker},
    time::Duration,
};

use crate::support::{
    client::{Caller, invited, join, open, rematch, resign, solo},
    clock::SetClock,
    faults::{Fault, Faults},
    server::Server,
    status::{refused, refused_precondition},
    table::{self, ALICE},
    within,
};
use mancala::{
    game::{GameId, NewGame, SEATS_EXPIRE, Seat},
    grpc::{
        Reason,
        proto::{
            CreateGameRequest, EndReason, Game, GameStatus, ListGamesRequest, Outcome,
            game_event::Change, watch_game_response::Message,
        },
    },
    rules::BySide,
};
use uuid::Uuid;

const DAY: Duration = Duration::from_millis(SEATS_EXPIRE as u64);
const MOMENT: Duration = Duration::from_millis(1);

#[test]
fn it_is_a_day() {
    assert_eq!(DAY, Duration::from_secs(24 * 60 * 60));
}

#[track_caller]
fn assert_expired(game: &Game, waited: &Game) {
    assert_eq!(game.status(), GameStatus::Aborted);
    let result = game.result.unwrap();
    assert_eq!(result.outcome(), Outcome::NoResult);
    assert_eq!(result.reason(), EndReason::Aborted);
    assert_eq!(game.seq, waited.seq + 1);
    assert_eq!((&game.south, &game.north), (&waited.south, &waited.north));
}

/// The last event of a game that was watched from here on: nobody's abortion, and then `OK`.
async fn assert_watched_to_expire(caller: &Caller, game: &Game) {
    let mut watch = caller.watch(&game.game_id, Some(game.seq)).await.unwrap();
    let message = within(watch.message()).await.unwrap().unwrap();
    let Some(Message::Event(event)) = message.message else {
        panic!("{message:?}")
    };
    let Some(Change::Aborted(aborted)) = event.change else {
        panic!("{event:?}")
    };
    assert_eq!(aborted.player_id, "", "nobody did it");
    assert_eq!(event.state.unwrap().status(), GameStatus::Aborted);
    assert_eq!(within(watch.message()).await.unwrap(), None);
}

#[tokio::test]
async fn whatever_waits_for_a_player_expires_after_a_day() {
    let folder = tempfile::tempdir().unwrap();
    let clock = SetClock::new();
    let server = Server::start_at(folder.path(), &clock).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let played = alice.create(open("bosh")).await.unwrap().game_id;
    bob.join(join(&played)).await.unwrap();
    let old = alice.create(open("bosh")).await.unwrap().game_id;
    bob.join(join(&old)).await.unwrap();
    bob.resign(resign(&old)).await.unwrap();
    let invitation = CreateGameRequest {
        north: invited(&bob),
        ..solo("bosh")
    };
    let half = CreateGameRequest {
        south: None,
        ..open("bosh")
    };
    let half = alice.create(half).await.unwrap().game_id;
    let waiting = [
        alice.create(open("bosh")).await.unwrap(),
        alice.create(invitation).await.unwrap(),
        bob.join(join(&half)).await.unwrap(),
        alice.rematch(rematch(&old)).await.unwrap(),
    ];
    clock.advance(DAY - MOMENT);
    let late = alice.create(open("bosh")).await.unwrap();
    for game in &waiting {
        assert_eq!(&alice.get(&game.game_id).await.unwrap(), game);
    }
    clock.advance(MOMENT);
    for game in &waiting {
        assert_watched_to_expire(&bob, game).await;
        let expired = alice.get(&game.game_id).await.unwrap();
        assert_expired(&expired, game);
        let answer = bob.join(join(&game.game_id)).await;
        if seated(&expired, &bob) {
            continue;
        }
        refused_precondition(answer, Reason::GameOver, "GAME_OVER");
    }
    assert_eq!(alice.get(&late.game_id).await.unwrap(), late, "it is young");
    let active = alice.get(&played).await.unwrap();
    assert_eq!(active.status(), GameStatus::Active, "nobody is waited for");
    let open_seat = true;
    let list = ListGamesRequest {
        open_seat,
        ..Default::default()
    };
    assert_eq!(bob.list(list).await.unwrap().games, [late]);
    refused(bob.rematch(rematch(&old)).await, Reason::RematchGone);
}

fn seated(game: &Game, player: &Caller) -> bool {
    let id = &player.id;
    [&game.south, &game.north].iter().any(|seat| {
        let seat = seat.as_ref().unwrap().seat.clone().unwrap();
        matches!(seat, mancala::grpc::proto::seat::Seat::PlayerId(player) if player == *id)
    })
}

#[tokio::test]
async fn a_seat_is_not_taken_after_a_day() {
    let folder = tempfile::tempdir().unwrap();
    let clock = SetClock::new();
    let server = Server::start_at(folder.path(), &clock).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let game = alice.create(open("bosh")).await.unwrap();
    let invitation = CreateGameRequest {
        north: invited(&bob),
        ..solo("bosh")
    };
    let kept = alice.create(invitation).await.unwrap();
    let early = alice.create(open("bosh")).await.unwrap();
    clock.advance(DAY - MOMENT);
    bob.join(join(&early.game_id)).await.unwrap();
    clock.advance(MOMENT);
    for game in [&game, &kept] {
        let answer = bob.join(join(&game.game_id)).await;
        refused_precondition(answer, Reason::GameOver, "GAME_OVER");
    }
    // What was begun in time goes on.
    alice.play(&early.game_id, 0).await.unwrap();
}

/// Waits until no game has an open seat, without touching any.
async fn until_none_is_open(caller: &Caller) {
    let open = ListGamesRequest {
        open_seat: true,
        ..Default::default()
    };
    let empty = async { while !caller.list(open.clone()).await.unwrap().games.is_empty() {} };
    within(empty).await;
}

#[tokio::test]
async fn a_game_expires_whose_creation_was_answered_to_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let (clock, faults) = (SetClock::new(), Faults::default());
    let server = Server::start_faulty_at(folder.path(), faults.clone(), &clock).await;
    let alice = server.player("Alice").await;
    faults.script([Fault::AnswerLost]);
    let lost = alice.create(open("bosh")).await;
    refused(lost, Reason::StoreUnavailable);
    // The caller is gone as soon as it is on its way.
    let new = NewGame {
        game_id: GameId(Uuid::new_v4()),
        seats: BySide {
            south: Seat::Player(ALICE),
            north: Seat::Open,
        },
        ..table::new_game("bosh")
    };
    let mut created = Box::pin(server.session.create(new, None));
    let mut context = Context::from_waker(Waker::noop());
    assert!(created.as_mut().poll(&mut context).is_pending());
    drop(created);
    let list = ListGamesRequest {
        open_seat: true,
        ..Default::default()
    };
    let both = async { while alice.list(list.clone()).await.unwrap().games.len() < 2 {} };
    within(both).await;
    server.pass(&clock, DAY).await;
    until_none_is_open(&alice).await;
}

#[tokio::test]
async fn a_server_looks_when_it_starts() {
    let folder = tempfile::tempdir().unwrap();
    let clock = SetClock::new();
    let server = Server::start_at(folder.path(), &clock).await;
    let alice = server.player("Alice").await;
    let mut games = Vec::new();
    // More than are looked for at once.
    for _ in 0..300 {
        games.push(alice.create(open("bosh")).await.unwrap());
    }
    server.stop().await;
    clock.advance(DAY);
    let server = Server::start_at(folder.path(), &clock).await;
    let alice = alice.at(&server);
    // Nobody asks for any of them.
    until_none_is_open(&alice).await;
    for game in &games {
        assert_watched_to_expire(&alice, game).await;
        assert_expired(&alice.get(&game.game_id).await.unwrap(), game);
    }
}
