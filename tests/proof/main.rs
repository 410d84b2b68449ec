//! The proof under concurrency: random clients, a server that is killed, stopped, frozen, starved and lied to,
//! and a check of all that was answered against the log that is left.
//!
//! ```sh
//! scripts/proof --seconds 60
//! ```

#![allow(clippy::unwrap_used)]

mod case;
#[path = "../it/support/chance.rs"]
mod chance;
mod check;
mod client;
mod faulty;
mod history;
mod methods;
mod nemesis;
mod oddities;
mod player;
mod round;
mod self_test;
mod server;
mod tables;
mod tamper;
mod watcher;
mod wire;

use std::{
    collections::BTreeMap,
    fs, io,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use clap::Parser;

use check::{Finding, Judged, Past};
use history::Tally;
use round::{Left, Plan};

/// Seconds of the longest round: what is checked at once has to fit into memory.
const ROUND: u64 = 60;

/// Findings that are shown, and characters of each: their file has all.
const MOST: usize = 20;
const LONGEST: usize = 700;

/// File names of a history that is kept.
const HISTORY: &str = "history.jsonl";
const DATA: &str = "data";

/// Drives a server with random clients while it is killed, frozen and starved, and checks that all it said is
/// true. Exit code 1: it is not.
#[derive(Debug, Parser)]
struct Options {
    /// So long; more than a minute is several rounds, each with a new server and the next seed.
    #[arg(long, default_value_t = 30)]
    seconds: u64,
    /// Where all choices come from, of clients and nemesis. Timing differs from run to run, so that what the
    /// choices meet does too. By the time of day if it is not given.
    #[arg(long)]
    seed: Option<u64>,
    /// Clients at a time.
    #[arg(long, default_value_t = 24)]
    clients: usize,
    /// The program to prove.
    #[arg(long, default_value = "target/release/mancala")]
    server: PathBuf,
    /// Where a history that fails is kept, in a folder of its seed.
    #[arg(long, default_value = "target/proof")]
    keep: PathBuf,
    /// Keep every history.
    #[arg(long)]
    keep_all: bool,
    /// Only check the history that is kept in this folder once more.
    #[arg(long, value_name = "FOLDER")]
    check: Option<PathBuf>,
    /// Only see whether the checks find what they are to find.
    #[arg(long)]
    self_test: bool,
    /// Only serve, over a store with faults of this seed.
    #[arg(long, value_name = "SEED", hide = true)]
    serve_faulty: Option<u64>,
    /// Where to serve.
    #[arg(long, default_value = "127.0.0.1:0", hide = true)]
    listen: SocketAddr,
    /// Of what.
    #[arg(long, default_value = ".", hide = true)]
    data_dir: PathBuf,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let runtime = mancala::runtime::start().expect("the system gives threads");
    let good = runtime.block_on(run(&options));
    runtime.shutdown_timeout(Duration::from_secs(1));
    match good {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

async fn run(options: &Options) -> bool {
    if let Some(seed) = options.serve_faulty {
        faulty::serve(options.listen, &options.data_dir, seed).await;
        return true;
    }
    if let Some(folder) = &options.check {
        let lines = history::load(&folder.join(HISTORY)).expect("a history is kept there");
        // Opening data may change them: what is kept stays as it is.
        let copy = tempfile::tempdir().expect("there are temporary folders");
        copy_folder(&folder.join(DATA), copy.path()).expect("its data can be copied");
        let judged = check::all(&Past::new(lines, copy.path()).await);
        return report(&judged.findings);
    }
    // Checks that find nothing would prove nothing.
    if !self_test::run().await {
        return false;
    }
    if options.self_test {
        return true;
    }
    let seed = options.seed.unwrap_or_else(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.unwrap_or_default().as_secs() % 1_000_000
    });
    let rounds = options.seconds.div_ceil(ROUND).max(1);
    let (mut tally, mut checked) = (Tally::default(), BTreeMap::new());
    for round in 0..rounds {
        let plan = Plan {
            seed: seed + round,
            clients: options.clients,
            time: Duration::from_secs(options.seconds / rounds),
            program: options.server.clone(),
        };
        eprintln!("round {} of {rounds}, seed {}", round + 1, plan.seed);
        let folder = tempfile::tempdir().expect("there are temporary folders");
        let left = match round::run(&plan, folder.path()).await {
            Ok(left) => left,
            Err(problem) => {
                eprintln!("seed {}: {problem}", plan.seed);
                return false;
            }
        };
        let kept = options.keep.join(plan.seed.to_string());
        // As the server left it.
        let data = tempfile::tempdir().expect("there are temporary folders");
        copy_folder(folder.path(), data.path()).expect("the data can be copied");
        let Left {
            lines,
            tally: made,
            wrote,
        } = left;
        let past = Past::new(lines, folder.path()).await;
        let Judged {
            findings,
            checked: held,
        } = check::all(&past);
        tally.add(&made);
        history::add(&mut checked, &held);
        if !findings.is_empty() || options.keep_all {
            keep(&kept, &past, data.path(), &findings, &wrote).expect("a history can be kept");
            eprintln!("kept in {}", kept.display());
        }
        if !report(&findings) {
            eprintln!(
                "seed {}: scripts/proof --check {}",
                plan.seed,
                kept.display()
            );
            return false;
        }
    }
    summary(&tally, &checked);
    true
}

fn report(findings: &[Finding]) -> bool {
    for finding in findings.iter().take(MOST) {
        let line: String = finding.to_string().chars().take(LONGEST).collect();
        eprintln!("FOUND {line}");
    }
    match findings.len() {
        0 => eprintln!("nothing found"),
        count => eprintln!("{count} findings"),
    }
    findings.is_empty()
}

fn summary(tally: &Tally, checked: &BTreeMap<String, u64>) {
    let list = |counts: &BTreeMap<String, u64>| {
        let counts: Vec<_> = counts
            .iter()
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        counts.join(", ")
    };
    eprintln!("done: {}", list(&tally.done));
    eprintln!("refused: {}", list(&tally.refused));
    eprintln!(
        "unknown: {}; messages watched: {}",
        tally.unknown, tally.told
    );
    eprintln!("nemesis: {}", list(&tally.deeds));
    eprintln!("checked: {}", list(checked));
}

fn keep(
    folder: &Path,
    past: &Past,
    data: &Path,
    findings: &[Finding],
    wrote: &[String],
) -> io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    copy_folder(data, &folder.join(DATA))?;
    history::save(&past.lines, &folder.join(HISTORY))?;
    fs::write(folder.join("server.log"), wrote.join("\n"))?;
    let findings: Vec<_> = findings.iter().map(ToString::to_string).collect();
    fs::write(folder.join("findings.txt"), findings.join("\n"))
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for file in fs::read_dir(from)? {
        let file = file?;
        fs::copy(file.path(), to.join(file.file_name()))?;
    }
    Ok(())
}
