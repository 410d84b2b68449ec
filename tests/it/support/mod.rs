//! What several groups of tests use.

pub(crate) mod chance;
pub(crate) mod client;
pub(crate) mod faults;
pub(crate) mod server;
pub(crate) mod status;
pub(crate) mod table;

use std::{
    future::Future,
    sync::{Arc, LazyLock},
    time::Duration,
};

use mancala::catalog::Catalog;

/// The built-in variants, compiled once.
pub(crate) fn catalog() -> &'static Arc<Catalog> {
    static CATALOG: LazyLock<Arc<Catalog>> = LazyLock::new(|| Arc::new(Catalog::built_in()));
    &CATALOG
}

/// Waits for something that must happen, but not for ever.
#[track_caller]
pub(crate) fn within<F: Future>(future: F) -> impl Future<Output = F::Output> {
    let caller = std::panic::Location::caller();
    async move {
        let waited = tokio::time::timeout(Duration::from_secs(60), future).await;
        waited.unwrap_or_else(|_| panic!("what {caller} waits for did not happen"))
    }
}
