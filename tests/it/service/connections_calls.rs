//! What a connection may begin, and keep unfinished.

use std::{
    convert::Infallible,
    time::{Duration, Instant},
};

use http::{Method, uri::PathAndQuery};
use mancala::grpc::{
    Limit, Patience, Reason,
    proto::{GetVariantRequest, GetVariantResponse, ListLimitsRequest, ListVariantsRequest},
};
use tokio::{
    io::AsyncWriteExt as _,
    net::TcpStream,
    task::{JoinSet, yield_now},
};
use tokio_stream::iter;
use tonic::{Request, body::Body, client::Grpc};
use tonic_prost::ProstCodec;
use tower::ServiceExt as _;

use crate::support::{
    client::watched_game,
    server::Server,
    status::refused_quota,
    wire::{Wire, closed, stream_from},
    within,
};

const SOON: Duration = Duration::from_millis(100);

async fn patient(folder: &tempfile::TempDir, patience: Patience) -> Server {
    Server::start_behind(folder.path(), |edge| edge.patience = patience).await
}

/// Five units a second, so that 320 requests are read in one, and 20 at once.
async fn slow(folder: &tempfile::TempDir) -> Server {
    Server::start_behind(folder.path(), |edge| {
        edge.limits.set(Limit::CallsPerAddress, 5);
        edge.proxies.0 = vec!["127.0.0.9/32".parse().unwrap()];
    })
    .await
}

/// What a slow server reads in no less than so long.
const AT_ONCE: u32 = 20;
const AND_MORE: u32 = 500;
const TAKES: Duration = Duration::from_millis(1_500);

fn preflight() -> http::Request<Body> {
    let mut request = http::Request::new(Body::empty());
    *request.method_mut() = Method::OPTIONS;
    *request.uri_mut() = "http://localhost/".parse().unwrap();
    request
}

#[tokio::test]
async fn who_sends_more_than_it_may_is_read_more_slowly_whatever_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let server = slow(&folder).await;
    let (preflights, began) = (
        Wire::open_from("127.0.0.2", server.address()).await,
        Instant::now(),
    );
    for _ in 0..AT_ONCE + AND_MORE {
        let answer = within(preflights.sends().oneshot(preflight())).await;
        answer.unwrap();
    }
    assert!(began.elapsed() >= TAKES, "{:?}", began.elapsed());
    // On all connections of an address together, also of calls that are given up.
    let began = Instant::now();
    let wires = [
        Wire::open_from("127.0.0.3", server.address()).await,
        Wire::open_from("127.0.0.3", server.address()).await,
    ];
    for wire in wires.iter().cycle().take((AT_ONCE + AND_MORE) as usize) {
        let mut request = Request::new(ListVariantsRequest::default());
        let metadata = request.metadata_mut();
        metadata.insert("grpc-timeout", "0n".parse().unwrap());
        let _ = within(wire.rules().list_variants(request)).await;
    }
    assert!(began.elapsed() >= TAKES, "{:?}", began.elapsed());
    // Others are not held up meanwhile, nor is a proxy, and nobody was cut off.
    let began = Instant::now();
    let other = Wire::open_from("127.0.0.4", server.address()).await;
    other.serves().await;
    let proxy = Wire::open_from("127.0.0.9", server.address()).await;
    for _ in 0..AT_ONCE + 100 {
        within(proxy.sends().oneshot(preflight())).await.unwrap();
    }
    assert!(began.elapsed() < Duration::from_secs(60));
    preflights.serves().await;
    assert!(!preflights.ended.is_finished());
    assert!(wires.iter().all(|wire| !wire.ended.is_finished()));
}

#[tokio::test]
async fn bytes_count_too() {
    let folder = tempfile::tempdir().unwrap();
    let server = slow(&folder).await;
    let (wire, began) = (
        Wire::open_from("127.0.0.2", server.address()).await,
        Instant::now(),
    );
    // Each as 30 requests, and its own.
    let message = GetVariantRequest {
        variant: "x".repeat(30 * 2_048),
    };
    for _ in 0..(AT_ONCE + AND_MORE).div_ceil(31) {
        let mut rules = wire.rules();
        let asked = within(rules.get_variant(message.clone())).await;
        asked.unwrap_err();
    }
    assert!(began.elapsed() >= TAKES, "{:?}", began.elapsed());
}

#[tokio::test]
async fn who_keeps_too_much_unfinished_is_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_behind(folder.path(), |edge| {
        edge.limits.set(Limit::ConcurrentCallsPerAddress, 1);
        edge.limits.set(Limit::StreamsPerAddress, 1);
    })
    .await;
    let other = Wire::open_from("127.0.0.3", server.address()).await;
    // Each call but one waits half a second for its refusal.
    let mut wires = Vec::new();
    for _ in 0..8 {
        wires.push(Wire::open_from("127.0.0.2", server.address()).await);
    }
    let mut calls = JoinSet::new();
    for _ in 0..256 {
        for wire in &wires {
            let mut rules = wire.rules();
            calls.spawn(async move {
                while rules
                    .list_variants(ListVariantsRequest::default())
                    .await
                    .is_err_and(|status| status.code() == tonic::Code::ResourceExhausted)
                {
                }
            });
        }
    }
    let ends = wires.into_iter().map(|wire| Box::pin(wire.ended));
    let (ended, _, _) = within(futures_util::future::select_all(ends)).await;
    ended.unwrap().unwrap_err();
    assert!(server.limit(Limit::ConcurrentCallsPerAddress).await.1 >= 1);
    other.serves().await;
}

