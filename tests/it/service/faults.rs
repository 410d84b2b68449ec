//! A store that fails, answers falsely, or conflicts: what was acknowledged is there, once.

use std::sync::Arc;

use mancala::{
    game::Event,
    grpc::{
        Reason,
        proto::{
            CreateGameRequest, Game, JoinGameRequest, ListGamesRequest, ResignGameRequest,
            SubmitMoveRequest, game_event::Change, watch_game_response::Message,
        },
    },
    session::{Session, SessionError, Watched},
    store::Sqlite,
};
use tempfile::TempDir;
use tokio::sync::mpsc;

use crate::support::{
    chance::Chance,
    client::{Caller, Stream, fresh_id, join, open, play, resign, solo},
    faults::{Fault, Faults, FaultyStore},
    server::Server,
    status::refused,
    table::{self, ALICE, BOB},
    within,
};

struct Set {
    _folder: TempDir,
    server: Server,
    faults: Faults,
    alice: Caller,
    game: Game,
}

/// A server with a faulty store, and a game of Alice with herself.
async fn set() -> Set {
    let folder = tempfile::tempdir().unwrap();
    let faults = Faults::default();
    let server = Server::start_faulty(folder.path(), faults.clone()).await;
    let alice = server.player("Alice").await;
    let game = alice.create(solo("en-dodoi")).await.unwrap();
    Set {
        _folder: folder,
        server,
        faults,
        alice,
        game,
    }
}

fn numbered(id: &str, hole: u32) -> SubmitMoveRequest {
    SubmitMoveRequest {
        request_id: fresh_id(),
        ..play(id, hole)
    }
}

#[tokio::test]
async fn an_append_that_fails_changes_nothing() {
    let Set {
        faults,
        alice,
        game,
        ..
    } = &set().await;
    let request = numbered(&game.game_id, 4);
    faults.script([Fault::Fails, Fault::Fails]);
    for _ in 0..2 {
        let details = refused(
            alice.submit(request.clone()).await,
            Reason::StoreUnavailable,
        );
        assert!(details.retry_info().is_some());
        assert_eq!(&alice.get(&game.game_id).await.unwrap(), game);
    }
    let made = alice.submit(request.clone()).await.unwrap();
    assert_eq!(made.game.as_ref().unwrap().seq, 2);
    assert_eq!(alice.submit(request).await.unwrap(), made);
}

#[tokio::test]
async fn a_move_whose_answer_was_lost_is_made_once() {
    let Set {
        faults,
        alice,
        game,
        ..
    } = &set().await;
    let id = game.game_id.as_str();
    let mut watch = alice.watch(id, Some(1)).await.unwrap();
    let request = numbered(id, 4);
    faults.script([Fault::AnswerLost]);
    refused(
        alice.submit(request.clone()).await,
        Reason::StoreUnavailable,
    );
    // It stands, and watchers are told, before anybody asks again.
    assert_eq!(next_seq(&mut watch).await, 2);
    let made = alice.submit(request.clone()).await.unwrap();
    assert_eq!(made.game.as_ref().unwrap().moves.len(), 1);
    assert_eq!(alice.get(id).await.unwrap(), made.game.unwrap());
    alice.play(id, 3).await.unwrap();
    assert_eq!(next_seq(&mut watch).await, 3);
}

/// The seq of the next event.
async fn next_seq(watch: &mut Stream) -> u64 {
    match within(watch.message()).await.unwrap().unwrap().message {
        Some(Message::Event(event)) => event.seq,
        other => panic!("an event expected, not {other:?}"),
    }
}

#[tokio::test]
async fn a_watcher_who_lags_behind_a_lost_answer_misses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (faults, (_gone, _)) = (Faults::default(), mpsc::channel(1));
    let inner = Sqlite::open(folder.path()).unwrap();
    let store = FaultyStore {
        inner,
        faults: faults.clone(),
        _gone,
    };
    let session = Session::new(Arc::new(store));
    let new = table::new_game("en-dodoi");
    let id = new.game_id;
    session.create(new, None).await.unwrap();
    let mut watch = session.watch(id, None, Some(1)).await.unwrap();
    let moves = [(ALICE, 4), (BOB, 3), (ALICE, 1), (BOB, 5), (ALICE, 2)];
    let lost = 1;
    for (index, (player, hole)) in moves.into_iter().enumerate() {
        let request = Some(table::request(index as u8, 0));
        let play = table::play(hole);
        if index == lost {
            faults.script([Fault::AnswerLost]);
            let failed = session.execute(id, player, play.clone(), request, |_, _| ());
            assert!(matches!(failed.await, Err(SessionError::Store(_))));
        }
        let made = session.execute(id, player, play, request, |_, game| game.seq());
        assert_eq!(made.await.unwrap(), 2 + index as u64);
    }
    let (mut seqs, mut holes) = (Vec::new(), Vec::new());
    for _ in moves {
        let change = loop {
            match within(watch.next()).await {
                Some(Ok(Watched::Change(change))) => break change,
                Some(Ok(Watched::Presence { .. })) => {}
                other => panic!("a change expected, not {other:?}"),
            }
        };
        seqs.push(change.record.seq);
        if let Event::Moved(moved) = &change.record.event {
            holes.push(u32::from(moved.hole));
        }
    }
    assert_eq!(seqs, [2, 3, 4, 5, 6]);
    assert_eq!(holes, moves.map(|(_, hole)| hole));
}

