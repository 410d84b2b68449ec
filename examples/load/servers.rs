//! What is measured: the real service, its messages and layers alone, and its log alone.

use std::{
    error::Error,
    sync::Arc,
    time::{Duration, Instant},
};

use mancala::{
    catalog::Catalog,
    game::{Command, Decision, Game, Moment, Outages, PlayerId, Time},
    grpc::{
        Limit, Tokens, proto,
        server::{self, Edge, Listeners, Service},
    },
    session::Session,
    store::{Entry, Log as _, Sqlite, Store, Subject},
};
use proto::{
    game_service_server::{GameService, GameServiceServer},
    player_service_server::{PlayerService, PlayerServiceServer},
};
use tempfile::TempDir;
use tokio::{net::TcpListener, runtime::Runtime, sync::oneshot, task::JoinSet};
use tonic::{Request, Response, Status, service::Routes};
use uuid::Uuid;

use super::{
    games::new_game,
    report::{Measured, cpu_time},
    stamped::{Commits, Stamped},
};

/// A server of this process, with a runtime of its own; it ends when this is dropped.
pub struct Running {
    pub address: String,
    stop: Option<oneshot::Sender<()>>,
    runtime: Option<Runtime>,
    pub folder: TempDir,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(runtime) = self.runtime.take() {
            // Its connections are cut off: nobody needs them any more.
            runtime.shutdown_background();
        }
    }
}

/// Starts the real service on a new folder.
pub async fn start_real() -> Result<Running, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let store = Arc::new(Sqlite::open(folder.path())?);
    start_over(folder, store)
}

/// Starts the real service on a new folder, and remembers when its events were durable.
pub async fn start_stamped() -> Result<(Running, Arc<Commits>), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let commits = Arc::<Commits>::default();
    let store = Stamped {
        inner: Sqlite::open(folder.path())?,
        commits: commits.clone(),
    };
    Ok((start_over(folder, Arc::new(store))?, commits))
}

/// Starts the real service over the store of a folder.
pub fn start_over(folder: TempDir, store: Arc<dyn Store>) -> Result<Running, Box<dyn Error>> {
    let service = Service {
        catalog: Arc::new(Catalog::built_in()),
        session: Session::new(store),
        edge: edge(&folder)?,
    };
    run(folder, |public, stopped| async {
        let listeners = Listeners {
            public,
            admin: None,
        };
        let _ = server::serve(service, listeners, stopped).await;
    })
}

/// Starts a server that gives each call the same answer, behind the same layers.
pub async fn start_echo() -> Result<Running, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let store = Arc::new(Sqlite::open(folder.path())?);
    let real = start_over(folder, store.clone())?;
    let echo = Echo::record(&real.address).await?;
    let routes = Routes::new(GameServiceServer::new(echo.clone()))
        .add_service(PlayerServiceServer::new(echo));
    // The recorded token is checked with the key that signed it, and with what is known of its player.
    let (edge, session) = (edge(&real.folder)?, Session::new(store));
    run(tempfile::tempdir()?, |listener, stopped| async move {
        let _real = real;
        server::serve_routes(routes, &session, edge, listener, stopped).await;
    })
}

fn run<F: Future<Output = ()> + Send + 'static>(
    folder: TempDir,
    serve: impl FnOnce(TcpListener, Stopped) -> F,
) -> Result<Running, Box<dyn Error>> {
    let runtime = mancala::runtime::start()?;
    let (stop, stopped) = oneshot::channel();
    let stopped: Stopped = Box::pin(async {
        let _ = stopped.await;
    });
    let entered = runtime.enter();
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?.to_string();
    runtime.spawn(serve(TcpListener::from_std(listener)?, stopped));
    drop(entered);
    Ok(Running {
        address,
        stop: Some(stop),
        runtime: Some(runtime),
        folder,
    })
}

type Stopped = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

fn edge(folder: &TempDir) -> Result<Edge, Box<dyn Error>> {
    let mut edge = Edge::new(Tokens::open(folder.path())?);
    // None that a measurement meets.
    for limit in Limit::ALL {
        edge.limits.set(*limit, *limit.range().end());
    }
    Ok(edge)
}

/// Answers as the real service did once.
#[derive(Clone)]
struct Echo {
    registered: proto::RegisterPlayerResponse,
    created: proto::CreateGameResponse,
    submitted: proto::SubmitMoveResponse,
}

/// Moves made before the answer that is recorded: about the middle of a game.
const RECORDED_PLY: u32 = 15;

impl Echo {
    async fn record(address: &str) -> Result<Echo, Box<dyn Error>> {
        let channel = super::binary::endpoint(address)?.connect().await?;
        let mut player = super::clients::Player::new(channel, 0).await?;
        let mut submitted = player.submit_any().await?;
        while submitted
            .game
            .as_ref()
            .is_some_and(|game| game.ply < RECORDED_PLY)
        {
            submitted = player.submit_any().await?;
        }
        Ok(Echo {
            registered: player.registered,
            created: player.created,
            submitted,
        })
    }
}

