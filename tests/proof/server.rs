//! The server's process: how it is started, stopped, frozen and starved.

use std::{
    net::TcpListener,
    path::{Path, PathBuf},
    process::Stdio,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    net::TcpStream,
    process::{Child, Command},
    task::JoinHandle,
    time::{Instant, sleep, timeout},
};

/// A server that starts is given up after so long, and so is one that was told to stop.
const PATIENCE: Duration = Duration::from_secs(20);

/// Last lines of a server that are kept.
const KEPT: usize = 2_000;

/// Limits that clients meet now and then. All are of one address.
const LIMITS: &str = "calls-per-player=40,calls-per-address=1000000,concurrent-calls-per-player=8,\
                      games-per-player=40,open-seats-per-player=8,streams-per-player=12";

/// Which program serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The program itself.
    Real,
    /// This program, over a store with faults that follow from a seed.
    Faulty(u64),
}

/// Where servers run, one after another, and what they wrote.
pub(crate) struct Place {
    program: PathBuf,
    /// Where they listen.
    pub(crate) address: String,
    /// Their data folder.
    pub(crate) folder: PathBuf,
    lines: Arc<Mutex<Vec<String>>>,
    panicked: Arc<AtomicBool>,
}

/// A server that runs.
pub(crate) struct Server {
    child: Child,
    reading: JoinHandle<()>,
}

impl Place {
    /// A place for a program on a free port.
    pub(crate) fn new(program: &Path, folder: PathBuf) -> Place {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
        Place {
            program: program.to_owned(),
            address: free.expect("there is a free port").to_string(),
            folder,
            lines: Arc::default(),
            panicked: Arc::default(),
        }
    }

    /// Starts a server and waits until it listens.
    pub(crate) async fn start(&self, kind: Kind) -> Result<Server, String> {
        // It does as a disk does that is full: a write that goes too far fails, and doesn't kill.
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]);
        match kind {
            Kind::Real => {
                command.arg(&self.program).args(["serve", "--log", "warn"]);
                command.args(["--admin-listen", "off", "--limit", LIMITS]);
            }
            Kind::Faulty(seed) => {
                let own = std::env::current_exe().map_err(|error| error.to_string())?;
                command.arg(own).args(["--serve-faulty", &seed.to_string()]);
            }
        }
        let child = command
            .args(["--listen", &self.address])
            .arg("--data-dir")
            .arg(&self.folder)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn();
        let mut child = child.map_err(|error| format!("the server can't be started: {error}"))?;
        let stderr = child.stderr.take().expect("it was asked for");
        let (kept, panicked) = (self.lines.clone(), self.panicked.clone());
        let reading = tokio::spawn(async move {
            let mut lines = BufReader::new(stderr).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                if line.contains("panicked") {
                    panicked.store(true, Ordering::Relaxed);
                }
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                if kept.len() == KEPT {
                    kept.remove(0);
                }
                kept.push(line);
            }
        });
        let mut server = Server { child, reading };
        let end = Instant::now() + PATIENCE;
        while TcpStream::connect(&self.address).await.is_err() {
            if let Some(ended) = server.ended() {
                return Err(format!("the server did not start: {ended}"));
            }
            if Instant::now() > end {
                return Err("the server does not listen".into());
            }
            sleep(Duration::from_millis(2)).await;
        }
        Ok(server)
    }

    /// The last lines that the servers wrote.
    pub(crate) fn lines(&self) -> Vec<String> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.clone()
    }

    /// Whether a server has panicked.
    pub(crate) fn panicked(&self) -> bool {
        self.panicked.load(Ordering::Relaxed)
    }
}

impl Server {
    /// How it ended, if it has.
    pub(crate) fn ended(&mut self) -> Option<String> {
        let status = self.child.try_wait().ok().flatten();
        status.map(|status| status.to_string())
    }

    /// Kills it, without a word.
    pub(crate) async fn kill(mut self) {
        // It may be gone already.
        let _ = self.child.kill().await;
        let _ = self.reading.await;
    }

    /// Asks it to stop, and waits until it has.
    pub(crate) async fn stop(mut self) -> Result<(), String> {
        self.signal("TERM").await;
        match timeout(PATIENCE, self.child.wait()).await {
            Ok(Ok(status)) if status.success() => Ok(()),
            Ok(Ok(status)) => Err(format!("the server stopped with {status}")),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => {
                self.kill().await;
                Err("the server does not stop".into())
            }
        }
    }

    /// Freezes it for a while.
    pub(crate) async fn freeze(&self, time: Duration) {
        self.signal("STOP").await;
        sleep(time).await;
        self.signal("CONT").await;
    }

    /// Makes writes beyond so many bytes of a file fail for a while, as on a full disk.
    pub(crate) async fn fill_disk(&self, bytes: u64, time: Duration) {
        self.limit(&bytes.to_string()).await;
        sleep(time).await;
        self.limit("unlimited").await;
    }

    async fn limit(&self, soft: &str) {
        self.run("prlimit", &[&format!("--fsize={soft}:unlimited"), "--pid"])
            .await;
    }

    async fn signal(&self, name: &str) {
        self.run("kill", &[&format!("-{name}")]).await;
    }

    /// Runs a program on it.
    async fn run(&self, program: &str, options: &[&str]) {
        let Some(id) = self.child.id() else { return };
        let done = Command::new(program)
            .args(options)
            .arg(id.to_string())
            .status()
            .await;
        let done = done.unwrap_or_else(|error| panic!("{program}: {error} (it is in util-linux)"));
        assert!(done.success(), "{program} {options:?} failed");
    }
}
