//! TLS: certificates from files, good ones and bad ones, and their change.

use std::{
    fs::{self, Permissions},
    net::SocketAddr,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::PathBuf,
    time::{Duration, Instant},
};

use mancala::grpc::{Limit, Tls, TlsError, proto::ListVariantsRequest, tls};
use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    process::Command,
    task::yield_now,
};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};

use crate::support::{
    client::{Caller, register, solo},
    server::Server,
    wire::closed,
    within,
};

/// A certificate and its key, as mounted secrets are: both behind a link that is swapped.
struct Secret {
    folder: TempDir,
    cert: PathBuf,
    key: PathBuf,
}

impl Secret {
    fn new(pair: &CertifiedKey<KeyPair>) -> Secret {
        let folder = tempfile::tempdir().unwrap();
        let [cert, key] = ["cert.pem", "key.pem"].map(|name| folder.path().join("now").join(name));
        let secret = Secret { folder, cert, key };
        secret.swap(&pair.cert.pem(), &pair.signing_key.serialize_pem());
        secret
    }

    /// Puts others in their place.
    fn swap(&self, cert: &str, key: &str) {
        let version = tempfile::tempdir_in(self.folder.path()).unwrap().keep();
        fs::write(version.join("cert.pem"), cert).unwrap();
        fs::write(version.join("key.pem"), key).unwrap();
        fs::set_permissions(version.join("key.pem"), Permissions::from_mode(0o600)).unwrap();
        let link = version.with_extension("link");
        symlink(&version, &link).unwrap();
        fs::rename(link, self.folder.path().join("now")).unwrap();
    }

    fn open(&self) -> Result<Tls, TlsError> {
        Tls::open(&self.cert, &self.key)
    }
}

fn pair() -> CertifiedKey<KeyPair> {
    generate_simple_self_signed(vec!["localhost".into()]).unwrap()
}

async fn serve(folder: &TempDir, tls: &Tls) -> Server {
    Server::start_behind(folder.path(), |edge| edge.tls = Some(tls.clone())).await
}

/// A connection to the server that has this certificate, if it has it.
async fn connect(
    address: SocketAddr,
    pair: &CertifiedKey<KeyPair>,
) -> Result<Channel, tonic::transport::Error> {
    let tls = ClientTlsConfig::new()
        .ca_certificate(Certificate::from_pem(pair.cert.pem()))
        .domain_name("localhost");
    let endpoint = Endpoint::from_shared(format!("https://{address}")).unwrap();
    within(endpoint.tls_config(tls).unwrap().connect()).await
}

async fn serves(channel: Channel) {
    let rules = Caller::new(channel, None, String::new());
    let answer = within(rules.rules().list_variants(ListVariantsRequest::default())).await;
    answer.unwrap();
}

#[tokio::test]
async fn calls_go_over_tls_and_nothing_goes_without() {
    let (folder, pair) = (tempfile::tempdir().unwrap(), pair());
    let server = serve(&folder, &Secret::new(&pair).open().unwrap()).await;
    serves(connect(server.address(), &pair).await.unwrap()).await;
    connect(server.address(), &self::pair()).await.unwrap_err();

    let mut plain = TcpStream::connect(server.address()).await.unwrap();
    let request = "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";
    plain.write_all(request.as_bytes()).await.unwrap();
    let answer = closed(&mut plain).await;
    assert!(!String::from_utf8_lossy(&answer).contains("HTTP"));

    let idle = connect(server.address(), &pair).await.unwrap();
    let mut half = TcpStream::connect(server.address()).await.unwrap();
    half.write_all(&[22, 3, 1]).await.unwrap();
    let began = Instant::now();
    server.stop().await;
    assert!(began.elapsed() < Duration::from_secs(5), "none is cut off");
    drop(idle);
}

#[tokio::test]
async fn a_handshake_does_not_take_for_ever() {
    let (folder, pair) = (tempfile::tempdir().unwrap(), pair());
    let tls = Secret::new(&pair).open().unwrap();
    let server = Server::start_behind(folder.path(), |edge| {
        edge.tls = Some(tls);
        edge.limits.set(Limit::Connections, 1);
        edge.patience.handshake = Duration::from_millis(100);
    })
    .await;
    for begun in [&[][..], &[22, 3, 1, 1, 0, 1]] {
        let mut half = TcpStream::connect(server.address()).await.unwrap();
        half.write_all(begun).await.unwrap();
        assert_eq!(closed(&mut half).await, b"");
    }
    // The one place is free again, or will be.
    let channel = async {
        loop {
            match connect(server.address(), &pair).await {
                Ok(channel) => break channel,
                Err(_) => yield_now().await,
            }
        }
    };
    serves(within(channel).await).await;
}

