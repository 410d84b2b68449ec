//! A player's inbox: what wants attention, then every change of the player's games.

use std::time::Duration;

use mancala::{
    game::SEATS_EXPIRE,
    grpc::{
        Reason,
        proto::{
            CreateGameRequest, GameStatus, ListGamesRequest, OfferAnswer, Side, Visibility,
            game_event::Change, watch_player_response::Message,
        },
    },
    session::{Noticed, Session, SessionError},
    store::Sqlite,
};
use tokio::time::Instant;

use crate::support::{
    client::{
        Caller, abort, accept, decline, draw, invited, join, open, rematch, resign, solo, takeback,
    },
    clock::SetClock,
    inbox::{assert_told, ids, place, small},
    server::Server,
    status::{assert_reason, refused},
    table::ALICE,
    within,
};

/// A game of two players, South to move.
async fn begun(south: &Caller, north: &Caller) -> String {
    let id = south.create(open("en-dodoi")).await.unwrap().game_id;
    north.join(join(&id)).await.unwrap();
    id
}

#[tokio::test]
async fn a_snapshot_is_of_just_what_wants_attention() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let mut wanted = Vec::new();
    for visibility in [
        Visibility::Public,
        Visibility::Unlisted,
        Visibility::Private,
    ] {
        let request = CreateGameRequest {
            visibility: visibility.into(),
            north: invited(&bob),
            ..open("bosh")
        };
        let id = alice.create(request).await.unwrap().game_id;
        bob.join(join(&id)).await.unwrap();
        wanted.push(id);
    }
    // It is Bob's turn, and nothing else; then he offers a draw.
    let theirs = begun(&alice, &bob).await;
    let offered = begun(&alice, &bob).await;
    for id in [&theirs, &offered] {
        let game = alice.play(id, 4).await.unwrap().game.unwrap();
        assert_eq!(game.position.unwrap().to_move(), Side::North);
    }
    bob.offer_draw(draw(&offered)).await.unwrap();
    alice.offer_draw(draw(&theirs)).await.unwrap();
    wanted.push(offered);
    let invitation = CreateGameRequest {
        north: invited(&alice),
        ..open("oware")
    };
    wanted.push(bob.create(invitation.clone()).await.unwrap().game_id);
    wanted.push(alice.create(solo("bosh")).await.unwrap().game_id);
    // None of these.
    let declined = bob.create(invitation).await.unwrap().game_id;
    alice.abort(abort(&declined)).await.unwrap();
    alice.create(open("bosh")).await.unwrap();
    let own = CreateGameRequest {
        north: invited(&bob),
        ..open("bosh")
    };
    alice.create(own).await.unwrap();
    let over = begun(&alice, &bob).await;
    bob.resign(resign(&over)).await.unwrap();
    bob.create(solo("bosh")).await.unwrap();
    bob.create(open("bosh")).await.unwrap();

    let snapshot = alice.inbox("").await.unwrap().snapshot().await;
    wanted.reverse();
    assert_eq!(ids(&snapshot), wanted);
    assert!(!snapshot.reset && !snapshot.cursor.is_empty());
    assert_eq!(snapshot.parts, 1);
    for told in &snapshot.games {
        let game = told.game.clone().unwrap();
        let log = alice.log(&game.game_id).await;
        assert_told(Some(&game), told.event.as_ref(), &log);
        assert_eq!(game.seq, log.len() as u64, "the newest event is with it");
        let now = alice.get(&game.game_id).await.unwrap();
        assert_eq!(small(game), small(now));
    }

    let nobody = server.player("Carol").await;
    let snapshot = nobody.inbox("").await.unwrap().snapshot().await;
    assert!(snapshot.games.is_empty() && !snapshot.cursor.is_empty());
    refused(server.stranger().inbox("").await, Reason::TokenMissing);
}

#[tokio::test]
async fn a_snapshot_of_hundreds_of_games_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let mut games = Vec::new();
    for _ in 0..230 {
        games.push(alice.create(solo("bosh")).await.unwrap().game_id);
    }
    games.reverse();
    let mut inbox = alice.inbox("").await.unwrap();
    let snapshot = inbox.snapshot().await;
    assert_eq!(ids(&snapshot), games);
    assert!(snapshot.parts > 1, "more than a message holds");
    let mut again = alice.inbox(&snapshot.cursor).await.unwrap();
    alice.play(&games[7], 0).await.unwrap();
    for inbox in [&mut inbox, &mut again] {
        assert_eq!(place(&inbox.change().await), (games[7].clone(), 2));
    }
}

