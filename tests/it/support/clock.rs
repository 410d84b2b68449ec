//! A clock that stands where it was set.

use std::{
    future::Future,
    pin::Pin,
    time::{Duration, SystemTime},
};

use mancala::{game::Time, session::Clock};
use tokio::sync::watch;

/// Stands still until it is moved on. All of its clones are one clock.
#[derive(Clone)]
pub(crate) struct SetClock(watch::Sender<Time>);

impl SetClock {
    /// A clock that stands at the system's time: tokens are checked by that.
    pub(crate) fn new() -> SetClock {
        SetClock(watch::Sender::new(Time::from_system(SystemTime::now())))
    }

    /// Moves it on.
    pub(crate) fn advance(&self, by: Duration) {
        let by = i64::try_from(by.as_millis()).unwrap();
        self.0.send_modify(|now| now.0 += by);
    }
}

impl Clock for SetClock {
    fn now(&self) -> Time {
        *self.0.borrow()
    }

    fn sleep_until(&self, time: Time) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        let mut told = self.0.subscribe();
        Box::pin(async move {
            // It is one of those who move it.
            let _ = told.wait_for(|now| *now >= time).await;
        })
    }
}
