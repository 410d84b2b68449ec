//! Tokens: what is one, what is none, and that they outlive the server.

use mancala::grpc::{
    Reason,
    proto::{GetPlayerRequest, ListVariantsRequest},
};
use tonic::{Request, Status, metadata::MetadataValue};

use crate::support::{
    client::{Caller, join, open, play, resign},
    server::Server,
    status::refused,
};

/// A call that needs no token, with metadata.
async fn call(caller: &Caller, metadata: &[(&'static str, &[u8])]) -> Result<(), Status> {
    let mut request = Request::new(ListVariantsRequest::default());
    for (key, value) in metadata {
        let value = MetadataValue::try_from(*value).unwrap();
        request.metadata_mut().insert(*key, value);
    }
    caller.rules().list_variants(request).await.map(|_| ())
}

#[tokio::test]
async fn tokens_that_are_none_are_refused_by_every_call() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let token = alice.token.clone().unwrap();
    let good = format!("Bearer {token}");
    let bearer = |token: &str| format!("Bearer {token}").into_bytes();
    let bad: Vec<Vec<u8>> = vec![
        b"".into(),
        b"Bearer".into(),
        b"Bearer ".into(),
        token.clone().into(),
        format!("Basic {token}").into(),
        format!("Bearer{token}").into(),
        bearer(&token[..token.len() - 1]),
        bearer(&token[..token.len() / 2]),
        bearer(&token[1..]),
        bearer(&format!("{token}x")),
        bearer(&format!("{token} {token}")),
        bearer(token.rsplit_once('.').unwrap().0),
        bearer("eyJhbGciOiJub25lIn0.e30."),
        bearer(&"x".repeat(4_000)),
        b"\xff\xfe".into(),
    ];
    for header in &bad {
        let answer = call(&alice, &[("authorization", header)]).await;
        eprintln!("{}", String::from_utf8_lossy(header));
        refused(answer, Reason::TokenInvalid);
    }
    for good in [good.clone(), good.replace("Bearer", "bEARER")] {
        call(&alice, &[("authorization", good.as_bytes())])
            .await
            .unwrap();
    }
    let other_folder = tempfile::tempdir().unwrap();
    let other = Server::start(other_folder.path()).await;
    refused(
        alice.at(&other).list(Default::default()).await,
        Reason::TokenInvalid,
    );
}

#[tokio::test]
async fn calls_that_need_a_token_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, stranger) = (server.player("Alice").await, server.stranger());
    let before = alice.create(open("bosh")).await.unwrap();
    let id = before.game_id.as_str();
    let missing = Reason::TokenMissing;
    refused(stranger.create(open("bosh")).await, missing);
    refused(stranger.join(join(id)).await, missing);
    refused(stranger.submit(play(id, 0)).await, missing);
    refused(stranger.resign(resign(id)).await, missing);
    let me = stranger
        .players()
        .get_player(GetPlayerRequest::default())
        .await;
    refused(me, missing);
    assert_eq!(
        stranger.get(id).await.unwrap(),
        before,
        "a public game is for all to see"
    );
    assert_eq!(stranger.legal(id).await.unwrap().turn, 0);
    assert_eq!(
        stranger.list(Default::default()).await.unwrap().games.len(),
        1
    );
    stranger.watch(id, None).await.unwrap();
}

#[tokio::test]
async fn nobody_may_act_for_another() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let token = format!("Bearer {}", alice.token.clone().unwrap());
    for name in [bob.id.as_str(), alice.id.as_str(), "", "x"] {
        let act_for = ("x-mancala-player", name.as_bytes());
        let may_not = Reason::MayNotActFor;
        refused(call(&alice, &[act_for]).await, may_not);
        let both = [act_for, ("authorization", token.as_bytes())];
        refused(call(&alice, &both).await, may_not);
    }
}

#[tokio::test]
async fn tokens_outlive_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let game = alice.create(open("bosh")).await.unwrap();
    server.stop().await;
    let server = Server::start(folder.path()).await;
    let alice = alice.at(&server);
    assert_eq!(alice.get(&game.game_id).await.unwrap(), game);
    alice.create(open("bosh")).await.unwrap();
    server.stop().await;
}
