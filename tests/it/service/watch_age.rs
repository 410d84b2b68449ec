//! Watchers that are slow, old, or many.

use std::sync::Arc;

use mancala::{
    game::{Game, GameId, NewGame},
    grpc::proto::{CreateGameRequest, ResignGameRequest, watch_game_response::Message},
    rules::Side,
    session::{Session, SessionError, Watch, Watched},
    store::Sqlite,
};
use tokio::{task::JoinSet, time::Instant};

use crate::support::{
    chance::Chance,
    client::{Caller, resign, solo},
    server::Server,
    table::{self, ALICE, BOB},
    within,
};

/// A session with a game of Alice and Bob that is long: a series.
async fn session(folder: &std::path::Path) -> (Session, GameId) {
    let session = Session::new(Arc::new(Sqlite::open(folder).unwrap()));
    let new = NewGame {
        target_wins: 100,
        ..table::new_game("en-dodoi")
    };
    let id = new.game_id;
    session.create(new, None).await.unwrap();
    (session, id)
}

/// Plays so many moves.
async fn play(session: &Session, id: GameId, moves: usize, chance: &mut Chance) {
    for _ in 0..moves {
        let look = |game: &Game| {
            let position = game.state().position;
            let legal: Vec<u8> = game.rules().legal_moves(&position).iter().collect();
            (position.to_move(), legal)
        };
        let (side, legal) = session.look(id, None, look).await.unwrap();
        let player = match side.expect("it is not over") {
            Side::South => ALICE,
            Side::North => BOB,
        };
        let command = table::play((*chance.of(&legal)).into());
        let made = session.execute(id, player, command, None, |_, _| ());
        made.await.unwrap();
    }
}

async fn next(watch: &mut Watch) -> Watched {
    loop {
        match within(watch.next()).await.expect("it goes on").unwrap() {
            Watched::Heartbeat { .. } | Watched::Presence { .. } => {}
            watched => return watched,
        }
    }
}

