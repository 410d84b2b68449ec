//! The `mancala` program: parse, build, serve, drain.

use std::{
    error::Error,
    io::{self, Write as _},
    iter,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::Path,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use clap::Parser as _;
use mancala::{
    catalog::{self, Catalog},
    config::{Check, Command, CommandLine, Health, Perft, Serve},
    grpc::{
        Tokens,
        server::{self, Edge, Service},
    },
    rules::Side,
    runtime,
    session::Session,
    store::Sqlite,
    telemetry,
};
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};

/// How long `health` waits for an answer.
const PROBE: Duration = Duration::from_secs(3);

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> ExitCode {
    let CommandLine { command, serve } = CommandLine::parse();
    let done = match command.unwrap_or(Command::Serve(serve)) {
        Command::Serve(options) => on_runtime(run_server(options)),
        Command::Perft(options) => count_moves(&options),
        Command::Check(options) => check_file(&options),
        Command::Health(options) => on_runtime(probe(options)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let causes = iter::successors(Some(&*error as &dyn Error), |&error| error.source());
            let line: Vec<_> = causes.map(ToString::to_string).collect();
            eprintln!("mancala: {}", line.join(": "));
            ExitCode::FAILURE
        }
    }
}

fn on_runtime(work: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    let runtime = runtime::start()?;
    let done = runtime.block_on(work);
    runtime.shutdown_timeout(Duration::from_secs(1));
    done
}

async fn run_server(options: Serve) -> Result<(), Failure> {
    let Serve {
        listen,
        insecure_listen,
        data_dir,
        seeds,
        allow_origin,
        log_format,
        log,
    } = options;
    telemetry::start(&log, log_format)?;
    if !listen.ip().is_loopback() && !insecure_listen {
        let reason = "is beyond loopback, where nothing would be encrypted: add --insecure-listen";
        return Err(format!("{listen} {reason}").into());
    }
    let catalog = Arc::new(load(seeds.as_deref())?);
    let listener = TcpListener::bind(listen)
        .await
        .map_err(|error| Context::new(format!("can't listen on {listen}"), error))?;
    let address = listener.local_addr()?;
    let store = Sqlite::open(&data_dir)
        .map_err(|error| Context::new(data_dir.display().to_string(), error))?;
    let variants = catalog.clone();
    let service = Service {
        catalog,
        session: Session::new(Arc::new(store)),
        edge: Edge {
            tokens: Tokens::open(&data_dir)?,
            allowed_origins: allow_origin,
        },
    };
    // Heard from before the first call can come.
    let (mut terminate, mut interrupt) = (
        signal(SignalKind::terminate())?,
        signal(SignalKind::interrupt())?,
    );
    let variants: Vec<_> = variants.iter().map(|variant| variant.id.as_str()).collect();
    tracing::info!("variants: {}", variants.join(", "));
    tracing::info!(
        "listening on {address}, data in {}; a first call: \
         buf curl --protocol grpc --http2-prior-knowledge -d '{{}}' \
         http://{}/mancala.v1.RulesService/ListVariants",
        data_dir.display(),
        reachable(address)
    );
    let stop = async {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    };
    server::serve(service, listener, stop).await?;
    tracing::info!("stopped");
    Ok(())
}

fn load(seeds: Option<&Path>) -> Result<Catalog, Failure> {
    let mut catalog = Catalog::built_in();
    if let Some(folder) = seeds {
        catalog.add_folder(folder)?;
    }
    Ok(catalog)
}

