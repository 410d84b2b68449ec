//! Where log lines go.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::{EnvFilter, filter::ParseError};

use crate::config::LogFormat;

/// Sends log lines to stderr.
///
/// # Errors
///
/// Refuses a filter that is none.
pub fn start(filter: &str, format: LogFormat) -> Result<(), ParseError> {
    let lines = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::try_new(filter)?)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .with_target(false);
    match format {
        LogFormat::Text => lines.init(),
        LogFormat::Json => lines.json().flatten_event(true).init(),
    }
    Ok(())
}
