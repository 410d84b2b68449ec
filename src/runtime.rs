//! The asynchronous runtime.

use std::io;

use tokio::runtime::{Builder, Runtime};

/// How many tasks a worker runs before it looks for tasks that other threads woke.
///
/// Each durable move is woken by the thread that writes the log. At the default of about sixty, a
/// server at its limit leaves some of them waiting for seconds.
const FOREIGN_WAKES: u32 = 5;

/// Starts a runtime fit for serving.
///
/// # Errors
///
/// Fails if the system gives no threads.
pub fn start() -> io::Result<Runtime> {
    Builder::new_multi_thread()
        .global_queue_interval(FOREIGN_WAKES)
        .enable_all()
        .build()
}
