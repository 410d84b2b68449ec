//! The command line and its environment variables.

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    str::FromStr,
};

use clap::{Args, Parser, Subcommand, ValueEnum};
use http::HeaderValue;
use ipnet::IpNet;
use tracing_subscriber::EnvFilter;

use crate::grpc::{Registration, Scope, SetLimit, TOKEN_DAYS};

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
    /// Make a token for a back end or an admin, with the key of a data folder.
    #[command(after_help = "Example: mancala token --scope service --name web > service.token")]
    Token(Token),
    /// Do what admins may do on a running server.
    #[command(
        after_help = "Example: mancala admin ban 5f0c2c3e-9b9d-8c1e-a6a5-0c5b1d5b7f11 --note 'sends insults as names'"
    )]
    Admin(Admin),
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
    /// PEM file with the certificate, and those it rests on, to speak TLS with; read again when it
    /// changes.
    #[arg(
        long,
        env = "MANCALA_TLS_CERT",
        requires = "tls_key",
        value_name = "FILE"
    )]
    pub tls_cert: Option<PathBuf>,
    /// PEM file with the certificate's private key, which only its owner may read.
    #[arg(
        long,
        env = "MANCALA_TLS_KEY",
        requires = "tls_cert",
        value_name = "FILE"
    )]
    pub tls_key: Option<PathBuf>,
    /// Address and port for admins, or `off`; at a loopback address nobody needs a token there.
    #[arg(
        long,
        env = "MANCALA_ADMIN_LISTEN",
        default_value = "127.0.0.1:9464",
        value_name = "IP:PORT"
    )]
    pub admin_listen: AdminListen,
    /// Folder for the games, the players and the key that signs tokens; made if missing.
    #[arg(long, env = "MANCALA_DATA_DIR", default_value = "./mancala-data")]
    pub data_dir: PathBuf,
    /// Who may register: everybody, who has a token with the scope `service`, or nobody.
    #[arg(long, env = "MANCALA_REGISTRATION", default_value = "open")]
    pub registration: RegistrationOption,
    /// Days that a player's token is good for.
    #[arg(
        long,
        env = "MANCALA_TOKEN_DAYS",
        default_value_t = TOKEN_DAYS,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=MOST_DAYS)
    )]
    pub token_days: u32,
    /// Whose JWTs are taken too: the name that they have as `iss`.
    #[arg(long, env = "MANCALA_ISSUER", requires_all = ["issuer_keys", "issuer_audience"])]
    pub issuer: Option<String>,
    /// File with the issuer's public keys, PEM or JWKS; read again when it changes.
    #[arg(
        long,
        env = "MANCALA_ISSUER_KEYS",
        requires = "issuer",
        value_name = "FILE"
    )]
    pub issuer_keys: Option<PathBuf>,
    /// What the issuer's JWTs must have as `aud`.
    #[arg(
        long,
        env = "MANCALA_ISSUER_AUDIENCE",
        requires = "issuer",
        value_name = "AUD"
    )]
    pub issuer_audience: Option<String>,
    /// Networks of proxies, as `10.0.0.0/8`: what they say in `x-forwarded-for` is believed, and limits for an
    /// address don't hold for them. Repeated or separated by commas.
    #[arg(
        long,
        env = "MANCALA_TRUSTED_PROXIES",
        value_delimiter = ',',
        value_name = "NET",
        value_parser = parse_net
    )]
    pub trusted_proxies: Vec<IpNet>,
    /// A limit, as `calls-per-player=100`; the README has the table. Repeated or separated by commas.
    #[arg(
        long,
        env = "MANCALA_LIMIT",
        value_delimiter = ',',
        value_name = "NAME=N"
    )]
    pub limit: Vec<SetLimit>,
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

/// Where admins are listened to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdminListen(pub Option<SocketAddr>);

impl FromStr for AdminListen {
    type Err = String;

    fn from_str(text: &str) -> Result<AdminListen, String> {
        match text {
            "off" => Ok(AdminListen(None)),
            text => match text.parse() {
                Ok(address) => Ok(AdminListen(Some(address))),
                Err(_) => Err("is an address with a port, or `off`".into()),
            },
        }
    }
}

impl fmt::Display for AdminListen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(address) => address.fmt(f),
            None => f.write_str("off"),
        }
    }
}

/// Who may register.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum RegistrationOption {
    /// Everybody.
    Open,
    /// Who has a token with the scope `service`.
    Service,
    /// Nobody.
    Off,
}

