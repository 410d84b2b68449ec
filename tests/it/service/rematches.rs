//! Playing again: one rematch of a game, however often and by whomever it is asked for.

use mancala::grpc::{
    Reason,
    proto::{
        AbortGameRequest, CreateGameRequest, FirstMover, Game, GameStatus, ListGamesRequest,
        RematchGameRequest, ResignGameRequest, SubmitMoveRequest, Visibility, seat::Seat,
    },
};
use tokio::task::JoinSet;

use crate::support::{
    client::{Caller, abort, fresh_id, invited, join, open, play, rematch, resign, solo, text},
    server::Server,
    status::{refused, refused_field, refused_missing, refused_precondition},
    variants, within,
};

fn seated(player: &Caller) -> Option<Seat> {
    Some(Seat::PlayerId(player.id.clone()))
}

fn kept(player: &Caller) -> Option<Seat> {
    Some(Seat::InvitedPlayerId(player.id.clone()))
}

fn seats(game: &Game) -> [Option<Seat>; 2] {
    [&game.south, &game.north].map(|seat| seat.clone().unwrap().seat)
}

/// A game of Alice, South, and Bob that Bob has resigned.
async fn finished(alice: &Caller, bob: &Caller) -> Game {
    let id = alice.create(open("en-dodoi")).await.unwrap().game_id;
    bob.join(join(&id)).await.unwrap();
    bob.resign(resign(&id)).await.unwrap()
}

#[tokio::test]
async fn the_first_who_asks_sits_and_the_other_takes_the_seat() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let old = finished(&alice, &bob).await;
    let asked = alice.rematch(rematch(&old.game_id)).await.unwrap();
    assert_ne!(asked.game_id, old.game_id);
    assert_eq!(asked.rematch_of_game_id, old.game_id);
    assert_eq!(asked.status(), GameStatus::Waiting);
    assert_eq!(seats(&asked), [kept(&bob), seated(&alice)], "sides change");
    assert_eq!(asked.creator_id, alice.id);
    assert_eq!((asked.seq, asked.turn, asked.ply), (1, 0, 0));
    assert_eq!((asked.result, asked.moves.len()), (None, 0));
    let agreed = bob.rematch(rematch(&old.game_id)).await.unwrap();
    let expected = Game {
        status: GameStatus::Active.into(),
        south: agreed.south.clone(),
        seq: 2,
        update_time: agreed.update_time,
        ..asked.clone()
    };
    assert_eq!(agreed, expected);
    assert_eq!(seats(&agreed), [seated(&bob), seated(&alice)]);
    bob.play(&agreed.game_id, 0).await.unwrap();
    assert_eq!(
        alice.get(&old.game_id).await.unwrap(),
        old,
        "it stays as it was"
    );

    // Whenever it is asked for again, each gets what there was when they sat down.
    for _ in 0..2 {
        assert_eq!(alice.rematch(rematch(&old.game_id)).await.unwrap(), asked);
        assert_eq!(bob.rematch(rematch(&old.game_id)).await.unwrap(), agreed);
    }
    server.stop().await;
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (alice.at(&server), bob.at(&server));
    assert_eq!(bob.rematch(rematch(&old.game_id)).await.unwrap(), agreed);
    assert_eq!(alice.rematch(rematch(&old.game_id)).await.unwrap(), asked);
    let games = alice.list(ListGamesRequest::default()).await.unwrap().games;
    assert_eq!(games.len(), 2);
    assert_eq!(games[0].rematch_of_game_id, old.game_id, "lists say it too");
}

#[tokio::test]
async fn the_invitation_can_be_accepted_by_joining_or_declined() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let carol = server.player("Carol").await;
    let old = finished(&alice, &bob).await;
    let asked = bob.rematch(rematch(&old.game_id)).await.unwrap();
    assert_eq!(seats(&asked), [seated(&bob), kept(&alice)]);
    refused(carol.join(join(&asked.game_id)).await, Reason::SeatTaken);
    let joined = alice.join(join(&asked.game_id)).await.unwrap();
    assert_eq!(joined.status(), GameStatus::Active);
    assert_eq!(alice.rematch(rematch(&old.game_id)).await.unwrap(), joined);

    for decliner in [&alice, &bob] {
        let old = finished(&alice, &bob).await;
        let asked = bob.rematch(rematch(&old.game_id)).await.unwrap();
        decliner.abort(abort(&asked.game_id)).await.unwrap();
        let answer = alice.rematch(rematch(&old.game_id)).await;
        refused_precondition(answer, Reason::RematchGone, "REMATCH_GONE");
        assert_eq!(bob.rematch(rematch(&old.game_id)).await.unwrap(), asked);
    }
}

