//! What a crowd that watches one game costs all others.

use std::{
    error::Error,
    time::{Duration, Instant, SystemTime},
};

use mancala::grpc::proto::watch_game_response::Message;
use tokio::{sync::mpsc, task::JoinSet};
use tonic::Status;

use super::{
    binary::Binary,
    clients::{self, Player},
    companions::{self, Companion},
    open::{self, Load},
    report::{Measured, cpu_time},
};

/// Moves a second of the game that is watched.
const RATE: u32 = 10;

/// How often the measurement without the crowd and that with it are done, in turn.
const ROUNDS: usize = 3;

/// Plays games at a rate, with and without a crowd that watches a further one.
pub async fn measure(
    watchers: usize,
    connections: usize,
    load: Load,
) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let server = Binary::start(folder.path())?;
    server.connect().await?;
    let channels = clients::connect(&server.address, connections).await?;
    println!(
        "{:.0} moves a second of {} games; beside them one at {RATE} a second, without and with {watchers} watchers:",
        load.rate, load.games
    );
    for _ in 0..ROUNDS {
        for watchers in [0, watchers] {
            let star = Player::of_series(channels[0].clone()).await?;
            let crowd = Companion::start(&[
                "spectate",
                "--server",
                &server.address,
                "--game",
                star.game_id(),
                "--watchers",
                &watchers.to_string(),
            ])?;
            let showing = tokio::spawn(show(star, load.time));
            let others = open::play(&channels, load.clone()).await?;
            println!("  {}", others.answered.line(&watchers.to_string()));
            let told = crowd.end()?;
            if watchers > 0 {
                println!("  {told}");
            }
            showing.await??;
        }
    }
    Ok(())
}

/// Plays the game that is watched.
async fn show(mut star: Player, time: Duration) -> Result<(), Status> {
    let end = Instant::now() + time;
    let mut beat = tokio::time::interval(Duration::from_secs(1) / RATE);
    while Instant::now() < end {
        beat.tick().await;
        star.submit_any().await?;
    }
    star.resign().await
}

/// Watches one game over many connections, and tells how long after a move was received each watcher had
/// it.
pub async fn watch(address: &str, game_id: &str, watchers: usize) -> Result<(), Box<dyn Error>> {
    let (mut watching, (delays, mut delayed)) = (JoinSet::new(), mpsc::unbounded_channel());
    let (began, cpu) = (Instant::now(), cpu_time());
    for channel in clients::connect(address, watchers).await? {
        let mut stream = clients::watch(channel, game_id).await?;
        // The snapshot: it watches.
        stream.message().await?;
        let delays = delays.clone();
        watching.spawn(async move {
            while let Some(response) = stream.message().await? {
                if let Some(Message::Event(event)) = response.message {
                    let received = event.create_time.unwrap_or_default();
                    let received = SystemTime::try_from(received).unwrap_or(SystemTime::now());
                    // Nobody listens after the end.
                    let _ = delays.send(received.elapsed().unwrap_or_default());
                }
            }
            Ok::<(), Status>(())
        });
    }
    drop(delays);
    companions::wait_for_end()?;
    watching.abort_all();
    let mut all = Vec::new();
    while let Ok(delay) = delayed.try_recv() {
        all.push(delay);
    }
    println!("{}", Measured::new(began, cpu, all).line("told"));
    Ok(())
}
