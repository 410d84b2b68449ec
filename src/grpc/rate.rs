//! How often something may happen for each of many.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::{self, Instant};

/// Units a second of each key, and how many may be saved up.
pub(super) struct Rate<K> {
    /// What a unit takes.
    unit: Duration,
    /// What may be saved up.
    saved: Duration,
    /// When each key's units will all have been paid for; nothing of those who have paid.
    paid: Mutex<HashMap<K, Instant>>,
}

impl<K: Copy + Eq + Hash> Rate<K> {
    /// So many a second, at least one, of which so many may be saved up.
    pub(super) fn new(a_second: u32, saved: u32) -> Rate<K> {
        let unit = Duration::from_secs(1) / a_second.max(1);
        Rate {
            unit,
            saved: unit.saturating_mul(saved.max(1)),
            paid: Mutex::default(),
        }
    }

    /// Uses a unit of a key, if there is one at once.
    pub(super) fn take(&self, key: K) -> bool {
        self.pay(key, 1, Duration::ZERO).is_ok()
    }

    /// Waits for a key's turn to use so many units more: who waits has paid for them, so nobody is overtaken.
    /// If that would take too long, it waits for no less, and has paid nothing.
    ///
    /// # Errors
    ///
    /// Says how long it would take if it is too long.
    pub(super) async fn pass(
        &self,
        key: K,
        units: u32,
        patience: Duration,
    ) -> Result<(), Duration> {
        match self.pay(key, units, patience) {
            Ok(Duration::ZERO) => Ok(()),
            Ok(wait) => {
                time::sleep(wait).await;
                Ok(())
            }
            Err(wait) => {
                time::sleep(patience).await;
                Err(wait)
            }
        }
    }

    /// Uses so many units of a key, however long it is until there are as many, and says how long.
    pub(super) fn owe(&self, key: K, units: u32) -> Duration {
        match self.pay(key, units, Duration::MAX) {
            Ok(wait) | Err(wait) => wait,
        }
    }

    /// How long it is to a key's turn, which has paid if that isn't too long.
    fn pay(&self, key: K, units: u32, patience: Duration) -> Result<Duration, Duration> {
        let mut paid = self.lock();
        // Not before: nobody has paid later than that.
        let now = Instant::now();
        let before = paid.get(&key).map_or(now, |paid| (*paid).max(now));
        let after = before + self.unit.saturating_mul(units);
        let wait = after.duration_since(now).saturating_sub(self.saved);
        if wait > patience {
            return Err(wait);
        }
        paid.insert(key, after);
        Ok(wait)
    }

    /// Forgets those who have paid.
    pub(super) fn tidy(&self) {
        let now = Instant::now();
        let mut paid = self.lock();
        paid.retain(|_, paid| *paid > now);
        paid.shrink_to_fit();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, Instant>> {
        self.paid.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