#[tokio::test]
async fn a_new_certificate_is_for_new_connections_and_old_ones_go_on() {
    let (folder, old, new) = (tempfile::tempdir().unwrap(), pair(), pair());
    let secret = Secret::new(&old);
    let tls = secret.open().unwrap();
    let server = serve(&folder, &tls).await;
    let alice = register(connect(server.address(), &old).await.unwrap(), "Alice").await;
    let id = alice.create(solo("bosh")).await.unwrap().game_id;
    let mut watch = alice.watch(&id, None).await.unwrap();
    within(watch.message()).await.unwrap().unwrap();
    assert!(!tls.reload().unwrap(), "nothing has changed");

    // Bad ones leave all as it was.
    let (new_cert, new_key) = (new.cert.pem(), new.signing_key.serialize_pem());
    secret.swap(&new_cert, &old.signing_key.serialize_pem());
    assert!(matches!(tls.reload(), Err(TlsError::Unfitting { .. })));
    secret.swap("", &new_key);
    assert!(matches!(tls.reload(), Err(TlsError::Damaged { .. })));
    serves(connect(server.address(), &old).await.unwrap()).await;

    secret.swap(&new_cert, &new_key);
    assert!(tls.reload().unwrap());
    serves(connect(server.address(), &new).await.unwrap()).await;
    connect(server.address(), &old).await.unwrap_err();
    alice.play(&id, 4).await.unwrap();
    within(watch.message()).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_server_finds_a_new_certificate_by_itself() {
    let (folder, old, new) = (tempfile::tempdir().unwrap(), pair(), pair());
    let secret = Secret::new(&old);
    let server = serve(&folder, &secret.open().unwrap()).await;
    serves(connect(server.address(), &old).await.unwrap()).await;
    secret.swap(&new.cert.pem(), &new.signing_key.serialize_pem());
    let mut often = tokio::time::interval(Duration::from_millis(100));
    let found = async {
        while connect(server.address(), &new).await.is_err() {
            often.tick().await;
        }
    };
    within(found).await;
}

#[test]
fn bad_files_are_refused_in_one_clear_line() {
    let (good, other) = (pair(), pair());
    let secret = Secret::new(&good);
    let (cert, key) = (good.cert.pem(), good.signing_key.serialize_pem());
    let damaged = |pem: &str| {
        let mut lines: Vec<_> = pem.lines().collect();
        lines.remove(1);
        lines.join("\n")
    };
    let refused = |cert: &str, key: &str, named: &str| {
        secret.swap(cert, key);
        let Err(error) = secret.open() else {
            panic!("{named} is taken")
        };
        let line = error.to_string();
        assert!(line.contains(named) && !line.contains('\n'), "{line}");
        error
    };
    for bad in ["", "no certificate", &key, &damaged(&cert)] {
        let error = refused(bad, &key, "cert.pem");
        assert!(matches!(error, TlsError::Damaged { .. }), "{bad}: {error}");
    }
    for bad in ["", "no key", &cert, &damaged(&key)] {
        let error = refused(&cert, bad, "key.pem");
        assert!(matches!(error, TlsError::Damaged { .. }), "{bad}: {error}");
    }
    let error = refused(&cert, &other.signing_key.serialize_pem(), "key.pem");
    assert!(matches!(error, TlsError::Unfitting { .. }), "{error}");

    secret.swap(&cert, &key);
    for mode in [0o640, 0o604, 0o660] {
        fs::set_permissions(&secret.key, Permissions::from_mode(mode)).unwrap();
        assert!(matches!(secret.open(), Err(TlsError::Exposed { .. })));
    }
    fs::remove_file(&secret.key).unwrap();
    assert!(matches!(secret.open(), Err(TlsError::File { .. })));
    fs::remove_file(&secret.cert).unwrap();
    assert!(matches!(secret.open(), Err(TlsError::File { .. })));
}

#[tokio::test]
async fn grpc_web_goes_over_tls_too() {
    let (folder, pair) = (tempfile::tempdir().unwrap(), pair());
    let secret = Secret::new(&pair);
    let server = serve(&folder, &secret.open().unwrap()).await;
    let address = server.address();
    let connector = tls::connector(&secret.cert).unwrap();
    let stream = TcpStream::connect(address).await.unwrap();
    let shaking = connector
        .with_alpn(vec![b"http/1.1".into()])
        .connect(address.ip().into(), stream);
    let mut stream = within(shaking).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
    let head = "POST /mancala.v1.RulesService/ListVariants HTTP/1.1\r\nhost: localhost\r\n\
                content-type: application/grpc-web+proto\r\ncontent-length: 5\r\n\
                connection: close\r\n\r\n";
    let request = [head.as_bytes(), &[0; 5]].concat();
    stream.write_all(&request).await.unwrap();
    let mut answer = Vec::new();
    let _ = within(stream.read_to_end(&mut answer)).await;
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.contains("grpc-status:0"), "{answer}");
}

#[tokio::test]
async fn probes_trust_the_certificate_that_they_are_given() {
    let (folder, pair) = (tempfile::tempdir().unwrap(), pair());
    let secret = Secret::new(&pair);
    let server = serve(&folder, &secret.open().unwrap()).await;
    let probe = |cert: PathBuf| {
        let address = server.address().to_string();
        let mut program = Command::new(env!("CARGO_BIN_EXE_mancala"));
        program.args(["health", "--listen", &address, "--tls-cert"]);
        program.arg(cert).kill_on_drop(true);
        async move { within(program.output()).await.unwrap() }
    };
    let good = probe(secret.cert.clone()).await;
    assert!(good.status.success(), "{good:?}");
    let bad = probe(Secret::new(&self::pair()).cert).await;
    assert_eq!(bad.status.code(), Some(1), "{bad:?}");
}
