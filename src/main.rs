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
    time::{Duration, Instant, SystemTime},
};

use clap::Parser as _;
use hyper_util::rt::TokioIo;
use mancala::{
    admin,
    catalog::{self, Catalog},
    config::{Admin, Check, Command, CommandLine, Health, Perft, Serve, Token},
    game::Time,
    grpc::{
        Identity, Issuer, Limit, Limits, Patience, Proxies, Scope, Tls, Tokens,
        server::{self, Edge, Listeners, Service},
        tls,
    },
    rules::Side,
    runtime,
    session::Session,
    store::Sqlite,
    telemetry,
};
use tokio::{
    net::{TcpListener, TcpStream},
    signal::unix::{SignalKind, signal},
};
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};
use tower::service_fn;

/// How long `health` waits for an answer.
const PROBE: Duration = Duration::from_secs(3);

/// Files that the server has open beside its connections, at the most.
const OTHER_FILES: u64 = 256;

/// Connections that there may be however few files that leaves.
const LEAST_CONNECTIONS: u64 = 16;

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> ExitCode {
    let CommandLine { command, serve } = CommandLine::parse();
    let done = match command.unwrap_or(Command::Serve(serve)) {
        Command::Serve(options) => on_runtime(run_server(options)),
        Command::Perft(options) => count_moves(&options),
        Command::Check(options) => check_file(&options),
        Command::Health(options) => on_runtime(probe(options)),
        Command::Token(options) => make_token(&options),
        Command::Admin(options) => on_runtime(administer(options)),
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
        admin_listen,
        tls_cert,
        tls_key,
        data_dir,
        registration,
        token_days,
        issuer,
        issuer_keys,
        issuer_audience,
        trusted_proxies,
        limit,
        seeds,
        allow_origin,
        log_format,
        log,
    } = options;
    telemetry::start(&log, log_format)?;
    let tls = match tls_cert.as_deref().zip(tls_key.as_deref()) {
        Some((cert, key)) => Some(Tls::open(cert, key)?),
        None => None,
    };
    for address in [Some(listen), admin_listen.0].into_iter().flatten() {
        if !address.ip().is_loopback() && tls.is_none() && !insecure_listen {
            let reason = "is beyond loopback, where nothing would be encrypted: \
                          add --tls-cert and --tls-key, or --insecure-listen";
            return Err(format!("{address} {reason}").into());
        }
    }
    let catalog = Arc::new(load(seeds.as_deref())?);
    let issuer = match (issuer, issuer_keys, issuer_audience) {
        (Some(name), Some(keys), Some(audience)) => {
            Some(Arc::new(Issuer::open(&keys, &name, &audience)?))
        }
        _ => None,
    };
    let mut limits = Limits::default();
    for set in limit {
        limits.set(set.limit, set.value);
    }
    let public = bind(listen).await?;
    let address = public.local_addr()?;
    let admin = match admin_listen.0 {
        Some(address) => {
            let bound = bind(address).await;
            Some(bound.map_err(|error| Context::new("--admin-listen".into(), error))?)
        }
        None => None,
    };
    let store = Sqlite::open(&data_dir)
        .map_err(|error| Context::new(data_dir.display().to_string(), error))?;
    raise_open_files(&mut limits)?;
    let variants = catalog.clone();
    let service = Service {
        catalog,
        session: Session::new(Arc::new(store)),
        edge: Edge {
            identity: Identity {
                tokens: Tokens::open(&data_dir)?.lasting(token_days),
                issuer,
                registration: registration.into(),
            },
            limits,
            proxies: Proxies(trusted_proxies),
            allowed_origins: allow_origin,
            tls,
            patience: Patience::default(),
        },
    };
    // Heard from before the first call can come.
    let (mut terminate, mut interrupt) = (
        signal(SignalKind::terminate())?,
        signal(SignalKind::interrupt())?,
    );
    let variants: Vec<_> = variants.iter().map(|variant| variant.id.as_str()).collect();
    tracing::info!("variants: {}", variants.join(", "));
    if let Some(admin) = &admin {
        tracing::info!("admins are listened to on {}", admin.local_addr()?);
    }
    let (option, scheme) = match &tls_cert {
        None => ("--http2-prior-knowledge".into(), "http"),
        Some(cert) => (format!("--cacert {}", cert.display()), "https"),
    };
    tracing::info!(
        "listening on {address}, data in {}; a first call: \
         buf curl --protocol grpc {option} -d '{{}}' \
         {scheme}://{}/mancala.v1.RulesService/ListVariants",
        data_dir.display(),
        reachable(address)
    );
    let stop = async {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    };
    server::serve(service, Listeners { public, admin }, stop).await?;
    tracing::info!("stopped");
    Ok(())
}

async fn bind(address: SocketAddr) -> Result<TcpListener, Failure> {
    let bound = TcpListener::bind(address).await;
    Ok(bound.map_err(|error| Context::new(format!("can't listen on {address}"), error))?)
}

fn make_token(options: &Token) -> Result<(), Failure> {
    let Token {
        scope,
        name,
        days,
        data_dir,
    } = options;
    let scopes: Vec<Scope> = scope.iter().copied().map(Scope::from).collect();
    let tokens = Tokens::open(data_dir)?;
    let now = Time::from_system(SystemTime::now());
    let (token, _) = tokens.sign_scopes(name, &scopes, now, *days)?;
    writeln!(io::stdout(), "{token}")?;
    Ok(())
}

async fn administer(options: Admin) -> Result<(), Failure> {
    let Admin {
        server,
        tls_cert,
        token_file,
        action,
    } = options;
    if token_file.is_some() && tls_cert.is_none() && !server.ip().is_loopback() {
        let reason = "is beyond loopback, where the token would not be encrypted: add --tls-cert";
        return Err(format!("{server} {reason}").into());
    }
    let token = token_file.as_deref().map(admin::read_token).transpose()?;
    let channel = connect(reachable(server), tls_cert.as_deref()).await?;
    admin::run(channel, token, action, &mut io::stdout().lock()).await?;
    Ok(())
}

/// A connection to a server, which has this certificate if it speaks TLS.
async fn connect(address: SocketAddr, cert: Option<&Path>) -> Result<Channel, Failure> {
    let endpoint = Endpoint::try_from(format!("http://{address}"))?.connect_timeout(PROBE);
    let connected = match cert {
        None => endpoint.connect().await,
        Some(cert) => {
            let tls = tls::connector(cert)?;
            let connect = move |_| {
                let tls = tls.clone();
                async move {
                    let stream = TcpStream::connect(address).await?;
                    let stream = tls.connect(address.ip().into(), stream).await;
                    stream.map(TokioIo::new)
                }
            };
            endpoint.connect_with_connector(service_fn(connect)).await
        }
    };
    Ok(connected.map_err(|error| Context::new(format!("nobody answers at {address}"), error))?)
}

/// Lets the process have as many files open as the system grants it: each connection is one, and there
/// are no more than leave the others what they need.
fn raise_open_files(limits: &mut Limits) -> Result<(), Failure> {
    let files = rlimit::increase_nofile_limit(u64::MAX)
        .map_err(|error| Context::new("the limit of open files".into(), error))?;
    tracing::info!("up to {files} files may be open");
    let connections = limits[Limit::Connections];
    let room = files.saturating_sub(OTHER_FILES).max(LEAST_CONNECTIONS);
    if let Ok(room) = u32::try_from(room)
        && room < connections
    {
        tracing::warn!("that is too few for {connections} connections: there may be {room}");
        limits.set(Limit::Connections, room);
    }
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
        let channel = connect(address, options.tls_cert.as_deref()).await?;
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
