//! Inboxes that are opened, left and opened again while games are being played.

use std::collections::{HashMap, HashSet};

use mancala::grpc::proto::{
    ListGamesRequest, PlayerChange, ResignGameRequest, game_event::Change,
    watch_player_response::Message,
};
use tokio::task::JoinSet;

use crate::support::{
    chance::Chance,
    client::{Caller, resign, solo},
    inbox::{assert_told, place},
    server::Server,
    within,
};

const GAMES: usize = 4;

/// Plays a game of some moves against oneself, and resigns it.
async fn play_game(caller: Caller, moves: usize, seed: u64) {
    let id = caller.create(solo("bosh")).await.unwrap().game_id;
    caller.play_any(&id, moves, &mut Chance::new(seed)).await;
    let request = ResignGameRequest {
        side: 1,
        ..resign(&id)
    };
    caller.resign(request).await.unwrap();
}

/// Follows from a cursor until so many games are over, now and then anew. Gives all changes, and the
/// last cursor.
async fn follow(
    caller: Caller,
    mut cursor: String,
    mut games: usize,
    seed: u64,
) -> (Vec<PlayerChange>, String) {
    let mut chance = Chance::new(seed);
    let mut inbox = caller.inbox(&cursor).await.unwrap();
    let mut seen = Vec::new();
    while games > 0 {
        let change = inbox.change().await;
        cursor.clone_from(&change.cursor);
        let resigned = &change.event.as_ref().unwrap().change;
        games -= usize::from(matches!(resigned, Some(Change::Resigned(_))));
        seen.push(change);
        if chance.below(3) == 0 {
            inbox = caller.inbox(&cursor).await.unwrap();
        }
    }
    (seen, cursor)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_or_twice_over_reconnects_and_restarts_while_games_are_played() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(folder.path()).await;
    let mut alice = server.player("Alice").await;
    let begin = alice.inbox("").await.unwrap().snapshot().await.cursor;
    let mut readers: Vec<(Vec<PlayerChange>, String)> = vec![(Vec::new(), begin); 3];
    for phase in 0..2 {
        if phase > 0 {
            server.stop().await;
            server = Server::start(folder.path()).await;
            alice = alice.at(&server);
        }
        let mut playing = JoinSet::new();
        for seed in 0..GAMES {
            playing.spawn(play_game(
                alice.clone(),
                25,
                (phase * GAMES + seed) as u64 + 1,
            ));
        }
        let mut following = Vec::new();
        for (seed, (_, cursor)) in readers.iter().enumerate() {
            let caller = alice.on_own_channel(&server).await;
            let follow = follow(caller, cursor.clone(), GAMES, seed as u64 + 20);
            following.push(tokio::spawn(follow));
        }
        for (reader, followed) in readers.iter_mut().zip(following) {
            let (seen, cursor) = followed.await.unwrap();
            reader.0.extend(seen);
            reader.1 = cursor;
        }
        while let Some(played) = within(playing.join_next()).await {
            played.unwrap();
        }
    }
    let mut logs = HashMap::new();
    for game in alice.list(ListGamesRequest::default()).await.unwrap().games {
        logs.insert(game.game_id.clone(), alice.log(&game.game_id).await);
    }
    assert_eq!(logs.len(), 2 * GAMES);
    let all: usize = logs.values().map(Vec::len).sum();
    for (seen, _) in &readers {
        assert_eq!(seen.len(), all);
        let mut newest: HashMap<String, u64> = HashMap::new();
        for (change, same) in seen.iter().zip(&readers[0].0) {
            let (id, seq) = place(change);
            let before = newest.insert(id.clone(), seq).unwrap_or(0);
            assert_eq!(seq, before + 1, "in order without gaps");
            assert_told(change.game.as_ref(), change.event.as_ref(), &logs[&id]);
            assert_eq!(change.cursor, same.cursor, "the same for all");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_snapshot_and_what_follows_it_join_without_gaps() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let playing = tokio::spawn(play_game(alice.clone(), 60, 5));
    let mut over = false;
    let mut watches = 0;
    while !over {
        let mut inbox = alice.inbox("").await.unwrap();
        let snapshot = inbox.snapshot().await;
        let Some(game) = snapshot.games.first() else {
            // Not created yet, or over.
            over = playing.is_finished();
            tokio::task::yield_now().await;
            continue;
        };
        watches += 1;
        let seq = game.event.as_ref().unwrap().seq;
        for next in seq + 1..seq + 4 {
            let Message::Change(change) = inbox.message().await.unwrap() else {
                panic!("a change")
            };
            assert_eq!(place(&change).1, next);
            let resigned = &change.event.as_ref().unwrap().change;
            if matches!(resigned, Some(Change::Resigned(_))) {
                over = true;
                break;
            }
        }
    }
    within(playing).await.unwrap();
    assert!(watches > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_players_see_their_own_games_each() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let mut players = Vec::new();
    for number in 0..60 {
        let player = server.player(&format!("Player {number}")).await;
        let mut inbox = player.inbox("").await.unwrap();
        inbox.snapshot().await;
        players.push((player, inbox));
    }
    let mut playing = JoinSet::new();
    for (player, mut inbox) in players {
        playing.spawn(async move {
            play_game(player.clone(), 5, 9).await;
            let changes = inbox.changes(7).await;
            let games: HashSet<_> = changes.iter().map(|change| place(change).0).collect();
            assert_eq!(games.len(), 1);
            let game = changes[0].game.as_ref().unwrap();
            assert_eq!(game.creator_id, player.id);
            let seqs: Vec<_> = changes.iter().map(|change| place(change).1).collect();
            assert_eq!(seqs, [1, 2, 3, 4, 5, 6, 7]);
        });
    }
    while let Some(played) = within(playing.join_next()).await {
        played.unwrap();
    }
}
