//! A clock that stands where it was set.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, SystemTime},
};

use mancala::{game::Time, session::Clock};

/// Stands still until it is moved on. All of its clones are one clock.
#[derive(Clone)]
pub(crate) struct SetClock(Arc<AtomicI64>);

impl SetClock {
    /// A clock that stands at the system's time: tokens are checked by that.
    pub(crate) fn new() -> SetClock {
        let Time(now) = Time::from_system(SystemTime::now());
        SetClock(Arc::new(AtomicI64::new(now)))
    }

    /// Moves it on.
    pub(crate) fn advance(&self, by: Duration) {
        let by = i64::try_from(by.as_millis()).unwrap();
        self.0.fetch_add(by, Ordering::SeqCst);
    }

    /// What a session reads.
    pub(crate) fn clock(&self) -> Clock {
        let now = self.0.clone();
        Arc::new(move || Time(now.load(Ordering::SeqCst)))
    }
}
