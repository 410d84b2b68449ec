//! Request ids: a call may come again, at any time and from anywhere, and is carried out once.

use std::{fmt::Debug, future::Future};

use mancala::grpc::{
    Reason,
    proto::{
        CreateGameRequest, FirstMover, JoinGameRequest, ListGamesRequest, RegisterPlayerRequest,
        RegisterPlayerResponse, ResignGameRequest, SubmitMoveRequest, Visibility,
    },
};
use tokio::task::JoinSet;

use crate::support::{
    chance::Chance,
    client::{Answer, Caller, fresh_id, join, open, play, resign, solo},
    server::Server,
    status::{refused, refused_field},
    within,
};

/// Makes the same call sixteen times at once. All answers are the one given.
pub(super) async fn at_once<Q, T, F>(
    caller: &Caller,
    request: &Q,
    call: impl Fn(Caller, Q) -> F,
) -> T
where
    Q: Clone,
    T: Clone + Debug + PartialEq + Send + 'static,
    F: Future<Output = Answer<T>> + Send + 'static,
{
    let mut calls = JoinSet::new();
    for _ in 0..16 {
        calls.spawn(call(caller.clone(), request.clone()));
    }
    let mut answers = Vec::new();
    while let Some(answer) = within(calls.join_next()).await {
        answers.push(answer.unwrap().unwrap());
    }
    assert_eq!(answers, vec![answers[0].clone(); 16]);
    answers.swap_remove(0)
}

async fn register(
    caller: Caller,
    request: RegisterPlayerRequest,
) -> Answer<RegisterPlayerResponse> {
    let answer = caller.players().register_player(request).await?;
    Ok(answer.into_inner())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_created_game_is_created_once() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    // Lots are drawn for the join code, for who begins, and for the id.
    let request = CreateGameRequest {
        request_id: fresh_id(),
        visibility: Visibility::Private.into(),
        first: FirstMover::Random.into(),
        ..open("en-dodoi")
    };
    let call = |alice: Caller, request| async move { alice.create_whole(request).await };
    let created = at_once(&alice, &request, call).await;
    let mine = alice.list(ListGamesRequest::default()).await.unwrap();
    assert_eq!(mine.games.len(), 1);
    let id = &created.game.as_ref().unwrap().game_id;
    let join_code = created.join_code.clone();
    bob.join(JoinGameRequest {
        join_code,
        ..join(id)
    })
    .await
    .unwrap();
    alice.resign(resign(id)).await.unwrap();
    assert_eq!(
        alice.create_whole(request.clone()).await.unwrap(),
        created,
        "as it was then"
    );
    server.stop().await;

    let server = Server::start(folder.path()).await;
    let (alice, bob) = (alice.at(&server), bob.at(&server));
    assert_eq!(alice.create_whole(request.clone()).await.unwrap(), created);
    let other = CreateGameRequest {
        holes: 7,
        ..request.clone()
    };
    refused_field(
        alice.create(other).await,
        Reason::RequestIdReused,
        "request_id",
    );
    let his = bob.create(request).await.unwrap();
    assert_ne!(&his.game_id, id, "another player's request is another");
    let mine = alice.list(ListGamesRequest::default()).await.unwrap();
    assert_eq!(mine.games.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_is_made_once() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let id = alice.create(solo("en-dodoi")).await.unwrap().game_id;
    let request = SubmitMoveRequest {
        request_id: fresh_id(),
        expected_turn: Some(0),
        ..play(&id, 4)
    };
    let call = |alice: Caller, request| async move { alice.submit(request).await };
    let made = at_once(&alice, &request, call).await;
    assert_eq!(alice.get(&id).await.unwrap(), made.game.clone().unwrap());
    assert_eq!(made.game.as_ref().unwrap().seq, 2);
    for hole in [3, 1, 5] {
        alice.play(&id, hole).await.unwrap();
    }
    assert_eq!(
        alice.submit(request.clone()).await.unwrap(),
        made,
        "as it was then"
    );
    let over = alice
        .resign(ResignGameRequest {
            side: 1,
            ..resign(&id)
        })
        .await
        .unwrap();
    server.stop().await;

    let server = Server::start(folder.path()).await;
    let alice = alice.at(&server);
    assert_eq!(alice.submit(request.clone()).await.unwrap(), made);
    let brief = SubmitMoveRequest {
        omit_steps: true,
        ..request.clone()
    };
    let told = alice.submit(brief).await.unwrap();
    assert_eq!(told.game, made.game, "steps are not part of the content");
    let others = [
        SubmitMoveRequest {
            hole: Some(3),
            ..request.clone()
        },
        SubmitMoveRequest {
            expected_turn: None,
            ..request.clone()
        },
        SubmitMoveRequest {
            expected_turn: Some(4),
            ..request.clone()
        },
    ];
    for other in others {
        let answer = alice.submit(other).await;
        refused_field(answer, Reason::RequestIdReused, "request_id");
    }
    assert_eq!(alice.get(&id).await.unwrap(), over);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_seat_is_taken_once_and_a_game_resigned_once() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let request = CreateGameRequest {
        south: None,
        ..open("bosh")
    };
    let id = alice.create(request).await.unwrap().game_id;
    let request_id = fresh_id();
    let take = JoinGameRequest {
        request_id: request_id.clone(),
        ..join(&id)
    };
    let call = |bob: Caller, take| async move { bob.join(take).await };
    let joined = at_once(&bob, &take, call).await;
    assert_eq!(joined.seq, 2, "one of the two open seats");
    alice.join(join(&id)).await.unwrap();

    let give_up = ResignGameRequest {
        request_id: fresh_id(),
        ..resign(&id)
    };
    let call = |bob: Caller, give_up| async move { bob.resign(give_up).await };
    let over = at_once(&bob, &give_up, call).await;
    assert_eq!(over.seq, 4);
    server.stop().await;

    let server = Server::start(folder.path()).await;
    let bob = bob.at(&server);
    assert_eq!(bob.join(take.clone()).await.unwrap(), joined);
    assert_eq!(bob.resign(give_up.clone()).await.unwrap(), over);
    let (reason, field) = (Reason::RequestIdReused, "request_id");
    let other = JoinGameRequest { side: 2, ..take };
    refused_field(bob.join(other).await, reason, field);
    let other = ResignGameRequest { side: 1, ..give_up };
    refused_field(bob.resign(other).await, reason, field);
    // The same id, but another call.
    let other = SubmitMoveRequest {
        request_id: request_id.clone(),
        ..play(&id, 0)
    };
    refused_field(bob.submit(other).await, reason, field);
    let other = ResignGameRequest {
        request_id,
        ..resign(&id)
    };
    refused_field(bob.resign(other).await, reason, field);
    assert_eq!(bob.get(&id).await.unwrap(), over);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_is_registered_once() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let stranger = server.stranger();
    let request = RegisterPlayerRequest {
        name: "Alice".into(),
        kind: 1,
        request_id: fresh_id(),
    };
    let registered = at_once(&stranger, &request, register).await;
    server.stop().await;
    let server = Server::start(folder.path()).await;
    let stranger = server.stranger();
    let again = register(stranger.clone(), request.clone()).await.unwrap();
    assert_eq!(again, registered, "the token too");
    let (reason, field) = (Reason::RequestIdReused, "request_id");
    let other = RegisterPlayerRequest {
        name: "Bob".into(),
        ..request.clone()
    };
    refused_field(register(stranger.clone(), other).await, reason, field);
    let other = RegisterPlayerRequest {
        kind: 2,
        ..request.clone()
    };
    refused_field(register(stranger.clone(), other).await, reason, field);
    let request_id = fresh_id();
    let other = RegisterPlayerRequest {
        request_id,
        ..request
    };
    let other = register(stranger, other).await.unwrap();
    assert_ne!(
        other.player.unwrap().player_id,
        registered.player.unwrap().player_id
    );
}

#[tokio::test]
async fn an_id_belongs_to_its_player_and_its_game() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let request_id = fresh_id();
    let mut ids = Vec::new();
    for _ in 0..2 {
        let id = alice.create(open("en-dodoi")).await.unwrap().game_id;
        let request_id = request_id.clone();
        bob.join(JoinGameRequest {
            request_id,
            ..join(&id)
        })
        .await
        .unwrap();
        ids.push(id);
    }
    let create = CreateGameRequest {
        request_id: request_id.clone(),
        ..solo("bosh")
    };
    ids.push(alice.create(create).await.unwrap().game_id);
    for id in &ids {
        let request = SubmitMoveRequest {
            request_id: request_id.clone(),
            ..play(id, 4)
        };
        let made = alice.submit(request).await.unwrap();
        assert_eq!(made.game.unwrap().moves.len(), 1);
    }
    let other_id = fresh_id();
    for id in &ids[..2] {
        let request_id = other_id.clone();
        let request = SubmitMoveRequest {
            request_id,
            ..play(id, 3)
        };
        let made = bob.submit(request).await.unwrap();
        assert_eq!(made.game.unwrap().moves.len(), 2);
    }
}

