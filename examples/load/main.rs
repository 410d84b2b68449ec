//! Measures the service: moves a second beside what bounds them, how soon watchers have them, memory,
//! starts, and lists.
//!
//! Where it says so, server and clients run in this one process; otherwise the server is the program
//! itself. They share the machine's cores in any case: compare figures of one run with each other, not with
//! those of another machine.
//!
//! ```sh
//! cargo build --release && cargo run --release --example load -- table
//! cargo run --release --example load -- lists --games 1000000
//! ```

#![allow(clippy::print_stdout, reason = "figures are what it is for")]

mod active;
mod binary;
mod clients;
mod companions;
mod crowd;
mod games;
mod hostile;
mod idle;
mod kinds;
mod lists;
mod lot;
mod open;
mod report;
mod servers;
mod stamped;
mod start;

use std::{error::Error, sync::Arc, time::Duration};

use clap::{Parser, ValueEnum};

use open::Load;
use report::Measured;
use stamped::Commits;

/// Measures the service.
#[derive(Debug, Parser)]
struct Options {
    /// What to measure.
    mode: Mode,
    /// Seconds a measurement.
    #[arg(long, default_value_t = 8)]
    seconds: u64,
    /// Calls, or appends, in flight: as many games are being played.
    #[arg(long, default_value_t = 1_024)]
    in_flight: usize,
    /// Connections that the calls are spread over.
    #[arg(long, default_value_t = 200)]
    connections: usize,
    /// Address of a server that runs elsewhere, for `submit`; without it one is started here.
    #[arg(long)]
    server: Option<String>,
    /// Games that `lists`, `active` or `start` stores, about 2 kB each, in a temporary folder. Without it
    /// 100,000, and for `start` 1,000,000.
    #[arg(long)]
    games: Option<usize>,
    /// Games with running clocks that `start` stores.
    #[arg(long, default_value_t = 10_000)]
    clocked: usize,
    /// How many pages of each kind `lists` asks for.
    #[arg(long, default_value_t = 500)]
    pages: usize,
    /// Moves a second for `watch` and `crowd`. Without it half of what `submit` reaches, measured first.
    #[arg(long)]
    rate: Option<f64>,
    /// Watches for `idle` and `crowd`. Without it 50,000 and 1,000.
    #[arg(long)]
    watchers: Option<usize>,
    /// The game that a crowd watches.
    #[arg(long, hide = true, default_value = "")]
    game: String,
    /// The address that idle connections come from.
    #[arg(long, hide = true, default_value = "127.0.0.1")]
    from: String,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum Mode {
    /// Durable `SubmitMove` against the real service, clients in the same process.
    Submit,
    /// The same messages and layers with nothing behind them.
    Echo,
    /// Appends of the same events to the log, without any service.
    Commit,
    /// The first three at several loads, with the ratios.
    Rates,
    /// Moves at a rate, and how soon a watcher at each seat has them.
    Watch,
    /// What a crowd that watches one game costs the others.
    Crowd,
    /// What somebody who sends all it can costs the others.
    Hostile,
    /// Memory of watches in which nothing happens, heartbeats apart.
    Idle,
    /// Memory of games that are being played.
    Active,
    /// How soon a killed server answers a move, and an empty one anything.
    Start,
    /// Storing many games, and `ListGames` over them by many filters.
    Lists,
    /// All but the lists, each as it is promised.
    Table,
    /// Watches a game, as the crowd.
    #[value(hide = true)]
    Spectate,
    /// Sends all it can.
    #[value(hide = true)]
    Attack,
    /// Holds idle watches.
    #[value(hide = true)]
    Hold,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let in_flight = options.in_flight;
    let server = || options.server.as_deref().ok_or("which server?");
    let watchers = |default| options.watchers.unwrap_or(default);
    let games = |default| options.games.unwrap_or(default);
    match options.mode {
        mode @ (Mode::Submit | Mode::Echo | Mode::Commit) => {
            let measured = measure(&options, mode, in_flight).await?;
            println!("{}", measured.line(&mode_name(mode)));
            Ok(())
        }
        Mode::Rates => rates(&options).await.map(drop),
        Mode::Watch => watch(&options, rate(&options).await?).await,
        Mode::Crowd => crowd(&options, rate(&options).await?).await,
        Mode::Hostile => hostile(&options).await,
        Mode::Attack => hostile::attack(server()?, &options.from).await,
        Mode::Idle => idle::measure(watchers(50_000)).await,
        Mode::Active => active::measure(games(100_000), in_flight).await,
        Mode::Start => start::measure(games(1_000_000), options.clocked, in_flight).await,
        Mode::Lists => lists::measure(games(100_000), options.pages, in_flight).await,
        Mode::Table => table(&options).await,
        Mode::Spectate => crowd::watch(server()?, &options.game, watchers(0)).await,
        Mode::Hold => idle::hold(server()?, watchers(0), &options.from).await,
    }
}

/// Everything that is promised, one after another.
async fn table(options: &Options) -> Result<(), Box<dyn Error>> {
    let rate = rates(options).await? / 2.0;
    watch(options, rate).await?;
    crowd(options, rate / 2.0).await?;
    hostile(options).await?;
    idle::measure(50_000).await?;
    active::measure(100_000, options.in_flight).await?;
    start::measure(1_000_000, options.clocked, options.in_flight).await
}

/// Half of what the service takes.
async fn rate(options: &Options) -> Result<f64, Box<dyn Error>> {
    match options.rate {
        Some(rate) => Ok(rate),
        None => Ok(measure(options, Mode::Submit, options.in_flight)
            .await?
            .a_second()
            / 2.0),
    }
}

async fn watch(options: &Options, rate: f64) -> Result<(), Box<dyn Error>> {
    let (server, commits) = servers::start_stamped().await?;
    let channels = clients::connect(&server.address, options.connections).await?;
    let delays = open::play(&channels, load(options, rate, Some(commits))).await?;
    println!(
        "{rate:.0} moves a second of {} games with a watcher at each seat: from the moment that a move is due to \
         its answer and to each watcher, and from the moment that the log has it to each watcher:",
        options.in_flight
    );
    println!("  {}", delays.answered.line("answered"));
    println!("  {}", delays.watched.line("watched"));
    println!("  {}", delays.told.line("told"));
    Ok(())
}

async fn crowd(options: &Options, rate: f64) -> Result<(), Box<dyn Error>> {
    let watchers = options.watchers.unwrap_or(1_000);
    crowd::measure(watchers, options.connections, load(options, rate, None)).await
}

/// Games whose players are many fewer than the server could have.
async fn hostile(options: &Options) -> Result<(), Box<dyn Error>> {
    let load = Load {
        games: 100,
        ..load(options, options.rate.unwrap_or(500.0), None)
    };
    hostile::measure(options.connections.min(20), load).await
}

fn load(options: &Options, rate: f64, watched: Option<Arc<Commits>>) -> Load {
    Load {
        games: options.in_flight,
        rate,
        time: Duration::from_secs(options.seconds),
        watched,
    }
}

async fn measure(
    options: &Options,
    mode: Mode,
    in_flight: usize,
) -> Result<Measured, Box<dyn Error>> {
    let time = Duration::from_secs(options.seconds);
    let connections = options.connections.min(in_flight);
    match (mode, &options.server) {
        (Mode::Commit, _) => servers::commit(in_flight, time).await,
        (Mode::Submit, Some(address)) => clients::play(address, connections, in_flight, time).await,
        (Mode::Submit, None) => {
            let server = servers::start_real().await?;
            clients::play(&server.address, connections, in_flight, time).await
        }
        _ => {
            let server = servers::start_echo().await?;
            clients::play(&server.address, connections, in_flight, time).await
        }
    }
}

/// Gives the moves a second at the greatest load.
async fn rates(options: &Options) -> Result<f64, Box<dyn Error>> {
    let mut most = 0.0;
    println!(
        "server and clients in one process on {} cores; {} s each; en-dodoi 6; fdatasync p50 {:.2} ms",
        std::thread::available_parallelism()?,
        options.seconds,
        report::fdatasync_p50()?.as_secs_f64() * 1_000.0
    );
    for in_flight in [1, 64, options.in_flight] {
        println!("{in_flight} in flight:");
        let mut yardstick = f64::INFINITY;
        for mode in [Mode::Echo, Mode::Commit, Mode::Submit] {
            let measured = measure(options, mode, in_flight).await?;
            println!("  {}", measured.line(&mode_name(mode)));
            if mode == Mode::Submit {
                let ratio = 100.0 * measured.a_second() / yardstick;
                println!("  submit is {ratio:.0} % of the lesser of echo and commit");
                most = measured.a_second();
            } else {
                yardstick = yardstick.min(measured.a_second());
            }
        }
    }
    Ok(most)
}

fn mode_name(mode: Mode) -> String {
    let value = mode.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}
