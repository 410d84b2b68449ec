//! The server in process: a real store in a folder, on a port of its own.

use std::{net::SocketAddr, path::Path, sync::Arc, time::Duration};

use mancala::{
    catalog::Catalog,
    game::Time,
    grpc::{
        Limit, Tokens,
        proto::ListLimitsRequest,
        server::{self, Edge, Listeners, ServeError, Service},
    },
    session::{Clock, Session},
    store::Sqlite,
};
use tokio::{
    net::TcpListener,
    sync::{mpsc, oneshot},
    task::JoinHandle,
};
use tonic::transport::{Channel, Endpoint};

use super::{
    catalog,
    client::{Caller, register},
    clock::SetClock,
    faults::{Faults, FaultyStore},
    within,
};

/// Limits that tests meet only if they set them.
const OUT_OF_THE_WAY: [Limit; 4] = [
    Limit::CallsPerPlayer,
    Limit::CallsPerAddress,
    Limit::GamesPerPlayer,
    Limit::OpenSeatsPerPlayer,
];

/// A running server.
pub(crate) struct Server {
    /// What it serves, to be told what no client can say.
    pub(crate) session: Session,
    address: SocketAddr,
    admin_address: SocketAddr,
    channel: Channel,
    admins_channel: Channel,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<Result<(), ServeError>>,
    gone: mpsc::Receiver<()>,
}

impl Server {
    /// Starts a server on a folder.
    pub(crate) async fn start(folder: &Path) -> Server {
        Server::start_faulty(folder, Faults::default()).await
    }

    /// Starts a server on a folder, with other variants than the built-in ones.
    pub(crate) async fn start_with(folder: &Path, catalog: Arc<Catalog>) -> Server {
        Server::start_of(folder, catalog, Faults::default(), None, |_| {}).await
    }

    /// Starts a server on a folder, in the time of a clock that is set.
    pub(crate) async fn start_at(folder: &Path, clock: &SetClock) -> Server {
        Server::start_faulty_at(folder, Faults::default(), clock).await
    }

    /// Starts a server on a folder, with a store that fails when it is told to, in the time of a clock.
    pub(crate) async fn start_faulty_at(folder: &Path, faults: Faults, clock: &SetClock) -> Server {
        let clock: Option<Arc<dyn Clock>> = Some(Arc::new(clock.clone()));
        Server::start_of(folder, catalog().clone(), faults, clock, |_| {}).await
    }

    /// Starts a server on a folder, with a store that fails when it is told to.
    pub(crate) async fn start_faulty(folder: &Path, faults: Faults) -> Server {
        Server::start_of(folder, catalog().clone(), faults, None, |_| {}).await
    }

    /// Starts a server on a folder, with something else before its services.
    pub(crate) async fn start_behind(folder: &Path, change: impl FnOnce(&mut Edge)) -> Server {
        let (catalog, faults) = (catalog().clone(), Faults::default());
        Server::start_of(folder, catalog, faults, None, change).await
    }

    async fn start_of(
        folder: &Path,
        catalog: Arc<Catalog>,
        faults: Faults,
        clock: Option<Arc<dyn Clock>>,
        change: impl FnOnce(&mut Edge),
    ) -> Server {
        let (_gone, gone) = mpsc::channel(1);
        let store = FaultyStore {
            inner: Sqlite::open(folder).unwrap(),
            faults,
            _gone,
        };
        let store = Arc::new(store);
        let session = match clock {
            Some(clock) => Session::with_clock(store, clock),
            None => Session::new(store),
        };
        let mut edge = Edge::new(Tokens::open(folder).unwrap());
        for limit in OUT_OF_THE_WAY {
            edge.limits.set(limit, u32::MAX);
        }
        change(&mut edge);
        let service = Service {
            catalog,
            session: session.clone(),
            edge,
        };
        let bind = || TcpListener::bind("127.0.0.1:0");
        let (public, admin) = (bind().await.unwrap(), bind().await.unwrap());
        let (address, admin_address) = (public.local_addr().unwrap(), admin.local_addr().unwrap());
        let (stop, stopping) = oneshot::channel();
        let listeners = Listeners {
            public,
            admin: Some(admin),
        };
        let serving = tokio::spawn(server::serve(service, listeners, async {
            let _ = stopping.await;
        }));
        Server {
            session,
            address,
            admin_address,
            channel: endpoint(address).connect_lazy(),
            admins_channel: endpoint(admin_address).connect_lazy(),
            stop,
            serving,
            gone,
        }
    }

    /// Lets time pass while the server lives: with a sign of life at least every five seconds.
    pub(crate) async fn pass(&self, clock: &SetClock, time: Duration) {
        let end = Time(clock.now().0 + i64::try_from(time.as_millis()).unwrap());
        while clock.now() < end {
            let left = u64::try_from(end.0 - clock.now().0).unwrap();
            clock.advance(Duration::from_millis(left.min(5_000)));
            let alive = || self.session.alive().map_or(0, |alive| alive.0);
            while alive() + 5_000 <= clock.now().0 {
                tokio::task::yield_now().await;
            }
        }
    }

    /// A connection, shared by all callers of this server that don't ask for their own.
    pub(crate) fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// A connection of its own.
    pub(crate) async fn own_channel(&self) -> Channel {
        within(endpoint(self.address).connect()).await.unwrap()
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where it listens for admins.
    pub(crate) fn admin_address(&self) -> SocketAddr {
        self.admin_address
    }

    /// A connection of its own on which little is sent ahead of its reader.
    pub(crate) async fn narrow_channel(&self) -> Channel {
        let endpoint = endpoint(self.address)
            .initial_stream_window_size(65_535)
            .initial_connection_window_size(65_535);
        within(endpoint.connect()).await.unwrap()
    }

    /// A new player.
    pub(crate) async fn player(&self, name: &str) -> Caller {
        register(self.channel(), name).await
    }

    /// Somebody without a token.
    pub(crate) fn stranger(&self) -> Caller {
        Caller::new(self.channel(), None, String::new())
    }

    /// Somebody without a token at the admins' address.
    pub(crate) fn admin(&self) -> Caller {
        Caller::new(self.admins_channel.clone(), None, String::new())
    }

    /// How much of a limit is in use, and how often it has refused something.
    pub(crate) async fn limit(&self, limit: Limit) -> (Option<u32>, u64) {
        let mut admins = self.admin().admins();
        let answer = within(admins.list_limits(ListLimitsRequest {}))
            .await
            .unwrap();
        let mut limits = answer.into_inner().limits.into_iter();
        let found = limits.find(|status| status.name == limit.name()).unwrap();
        (found.used, found.refused)
    }

    /// Tells the server to stop. It goes on until it has drained.
    pub(crate) fn begin_stop(self) -> Stopping {
        let Server {
            serving,
            gone,
            stop,
            ..
        } = self;
        stop.send(()).expect("it serves");
        Stopping { serving, gone }
    }

    /// Stops the server and waits until it has left its folder.
    pub(crate) async fn stop(self) {
        self.begin_stop().done().await;
    }
}

/// A server that drains.
pub(crate) struct Stopping {
    serving: JoinHandle<Result<(), ServeError>>,
    gone: mpsc::Receiver<()>,
}

impl Stopping {
    /// Waits until it has left its folder.
    pub(crate) async fn done(mut self) {
        within(self.serving).await.unwrap().unwrap();
        assert_eq!(within(self.gone.recv()).await, None);
    }
}

fn endpoint(address: SocketAddr) -> Endpoint {
    Endpoint::from_shared(format!("http://{address}")).unwrap()
}
