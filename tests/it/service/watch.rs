//! Watching a game: nothing lost, nothing twice, in order, and `OK` only at its end.

use std::{sync::Arc, time::Duration};

use mancala::{
    game::GameId,
    grpc::{
        Reason,
        proto::{
            GameEvent, GameStatus, ResignGameRequest, game_event::Change,
            watch_game_response::Message,
        },
    },
    session::{Session, SessionError, Watched},
    store::Sqlite,
};
use tokio::time;
use uuid::Uuid;

use crate::support::{
    chance::Chance,
    client::{Caller, Stream, join, open, play, resign, solo},
    server::Server,
    status::assert_reason,
    table::{self, ALICE},
    within,
};

/// The next message of a stream that goes on.
async fn next(stream: &mut Stream) -> Message {
    let message = within(stream.message()).await.unwrap();
    message.expect("the stream goes on").message.unwrap()
}

async fn next_event(stream: &mut Stream) -> GameEvent {
    match next(stream).await {
        Message::Event(event) => event,
        other => panic!("an event expected, not {other:?}"),
    }
}

/// Asserts that a stream has ended with `OK`.
async fn assert_ended(stream: &mut Stream) {
    assert_eq!(within(stream.message()).await.unwrap(), None);
}

async fn give_up(caller: &Caller, id: &str) {
    let request = ResignGameRequest {
        side: 1,
        ..resign(id)
    };
    caller.resign(request).await.unwrap();
}

#[tokio::test]
async fn a_snapshot_comes_first_and_then_every_change() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let game = alice.create(open("en-dodoi")).await.unwrap();
    let id = game.game_id.as_str();
    let mut watch = server.stranger().watch(id, None).await.unwrap();
    let Message::Snapshot(snapshot) = next(&mut watch).await else {
        panic!("a snapshot first")
    };
    assert_eq!(snapshot.game, Some(game.clone()));
    assert!(!snapshot.skipped);

    let joined = bob.join(join(id)).await.unwrap();
    let event = next_event(&mut watch).await;
    assert_eq!((event.seq, event.create_time), (2, joined.update_time));
    let Some(Change::SeatTaken(taken)) = event.change else {
        panic!("a seat is taken")
    };
    assert_eq!(taken.player_id, bob.id);
    assert_eq!(event.state.unwrap().status(), GameStatus::Active);

    let made = alice.play(id, 4).await.unwrap();
    let event = next_event(&mut watch).await;
    assert_eq!(event.seq, 3);
    assert_eq!(event.change, Some(Change::Moved(made.outcome.unwrap())));
    let (state, game) = (event.state.unwrap(), made.game.unwrap());
    assert_eq!(
        (state.turn, state.ply, state.round),
        (game.turn, game.ply, game.round)
    );
    assert_eq!(state.position, game.position);

    let over = bob.resign(resign(id)).await.unwrap();
    let event = next_event(&mut watch).await;
    assert_eq!(event.seq, 4);
    assert_eq!(event.state.unwrap().result, over.result);
    assert!(matches!(event.change, Some(Change::Resigned(_))));
    assert_ended(&mut watch).await;
}

#[tokio::test]
async fn a_watch_goes_on_from_where_it_is_asked_to() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let id = alice.create(solo("bosh")).await.unwrap().game_id;
    alice.play_any(&id, 40, &mut Chance::new(1)).await;
    let newest = alice.get(&id).await.unwrap().seq;
    let mut all = Vec::new();
    let mut whole = alice.watch(&id, Some(0)).await.unwrap();
    for seq in 1..=newest {
        let event = next_event(&mut whole).await;
        assert_eq!(event.seq, seq);
        all.push(event);
    }
    assert!(matches!(all[0].change, Some(Change::Created(_))));
    // From anywhere the same events come, whether or not they are still in memory.
    let after_restart = {
        server.stop().await;
        Server::start(folder.path()).await
    };
    let alice = alice.at(&after_restart);
    for after in 0..=newest {
        let mut watch = alice.watch(&id, Some(after)).await.unwrap();
        for expected in &all[after as usize..] {
            assert_eq!(&next_event(&mut watch).await, expected);
        }
    }
    let mut end = alice.watch(&id, Some(newest)).await.unwrap();
    give_up(&alice, &id).await;
    assert_eq!(next_event(&mut end).await.seq, newest + 1);
    assert_ended(&mut end).await;
}

#[tokio::test]
async fn a_finished_game_is_shown_and_the_stream_ends() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let id = alice.create(solo("bosh")).await.unwrap().game_id;
    give_up(&alice, &id).await;
    let game = alice.get(&id).await.unwrap();
    let mut watch = alice.watch(&id, None).await.unwrap();
    let Message::Snapshot(snapshot) = next(&mut watch).await else {
        panic!("a snapshot")
    };
    assert_eq!(snapshot.game.unwrap(), game);
    assert_ended(&mut watch).await;
    let mut watch = alice.watch(&id, Some(1)).await.unwrap();
    assert_eq!(next_event(&mut watch).await.seq, 2);
    assert_ended(&mut watch).await;
    let mut watch = alice.watch(&id, Some(2)).await.unwrap();
    assert_ended(&mut watch).await;
}

