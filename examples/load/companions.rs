//! Clients in processes of their own, which yield to all others: they stand for machines elsewhere.

use std::{
    error::Error,
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    process::{Child, ChildStdout, Command, Stdio},
};

/// How a companion says that it has done what it was started for.
const READY: &str = "ready";

/// A process of this program, which does something until it is told to end.
pub struct Companion {
    process: Child,
    told: BufReader<ChildStdout>,
}

impl Companion {
    /// Starts one, and waits until it is ready.
    pub fn start(arguments: &[&str]) -> Result<Companion, Box<dyn Error>> {
        let companion = Companion::begin(arguments)?;
        companion.ready()
    }

    /// Starts one.
    pub fn begin(arguments: &[&str]) -> Result<Companion, Box<dyn Error>> {
        let mut process = Command::new("chrt")
            .args(["--idle", "0"])
            .arg(std::env::current_exe()?)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let told = process.stdout.take().ok_or("no output of a companion")?;
        Ok(Companion {
            process,
            told: BufReader::new(told),
        })
    }

    /// Waits until it is ready.
    pub fn ready(mut self) -> Result<Companion, Box<dyn Error>> {
        let mut line = String::new();
        self.told.read_line(&mut line)?;
        match line.trim_end() {
            READY => Ok(self),
            other => Err(format!("a companion said {other:?}").into()),
        }
    }

    /// Has it end, and gives its last words.
    pub fn end(mut self) -> Result<String, Box<dyn Error>> {
        drop(self.process.stdin.take());
        let mut words = String::new();
        self.told.read_to_string(&mut words)?;
        self.process.wait()?;
        Ok(words.trim_end().to_owned())
    }
}

impl Drop for Companion {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Says that this companion is ready, and waits until it is told to end.
pub fn wait_for_end() -> io::Result<()> {
    writeln!(io::stdout(), "{READY}")?;
    io::stdout().flush()?;
    tokio::task::block_in_place(|| io::stdin().read_to_end(&mut Vec::new()))?;
    Ok(())
}
