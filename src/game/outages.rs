//! Times in which no server could write: no clock is charged for them.

use super::Time;

/// Signs of life further apart than this, in milliseconds, are an outage: 15 s.
pub const LONGEST_SILENCE: i64 = 15_000;

/// Outages that ended longer ago than this, in milliseconds, concern no turn: 60 days.
pub const OUTAGES_KEPT: i64 = 60 * 24 * 60 * 60 * 1_000;

/// What is known of outages, and until when.
#[derive(Clone, Debug, Default)]
pub struct Outages {
    /// Begin and end of each, in order; none overlap.
    known: Vec<(Time, Time)>,
    /// The newest sign of life: later on there may be an outage that is not known yet.
    alive: Option<Time>,
}

impl Outages {
    /// Outages as the log has them, from oldest to newest, and the newest sign of life.
    pub fn new(known: Vec<(Time, Time)>, alive: Option<Time>) -> Outages {
        Outages { known, alive }
    }

    /// Notes an entry of the log, whoever wrote it: what it says was an outage is one, and nothing else.
    pub fn follow(&mut self, entry: &SystemRecord) {
        let kept = |(_, end): &(Time, Time)| end.0 + OUTAGES_KEPT >= entry.time.0;
        self.known.retain(kept);
        let outage = entry.outage_from.map(|begin| (begin, entry.time));
        self.known.extend(outage);
        self.alive = Some(entry.time);
    }

    /// The newest sign of life.
    pub fn alive(&self) -> Option<Time> {
        self.alive
    }

    /// The begin of the outage that a sign of life would end now, if it is one already.
    pub fn begun(&self, now: Time) -> Option<Time> {
        self.alive.filter(|alive| now.0 - alive.0 > LONGEST_SILENCE)
    }

    /// Milliseconds from one moment to another in which a server could write.
    pub fn charged(&self, from: Time, to: Time) -> i64 {
        let open = self.begun(to).map(|begin| (begin, to));
        let within = |(begin, end): &(Time, Time)| end.min(&to).0 - begin.max(&from).0;
        let outages = self.known.iter().rev().take_while(|(_, end)| *end > from);
        let lost: i64 = outages
            .chain(&open)
            .map(within)
            .filter(|lost| *lost > 0)
            .sum();
        (to.0 - from.0).max(0) - lost
    }
}

/// An entry of the system's log: a sign that a server could write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemRecord {
    /// From 1, without gaps.
    pub seq: u64,
    /// When.
    pub time: Time,
    /// Since when none could, if this ends an outage.
    pub outage_from: Option<Time>,
    /// Seq of the newest entry before this one that ends an outage; 0 for none.
    pub outage_before: u64,
}

impl SystemRecord {
    /// The entry after the newest one, if there is any.
    pub fn next(newest: Option<SystemRecord>, now: Time, outages: &Outages) -> SystemRecord {
        let Some(newest) = newest else {
            return SystemRecord {
                seq: 1,
                time: now,
                outage_from: None,
                outage_before: 0,
            };
        };
        let now = now.max(newest.time);
        SystemRecord {
            seq: newest.seq + 1,
            time: now,
            outage_from: outages.begun(now),
            outage_before: match newest.outage_from {
                Some(_) => newest.seq,
                None => newest.outage_before,
            },
        }
    }
}