macro_rules! player_service {
    ($($method:ident $request:ident $response:ident,)*) => {
        #[tonic::async_trait]
        impl PlayerService for Echo {
            type WatchPlayerStream =
                tokio_stream::Empty<Result<proto::WatchPlayerResponse, Status>>;

            async fn watch_player(
                &self,
                _: Request<proto::WatchPlayerRequest>,
            ) -> Result<Response<Self::WatchPlayerStream>, Status> {
                Err(Status::unimplemented(""))
            }

            async fn register_player(
                &self,
                _: Request<proto::RegisterPlayerRequest>,
            ) -> Result<Response<proto::RegisterPlayerResponse>, Status> {
                Ok(Response::new(self.registered.clone()))
            }

            $(async fn $method(
                &self,
                _: Request<proto::$request>,
            ) -> Result<Response<proto::$response>, Status> {
                Err(Status::unimplemented(""))
            })*
        }
    };
}

player_service! {
    get_player GetPlayerRequest GetPlayerResponse,
    renew_token RenewTokenRequest RenewTokenResponse,
    revoke_tokens RevokeTokensRequest RevokeTokensResponse,
    delete_player DeletePlayerRequest DeletePlayerResponse,
}

macro_rules! game_service {
    ($($method:ident $request:ident $response:ident,)*) => {
        #[tonic::async_trait]
        impl GameService for Echo {
            type WatchGameStream = tokio_stream::Empty<Result<proto::WatchGameResponse, Status>>;

            async fn submit_move(
                &self,
                _: Request<proto::SubmitMoveRequest>,
            ) -> Result<Response<proto::SubmitMoveResponse>, Status> {
                Ok(Response::new(self.submitted.clone()))
            }

            async fn create_game(
                &self,
                _: Request<proto::CreateGameRequest>,
            ) -> Result<Response<proto::CreateGameResponse>, Status> {
                Ok(Response::new(self.created.clone()))
            }

            async fn watch_game(
                &self,
                _: Request<proto::WatchGameRequest>,
            ) -> Result<Response<Self::WatchGameStream>, Status> {
                Err(Status::unimplemented(""))
            }

            $(async fn $method(
                &self,
                _: Request<proto::$request>,
            ) -> Result<Response<proto::$response>, Status> {
                Err(Status::unimplemented(""))
            })*
        }
    };
}

game_service! {
    get_game GetGameRequest GetGameResponse,
    list_games ListGamesRequest ListGamesResponse,
    join_game JoinGameRequest JoinGameResponse,
    list_legal_moves ListLegalMovesRequest ListLegalMovesResponse,
    resign_game ResignGameRequest ResignGameResponse,
    abort_game AbortGameRequest AbortGameResponse,
    offer_draw OfferDrawRequest OfferDrawResponse,
    request_takeback RequestTakebackRequest RequestTakebackResponse,
    answer_offer AnswerOfferRequest AnswerOfferResponse,
    rematch_game RematchGameRequest RematchGameResponse,
    list_game_events ListGameEventsRequest ListGameEventsResponse,
    export_game ExportGameRequest ExportGameResponse,
    import_game ImportGameRequest ImportGameResponse,
}

/// Appends the moves of real games to the log alone, one in flight a game.
pub async fn commit(in_flight: usize, time: Duration) -> Result<Measured, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let store = Arc::new(Sqlite::open(folder.path())?);
    let catalog = Arc::new(Catalog::built_in());
    let (began, cpu) = (Instant::now(), cpu_time());
    let end = began + time;
    let mut appending = JoinSet::new();
    for _ in 0..in_flight {
        let (store, catalog) = (store.clone(), catalog.clone());
        appending.spawn(async move {
            append_until(&store, &catalog, end)
                .await
                .map_err(|error| error.to_string())
        });
    }
    let mut latencies = Vec::new();
    while let Some(appended) = appending.join_next().await {
        latencies.extend(appended??);
    }
    Ok(Measured::new(began, cpu, latencies))
}

/// What stands for a request that was never made before.
fn new_request() -> mancala::game::Request {
    mancala::game::Request {
        key: Uuid::new_v4().into_bytes(),
        fingerprint: [0; 16],
    }
}

async fn append_until(
    store: &Sqlite,
    catalog: &Catalog,
    end: Instant,
) -> Result<Vec<Duration>, Box<dyn Error>> {
    let player = PlayerId(Uuid::new_v4());
    let (mut latencies, outages) = (Vec::new(), Outages::default());
    loop {
        let variant = catalog.get("en-dodoi").ok_or("no such variant")?;
        let new = new_game(variant, [player; 2]);
        let subject = Subject::Game(new.game_id);
        let created = new.create(None, Time(0))?;
        let mut game = Game::replay(std::slice::from_ref(&created))?;
        store.append(subject, Entry::Game(created)).await?;
        while let Some(hole) = game
            .rules()
            .legal_moves(&game.state().position)
            .iter()
            .last()
        {
            let began = Instant::now();
            if began >= end {
                return Ok(latencies);
            }
            let command = Command::Move {
                hole: hole.into(),
                expected_turn: None,
            };
            let Decision::New(record) = game.decide(
                &command,
                player,
                Some(new_request()),
                &Moment::at(Time(0), &outages),
            )?
            else {
                return Err("a new request can't be a retry".into());
            };
            game.apply(&record)?;
            store.append(subject, Entry::Game(record)).await?;
            latencies.push(began.elapsed());
            if game.state().result.is_some() {
                break;
            }
        }
    }
}
