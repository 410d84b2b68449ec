//! Cursors: everything after them and nothing twice; a snapshot if they are of no use.

use std::{collections::HashSet, fs, path::Path};

use mancala::grpc::proto::watch_player_response::Message;
use tokio::task::JoinSet;

use crate::support::{
    chance::Chance,
    client::{Caller, join, open, resign, solo},
    inbox::{ids, place},
    server::Server,
    within,
};

/// Creates games of the caller's alone, in any order.
async fn create(caller: &Caller, count: usize) -> HashSet<String> {
    let mut creating = JoinSet::new();
    let mut created = HashSet::new();
    for index in 0..count {
        let caller = caller.clone();
        creating.spawn(async move { caller.create(solo("bosh")).await.unwrap().game_id });
        // As many at once as one connection lets.
        if index % 100 == 99 || index + 1 == count {
            while let Some(id) = creating.join_next().await {
                created.insert(id.unwrap());
            }
        }
    }
    created
}

#[tokio::test]
async fn from_every_cursor_all_that_came_after_it_comes() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(folder.path()).await;
    let (mut alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let mut inbox = alice.inbox("").await.unwrap();
    let mut cursors = vec![inbox.snapshot().await.cursor];
    // A game that Alice joins: what was before is none of her changes, live or later.
    let joined = bob.create(open("bosh")).await.unwrap().game_id;
    alice.join(join(&joined)).await.unwrap();
    let mut chance = Chance::new(3);
    for _ in 0..3 {
        let id = alice.create(solo("bosh")).await.unwrap().game_id;
        alice.play_any(&id, 5, &mut chance).await;
        alice.create(solo("bosh")).await.unwrap();
        bob.create(solo("bosh")).await.unwrap();
    }
    bob.resign(resign(&joined)).await.unwrap();
    let all = inbox.changes(2 + 3 * 7).await;
    assert_eq!(place(&all[0]), (joined.clone(), 2));
    assert_eq!(place(all.last().unwrap()).0, joined);
    cursors.extend(all.iter().map(|change| change.cursor.clone()));
    let distinct: HashSet<_> = cursors.iter().collect();
    assert_eq!(distinct.len(), cursors.len());
    for restart in [false, true] {
        if restart {
            server.stop().await;
            server = Server::start(folder.path()).await;
            alice = alice.at(&server);
        }
        for (seen, cursor) in cursors.iter().enumerate() {
            let mut inbox = alice.inbox(cursor).await.unwrap();
            let rest = inbox.changes(all.len() - seen).await;
            for (change, before) in rest.iter().zip(&all[seen..]) {
                assert_eq!(change.cursor, before.cursor);
                assert_eq!(change.event, before.event);
            }
        }
    }
    let mut inbox = alice.inbox(cursors.last().unwrap()).await.unwrap();
    let id = alice.create(solo("bosh")).await.unwrap().game_id;
    assert_eq!(
        place(&inbox.change().await),
        (id, 1),
        "nothing else was left"
    );
}

