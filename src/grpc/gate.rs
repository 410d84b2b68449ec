//! Where long work is let in.

use std::sync::Arc;

use tokio::{sync::Semaphore, task};
use tonic::Status;

use super::error::Reason;

/// Where one kind of long work is let in, a little at a time, and done off the runtime.
pub(super) struct Gate {
    running: Arc<Semaphore>,
    waiting: Semaphore,
}

impl Default for Gate {
    fn default() -> Gate {
        Gate {
            running: Arc::new(Semaphore::new(Gate::RUNNING)),
            waiting: Semaphore::new(Gate::WAITING),
        }
    }
}

impl Gate {
    /// Pieces of work at the same time.
    const RUNNING: usize = 2;
    /// Pieces of work that may wait for their turn; further ones are refused.
    const WAITING: usize = 64;

    /// Does a piece of work when its turn has come.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Status> + Send + 'static,
    ) -> Result<T, Status> {
        let waiting = self.waiting.try_acquire();
        let waiting = waiting.map_err(|_| Reason::Busy.quota("long_calls"))?;
        let running = self.running.clone().acquire_owned().await;
        let running = running.map_err(|_| Reason::Internal.plain())?;
        drop(waiting);
        let done = task::spawn_blocking(move || {
            let _running = running;
            work()
        });
        done.await.map_err(|_| Reason::Internal.plain())?
    }
}
