//! Private games don't exist to others; unlisted ones are for who has the id.

use mancala::grpc::{
    Reason,
    proto::{CreateGameRequest, JoinGameRequest, ListGamesRequest, Visibility},
};

use crate::support::{
    client::{Caller, fresh_id, invited, join, open, play, resign, solo},
    server::Server,
    status::{refused, refused_missing},
};

fn of(visibility: Visibility, request: CreateGameRequest) -> CreateGameRequest {
    CreateGameRequest {
        visibility: visibility.into(),
        ..request
    }
}

/// Asserts that a game is to a caller as one that was never there.
async fn assert_invisible(caller: &Caller, id: &str) {
    let (reason, kind) = (Reason::GameNotFound, "mancala.v1.Game");
    refused_missing(caller.get(id).await, reason, kind, id);
    refused_missing(caller.legal(id).await, reason, kind, id);
    refused_missing(caller.watch(id, None).await, reason, kind, id);
    refused_missing(caller.watch(id, Some(0)).await, reason, kind, id);
    refused_missing(caller.watch(id, Some(99)).await, reason, kind, id);
    if caller.token.is_some() {
        refused_missing(caller.play(id, 0).await, reason, kind, id);
        refused_missing(caller.play(id, 99).await, reason, kind, id);
        refused_missing(caller.resign(resign(id)).await, reason, kind, id);
        for code in ["", "guess"] {
            for side in 0..=2 {
                let join_code = code.into();
                let request = JoinGameRequest {
                    side,
                    join_code,
                    ..join(id)
                };
                refused_missing(caller.join(request).await, reason, kind, id);
            }
        }
    }
    let listed = caller.list(ListGamesRequest::default()).await.unwrap();
    assert!(listed.games.iter().all(|game| game.game_id != id));
}

#[tokio::test]
async fn a_private_game_is_to_others_as_one_that_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let (carol, stranger) = (server.player("Carol").await, server.stranger());
    let private = |request| of(Visibility::Private, request);
    let kept = CreateGameRequest {
        north: invited(&bob),
        ..solo("bosh")
    };
    let mut ids = vec![fresh_id()];
    for request in [solo("bosh"), open("bosh"), kept] {
        let game = alice.create(private(request)).await.unwrap();
        ids.push(game.game_id);
    }
    for id in &ids {
        assert_invisible(&carol, id).await;
        assert_invisible(&stranger, id).await;
    }
    let found = alice.list(ListGamesRequest::default()).await.unwrap();
    assert_eq!(found.games.len(), 3, "they are the seats' own");
    let found = bob.list(ListGamesRequest::default()).await.unwrap();
    assert_eq!(found.games.len(), 1, "an invitation is seen");
    bob.get(&ids[3]).await.unwrap();
    bob.join(join(&ids[3])).await.unwrap();
    bob.get(&ids[3]).await.unwrap();
    assert_invisible(&carol, &ids[3]).await;
    // Nor after a restart.
    server.stop().await;
    let server = Server::start(folder.path()).await;
    for id in &ids {
        assert_invisible(&carol.at(&server), id).await;
    }
}

#[tokio::test]
async fn the_join_code_opens_a_private_seat() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let created = alice
        .create_whole(of(Visibility::Private, open("bosh")))
        .await
        .unwrap();
    let (game, join_code) = (created.game.unwrap(), created.join_code);
    assert!(join_code.len() >= 16);
    let id = game.game_id.as_str();
    let wrong = join_code[1..].to_owned();
    let own = JoinGameRequest {
        join_code: wrong,
        ..join(id)
    };
    refused(alice.join(own).await, Reason::JoinCodeWrong);
    assert_eq!(alice.get(id).await.unwrap(), game);
    bob.join(JoinGameRequest {
        join_code,
        ..join(id)
    })
    .await
    .unwrap();
    bob.get(id).await.unwrap();
    alice.submit(play(id, 0)).await.unwrap();
    let events = bob.watch(id, Some(0)).await.unwrap();
    drop(events);
}

#[tokio::test]
async fn an_unlisted_game_is_for_who_has_its_id() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let created = alice
        .create_whole(of(Visibility::Unlisted, open("bosh")))
        .await
        .unwrap();
    assert_eq!(created.join_code, "");
    let id = created.game.unwrap().game_id;
    let stranger = server.stranger();
    stranger.get(&id).await.unwrap();
    stranger.watch(&id, None).await.unwrap();
    assert_eq!(
        stranger
            .list(ListGamesRequest::default())
            .await
            .unwrap()
            .games
            .len(),
        0
    );
    let player_id = alice.id.clone();
    let hers = ListGamesRequest {
        player_id,
        ..Default::default()
    };
    assert_eq!(bob.list(hers.clone()).await.unwrap().games.len(), 0);
    assert_eq!(alice.list(hers).await.unwrap().games.len(), 1);
    bob.join(join(&id)).await.unwrap();
}

#[tokio::test]
async fn lists_of_a_player_show_no_private_game_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    alice
        .create(of(Visibility::Private, solo("bosh")))
        .await
        .unwrap();
    let player_id = alice.id.clone();
    for open_seat in [false, true] {
        let player_id = player_id.clone();
        let request = ListGamesRequest {
            player_id,
            open_seat,
            ..Default::default()
        };
        assert_eq!(bob.list(request).await.unwrap().games, []);
    }
}