fn copy(from: &Path, to: &Path) {
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

#[tokio::test]
async fn a_cursor_of_no_use_gets_a_snapshot_marked_reset() {
    let (folder, other, earlier) = (
        tempfile::tempdir().unwrap(),
        tempfile::tempdir().unwrap(),
        tempfile::tempdir().unwrap(),
    );
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let id = alice.create(solo("bosh")).await.unwrap().game_id;
    let own = alice.inbox("").await.unwrap().snapshot().await.cursor;
    server.stop().await;
    copy(folder.path(), earlier.path());

    let server = Server::start(folder.path()).await;
    let (alice, bob) = (alice.at(&server), bob.at(&server));
    alice.create(solo("bosh")).await.unwrap();
    create(&bob, 20).await;
    let bobs = bob.inbox("").await.unwrap().snapshot().await.cursor;
    let future = alice.inbox("").await.unwrap().snapshot().await.cursor;
    let elsewhere = Server::start(other.path()).await;
    let carol = elsewhere.player("Carol").await;
    let foreign = carol.inbox("").await.unwrap().snapshot().await.cursor;
    let mut changed = own.clone().into_bytes();
    changed[15] ^= 1;
    let changed = String::from_utf8(changed).unwrap();
    let useless = [
        bobs.as_str(),
        &foreign,
        &changed,
        &own[..own.len() - 1],
        &own[..16],
        &format!("{own}0"),
        &own.to_uppercase()
            .replace(|digit: char| digit.is_numeric(), "F"),
        "0",
        "garbage, and more of it than a number has",
        "ünïcödé is longer than it looks",
        &"0".repeat(40),
        &"f".repeat(60_000),
    ];
    for cursor in useless {
        let mut inbox = alice.inbox(cursor).await.unwrap();
        let snapshot = inbox.snapshot().await;
        assert!(snapshot.reset, "{cursor:?}");
        assert_eq!(snapshot.games.len(), 2);
    }
    let mut inbox = alice.inbox(&own).await.unwrap();
    assert_eq!(place(&inbox.change().await).1, 1, "a good one still is");
    server.stop().await;

    // A server that was set back hasn't come to where the cursor is yet.
    let server = Server::start(earlier.path()).await;
    let alice = alice.at(&server);
    let mut inbox = alice.inbox(&future).await.unwrap();
    let snapshot = inbox.snapshot().await;
    assert!(snapshot.reset);
    assert_eq!(ids(&snapshot), [id.as_str()]);
    let next = alice.create(solo("bosh")).await.unwrap().game_id;
    assert_eq!(place(&inbox.change().await), (next, 1));
}

#[tokio::test]
async fn a_cursor_that_a_thousand_changes_came_after_is_too_old() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let cursor = alice.inbox("").await.unwrap().snapshot().await.cursor;
    let mut games = create(&alice, 999).await;
    let mut inbox = alice.inbox(&cursor).await.unwrap();
    let changes = inbox.changes(999).await;
    let seen: HashSet<_> = changes.iter().map(|change| place(change).0).collect();
    assert_eq!(seen, games);
    games.extend(create(&alice, 1).await);
    assert_eq!(place(&inbox.change().await).1, 1);
    let mut inbox = alice.inbox(&cursor).await.unwrap();
    let snapshot = inbox.snapshot().await;
    assert!(snapshot.reset);
    let seen: HashSet<_> = ids(&snapshot).into_iter().map(str::to_owned).collect();
    assert_eq!(seen, games);
}

#[tokio::test]
async fn a_reader_who_does_not_read_misses_nothing_or_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let mut narrow = alice.clone();
    narrow.channel = server.narrow_channel().await;
    let mut inbox = narrow.inbox("").await.unwrap();
    let cursor = inbox.snapshot().await.cursor;
    // More than are kept at hand: they come from the log.
    let games = create(&alice, 400).await;
    let mut seen = Vec::new();
    for _ in 0..400 {
        seen.push(inbox.change().await);
    }
    let mut again = alice.inbox(&cursor).await.unwrap();
    for (change, other) in seen.iter().zip(again.changes(400).await) {
        assert_eq!(change.cursor, other.cursor);
        assert_eq!(change.event, other.event);
    }
    let seen: HashSet<_> = seen.iter().map(|change| place(change).0).collect();
    assert_eq!(seen, games);

    // More than come from the log.
    let further = create(&alice, 1_500).await;
    let mut seen = HashSet::new();
    let snapshot = loop {
        match within(inbox.message()).await.unwrap() {
            Message::Change(change) => assert!(seen.insert(place(&change).0)),
            other => break inbox.snapshot_from(other).await,
        }
    };
    assert!(snapshot.reset);
    assert!(seen.is_subset(&further));
    let next = alice.create(solo("bosh")).await.unwrap().game_id;
    assert_eq!(place(&inbox.change().await), (next, 1));
}