impl From<RegistrationOption> for Registration {
    fn from(option: RegistrationOption) -> Registration {
        match option {
            RegistrationOption::Open => Registration::Open,
            RegistrationOption::Service => Registration::Service,
            RegistrationOption::Off => Registration::Off,
        }
    }
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
    /// PEM file with the server's certificate, if it speaks TLS. No other one is trusted; its names
    /// don't matter.
    #[arg(long, env = "MANCALA_TLS_CERT", value_name = "FILE")]
    pub tls_cert: Option<PathBuf>,
}

/// Most days that a token is good for: ten years.
const MOST_DAYS: i64 = 3_650;

/// Options of `token`.
#[derive(Debug, Args)]
pub struct Token {
    /// What it may do; repeated for several.
    #[arg(long, required = true)]
    pub scope: Vec<ScopeOption>,
    /// Who gets it: 1 to 64 letters, digits, `-`, `_` and `.`; what an admin does is told with it.
    #[arg(long, value_parser = parse_subject)]
    pub name: String,
    /// Days that it is good for.
    #[arg(long, default_value_t = 365, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_DAYS))]
    pub days: u32,
    /// Folder with the key that signs tokens, which is made if it is not there.
    #[arg(long, env = "MANCALA_DATA_DIR", default_value = "./mancala-data")]
    pub data_dir: PathBuf,
}

/// What a token may do.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ScopeOption {
    /// Act for players, whom it names in `x-mancala-player`, and register them.
    Service,
    /// What `mancala admin` does.
    Admin,
}

impl From<ScopeOption> for Scope {
    fn from(option: ScopeOption) -> Scope {
        match option {
            ScopeOption::Service => Scope::Service,
            ScopeOption::Admin => Scope::Admin,
        }
    }
}

/// Options of `admin`.
#[derive(Debug, Args)]
pub struct Admin {
    /// The server's address for admins; or its public one, with a token.
    #[arg(
        long,
        env = "MANCALA_ADMIN_SERVER",
        default_value = "127.0.0.1:9464",
        value_name = "IP:PORT",
        global = true
    )]
    pub server: SocketAddr,
    /// PEM file with the server's certificate, if it speaks TLS there. No other one is trusted.
    #[arg(long, value_name = "FILE", global = true)]
    pub tls_cert: Option<PathBuf>,
    /// File with a token that has the scope `admin`; not needed at a loopback address for admins.
    #[arg(
        long,
        env = "MANCALA_ADMIN_TOKEN_FILE",
        value_name = "FILE",
        global = true
    )]
    pub token_file: Option<PathBuf>,
    /// What to do.
    #[command(subcommand)]
    pub action: AdminAction,
}

/// What an admin can do.
#[derive(Debug, Subcommand)]
pub enum AdminAction {
    /// Abort a game, however far it is.
    Abort {
        /// Its id.
        game: String,
        /// Why, for the audit.
        #[arg(long, default_value = "")]
        note: String,
    },
    /// Shut a player out.
    Ban {
        /// Its id.
        player: String,
        /// Why, for the audit.
        #[arg(long, default_value = "")]
        note: String,
    },
    /// Let a player in again.
    Unban {
        /// Its id.
        player: String,
        /// Why, for the audit.
        #[arg(long, default_value = "")]
        note: String,
    },
    /// Give a player another name.
    Rename {
        /// Its id.
        player: String,
        /// The name.
        name: String,
        /// Why, for the audit; without any name in it.
        #[arg(long, default_value = "")]
        note: String,
    },
    /// List all games of a player, newest first.
    Games {
        /// Its id.
        player: String,
    },
    /// List what admins asked for, oldest first.
    Audit {
        /// Only what came after the entry with this number.
        #[arg(long, default_value_t = 0)]
        after: u64,
    },
    /// List the limits, what is in use of them, and how often they were met.
    Limits,
}

/// Who gets a token: a word that can stand in a log line.
fn parse_subject(text: &str) -> Result<String, String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    match (1..=64).contains(&text.len()) && text.bytes().all(plain) {
        true => Ok(text.into()),
        false => Err("is 1 to 64 letters, digits, `-`, `_` and `.`".into()),
    }
}

/// A network, or a single address.
fn parse_net(text: &str) -> Result<IpNet, String> {
    let single = |_| text.parse::<IpAddr>().map(IpNet::from);
    text.parse()
        .or_else(single)
        .map_err(|_| "is like 10.0.0.0/8 or 10.0.0.1".into())
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
