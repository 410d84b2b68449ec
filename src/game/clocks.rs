//! Clocks: what time a game gives, what of it is left, and what happens when it has run out.
//!
//! All of it is a function of events, outages and the moment that is asked about.

use super::{
    EndReason, Event, Game, Outages, Record, SEATS_EXPIRE, Standing, Status, Summary, Time,
};
use crate::rules::{BySide, Side};

/// Time a move of a game that was given none, in milliseconds: seven days.
const DEFAULT_PER_MOVE: i64 = 7 * DAY;

/// Time for each side's first move in a game with base and increment, in milliseconds: five minutes.
const FIRST_MOVE: i64 = 5 * 60 * 1_000;

const DAY: i64 = 24 * 60 * 60 * 1_000;

/// How much time the players have, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeControl {
    /// So much for each move.
    PerMove(i64),
    /// So much for all moves, and more after each.
    Base {
        /// For all moves.
        base: i64,
        /// Added after each move.
        increment: i64,
    },
}

impl TimeControl {
    /// Least and most time a move: 1 s to 30 days.
    pub const PER_MOVE: std::ops::RangeInclusive<i64> = 1_000..=30 * DAY;
    /// Least and most base time: none to a day.
    pub const BASE: std::ops::RangeInclusive<i64> = 0..=DAY;
    /// Least and most increment: none to an hour.
    pub const INCREMENT: std::ops::RangeInclusive<i64> = 0..=60 * 60 * 1_000;

    /// Whether it is within the bounds, and not no time at all.
    pub fn is_allowed(&self) -> bool {
        match self {
            TimeControl::PerMove(time) => TimeControl::PER_MOVE.contains(time),
            TimeControl::Base { base, increment } => {
                TimeControl::BASE.contains(base)
                    && TimeControl::INCREMENT.contains(increment)
                    && base + increment >= 1_000
            }
        }
    }
}

impl TimeControl {
    /// What a side has at first.
    fn whole(self) -> i64 {
        match self {
            TimeControl::PerMove(time) => time,
            // Without a base a side begins with an increment.
            TimeControl::Base { base: 0, increment } => increment,
            TimeControl::Base { base, .. } => base,
        }
    }
}

impl Default for TimeControl {
    fn default() -> TimeControl {
        TimeControl::PerMove(DEFAULT_PER_MOVE)
    }
}

/// Both clocks as an event left them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// What each side has left, in milliseconds.
    pub left: BySide<i64>,
    /// Whose clock runs from the event on.
    pub running: Option<Side>,
    /// When the turn began that it is.
    pub turn_began: Time,
}

/// When a command is decided.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// When it had been read: so far a clock is charged.
    pub received: Time,
    /// The time that its event gets, unless the one before is later.
    pub now: Time,
    /// What no clock is charged for.
    pub outages: &'a Outages,
}

impl<'a> Moment<'a> {
    /// A command that is decided as soon as it has been read.
    pub fn at(now: Time, outages: &'a Outages) -> Moment<'a> {
        Moment {
            received: now,
            now,
            outages,
        }
    }
}

impl Clocks {
    /// Clocks after an entry of a log that is older than clocks are.
    pub fn of_old_entry(status: Status, to_move: Option<Side>, time: Time) -> Clocks {
        Clocks::new(TimeControl::default(), status, to_move, time)
    }

    /// The clocks of a game that is created now.
    pub(super) fn new(
        control: TimeControl,
        state: Status,
        to_move: Option<Side>,
        now: Time,
    ) -> Clocks {
        let runs = state == Status::Active && matches!(control, TimeControl::PerMove(_));
        Clocks {
            left: BySide::from_fn(|_| control.whole()),
            running: to_move.filter(|_| runs),
            turn_began: now,
        }
    }
}

impl Summary {
    /// The clocks at a moment: as the newest event left them, less what has run since.
    pub fn clocks_at(&self, moment: Time, outages: &Outages) -> Clocks {
        let mut clocks = self.state.clocks;
        if let Some(side) = clocks.running {
            let charged = outages.charged(self.update_time, moment);
            clocks.left[side] = (clocks.left[side] - charged).max(0);
        }
        clocks
    }

    /// Milliseconds until the game ends by time alone, if nothing happens: none or fewer if its time has
    /// run out; more if an outage comes between. `None` if it is over.
    pub fn left(&self, now: Time, outages: &Outages) -> Option<i64> {
        let clocks = &self.state.clocks;
        match self.state.status {
            Status::Waiting => Some(self.create_time.0 + SEATS_EXPIRE - now.0),
            Status::Active => Some(match clocks.running {
                Some(side) => clocks.left[side] - outages.charged(self.update_time, now),
                None => FIRST_MOVE - outages.charged(clocks.turn_began, now),
            }),
            Status::Finished | Status::Aborted => None,
        }
    }

    /// The moment when its time runs out, or ran out, as it seems now.
    pub fn due(&self, now: Time, outages: &Outages) -> Option<Time> {
        let left = self.left(now, outages)?;
        Some(Time(now.0.saturating_add(left)))
    }
}

impl Game {
    /// What an event makes of the clocks.
    pub(super) fn clocks_after(
        &self,
        event: &Event,
        after: &Standing,
        time: Time,
        moment: &Moment<'_>,
    ) -> Clocks {
        let (before, control) = (self.state(), self.created().time_control);
        let mut clocks = self.summary().clocks_at(moment.received, moment.outages);
        let mut has_moved = self.has_moved;
        if let Event::Moved(moved) = event {
            if let (Some(_), TimeControl::Base { increment, .. }) = (clocks.running, control) {
                clocks.left[moved.mover] += increment;
            }
            has_moved[moved.mover] = true;
        }
        if after.turn != before.turn || after.status != before.status {
            clocks.turn_began = time;
            if matches!(control, TimeControl::PerMove(_)) && after.status == Status::Active {
                clocks.left = BySide::from_fn(|_| control.whole());
            }
        }
        let runs = |side: &Side| match control {
            TimeControl::PerMove(_) => true,
            TimeControl::Base { .. } => has_moved[*side],
        };
        let to_move = after.position.to_move().filter(runs);
        clocks.running = to_move.filter(|_| after.status == Status::Active);
        clocks
    }

    /// The event that time alone makes now, if any is due.
    pub fn time_out(&self, moment: &Moment<'_>) -> Option<Record> {
        let left = self.summary().left(moment.received, moment.outages);
        left.filter(|left| *left <= 0)?;
        let late = self.state().clocks.running;
        let (event, state) = match late.filter(|side| self.has_moved[*side]) {
            Some(side) => {
                let (state, _) = self.over(Some(side.opponent()), EndReason::Timeout);
                (Event::TimedOut { side }, state)
            }
            None => self.aborted(None),
        };
        Some(self.record(event, state, None, moment))
    }
}
