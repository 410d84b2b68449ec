//! Bytes on a connection: whether they come after an HTTP/2 client's greeting, then the bytes.
#![no_main]

use std::{
    io::{ErrorKind, Read as _, Write as _},
    net::{Shutdown, TcpStream},
    sync::{Mutex, OnceLock},
};

use libfuzzer_sys::{Corpus, fuzz_target};
use mancala_fuzz::{
    client::{Client, PATIENCE},
    memory::bounded,
    server::server,
};

fn client() -> &'static Mutex<Client> {
    static CLIENT: OnceLock<Mutex<Client>> = OnceLock::new();
    CLIENT.get_or_init(|| Mutex::new(Client::new(server().address)))
}

/// The preface, and an empty SETTINGS frame.
const GREETING: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

fuzz_target!(init: client(), |data: &[u8]| -> Corpus {
    let (greeting, content) = match data.split_first() {
        Some((b'g', content)) => (GREETING, content),
        Some((b'r', content)) => (&b""[..], content),
        _ => return Corpus::Reject,
    };
    let mut client = client().lock().expect("a panic ends the process");
    bounded(|| {
        send(&[greeting, content].concat());
        client.check_health();
    });
    Corpus::Keep
});

/// Sends bytes and nothing after them, and reads what comes until the server closes.
fn send(bytes: &[u8]) {
    let stream = TcpStream::connect(server().address);
    let mut stream = stream.expect("the server takes connections");
    let timeout = stream.set_read_timeout(Some(PATIENCE));
    timeout.expect("a second is a timeout");
    // The server may close at the first byte that it dislikes.
    if stream.write_all(bytes).is_err() || stream.shutdown(Shutdown::Write).is_err() {
        return;
    }
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
            panic!("a connection on which nothing more comes is kept");
        }
        Ok(_) | Err(_) => {}
    }
    assert!(!answer.starts_with(b"HTTP/1.1 5"), "{answer:?}");
}
