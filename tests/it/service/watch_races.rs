//! Watchers that come, go and come back while a game is being played.

use std::sync::Arc;

use mancala::grpc::proto::{
    GameEvent, ResignGameRequest, game_event::Change, watch_game_response::Message,
};
use tokio::{sync::watch, task::JoinSet};

use crate::support::{
    chance::Chance,
    client::{Caller, resign, solo},
    server::Server,
    within,
};

const MOVES: u64 = 60;

/// Plays a game of so many moves and then resigns, telling of the newest seq.
async fn play_game(alice: Caller, id: Arc<str>, newest: watch::Sender<u64>) {
    let mut chance = Chance::new(6);
    for seq in 2..MOVES + 2 {
        alice.play_any(&id, 1, &mut chance).await;
        newest.send_replace(seq);
    }
    let give_up = ResignGameRequest {
        side: 1,
        ..resign(&id)
    };
    let over = alice.resign(give_up).await.unwrap();
    assert_eq!(over.seq, MOVES + 2);
    newest.send_replace(over.seq);
}

/// Follows a game from some moment to its end, now and then anew. Gives the first seq that it could
/// have seen an event of, and the events.
async fn follow(
    caller: Caller,
    id: Arc<str>,
    mut newest: watch::Receiver<u64>,
    seed: u64,
) -> (u64, Vec<GameEvent>) {
    let mut chance = Chance::new(seed);
    let moment = 1 + chance.below(MOVES as usize) as u64;
    within(newest.wait_for(|newest| *newest >= moment))
        .await
        .unwrap();
    let after = seed
        .is_multiple_of(2)
        .then(|| chance.below(moment as usize + 1) as u64);
    let mut stream = caller.watch(&id, after).await.unwrap();
    let mut begin = after;
    let mut events: Vec<GameEvent> = Vec::new();
    while let Some(message) = within(stream.message()).await.unwrap() {
        match message.message.unwrap() {
            Message::Snapshot(snapshot) => {
                assert_eq!(begin, None, "a snapshot comes first or not at all");
                let game = snapshot.game.unwrap();
                assert!(game.seq >= moment, "what was answered is in it");
                begin = Some(game.seq);
            }
            Message::Event(event) => events.push(event),
            other => panic!("{other:?}"),
        }
        if chance.below(8) == 0 {
            let seen = events.last().map(|event| event.seq).or(begin);
            stream = caller.watch(&id, seen).await.unwrap();
        }
    }
    (begin.unwrap(), events)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_watcher_sees_every_event_after_its_beginning_once() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let id: Arc<str> = alice.create(solo("bosh")).await.unwrap().game_id.into();
    let (sender, newest) = watch::channel(1);
    let mut followers = JoinSet::new();
    for seed in 0..20 {
        let caller = alice.on_own_channel(&server).await;
        followers.spawn(follow(caller, id.clone(), newest.clone(), seed));
    }
    let playing = tokio::spawn(play_game(alice.clone(), id.clone(), sender));
    let mut seen = Vec::new();
    while let Some(followed) = within(followers.join_next()).await {
        seen.push(followed.unwrap());
    }
    within(playing).await.unwrap();

    let mut stream = alice.watch(&id, Some(0)).await.unwrap();
    let mut all = Vec::new();
    while let Some(message) = within(stream.message()).await.unwrap() {
        match message.message.unwrap() {
            Message::Event(event) => all.push(event),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(all.len() as u64, MOVES + 2);
    assert!(matches!(
        all.last().unwrap().change,
        Some(Change::Resigned(_))
    ));
    assert_eq!(seen.len(), 20);
    for (begin, events) in seen {
        assert_eq!(events, all[begin as usize..], "from {begin} on");
    }
}
