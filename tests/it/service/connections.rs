//! How many connections there may be, and what one call on them may take.

use http::StatusCode;
use mancala::grpc::{
    Limit, Reason,
    proto::{ListGameEventsRequest, ListVariantsRequest},
};
use tokio::{net::TcpStream, task::yield_now};
use tonic::{Code, Request};

use crate::support::{
    client::{events, solo},
    server::Server,
    status::refused,
    wire::{Wire, closed, stream_from},
    within,
};

/// A server with a limit.
async fn limited(folder: &tempfile::TempDir, limit: Limit, value: u32) -> Server {
    Server::start_behind(folder.path(), |edge| edge.limits.set(limit, value)).await
}

/// Waits until so many connections are open.
async fn open(server: &Server, wanted: u32) {
    let reached = async {
        while server.limit(Limit::Connections).await.0 != Some(wanted) {
            yield_now().await;
        }
    };
    within(reached).await;
}

#[tokio::test]
async fn one_connection_too_many_is_refused_and_a_freed_place_can_be_taken() {
    let folder = tempfile::tempdir().unwrap();
    let server = limited(&folder, Limit::Connections, 2).await;
    let (first, second) = (
        Wire::open(server.address()).await,
        Wire::open(server.address()).await,
    );
    first.serves().await;
    second.serves().await;
    for refused in 1..=3 {
        let mut third = TcpStream::connect(server.address()).await.unwrap();
        assert_eq!(closed(&mut third).await, b"");
        assert_eq!(server.limit(Limit::Connections).await.1, refused);
    }
    first.serves().await;
    second.ended.abort();
    open(&server, 1).await;
    let third = Wire::open(server.address()).await;
    third.serves().await;
    first.serves().await;
    assert_eq!(server.limit(Limit::Connections).await.1, 3);
    assert_eq!(server.limit(Limit::ConnectionsPerAddress).await.1, 0);
}

#[tokio::test]
async fn an_address_has_its_share() {
    let folder = tempfile::tempdir().unwrap();
    let server = limited(&folder, Limit::ConnectionsPerAddress, 1).await;
    let first = Wire::open_from("127.0.0.1", server.address()).await;
    first.serves().await;
    let mut second = stream_from("127.0.0.1", server.address()).await;
    assert_eq!(closed(&mut second).await, b"");
    assert_eq!(server.limit(Limit::ConnectionsPerAddress).await.1, 1);
    let other = Wire::open_from("127.0.0.2", server.address()).await;
    other.serves().await;
    first.ended.abort();
    open(&server, 1).await;
    Wire::open_from("127.0.0.1", server.address())
        .await
        .serves()
        .await;
}

#[tokio::test]
async fn a_trusted_address_has_no_share_but_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_behind(folder.path(), |edge| {
        edge.limits.set(Limit::ConnectionsPerAddress, 1);
        edge.proxies.0 = vec!["127.0.0.1/32".parse().unwrap()];
    })
    .await;
    let both = [
        Wire::open(server.address()).await,
        Wire::open(server.address()).await,
    ];
    for one in &both {
        one.serves().await;
    }
}

#[tokio::test]
async fn a_call_past_its_deadline_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let id = alice.create(solo("bosh")).await.unwrap().game_id;
    let wire = Wire::open(server.address()).await;
    let wait = |seconds: i64, deadline: &'static str| {
        let mut request = Request::new(ListGameEventsRequest {
            after_seq: Some(1),
            wait: Some(prost_types::Duration { seconds, nanos: 0 }),
            ..events(&id)
        });
        let metadata = request.metadata_mut();
        metadata.insert("grpc-timeout", deadline.parse().unwrap());
        let mut games = wire.games();
        async move { within(games.list_game_events(request)).await }
    };
    refused(wait(30, "50m").await, Reason::DeadlineExceeded);
    refused(wait(30, "0n").await, Reason::DeadlineExceeded);
    // What is no deadline is none.
    for none in ["50", "m", "-1S", "999999999n"] {
        wait(0, none).await.unwrap();
    }
    wait(0, "30S").await.unwrap();
}

#[tokio::test]
async fn metadata_over_the_limit_are_refused_and_the_connection_lives_on() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let wire = Wire::open(server.address()).await;
    let with = |bytes: usize| {
        let mut request = Request::new(ListVariantsRequest::default());
        let value = "x".repeat(bytes).parse().unwrap();
        request.metadata_mut().insert("x-long", value);
        let mut rules = wire.rules();
        async move { within(rules.list_variants(request)).await }
    };
    with(7 * 1_024).await.unwrap();
    let status = with(8 * 1_024).await.unwrap_err();
    assert_eq!(status.code(), Code::Unknown, "{status:?}");
    let told = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE.as_str();
    assert!(status.message().contains(told), "{status:?}");
    wire.serves().await;
}