#[tokio::test]
async fn every_change_of_each_own_game_comes_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let clock = SetClock::new();
    let server = Server::start_at(folder.path(), &clock).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let carol = server.player("Carol").await;
    let mut inboxes = Vec::new();
    for player in [&alice, &alice, &bob, &carol] {
        let mut inbox = player.inbox("").await.unwrap();
        assert!(inbox.snapshot().await.games.is_empty());
        inboxes.push(inbox);
    }
    let mut expected = Vec::new();
    let own = alice.create(open("en-dodoi")).await.unwrap();
    let id = own.game_id.clone();
    expected.push(own);
    expected.push(bob.join(join(&id)).await.unwrap());
    expected.push(alice.play(&id, 4).await.unwrap().game.unwrap());
    expected.push(bob.play(&id, 3).await.unwrap().game.unwrap());
    let offer = bob.offer_draw(draw(&id)).await.unwrap();
    expected.extend([offer.clone(), alice.answer(decline(&offer)).await.unwrap()]);
    let offer = alice.request_takeback(takeback(&id)).await.unwrap();
    expected.extend([offer.clone(), bob.answer(accept(&offer)).await.unwrap()]);
    expected.push(bob.resign(resign(&id)).await.unwrap());
    let invitation = bob.rematch(rematch(&id)).await.unwrap();
    expected.extend([invitation, alice.rematch(rematch(&id)).await.unwrap()]);
    for visibility in [Visibility::Unlisted, Visibility::Private] {
        let request = CreateGameRequest {
            visibility: visibility.into(),
            north: invited(&bob),
            ..open("bosh")
        };
        let hidden = alice.create(request).await.unwrap();
        let id = hidden.game_id.clone();
        expected.extend([hidden, bob.join(join(&id)).await.unwrap()]);
        expected.push(alice.play(&id, 0).await.unwrap().game.unwrap());
    }
    let aborted = alice.create(open("bosh")).await.unwrap();
    expected.extend([aborted.clone()]);
    expected.push(alice.abort(abort(&aborted.game_id)).await.unwrap());
    let expires = alice.create(open("bosh")).await.unwrap();
    expected.push(expires.clone());
    clock.advance(Duration::from_millis(SEATS_EXPIRE as u64));
    let mut watch = alice.watch(&expires.game_id, Some(1)).await.unwrap();
    assert!(within(watch.message()).await.unwrap().is_some());
    expected.push(alice.get(&expires.game_id).await.unwrap());
    let last = carol.create(solo("bosh")).await.unwrap();

    let [first, second, third, fourth] = &mut inboxes[..] else {
        panic!("four")
    };
    let (seen, same) = (
        first.changes(expected.len()).await,
        second.changes(expected.len()).await,
    );
    let timeless = |changes: &[mancala::grpc::proto::PlayerChange]| -> Vec<_> {
        let changes = changes.iter();
        changes
            .map(|change| {
                (
                    change.cursor.clone(),
                    small(change.game.clone().unwrap()),
                    change.event.clone(),
                )
            })
            .collect()
    };
    assert_eq!(
        timeless(&seen),
        timeless(&same),
        "all watchers see the same"
    );
    for (change, game) in seen.iter().zip(&expected) {
        assert_eq!(place(change), (game.game_id.clone(), game.seq));
        assert_eq!(small(change.game.clone().unwrap()), small(game.clone()));
        let log = alice.log(&game.game_id).await;
        assert_told(change.game.as_ref(), change.event.as_ref(), &log);
        if let Some(Change::Moved(outcome)) = &change.event.as_ref().unwrap().change {
            assert!(outcome.steps.is_empty() && outcome.position.is_some());
        }
    }
    let status = seen.last().unwrap().game.as_ref().unwrap().status();
    assert_eq!(status, GameStatus::Aborted);
    // Bob's begin with his seat, and end before what is Alice's alone.
    let bobs = &expected[1..expected.len() - 4];
    for (change, game) in third.changes(bobs.len()).await.iter().zip(bobs) {
        assert_eq!(place(change), (game.game_id.clone(), game.seq));
    }
    assert_eq!(place(&fourth.change().await), (last.game_id, 1));
    bob.create(solo("bosh")).await.unwrap();
    assert_eq!(place(&third.change().await).1, 1, "nothing else came");
}

