//! What watches cost in which nothing happens.

use std::{error::Error, fs, time::Duration};

use tokio::task::JoinSet;
use tonic::Status;

use super::{
    binary::{self, Binary},
    clients::Player,
    companions::{self, Companion},
};

/// Connections of one process, which may have so many files open.
const A_PROCESS: usize = 10_000;

/// Files that the server needs beside its connections.
const OTHER_FILES: usize = 100;

/// All have had a heartbeat by then.
const HEARTBEATS: Duration = Duration::from_secs(25);

/// Memory of the system's sockets is told in such pages.
const PAGE: u64 = 4_096;

/// Opens connections, each with a watch of a game of its own by the player in its seats, waits for
/// heartbeats, and tells how much memory the server and the system have for them.
pub async fn measure(wanted: usize) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let server = Binary::start(folder.path())?;
    server.connect().await?;
    let watches = wanted.min(server.most_files()? - OTHER_FILES);
    let (memory, sockets) = (server.memory()?, socket_memory()?);
    let mut starting = Vec::new();
    for first in (0..watches).step_by(A_PROCESS) {
        let count = A_PROCESS.min(watches - first);
        // An address of its own, since a pair of them has only so many ports.
        let from = format!("127.0.0.{}", 2 + first / A_PROCESS);
        starting.push(Companion::begin(&[
            "hold",
            "--server",
            &server.address,
            "--watchers",
            &count.to_string(),
            "--from",
            &from,
        ])?);
    }
    let holding = starting.into_iter().map(Companion::ready);
    let holding = holding.collect::<Result<Vec<_>, _>>()?;
    tokio::time::sleep(HEARTBEATS).await;
    let memory = server.memory()? - memory;
    let sockets = socket_memory()?.saturating_sub(sockets);
    let each = |bytes: u64| bytes as f64 / watches as f64 / 1_024.0;
    let all = each(memory + sockets);
    println!(
        "{watches} idle watches of a game each: {:.1} KiB a watch in the server and {:.1} KiB in the system for both \
         ends of its socket, together {all:.1} KiB: {:.2} GiB for {wanted}",
        each(memory),
        each(sockets),
        all * wanted as f64 / 1_024.0 / 1_024.0
    );
    if watches < wanted {
        println!(
            "  no more than {watches}, since that is how many files the server may have open here"
        );
    }
    for held in holding {
        held.end()?;
    }
    Ok(())
}

/// Opens connections and watches and keeps them.
pub async fn hold(address: &str, watchers: usize, from: &str) -> Result<(), Box<dyn Error>> {
    let endpoint = binary::endpoint(address)?.local_address(Some(from.parse()?));
    let mut watching = JoinSet::new();
    for index in 0..watchers {
        let player = Player::new(endpoint.connect().await?, index as u64).await?;
        let mut stream = player.watch().await?;
        stream.message().await?;
        watching.spawn(async move {
            let _player = player;
            while stream.message().await?.is_some() {}
            Ok::<(), Status>(())
        });
    }
    companions::wait_for_end()?;
    if let Some(ended) = watching.try_join_next() {
        return Err(format!("a watch ended: {ended:?}").into());
    }
    Ok(())
}

/// Memory that the system has for sockets and its own objects, in bytes.
fn socket_memory() -> Result<u64, Box<dyn Error>> {
    let sockets = fs::read_to_string("/proc/net/sockstat")?;
    let pages = sockets
        .lines()
        .find(|line| line.starts_with("TCP:"))
        .and_then(|line| line.split_whitespace().last());
    let pages: u64 = pages.ok_or("no memory of sockets")?.parse()?;
    let objects = binary::kilobytes(&fs::read_to_string("/proc/meminfo")?, "Slab:")?;
    Ok(PAGE * pages + objects)
}
