//! Which time it is: the system's, or that of whoever plays with time.

use std::{
    future::Future,
    pin::Pin,
    time::{Duration, SystemTime},
};

use crate::game::Time;

/// Longest that the system's clock sleeps at once: it may be set meanwhile.
const LONGEST_SLEEP: Duration = Duration::from_secs(30);

/// What says which time it is.
pub trait Clock: Send + Sync + 'static {
    /// The time.
    fn now(&self) -> Time;

    /// Waits until it is this time, or for a shorter while.
    fn sleep_until(&self, time: Time) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

/// The system's clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Time {
        Time::from_system(SystemTime::now())
    }

    fn sleep_until(&self, time: Time) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        let millis = time.0.saturating_sub(self.now().0).max(0);
        let wait = Duration::from_millis(millis.unsigned_abs()).min(LONGEST_SLEEP);
        Box::pin(tokio::time::sleep(wait))
    }
}
