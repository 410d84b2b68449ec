//! The command line and its environment variables.

use std::{net::SocketAddr, path::PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use http::HeaderValue;
use tracing_subscriber::EnvFilter;

const EXIT_CODES: &str = "\
Example: mancala --data-dir ./mancala-data

Exit codes: 0 done; 1 it failed, and stderr says why in one line; 2 the command line is wrong.";

/// A gRPC game service for traditional mancala games.
///
/// Without a command it serves. Each option can also be set by the environment variable named with it.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true, after_help = EXIT_CODES)]
pub struct CommandLine {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Options of `serve`, when no command is given.
    #[command(flatten)]
    pub serve: Serve,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve games over gRPC (what `mancala` does without a command).
    #[command(
        after_help = "Example: mancala serve --listen 127.0.0.1:50051 --data-dir ./mancala-data"
    )]
    Serve(Serve),
    /// Count move sequences from a position, a line a move, to compare implementations of the rules.
    #[command(
        after_help = "Example: mancala perft en-dodoi --depth 6 --holes 8\n         mancala perft kalah --depth 6 --holes 4 --hole-seeds 3"
    )]
    Perft(Perft),
    /// Check a variant's TOML file, and say its digest.
    #[command(after_help = "Example: mancala check my-variants/my-game.toml")]
    Check(Check),
    /// Ask a running server whether it serves; for probes.
    #[command(after_help = "Example: mancala health --listen 127.0.0.1:50051")]
    Health(Health),
}

/// Options of `serve`.
#[derive(Clone, Debug, Args)]
pub struct Serve {
    /// Address and port to listen on; port 0 takes a free one.
    #[arg(
        long,
        env = "MANCALA_LISTEN",
        default_value = "127.0.0.1:50051",
        value_name = "IP:PORT"
    )]
    pub listen: SocketAddr,
    /// Listen beyond loopback although nothing is encrypted: for private networks and TLS proxies.
    #[arg(long, env = "MANCALA_INSECURE_LISTEN")]
    pub insecure_listen: bool,
    /// Folder for the games, the players and the key that signs tokens; made if missing.
    #[arg(long, env = "MANCALA_DATA_DIR", default_value = "./mancala-data")]
    pub data_dir: PathBuf,
    /// Folder of TOML files with variants to serve beside the built-in ones.
    #[arg(long, env = "MANCALA_SEEDS")]
    pub seeds: Option<PathBuf>,
    /// Origins whose web pages may call, as `https://example.org`; repeated or separated by commas.
    #[arg(
        long,
        env = "MANCALA_ALLOW_ORIGIN",
        value_delimiter = ',',
        value_parser = parse_origin
    )]
    pub allow_origin: Vec<HeaderValue>,
    /// How log lines look.
    #[arg(long, env = "MANCALA_LOG_FORMAT", default_value = "text")]
    pub log_format: LogFormat,
    /// What is logged: a level (error, warn, info, debug, trace), or levels by module.
    #[arg(long, env = "MANCALA_LOG", default_value = "info", value_parser = parse_log)]
    pub log: String,
}

/// How log lines look.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Options of `perft`.
#[derive(Debug, Args)]
pub struct Perft {
    /// Id of the variant.
    pub variant: String,
    /// Plies, from 0 to 64. Each multiplies the work by about the number of moves of a position.
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=64))]
    pub depth: u32,
    /// Holes a row; the variant's default if not given.
    #[arg(long, conflicts_with = "position")]
    pub holes: Option<u8>,
    /// Seeds in each hole at the start; the variant's default if not given.
    #[arg(long, conflicts_with = "position", value_name = "N")]
    pub hole_seeds: Option<u8>,
    /// Count from this position, in position text, and not from the start.
    #[arg(long)]
    pub position: Option<String>,
    /// Folder of TOML files with further variants.
    #[arg(long, env = "MANCALA_SEEDS")]
    pub seeds: Option<PathBuf>,
}

/// Options of `check`.
#[derive(Debug, Args)]
pub struct Check {
    /// The file.
    pub file: PathBuf,
}

/// Options of `health`.
#[derive(Debug, Args)]
pub struct Health {
    /// Address and port that the server listens on.
    #[arg(
        long,
        env = "MANCALA_LISTEN",
        default_value = "127.0.0.1:50051",
        value_name = "IP:PORT"
    )]
    pub listen: SocketAddr,
}

/// An origin as browsers send it: a scheme and a host, perhaps a port, and no path.
fn parse_origin(text: &str) -> Result<HeaderValue, String> {
    let host = text
        .strip_prefix("https://")
        .or(text.strip_prefix("http://"));
    let plain = host.is_some_and(|host| !host.is_empty() && !host.contains(['/', ' ', '*']));
    let value = HeaderValue::from_str(text).ok().filter(|_| plain);
    value.ok_or_else(|| "an origin is like https://example.org, without a path".into())
}

/// A filter of log lines. A single word is a level: a misspelt one would else name a module, and
/// silence all others.
fn parse_log(text: &str) -> Result<String, String> {
    let levels = ["off", "error", "warn", "info", "debug", "trace"];
    if !text.contains(['=', ',']) && !levels.contains(&text.to_lowercase().as_str()) {
        return Err(format!("a level is one of {}", levels.join(", ")));
    }
    EnvFilter::try_new(text).map_err(|error| error.to_string())?;
    Ok(text.to_owned())
}
