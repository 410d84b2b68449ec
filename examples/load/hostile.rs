//! What one who sends all it can costs all others.

use std::{
    error::Error,
    net::IpAddr,
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use mancala::grpc::proto::{
    self, game_service_client::GameServiceClient, player_service_client::PlayerServiceClient,
    rules_service_client::RulesServiceClient,
};
use tokio::{net::TcpStream, task::JoinSet};
use tonic::{Code, Request, Status, metadata::AsciiMetadataValue, transport::Channel};

use super::{
    binary::{self, Binary},
    clients,
    companions::{self, Companion},
    lot::Lot,
    open::{self, Load},
};

/// How often each measurement is done, in turn.
const ROUNDS: usize = 3;

/// Where the attack comes from: the others come from elsewhere.
const FROM: &str = "127.0.0.2";

/// Connections that call, each with so many calls at once.
const CONNECTIONS: usize = 100;
const AT_ONCE: usize = 64;

/// Tasks that connect, say nothing, and go.
const KNOCKING: usize = 8;

/// Plays games at a rate: alone, and beside somebody who sends all it can.
pub async fn measure(connections: usize, load: Load) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    // All clients share the first processor, and the server has the others where there are any: so clients take no
    // time from it, as those on machines of their own don't.
    let last = std::thread::available_parallelism()?.get() - 1;
    run_on(&format!("{}-{last}", last.min(1)))?;
    // The limits are those that everybody has; what the others send comes from several machines.
    let server = Binary::start_with(folder.path(), &["--trusted-proxies", "127.0.0.1"])?;
    run_on("0")?;
    server.connect().await?;
    let channels = clients::connect(&server.address, connections).await?;
    println!(
        "{:.0} moves a second of {} games, alone and beside one address that sends all it can over {CONNECTIONS} \
         connections, the server and all clients on processors of their own:",
        load.rate, load.games
    );
    for _ in 0..ROUNDS {
        let alone = open::play(&channels, load.clone()).await?;
        println!("  {}", alone.answered.line("alone"));
        let attack = ["attack", "--server", &server.address, "--from", FROM];
        let attack = Companion::start(&attack)?;
        let attacked = open::play(&channels, load.clone()).await?;
        println!("  {}", attacked.answered.line("attacked"));
        println!(
            "    {}; server {} MB",
            attack.end()?,
            server.memory()? >> 20
        );
    }
    run_on(&format!("0-{last}"))
}

/// Has this process, and what it starts from now on, run on some processors only: a list like `0-3`.
fn run_on(processors: &str) -> Result<(), Box<dyn Error>> {
    let mut taskset = Command::new("taskset");
    taskset.args(["-acp", processors, &std::process::id().to_string()]);
    match taskset.stdout(Stdio::null()).status()?.success() {
        true => Ok(()),
        false => Err(format!("can't run on the processors {processors}").into()),
    }
}

/// What came of an attacker's calls.
#[derive(Default)]
struct Told {
    answered: AtomicU64,
    refused: AtomicU64,
    failed: AtomicU64,
    knocks: AtomicU64,
    ended: AtomicBool,
}

impl Told {
    fn see<T>(&self, answer: Result<T, Status>) {
        let counted = match answer {
            Ok(_) => &self.answered,
            Err(status) => match status.code() {
                Code::ResourceExhausted => &self.refused,
                Code::Unknown | Code::Unavailable | Code::Cancelled => &self.failed,
                _ => &self.answered,
            },
        };
        counted.fetch_add(1, Ordering::Relaxed);
    }
}