#[tokio::test]
async fn a_call_that_failed_leaves_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let request_id = fresh_id();
    let create = |variant: &str| CreateGameRequest {
        request_id: request_id.clone(),
        ..open(variant)
    };
    refused(alice.create(create("chess")).await, Reason::VariantNotFound);
    let id = alice.create(create("en-dodoi")).await.unwrap().game_id;

    let mine = |hole| SubmitMoveRequest {
        request_id: request_id.clone(),
        ..play(&id, hole)
    };
    refused(alice.submit(mine(4)).await, Reason::GameNotStarted);
    let take = |side| JoinGameRequest {
        request_id: request_id.clone(),
        side,
        ..join(&id)
    };
    refused(bob.join(take(1)).await, Reason::SeatTaken);
    bob.join(take(2)).await.unwrap();
    refused(alice.submit(mine(9)).await, Reason::HoleOutOfRange);
    alice.submit(mine(4)).await.unwrap();

    let request_id = fresh_id();
    let give_up = |side| ResignGameRequest {
        request_id: request_id.clone(),
        side,
        ..resign(&id)
    };
    refused(bob.resign(give_up(1)).await, Reason::NotSeated);
    bob.resign(give_up(2)).await.unwrap();

    let request_id = fresh_id();
    let named = |name: &str| RegisterPlayerRequest {
        name: name.into(),
        kind: 1,
        request_id: request_id.clone(),
    };
    refused(
        register(server.stranger(), named("x")).await,
        Reason::InvalidField,
    );
    register(server.stranger(), named("Xenia")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_its_caller_gave_up_can_be_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let target_wins = 100;
    let series = CreateGameRequest {
        target_wins,
        ..solo("en-dodoi")
    };
    let id = alice.create(series).await.unwrap().game_id;
    let mut chance = Chance::new(2);
    for count in 1..=40 {
        let legal = alice.legal(&id).await.unwrap().moves;
        let request = SubmitMoveRequest {
            request_id: fresh_id(),
            ..play(&id, chance.of(&legal).hole)
        };
        // Dropped somewhere on its way, which cancels it, or after its end.
        let patience = 1 << chance.below(16);
        tokio::select! {
            biased;
            _ = alice.submit(request.clone()) => {}
            () = async { for _ in 0..patience { tokio::task::yield_now().await } } => {}
        }
        let made = alice.submit(request).await.unwrap();
        assert_eq!(made.game.unwrap().moves.len(), count);
    }
}