#[tokio::test]
async fn without_a_request_id_the_expected_turn_still_protects() {
    let Set {
        faults,
        alice,
        game,
        ..
    } = &set().await;
    let request = SubmitMoveRequest {
        expected_turn: Some(0),
        ..play(&game.game_id, 4)
    };
    faults.script([Fault::AnswerLost]);
    refused(
        alice.submit(request.clone()).await,
        Reason::StoreUnavailable,
    );
    refused(alice.submit(request).await, Reason::StaleTurn);
    assert_eq!(alice.get(&game.game_id).await.unwrap().moves.len(), 1);
}

#[tokio::test]
async fn conflicts_are_decided_anew_but_not_for_ever() {
    let Set {
        faults,
        alice,
        game,
        ..
    } = &set().await;
    let id = game.game_id.as_str();
    faults.script([Fault::SpuriousConflict; 3]);
    let made = alice.submit(numbered(id, 4)).await.unwrap();
    assert_eq!(made.game.unwrap().seq, 2);
    faults.script([Fault::SpuriousConflict; 8]);
    let request = numbered(id, 3);
    refused(alice.submit(request.clone()).await, Reason::Contended);
    assert_eq!(alice.get(id).await.unwrap().seq, 2);
    let made = alice.submit(request).await.unwrap();
    assert_eq!(made.game.unwrap().seq, 3);
}

#[tokio::test]
async fn every_call_that_changes_a_game_survives_a_lost_answer() {
    let Set {
        server,
        faults,
        alice,
        ..
    } = &set().await;
    let bob = server.player("Bob").await;
    let request_id = fresh_id();
    let create = CreateGameRequest {
        request_id: request_id.clone(),
        ..open("bosh")
    };
    faults.script([Fault::Fails, Fault::AnswerLost]);
    for _ in 0..2 {
        refused(alice.create(create.clone()).await, Reason::StoreUnavailable);
    }
    let created = alice.create(create).await.unwrap();
    let games = alice.list(ListGamesRequest::default()).await.unwrap().games;
    assert_eq!(games.len(), 2, "with the set's own");

    let id = created.game_id.as_str();
    let take = JoinGameRequest {
        request_id: request_id.clone(),
        ..join(id)
    };
    faults.script([Fault::Fails, Fault::AnswerLost]);
    for _ in 0..2 {
        refused(bob.join(take.clone()).await, Reason::StoreUnavailable);
    }
    assert_eq!(bob.join(take).await.unwrap().seq, 2);

    let give_up = ResignGameRequest {
        request_id: fresh_id(),
        ..resign(id)
    };
    faults.script([Fault::Fails, Fault::AnswerLost]);
    for _ in 0..2 {
        refused(bob.resign(give_up.clone()).await, Reason::StoreUnavailable);
    }
    assert_eq!(bob.resign(give_up).await.unwrap().seq, 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whole_games_over_a_faulty_store_are_as_they_were_acknowledged() {
    for seed in 0..3 {
        let Set {
            server,
            faults,
            alice,
            ..
        } = &set().await;
        let game = alice.create(solo("bosh")).await.unwrap();
        let id = game.game_id.as_str();
        let mut watch = alice
            .on_own_channel(server)
            .await
            .watch(id, Some(0))
            .await
            .unwrap();
        let mut chance = Chance::new(seed);
        let mut acknowledged = Vec::new();
        for _ in 0..80 {
            let legal = alice.legal(id).await.unwrap().moves;
            if legal.is_empty() {
                break;
            }
            let faulty = [
                Fault::None,
                Fault::None,
                Fault::Fails,
                Fault::AnswerLost,
                Fault::SpuriousConflict,
            ];
            faults.script([*chance.of(&faulty)]);
            let request = numbered(id, chance.of(&legal).hole);
            let answer = loop {
                match alice.submit(request.clone()).await {
                    Ok(answer) => break answer,
                    Err(status) => {
                        refused::<()>(Err(status), Reason::StoreUnavailable);
                    }
                }
            };
            let outcome = answer.outcome.unwrap();
            acknowledged.push((outcome.mover, outcome.hole, outcome.position));
        }
        let over = alice.get(id).await.unwrap();
        let stands = over.moves.iter().map(|one| (one.mover, one.hole));
        let told = acknowledged.iter().map(|(mover, hole, _)| (*mover, *hole));
        assert_eq!(stands.collect::<Vec<_>>(), told.collect::<Vec<_>>());
        let (mut seen, mut seqs) = (Vec::new(), 0);
        while seqs < over.seq {
            let message = within(watch.message()).await.unwrap().unwrap().message;
            let Some(Message::Event(event)) = message else {
                panic!("{message:?}")
            };
            seqs += 1;
            assert_eq!(event.seq, seqs);
            if let Some(Change::Moved(moved)) = event.change {
                seen.push((moved.mover, moved.hole, moved.position));
            }
        }
        assert_eq!(seen, acknowledged);
    }
}