/// Sends all it can until it is told to end.
pub async fn attack(address: &str, from: &str) -> Result<(), Box<dyn Error>> {
    let from: IpAddr = from.parse()?;
    let (told, began) = (Arc::new(Told::default()), Instant::now());
    let mut attacking = JoinSet::new();
    let endpoint = binary::endpoint(address)?.local_address(Some(from));
    let name = proto::RegisterPlayerRequest {
        name: "Mallory".into(),
        kind: proto::PlayerKind::Bot.into(),
        request_id: String::new(),
    };
    let first = endpoint.connect_lazy();
    let registered = PlayerServiceClient::new(first)
        .register_player(name.clone())
        .await?;
    let registered = registered.into_inner();
    let token: AsciiMetadataValue = format!("Bearer {}", registered.token).parse()?;
    for connection in 0..CONNECTIONS {
        // Whoever hangs up is called again.
        let channel = endpoint.connect_lazy();
        for task in 0..AT_ONCE {
            let (told, channel, token) = (told.clone(), channel.clone(), token.clone());
            let lot = Lot((connection * AT_ONCE + task) as u64);
            attacking.spawn(async move { call_all(&channel, &token, lot, &told).await });
        }
    }
    for _ in 0..KNOCKING {
        let (told, address) = (told.clone(), address.parse()?);
        attacking.spawn(async move {
            while !told.ended.load(Ordering::Relaxed) {
                let socket = tokio::net::TcpSocket::new_v4();
                let Ok(socket) = socket else { continue };
                let _ = socket.bind((from, 0).into());
                let stream: Result<TcpStream, _> = socket.connect(address).await;
                told.knocks.fetch_add(1, Ordering::Relaxed);
                drop(stream);
            }
        });
    }
    companions::wait_for_end()?;
    told.ended.store(true, Ordering::Relaxed);
    attacking.abort_all();
    let seconds = began.elapsed().as_secs_f64();
    let rate = |count: &AtomicU64| count.load(Ordering::Relaxed) as f64 / seconds;
    println!(
        "the attacker's calls: {:.0}/s answered, {:.0}/s refused, {:.0}/s failed; {:.0} connections/s beside",
        rate(&told.answered),
        rate(&told.refused),
        rate(&told.failed),
        rate(&told.knocks),
    );
    Ok(())
}

/// A position whose sowings are long.
const LONG: &str = "0,4,0,1,9,2,1,2,3,2/0,5,6,1,0,1,2,1,7,1 20-12 S";

#[allow(clippy::needless_update, reason = "some requests have no other fields")]
async fn call_all(channel: &Channel, token: &AsciiMetadataValue, mut lot: Lot, told: &Told) {
    let mut games = GameServiceClient::new(channel.clone());
    let mut rules = RulesServiceClient::new(channel.clone());
    let mut players = PlayerServiceClient::new(channel.clone());
    let position = || {
        Some(proto::Position {
            variant: "en-dodoi".into(),
            text: LONG.into(),
            ..proto::Position::default()
        })
    };
    while !told.ended.load(Ordering::Relaxed) {
        // Some without a token.
        let with_token = lot.below(4) > 0;
        macro_rules! request {
            ($request:ident { $($field:ident: $value:expr),* }) => {{
                let message = proto::$request { $($field: $value,)* ..Default::default() };
                let mut request = Request::new(message);
                request.set_timeout(Duration::from_secs(5));
                if with_token {
                    request.metadata_mut().insert("authorization", token.clone());
                }
                request
            }};
        }
        let game_id = || "5f0c2c3e-9b9d-8c1e-a6a5-0c5b1d5b7f11".to_owned();
        match lot.below(12) {
            0 => told.see(
                games
                    .list_games(request!(ListGamesRequest { page_size: 200 }))
                    .await,
            ),
            1 => {
                let request = request!(CountMovesRequest {
                    position: position(),
                    depth: 20
                });
                told.see(rules.count_moves(request).await);
            }
            2 | 3 => {
                let request = request!(EnumerateMovesRequest {
                    position: position()
                });
                told.see(rules.enumerate_moves(request).await);
            }
            4 => {
                let request = request!(ApplyMovesRequest {
                    position: position(),
                    moves: vec![9]
                });
                told.see(rules.apply_moves(request).await);
            }
            5 => {
                let request = request!(CreateGameRequest {
                    variant: "bosh".into()
                });
                told.see(games.create_game(request).await);
            }
            6 => {
                let request = request!(RegisterPlayerRequest {
                    name: "Mallory".into(),
                    kind: 2
                });
                told.see(players.register_player(request).await);
            }
            7 => {
                let request = request!(WatchPlayerRequest {
                    cursor: String::new()
                });
                told.see(players.watch_player(request).await.map(drop));
            }
            8 => told.see(
                games
                    .get_game(request!(GetGameRequest { game_id: game_id() }))
                    .await,
            ),
            9 => {
                let text = "x".repeat(60_000);
                told.see(
                    games
                        .import_game(request!(ImportGameRequest { text: text }))
                        .await,
                );
            }
            10 => {
                let mut request = request!(ListVariantsRequest { page_size: 200 });
                request.set_timeout(Duration::from_micros(1));
                told.see(rules.list_variants(request).await);
            }
            _ => {
                let request = request!(SubmitMoveRequest {
                    game_id: game_id(),
                    hole: Some(1)
                });
                told.see(games.submit_move(request).await);
            }
        }
    }
}
