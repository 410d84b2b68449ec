//! Measures how many durable moves a second the service takes, beside what bounds it; and how long a page
//! of a list takes among many games.
//!
//! Server and clients run in this one process, so they share its cores; compare figures of one run
//! with each other, not with those of another machine.
//!
//! ```sh
//! cargo run --release --example load -- table
//! cargo run --release --example load -- lists --games 1000000
//! ```

#![allow(clippy::print_stdout, reason = "figures are what it is for")]

mod clients;
mod games;
mod kinds;
mod lists;
mod lot;
mod report;
mod servers;

use std::{error::Error, time::Duration};

use clap::{Parser, ValueEnum};

use report::Measured;

/// Measures durable moves a second, what bounds them, and lists of games.
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
    /// Games that `lists` stores, about 2 kB each, in a temporary folder.
    #[arg(long, default_value_t = 100_000)]
    games: usize,
    /// How many pages of each kind `lists` asks for.
    #[arg(long, default_value_t = 500)]
    pages: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum Mode {
    /// Durable `SubmitMove` against the real service.
    Submit,
    /// The same messages and layers with nothing behind them.
    Echo,
    /// Appends of the same events to the log, without any service.
    Commit,
    /// Storing many games, and `ListGames` over them by many filters.
    Lists,
    /// The first three at several loads, with the ratios.
    Table,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    match options.mode {
        Mode::Table => table(&options).await,
        Mode::Lists => lists::measure(options.games, options.pages, options.in_flight).await,
        mode => {
            let measured = measure(&options, mode, options.in_flight).await?;
            println!("{}", measured.line(mode_name(mode)));
            Ok(())
        }
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
        (Mode::Echo | Mode::Table | Mode::Lists, _) => {
            let server = servers::start_echo().await?;
            clients::play(&server.address, connections, in_flight, time).await
        }
    }
}

async fn table(options: &Options) -> Result<(), Box<dyn Error>> {
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
            println!("  {}", measured.line(mode_name(mode)));
            if mode == Mode::Submit {
                let ratio = 100.0 * measured.a_second() / yardstick;
                println!("  submit is {ratio:.0} % of the lesser of echo and commit");
            } else {
                yardstick = yardstick.min(measured.a_second());
            }
        }
    }
    Ok(())
}

fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Submit => "submit",
        Mode::Echo => "echo",
        Mode::Commit => "commit",
        Mode::Table => "table",
        Mode::Lists => "lists",
    }
}