#[tokio::test]
async fn a_draining_server_says_goodbye_and_the_next_one_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let id = alice.create(solo("en-dodoi")).await.unwrap().game_id;
    let mut watch = alice.watch(&id, Some(0)).await.unwrap();
    assert_eq!(next_event(&mut watch).await.seq, 1);
    alice.play(&id, 4).await.unwrap();
    assert_eq!(next_event(&mut watch).await.seq, 2);
    let stopping = server.begin_stop();
    let Message::Goodbye(goodbye) = next(&mut watch).await else {
        panic!("goodbye")
    };
    assert_eq!(goodbye.seq, 2);
    let status = within(watch.message()).await.unwrap_err();
    let details = assert_reason(&status, Reason::Draining);
    assert!(details.retry_info().is_some());
    stopping.done().await;

    let server = Server::start(folder.path()).await;
    let alice = alice.at(&server);
    let mut watch = alice.watch(&id, Some(goodbye.seq)).await.unwrap();
    alice.play(&id, 3).await.unwrap();
    assert_eq!(next_event(&mut watch).await.seq, 3);
    server.stop().await;
}

#[tokio::test]
async fn a_reader_who_does_not_read_gets_all_in_order_later() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let id = alice.create(solo("bosh")).await.unwrap().game_id;
    // A connection of its own, whose window fills up.
    let mut slow = alice
        .on_own_channel(&server)
        .await
        .watch(&id, None)
        .await
        .unwrap();
    alice.play_any(&id, 300, &mut Chance::new(4)).await;
    let game = alice.get(&id).await.unwrap();
    assert!(game.seq > 150, "it is a long game: {}", game.seq);
    if game.result.is_none() {
        give_up(&alice, &id).await;
    }
    let newest = alice.get(&id).await.unwrap().seq;
    let Message::Snapshot(snapshot) = next(&mut slow).await else {
        panic!("a snapshot")
    };
    let begin = snapshot.game.unwrap().seq;
    for seq in begin + 1..=newest {
        assert_eq!(next_event(&mut slow).await.seq, seq);
    }
    assert_ended(&mut slow).await;
}

/// A session with a game of Alice and Bob that is in memory.
async fn session(folder: &std::path::Path) -> (Session, GameId) {
    let session = Session::new(Arc::new(Sqlite::open(folder).unwrap()));
    let new = table::new_game("en-dodoi");
    let id = new.game_id;
    session.create(new, None).await.unwrap();
    session.look(id, None, |_| ()).await.unwrap();
    (session, id)
}

// The clock stands still but when all wait for it, so nothing here takes ten seconds.
#[tokio::test(start_paused = true)]
async fn a_heartbeat_comes_when_nothing_else_did_for_ten_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let (session, id) = session(folder.path()).await;
    let mut watch = session.watch(id, None, None).await.unwrap();
    let first = watch.next().await;
    assert!(
        matches!(first, Some(Ok(Watched::Snapshot { .. }))),
        "{first:?}"
    );
    for _ in 0..2 {
        let before = time::Instant::now();
        let beat = watch.next().await;
        assert!(matches!(beat, Some(Ok(Watched::Heartbeat { seq: 1 }))));
        assert_eq!(before.elapsed().as_secs(), 10);
    }
    time::advance(Duration::from_secs(7)).await;
    let made = session.execute(id, ALICE, table::play(4), None, |change, _| {
        change.record.seq
    });
    assert_eq!(made.await.unwrap(), 2);
    let Some(Ok(Watched::Change(change))) = watch.next().await else {
        panic!("a change")
    };
    assert_eq!(change.record.seq, 2);
    let before = time::Instant::now();
    let beat = watch.next().await;
    assert!(matches!(beat, Some(Ok(Watched::Heartbeat { seq: 2 }))));
    assert_eq!(before.elapsed().as_secs(), 10);
}

#[tokio::test]
async fn draining_wakes_a_watch_that_waits() {
    let folder = tempfile::tempdir().unwrap();
    let (session, id) = session(folder.path()).await;
    let mut watch = session.watch(id, None, Some(1)).await.unwrap();
    let waiting = tokio::spawn(async move {
        let goodbye = watch.next().await;
        (goodbye, watch.next().await)
    });
    session.drain();
    let (goodbye, end) = within(waiting).await.unwrap();
    assert!(matches!(goodbye, Some(Ok(Watched::Goodbye { seq: 1 }))));
    assert!(matches!(end, Some(Err(SessionError::Draining))));
    let missing = GameId(Uuid::from_u128(99));
    let watch = session.watch(missing, None, None).await;
    assert!(matches!(watch.map(|_| ()), Err(SessionError::NoSuchGame)));
}

#[tokio::test]
async fn moves_are_played_on_while_nobody_listens_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let id = alice.create(solo("en-dodoi")).await.unwrap().game_id;
    for hole in [4, 3, 1, 5, 2] {
        let mut watch = alice.watch(&id, None).await.unwrap();
        assert!(matches!(next(&mut watch).await, Message::Snapshot(_)));
        drop(watch);
        alice.submit(play(&id, hole)).await.unwrap();
    }
    assert_eq!(alice.get(&id).await.unwrap().seq, 6);
}
