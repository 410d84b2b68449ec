//! The service that is fuzzed: the real one, in this process, on a port of its own.

use std::{
    fs,
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    sync::{Arc, OnceLock, mpsc},
    thread,
};

use mancala::{
    catalog::Catalog,
    grpc::{
        Issuer, Limit, Tokens,
        server::{Edge, Listeners, Service, serve},
    },
    session::Session,
    store::Sqlite,
};
use tempfile::TempDir;
use tokio::{net::TcpListener, runtime::Builder};

use crate::{
    token::{AUDIENCE, ISSUER},
    watchman,
};

/// Another issuer, whose key is the tests'.
fn issuer(folder: &Path) -> Issuer {
    let keys = folder.join("issuer.pem");
    fs::write(
        &keys,
        include_str!("../../tests/it/service/keys/ed.pub.pem"),
    )
    .expect("there is room for a key");
    Issuer::open(&keys, ISSUER, AUDIENCE).expect("it is a key")
}

/// Limits that a fuzzer would meet at once.
const RATES: [Limit; 4] = [
    Limit::CallsPerPlayer,
    Limit::CallsPerAddress,
    Limit::GamesPerPlayer,
    Limit::OpenSeatsPerPlayer,
];

/// A running server.
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    /// The key that it signs its tokens with.
    pub key: Vec<u8>,
    _folder: TempDir,
}

/// The server of this process, started when it is first asked for.
pub fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        watchman::begin();
        start()
    })
}

/// Starts it on a thread, with a runtime, of its own. It ends with the process.
fn start() -> Server {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let path = folder.path().to_owned();
    let (told, address) = mpsc::channel();
    thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("the system has what a runtime needs");
        runtime.block_on(async {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
            let listener = listener.expect("there is a port left");
            let mut edge = Edge::new(Tokens::open(&path).expect("the key can be made"));
            edge.identity.issuer = Some(Arc::new(issuer(&path)));
            // What is fuzzed is what comes after them.
            for limit in RATES {
                edge.limits.set(limit, u32::MAX);
            }
            let store = Sqlite::open(&path).expect("the store can be made");
            let service = Service {
                catalog: Arc::new(Catalog::built_in()),
                session: Session::new(Arc::new(store)),
                edge,
            };
            let listeners = Listeners {
                public: listener,
                admin: None,
            };
            let address = listeners.public.local_addr().expect("it is bound");
            told.send(address).expect("somebody waits for it");
            let ended = serve(service, listeners, std::future::pending()).await;
            panic!("serving ended: {ended:?}");
        });
    });
    let address = address.recv().expect("the server starts");
    let key = fs::read(folder.path().join("token.key")).expect("the key was made");
    Server {
        address,
        key,
        _folder: folder,
    }
}