async fn assert_changes(watch: &mut Watch, seqs: impl Iterator<Item = u64>) {
    for seq in seqs {
        match next(watch).await {
            Watched::Change(change) => assert_eq!(change.record.seq, seq),
            other => panic!("event {seq} expected, not {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_watch_more_than_32_events_behind_skips_to_a_snapshot() {
    let folder = tempfile::tempdir().unwrap();
    let (session, id) = session(folder.path()).await;
    let mut chance = Chance::new(11);
    let mut watch = session.watch(id, None, None).await.unwrap();
    let first = next(&mut watch).await;
    assert!(matches!(first, Watched::Snapshot { skipped: false, .. }));
    // As far behind as can be without.
    play(&session, id, 32, &mut chance).await;
    assert_changes(&mut watch, 2..=33).await;
    play(&session, id, 33, &mut chance).await;
    match next(&mut watch).await {
        Watched::Snapshot { skipped, game, .. } => assert_eq!((skipped, game.seq()), (true, 66)),
        other => panic!("a snapshot expected, not {other:?}"),
    }
    play(&session, id, 3, &mut chance).await;
    assert_changes(&mut watch, 67..=69).await;
    let give_up = mancala::game::Command::Resign { side: None };
    let made = session.execute(id, ALICE, give_up, None, |_, _| ());
    made.await.unwrap();
    assert_changes(&mut watch, 70..=70).await;
    assert!(within(watch.next()).await.is_none());
}

#[tokio::test]
async fn a_watch_that_begins_far_back_is_given_every_event() {
    let folder = tempfile::tempdir().unwrap();
    let (session, id) = session(folder.path()).await;
    let mut chance = Chance::new(12);
    play(&session, id, 100, &mut chance).await;
    let mut watch = session.watch(id, None, Some(0)).await.unwrap();
    assert_changes(&mut watch, 1..=10).await;
    play(&session, id, 20, &mut chance).await;
    assert_changes(&mut watch, 11..=121).await;
}

#[tokio::test]
async fn one_that_skips_the_end_of_the_game_ends_with_ok() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let mut narrow = alice.clone();
    narrow.channel = server.narrow_channel().await;
    let series = CreateGameRequest {
        target_wins: 100,
        ..solo("en-dodoi")
    };
    let id = alice.create(series).await.unwrap().game_id;
    let mut slow = narrow.watch(&id, None).await.unwrap();
    let first = within(slow.message()).await.unwrap().unwrap();
    assert!(matches!(first.message, Some(Message::Snapshot(_))));
    // More than is sent ahead of a reader, by half a megabyte.
    alice.play_any(&id, 700, &mut Chance::new(4)).await;
    let request = ResignGameRequest {
        side: 1,
        ..resign(&id)
    };
    let over = alice.resign(request).await.unwrap();
    let (mut seq, mut skipped) = (1, false);
    while let Some(message) = within(slow.message()).await.unwrap() {
        match message.message.unwrap() {
            Message::Event(event) => {
                seq += 1;
                assert_eq!(event.seq, seq, "without gaps");
            }
            Message::Snapshot(snapshot) => {
                assert!(snapshot.skipped);
                skipped = true;
                let game = snapshot.game.unwrap();
                assert!(game.seq > seq + 32);
                seq = game.seq;
            }
            Message::Heartbeat(_) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(seq, over.seq);
    assert!(skipped, "it was told of {seq} events one by one");
}

// The clock stands still but when all wait for it, so nothing here takes an hour.
#[tokio::test(start_paused = true)]
async fn a_watch_says_goodbye_within_an_hour_but_not_soon() {
    let folder = tempfile::tempdir().unwrap();
    let (session, id) = session(folder.path()).await;
    let mut ages = Vec::new();
    for _ in 0..3 {
        let mut watch = session.watch(id, None, Some(1)).await.unwrap();
        let begin = Instant::now();
        loop {
            match watch.next().await {
                Some(Ok(Watched::Heartbeat { seq: 1 } | Watched::Presence { .. })) => {}
                Some(Ok(Watched::Goodbye { seq: 1 })) => break,
                other => panic!("{other:?}"),
            }
        }
        ages.push(begin.elapsed());
        assert!(matches!(
            watch.next().await,
            Some(Err(SessionError::Draining))
        ));
    }
    for age in &ages {
        assert!((54 * 60..=60 * 60).contains(&age.as_secs()), "{age:?}");
    }
    assert!(ages[0] != ages[1] || ages[1] != ages[2], "not all at once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_watchers_are_told_of_every_event() {
    const MOVES: u64 = 12;
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let id = alice.create(solo("bosh")).await.unwrap().game_id;
    let mut watching = JoinSet::new();
    for index in 0..5 {
        let mut caller = alice.on_own_channel(&server).await;
        if index > 0 {
            // The crowd: only players hear of everything at once.
            caller = Caller::new(caller.channel, None, String::new());
        }
        for _ in 0..200 {
            let mut stream = caller.watch(&id, Some(0)).await.unwrap();
            watching.spawn(async move {
                let mut events = Vec::new();
                while let Some(message) = within(stream.message()).await.unwrap() {
                    match message.message.unwrap() {
                        Message::Event(event) => events.push(event),
                        Message::Heartbeat(_) => {}
                        other => panic!("{other:?}"),
                    }
                }
                events
            });
        }
    }
    alice
        .play_any(&id, MOVES as usize, &mut Chance::new(2))
        .await;
    let request = ResignGameRequest {
        side: 1,
        ..resign(&id)
    };
    let over = alice.resign(request).await.unwrap();
    assert_eq!(over.seq, MOVES + 2);
    let mut all: Option<Vec<_>> = None;
    let mut watched = 0;
    while let Some(events) = within(watching.join_next()).await {
        let events = events.unwrap();
        assert_eq!(events.len() as u64, over.seq);
        let first = all.get_or_insert_with(|| events.clone());
        assert_eq!(*first, events);
        watched += 1;
    }
    assert_eq!(watched, 1_000);
}
