//! How long connections live that nobody needs, or that were there long enough.

use std::time::{Duration, Instant};

use mancala::grpc::Patience;
use tokio::{io::AsyncWriteExt as _, net::TcpStream};

use crate::support::{
    client::watched_game,
    server::Server,
    wire::{Wire, closed},
    within,
};

const SOON: Duration = Duration::from_millis(100);

async fn patient(folder: &tempfile::TempDir, patience: Patience) -> Server {
    Server::start_behind(folder.path(), |edge| edge.patience = patience).await
}

#[tokio::test]
async fn connections_without_a_call_are_closed_and_those_with_one_stay() {
    let folder = tempfile::tempdir().unwrap();
    let patience = Patience {
        first_call: SOON,
        ..Patience::default()
    };
    let server = patient(&folder, patience).await;
    let calling = Wire::open(server.address()).await;
    calling.serves().await;
    for begun in ["", "PRI * HTTP/2.0\r\n", "POST / HT"] {
        let mut silent = TcpStream::connect(server.address()).await.unwrap();
        silent.write_all(begun.as_bytes()).await.unwrap();
        closed(&mut silent).await;
    }
    let polite = Wire::open(server.address()).await;
    within(polite.ended).await.unwrap().unwrap();
    assert!(!calling.ended.is_finished());
    calling.serves().await;
}

#[tokio::test]
async fn an_old_connection_is_said_goodbye_when_its_calls_have_ended() {
    let folder = tempfile::tempdir().unwrap();
    let patience = Patience {
        first_call: SOON,
        age: 3 * SOON,
        ..Patience::default()
    };
    let server = patient(&folder, patience).await;
    let wire = Wire::open(server.address()).await;
    wire.serves().await;
    within(wire.ended).await.unwrap().unwrap();
}

/// As of a reader who stopped reading, whose stream can't end by itself.
#[tokio::test]
async fn a_connection_whose_streams_do_not_end_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    let patience = Patience {
        first_call: SOON,
        age: 2 * SOON,
        farewell: 10 * SOON,
        ..Patience::default()
    };
    let server = patient(&folder, patience).await;
    let (alice, id, (_watcher, mut watch)) = watched_game(&server).await;
    alice.play(&id, 4).await.unwrap();
    within(watch.message()).await.unwrap().unwrap();
    while let Ok(message) = within(watch.message()).await {
        message.expect("a stream that is cut does not end well");
    }
}

#[tokio::test]
async fn a_server_that_stops_ends_all_connections() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let mut streams = Vec::new();
    for begun in ["", "PRI * HTTP/2.0\r\n", "POST / HTTP/1.1\r\n"] {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        stream.write_all(begun.as_bytes()).await.unwrap();
        streams.push(stream);
    }
    let wire = Wire::open(server.address()).await;
    wire.serves().await;
    let began = Instant::now();
    let stopping = server.begin_stop();
    within(wire.ended).await.unwrap().unwrap();
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "it is not cut off"
    );
    for mut stream in streams {
        closed(&mut stream).await;
    }
    stopping.done().await;
}
