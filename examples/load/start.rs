//! How soon a server that was killed plays on.

use std::{
    error::Error,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use mancala::{catalog::Catalog, store::Sqlite};

use super::{
    binary::Binary,
    clients::Player,
    games::{self, Maker},
};

/// Players of the games; a few have most of them.
const PLAYERS: usize = 200;

/// Moves before the server is killed: so the log has some that its file doesn't have yet.
const MOVES: usize = 500;

/// How often a server is started and killed.
const ROUNDS: usize = 5;

/// Starts of a server until it has answered a move: over an empty folder, and over many games.
pub async fn measure(
    finished: usize,
    clocked: usize,
    in_flight: usize,
) -> Result<(), Box<dyn Error>> {
    let empty = tempfile::tempdir()?;
    let (memory, quiet) = at_rest().await?;
    println!(
        "an empty server has {:.1} MB and is connected to {} after its start",
        memory as f64 / 1e6,
        ms(quiet)
    );
    let folder = tempfile::tempdir()?;
    {
        let store = Arc::new(Sqlite::open(folder.path())?);
        let catalog = Catalog::built_in();
        let players = games::players(PLAYERS);
        let mut maker = Maker::new(&catalog, &players);
        let stored = games::store_over(&store, &mut maker, finished, clocked, in_flight).await;
        stored.map_err(|error| error.to_string())?;
    }
    let none = restarts(empty.path()).await?;
    let many = restarts(folder.path()).await?;
    println!(
        "from its start after a kill -9 to the first answered move: {} with an empty log, {} with {finished} games that \
         are over and {clocked} with clocks running (medians of {ROUNDS})",
        ms(none),
        ms(many)
    );
    Ok(())
}

/// Memory of an empty server, and the time until it is connected to.
pub async fn at_rest() -> Result<(u64, Duration), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let began = Instant::now();
    let server = Binary::start(folder.path())?;
    server.connect().await?;
    let time = began.elapsed();
    tokio::time::sleep(Duration::from_secs(1)).await;
    Ok((server.memory()?, time))
}

/// Has a server play, kills it, starts it again; tells how long it takes from there to a move's answer.
async fn restarts(folder: &Path) -> Result<Duration, Box<dyn Error>> {
    let mut server = Binary::start(folder)?;
    let mut times = Vec::new();
    for round in 0..ROUNDS {
        let mut player = Player::new(server.connect().await?, round as u64).await?;
        for _ in 0..MOVES {
            if player.submit_in_game().await? {
                player.new_game().await?;
            }
        }
        server.kill()?;
        let began = Instant::now();
        server = Binary::start(folder)?;
        player.go_on(server.connect().await?);
        player.submit_in_game().await?;
        times.push(began.elapsed());
    }
    times.sort_unstable();
    Ok(times[ROUNDS / 2])
}

fn ms(time: Duration) -> String {
    format!("{:.0} ms", time.as_secs_f64() * 1_000.0)
}