#[tokio::test]
async fn a_connection_whose_client_does_not_take_an_answer_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    let patience = Patience {
        taking: 3 * SOON,
        answer: SOON,
        ..Patience::default()
    };
    let server = patient(&folder, patience).await;
    let (alice, id, (_watcher, mut watch)) = watched_game(&server).await;
    for _ in 0..2 {
        let deaf = Wire::open_deaf(server.address()).await;
        let mut rules = deaf.rules();
        let asked = rules.list_variants(ListVariantsRequest::default());
        within(asked).await.unwrap_err();
        within(deaf.ended).await.unwrap().unwrap_err();
    }
    // A stream is open for longer.
    alice.play(&id, 4).await.unwrap();
    within(watch.message()).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_request_that_is_never_sent_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let patience = Patience {
        answer: SOON,
        ..Patience::default()
    };
    let server = patient(&folder, patience).await;
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let begun = "POST /mancala.v1.RulesService/ListVariants HTTP/1.1\r\nhost: localhost\r\n\
                 content-type: application/grpc-web+proto\r\ncontent-length: 5\r\n\r\n\0\0";
    stream.write_all(begun.as_bytes()).await.unwrap();
    let answer = closed(&mut stream).await;
    let answer = String::from_utf8_lossy(&answer);
    assert!(
        answer.contains("DEADLINE_EXCEEDED") || answer.contains("grpc-status: 4"),
        "{answer}"
    );
    // Only the one call ends of a connection on which others go on.
    let wire = Wire::open(server.address()).await;
    let (never, body) =
        tokio::sync::mpsc::channel::<Result<http_body::Frame<bytes::Bytes>, Infallible>>(1);
    let body = http_body_util::StreamBody::new(tokio_stream::wrappers::ReceiverStream::new(body));
    let request = http::Request::post("http://localhost/mancala.v1.RulesService/ListVariants")
        .header("content-type", "application/grpc")
        .body(Body::new(body))
        .unwrap();
    let answer = within(wire.sends().oneshot(request)).await.unwrap();
    assert_eq!(answer.headers()["grpc-status"], "4");
    wire.serves().await;
    drop(never);
}

#[tokio::test]
async fn all_messages_of_a_request_that_should_be_one_count() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let ask = |messages: usize| {
        let message = GetVariantRequest {
            variant: "x".repeat(30_000),
        };
        let mut client = Grpc::new(server.channel());
        async move {
            client.ready().await.unwrap();
            let path = PathAndQuery::from_static("/mancala.v1.RulesService/GetVariant");
            let codec = ProstCodec::<GetVariantRequest, GetVariantResponse>::default();
            let requests = Request::new(iter(vec![message; messages]));
            within(client.client_streaming(requests, path, codec)).await
        }
    };
    let status = ask(2).await.unwrap_err();
    assert_ne!(status.code(), tonic::Code::ResourceExhausted, "{status:?}");
    refused_quota(ask(3).await, Reason::RequestTooLarge, "request-bytes");
}

#[tokio::test]
async fn new_connections_have_a_rate() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_behind(folder.path(), |edge| {
        edge.limits.set(Limit::ConnectionsPerAddress, 50);
    })
    .await;
    let mut made = 0;
    while server.limit(Limit::ConnectionsPerAddress).await.1 == 0 {
        let stream = stream_from("127.0.0.2", server.address()).await;
        drop(stream);
        // It was let in, and is gone: there is never more than one.
        while server.limit(Limit::Connections).await.0 != Some(0) {
            yield_now().await;
        }
        made += 1;
    }
    assert!(made >= 50, "{made}");
    let other = Wire::open_from("127.0.0.3", server.address()).await;
    other.serves().await;
}

#[tokio::test]
async fn a_connection_that_calls_no_more_is_said_goodbye_but_not_one_with_a_stream() {
    let folder = tempfile::tempdir().unwrap();
    let patience = Patience {
        first_call: SOON,
        idle: 2 * SOON,
        ..Patience::default()
    };
    let server = patient(&folder, patience).await;
    let (alice, id, (_watcher, mut watch)) = watched_game(&server).await;
    for _ in 0..3 {
        let wire = Wire::open(server.address()).await;
        wire.serves().await;
        within(wire.ended).await.unwrap().unwrap();
    }
    alice.play(&id, 4).await.unwrap();
    within(watch.message()).await.unwrap().unwrap();
}

#[tokio::test]
async fn no_web_page_comes_through_the_admins_door() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let mut stream = TcpStream::connect(server.admin_address()).await.unwrap();
    let page = "POST /mancala.v1.AdminService/ListLimits HTTP/1.1\r\nhost: localhost\r\n\
                content-type: application/grpc-web+proto\r\ncontent-length: 5\r\n\r\n\0\0\0\0\0";
    stream.write_all(page.as_bytes()).await.unwrap();
    let answer = closed(&mut stream).await;
    assert!(!answer.starts_with(b"HTTP/1.1"), "{answer:?}");
    let mut request = Request::new(ListLimitsRequest {});
    let origin = "http://localhost".parse().unwrap();
    request.metadata_mut().insert("origin", origin);
    let mut admins = server.admin().admins();
    within(admins.list_limits(request)).await.unwrap_err();
    server.limit(Limit::Connections).await;
}
