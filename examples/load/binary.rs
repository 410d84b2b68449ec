//! The server as it is run: the program itself, in a process of its own.

use std::{
    error::Error,
    fs, io,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use mancala::grpc::{Limit, SetLimit};
use tonic::transport::{Channel, Endpoint};

/// How often a server that starts is tried.
const ATTEMPT: Duration = Duration::from_millis(1);

/// After so long a server is given up.
const PATIENCE: Duration = Duration::from_secs(120);

/// Limits that no measurement meets.
fn no_limits() -> String {
    let far = |limit: &Limit| SetLimit {
        limit: *limit,
        value: *limit.range().end(),
    };
    let limits: Vec<_> = Limit::ALL
        .iter()
        .map(|limit| far(limit).to_string())
        .collect();
    limits.join(",")
}

/// A server in a process of its own; it is killed when this is dropped.
pub struct Binary {
    process: Child,
    /// Where it listens.
    pub address: String,
}

impl Binary {
    /// Starts the program over a data folder, and doesn't wait for it.
    pub fn start(folder: &Path) -> Result<Binary, Box<dyn Error>> {
        Binary::start_with(folder, &["--limit", &no_limits()])
    }

    /// Starts the program over a data folder, with options, and doesn't wait for it.
    pub fn start_with(folder: &Path, options: &[&str]) -> Result<Binary, Box<dyn Error>> {
        let program = program()?;
        // Free a moment ago; nobody else on this machine is in a hurry to have it.
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
        let process = Command::new(&program)
            .args(["serve", "--log", "warn", "--listen", &address])
            .args(["--admin-listen", "off"])
            .args(options)
            .arg("--data-dir")
            .arg(folder)
            .stdin(Stdio::null())
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        Ok(Binary { process, address })
    }

    /// A connection, as soon as there can be one.
    pub async fn connect(&self) -> Result<Channel, Box<dyn Error>> {
        let endpoint = endpoint(&self.address)?;
        let began = Instant::now();
        loop {
            match endpoint.connect().await {
                Ok(channel) => return Ok(channel),
                Err(error) if began.elapsed() > PATIENCE => return Err(error.into()),
                Err(_) => tokio::time::sleep(ATTEMPT).await,
            }
        }
    }

    /// Memory that it has of the machine, in bytes: its resident set.
    pub fn memory(&self) -> Result<u64, Box<dyn Error>> {
        let status = format!("/proc/{}/status", self.process.id());
        kilobytes(&fs::read_to_string(status)?, "VmRSS:")
    }

    /// Files and sockets that it may have open.
    pub fn most_files(&self) -> Result<usize, Box<dyn Error>> {
        let limits = fs::read_to_string(format!("/proc/{}/limits", self.process.id()))?;
        let line = limits
            .lines()
            .find(|line| line.starts_with("Max open files"));
        let soft = line.and_then(|line| line.split_whitespace().nth(3));
        Ok(soft.ok_or("no limit of open files")?.parse()?)
    }

    /// Kills it, without a word: `SIGKILL`.
    pub fn kill(mut self) -> io::Result<()> {
        self.process.kill()?;
        self.process.wait().map(drop)
    }
}

impl Drop for Binary {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The figure of a line such as `VmRSS:   1024 kB`, in bytes.
pub fn kilobytes(text: &str, name: &str) -> Result<u64, Box<dyn Error>> {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let figure = line.and_then(|line| line.split_whitespace().next());
    let figure: u64 = figure.ok_or_else(|| format!("no {name}"))?.parse()?;
    Ok(1_024 * figure)
}

/// How a server of this machine is connected to.
pub fn endpoint(address: &str) -> Result<Endpoint, Box<dyn Error>> {
    Ok(Endpoint::try_from(format!("http://{address}"))?.tcp_nodelay(true))
}

/// The program that was built beside this one.
fn program() -> Result<PathBuf, Box<dyn Error>> {
    let here = std::env::current_exe()?;
    let folder = here.parent().and_then(Path::parent);
    let program = folder.ok_or("no folder of programs")?.join("mancala");
    if !program.exists() {
        let line = "first build it: cargo build --release";
        return Err(format!("{} is not there; {line}", program.display()).into());
    }
    Ok(program)
}