#[tokio::test]
async fn everything_but_the_sides_is_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let position = "5,5,5,5,0/0,5,5,5,0 5-0 N round=1";
    let mut requests = vec![
        CreateGameRequest {
            holes: 8,
            first: FirstMover::North.into(),
            target_wins: 3,
            ..open("en-dodoi")
        },
        CreateGameRequest {
            holes: 4,
            seeds: 3,
            visibility: Visibility::Unlisted.into(),
            ..open("kalah")
        },
        CreateGameRequest {
            start_position: Some(text("bosh", position)),
            ..open("bosh")
        },
        CreateGameRequest {
            visibility: Visibility::Private.into(),
            north: invited(&bob),
            ..open("bosh")
        },
    ];
    for variant in variants() {
        for first in [FirstMover::South, FirstMover::North] {
            let first = first.into();
            requests.push(CreateGameRequest {
                first,
                ..open(variant)
            });
        }
    }
    for request in requests {
        let id = alice.create(request).await.unwrap().game_id;
        bob.join(join(&id)).await.unwrap();
        // Moves and rounds are not taken over.
        let first = alice.get(&id).await.unwrap().position.unwrap().to_move();
        let mover = if first as i32 == 1 { &alice } else { &bob };
        let hole = mover.legal(&id).await.unwrap().moves[0].hole;
        mover.play(&id, hole).await.unwrap();
        let old = alice.resign(resign(&id)).await.unwrap();

        let again = bob.rematch(rematch(&id)).await.unwrap();
        let expected = Game {
            game_id: again.game_id.clone(),
            south: again.south.clone(),
            north: again.north.clone(),
            status: GameStatus::Waiting.into(),
            position: old.start_position.clone(),
            turn: 0,
            ply: 0,
            moves: Vec::new(),
            result: None,
            seq: 1,
            create_time: again.create_time,
            update_time: again.create_time,
            creator_id: bob.id.clone(),
            rematch_of_game_id: id.clone(),
            ..old
        };
        assert_eq!(again, expected);
        assert_eq!(seats(&again), [seated(&bob), kept(&alice)]);
        let agreed = alice.rematch(rematch(&id)).await.unwrap();
        assert_eq!(agreed.status(), GameStatus::Active);

        // And sides change back in the rematch of the rematch.
        bob.resign(resign(&agreed.game_id)).await.unwrap();
        let third = alice.rematch(rematch(&agreed.game_id)).await.unwrap();
        assert_eq!(seats(&third), [seated(&alice), kept(&bob)]);
        assert_eq!(third.rematch_of_game_id, agreed.game_id);
        assert_eq!(third.start_position, again.start_position);
    }
}

#[tokio::test]
async fn who_has_both_seats_plays_on_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let id = alice.create(solo("bosh")).await.unwrap().game_id;
    let request = ResignGameRequest {
        side: 1,
        ..resign(&id)
    };
    alice.resign(request).await.unwrap();
    let again = alice.rematch(rematch(&id)).await.unwrap();
    assert_eq!(again.status(), GameStatus::Active);
    assert_eq!(seats(&again), [seated(&alice), seated(&alice)]);
    alice.play(&again.game_id, 0).await.unwrap();
    assert_eq!(alice.rematch(rematch(&id)).await.unwrap(), again);
}

#[tokio::test]
async fn only_who_played_a_game_that_is_over_may_ask() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let carol = server.player("Carol").await;
    let refused_as = |answer, reason: Reason| refused_precondition(answer, reason, reason.name());
    let id = alice.create(open("bosh")).await.unwrap().game_id;
    let ask = || rematch(&id);
    refused_as(alice.rematch(ask()).await, Reason::GameNotStarted);
    refused(bob.rematch(ask()).await, Reason::NotSeated);
    bob.join(join(&id)).await.unwrap();
    refused_as(alice.rematch(ask()).await, Reason::GameStarted);
    alice.play(&id, 0).await.unwrap();
    refused_as(bob.rematch(ask()).await, Reason::GameStarted);
    bob.resign(resign(&id)).await.unwrap();
    refused(carol.rematch(ask()).await, Reason::NotSeated);
    bob.rematch(ask()).await.unwrap();

    // Of an aborted game only if both had sat down.
    let id = alice.create(open("bosh")).await.unwrap().game_id;
    alice.abort(abort(&id)).await.unwrap();
    refused_as(alice.rematch(rematch(&id)).await, Reason::GameNotStarted);
    let request = CreateGameRequest {
        north: invited(&bob),
        ..solo("bosh")
    };
    let id = alice.create(request).await.unwrap().game_id;
    refused(bob.rematch(rematch(&id)).await, Reason::NotSeated);
    bob.abort(abort(&id)).await.unwrap();
    refused(bob.rematch(rematch(&id)).await, Reason::NotSeated);
    refused_as(alice.rematch(rematch(&id)).await, Reason::GameNotStarted);
    let id = alice.create(open("bosh")).await.unwrap().game_id;
    bob.join(join(&id)).await.unwrap();
    alice.abort(abort(&id)).await.unwrap();
    let again = bob.rematch(rematch(&id)).await.unwrap();
    assert_eq!(seats(&again), [seated(&bob), kept(&alice)]);
}