fn count_moves(options: &Perft) -> Result<(), Failure> {
    let catalog = load(options.seeds.as_deref())?;
    let variant = catalog.get(&options.variant).ok_or_else(|| {
        let known: Vec<_> = catalog.iter().map(|variant| variant.id.as_str()).collect();
        format!(
            "no variant {:?}: there are {}",
            options.variant,
            known.join(", ")
        )
    })?;
    let (rules, position) = match &options.position {
        Some(text) => variant.parse(text)?,
        None => {
            let (holes, seeds) = (
                options.holes.map(u32::from),
                options.hole_seeds.map(u32::from),
            );
            let rules = variant.rule_set().board(holes, seeds)?;
            (rules, rules.start(Side::South))
        }
    };
    let began = Instant::now();
    let mut out = io::stdout().lock();
    let mut total = 0;
    if options.depth == 0 {
        total = 1;
    }
    let letters = match position.to_move() {
        Some(Side::North) => 'A'..='J',
        Some(Side::South) | None => 'a'..='j',
    };
    let letters: Vec<char> = letters.collect();
    let progress = Progress::start(rules.legal_moves(&position).len());
    for counted in rules.perft_divided(&position, options.depth, u64::MAX) {
        let (hole, nodes) = counted?;
        total += nodes;
        progress.done.fetch_add(1, Ordering::Relaxed);
        match letters[..rules.holes().into()].get(usize::from(hole)) {
            Some(letter) => writeln!(out, "{letter} {nodes}")?,
            None => writeln!(out, "swap {nodes}")?,
        }
    }
    drop(progress);
    writeln!(out, "total {total}")?;
    eprintln!("{:.3} s", began.elapsed().as_secs_f64());
    Ok(())
}

/// Tells on stderr, while a count takes long, how far it is.
struct Progress {
    done: Arc<AtomicU32>,
    _end: mpsc::Sender<()>,
}

impl Progress {
    const PERIOD: Duration = Duration::from_secs(5);

    fn start(moves: u32) -> Progress {
        let done = Arc::new(AtomicU32::new(0));
        let (end, ended) = mpsc::channel();
        let (seen, began) = (done.clone(), Instant::now());
        thread::spawn(move || {
            while ended.recv_timeout(Progress::PERIOD) == Err(RecvTimeoutError::Timeout) {
                let (done, seconds) = (seen.load(Ordering::Relaxed), began.elapsed().as_secs());
                eprintln!("{seconds} s: {done} of {moves} moves counted");
            }
        });
        Progress { done, _end: end }
    }
}

fn check_file(options: &Check) -> Result<(), Failure> {
    let variant = catalog::read(&options.file)?;
    let range = variant.rule_set().definition().holes;
    let mut out = io::stdout().lock();
    let holes = match range.min == range.max {
        true => range.min.to_string(),
        false => format!("{} to {}", range.min, range.max),
    };
    writeln!(out, "{}: {}, {holes} holes a row", variant.id, variant.name)?;
    if let Some(known) = Catalog::built_in().get(&variant.id)
        && known.rule_set().digest() != variant.rule_set().digest()
    {
        let note = "is that of a built-in variant: beside it a server needs another one";
        writeln!(out, "note: the id {:?} {note}", variant.id)?;
    }
    writeln!(out, "rules digest {}", variant.rule_set().digest())?;
    Ok(())
}

async fn probe(options: Health) -> Result<(), Failure> {
    let address = reachable(options.listen);
    let asked = async {
        let channel = tonic::transport::Endpoint::try_from(format!("http://{address}"))?
            .connect()
            .await
            .map_err(|error| Context::new(format!("nobody answers at {address}"), error))?;
        let request = HealthCheckRequest::default();
        let answer = HealthClient::new(channel).check(request).await?;
        Ok::<_, Failure>(answer.into_inner().status())
    };
    let status = tokio::time::timeout(PROBE, asked)
        .await
        .map_err(|_| format!("{address} did not answer in {} s", PROBE.as_secs()))??;
    if status != ServingStatus::Serving {
        return Err(format!("{address} is {}", status.as_str_name()).into());
    }
    writeln!(io::stdout(), "{}", status.as_str_name())?;
    Ok(())
}

/// The address to call for a server that listens on this one, which may be "every address".
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

/// An error with what it was about.
#[derive(Debug, thiserror::Error)]
#[error("{about}")]
struct Context {
    about: String,
    source: Failure,
}

impl Context {
    fn new(about: String, source: impl Into<Failure>) -> Context {
        Context {
            about,
            source: source.into(),
        }
    }
}