#[tokio::test]
async fn what_is_answered_before_a_watch_is_in_it_and_what_comes_after_too() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let id = alice.create(solo("en-dodoi")).await.unwrap().game_id;
    let mut cursor = alice.inbox("").await.unwrap().snapshot().await.cursor;
    for _ in 0..20 {
        let offer = alice.offer_draw(mancala::grpc::proto::OfferDrawRequest {
            side: 1,
            ..draw(&id)
        });
        let Ok(offer) = offer.await else { break };
        let mut fresh = alice.inbox("").await.unwrap();
        let snapshot = fresh.snapshot().await;
        assert_eq!(snapshot.games[0].event.as_ref().unwrap().seq, offer.seq);
        let mut resumed = alice.inbox(&cursor).await.unwrap();
        assert_eq!(place(&resumed.change().await).1, offer.seq);
        let answer = mancala::grpc::proto::AnswerOfferRequest {
            answer: OfferAnswer::Decline.into(),
            ..accept(&offer)
        };
        let declined = alice.answer(answer).await.unwrap();
        let legal = alice.legal(&id).await.unwrap().moves;
        let moved = alice.play(&id, legal[0].hole).await.unwrap().game.unwrap();
        for inbox in [&mut fresh, &mut resumed] {
            assert_eq!(place(&inbox.change().await).1, declined.seq);
            let change = inbox.change().await;
            assert_eq!(place(&change).1, moved.seq);
            cursor = change.cursor;
        }
    }
    assert_eq!(
        alice
            .list(ListGamesRequest::default())
            .await
            .unwrap()
            .games
            .len(),
        1
    );
}

#[tokio::test]
async fn it_is_listened_to_after_long_silence() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    for _ in 0..100 {
        bob.create(solo("bosh")).await.unwrap();
        alice.create(solo("bosh")).await.unwrap();
    }
    let mut inbox = alice.inbox("").await.unwrap();
    let snapshot = inbox.snapshot().await;
    assert_eq!(snapshot.games.len(), 100);
    let id = alice.create(solo("bosh")).await.unwrap().game_id;
    assert_eq!(place(&inbox.change().await), (id, 1));
    // The same when there was silence between two watches.
    drop(inbox);
    for _ in 0..10 {
        bob.create(solo("bosh")).await.unwrap();
    }
    let mut inbox = alice.inbox(&snapshot.cursor).await.unwrap();
    let id = alice.create(solo("bosh")).await.unwrap().game_id;
    let changes = inbox.changes(2).await;
    assert_eq!(place(&changes[1]), (id, 1));
}

#[tokio::test]
async fn a_draining_server_says_goodbye_with_a_cursor() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let id = alice.create(solo("en-dodoi")).await.unwrap().game_id;
    let mut inbox = alice.inbox("").await.unwrap();
    inbox.snapshot().await;
    alice.play(&id, 4).await.unwrap();
    let seen = inbox.change().await;
    let stopping = server.begin_stop();
    let Message::Goodbye(goodbye) = inbox.message().await.unwrap() else {
        panic!("goodbye")
    };
    assert_eq!(goodbye.cursor, seen.cursor);
    let status = inbox.message().await.unwrap_err();
    let details = assert_reason(&status, Reason::Draining);
    assert!(details.retry_info().is_some());
    stopping.done().await;

    let server = Server::start(folder.path()).await;
    let alice = alice.at(&server);
    let mut inbox = alice.inbox(&goodbye.cursor).await.unwrap();
    alice.play(&id, 3).await.unwrap();
    assert_eq!(place(&inbox.change().await), (id, 3));
}

// The clock stands still but when all wait for it, so nothing here takes an hour.
#[tokio::test(start_paused = true)]
async fn heartbeats_come_every_ten_seconds_and_goodbye_within_an_hour() {
    let folder = tempfile::tempdir().unwrap();
    let store = Sqlite::open(folder.path()).unwrap();
    let session = Session::new(std::sync::Arc::new(store));
    let mut watch = session.watch_player(ALICE, "").await.unwrap();
    let begin = Instant::now();
    let Ok(Noticed::Snapshot(snapshot)) = watch.next().await else {
        panic!("a snapshot")
    };
    let mut before = Instant::now();
    let goodbye = loop {
        match watch.next().await {
            Ok(Noticed::Heartbeat { cursor }) => {
                assert_eq!(before.elapsed().as_secs(), 10);
                assert_eq!(cursor, snapshot.cursor);
                before = Instant::now();
            }
            Ok(Noticed::Goodbye { cursor }) => break cursor,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(goodbye, snapshot.cursor);
    let age = begin.elapsed();
    assert!((54 * 60..=60 * 60).contains(&age.as_secs()), "{age:?}");
    assert!(matches!(watch.next().await, Err(SessionError::Draining)));
}