#[tokio::test]
async fn the_rematch_of_a_private_game_is_private() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let carol = server.player("Carol").await;
    let request = CreateGameRequest {
        visibility: Visibility::Private.into(),
        north: invited(&bob),
        ..solo("bosh")
    };
    let id = alice.create(request).await.unwrap().game_id;
    bob.join(join(&id)).await.unwrap();
    bob.resign(resign(&id)).await.unwrap();
    let again = alice.rematch(rematch(&id)).await.unwrap().game_id;
    let (reason, kind) = (Reason::GameNotFound, "mancala.v1.Game");
    refused_missing(carol.rematch(rematch(&id)).await, reason, kind, &id);
    refused_missing(carol.get(&again).await, reason, kind, &again);
    refused_missing(carol.join(join(&again)).await, reason, kind, &again);
    let rejoined = bob.rematch(rematch(&id)).await.unwrap();
    assert_eq!((rejoined.game_id, rejoined.seq), (again, 2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn however_many_ask_at_once_it_is_one_game() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let bob = bob.on_own_channel(&server).await;
    for round in 0..8 {
        let old = finished(&alice, &bob).await;
        let shared = [fresh_id(), fresh_id()];
        let mut calls = JoinSet::new();
        for index in 0..32 {
            let who = index % 2;
            let caller = [&alice, &bob][who].clone();
            let request_id = match index / 2 % 3 {
                0 => String::new(),
                1 => fresh_id(),
                _ => shared[who].clone(),
            };
            let request = RematchGameRequest {
                request_id,
                ..rematch(&old.game_id)
            };
            calls.spawn(async move { (who, caller.rematch(request).await.unwrap()) });
        }
        let mut answers: [Vec<Game>; 2] = Default::default();
        while let Some(answer) = within(calls.join_next()).await {
            let (who, game) = answer.unwrap();
            answers[who].push(game);
        }
        for same in &answers {
            assert_eq!(*same, vec![same[0].clone(); 16], "in round {round}");
        }
        let [hers, his] = answers.map(|mut same| same.swap_remove(0));
        assert_eq!(hers.game_id, his.game_id);
        let mut seqs = [hers.seq, his.seq];
        seqs.sort_unstable();
        assert_eq!(seqs, [1, 2], "one created it and one took the seat");
        let now = alice.get(&hers.game_id).await.unwrap();
        assert_eq!((now.seq, now.status()), (2, GameStatus::Active));
    }
}

#[tokio::test]
async fn a_request_id_of_the_old_game_is_not_used_again() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let id = alice.create(open("en-dodoi")).await.unwrap().game_id;
    bob.join(join(&id)).await.unwrap();
    let request_id = fresh_id();
    let moved = SubmitMoveRequest {
        request_id: request_id.clone(),
        ..play(&id, 4)
    };
    alice.submit(moved).await.unwrap();
    let again = RematchGameRequest {
        request_id: request_id.clone(),
        ..rematch(&id)
    };
    let (reason, field) = (Reason::RequestIdReused, "request_id");
    refused_field(alice.rematch(again.clone()).await, reason, field);
    alice.resign(resign(&id)).await.unwrap();
    refused_field(alice.rematch(again.clone()).await, reason, field);
    // It is Alice's: Bob's is another.
    let asked = bob.rematch(again.clone()).await.unwrap();
    assert_eq!(bob.rematch(again).await.unwrap(), asked);
    // There is one rematch whatever the id: so the new game knows nothing of it, whoever asked.
    let joining = RematchGameRequest {
        request_id: fresh_id(),
        ..rematch(&id)
    };
    alice.rematch(joining.clone()).await.unwrap();
    let aborting = AbortGameRequest {
        request_id: joining.request_id,
        ..abort(&asked.game_id)
    };
    alice.abort(aborting).await.unwrap();
}
