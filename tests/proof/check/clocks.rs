//! Promise: clocks are charged what passed between events, less outages, and no more than up to when a request
//! was read; games end by time when it has run out, and only then. Reckoned anew from the README's words.

use std::collections::HashMap;

use mancala::{
    game::{Event, Record, Status, Time, TimeControl},
    grpc::proto,
    rules::{BySide, Side},
};

use super::{
    super::{
        history::{Answer, Micros},
        methods::Method,
    },
    Judged, Past,
    claims::{Claim, Shown},
    watches::millis,
};

const CLOCKS: &str = "clocks fair";
const FLAGS: &str = "flags due";
const TIMES: &str = "times true";
const SHOWN: &str = "clocks shown";

/// Milliseconds by which clocks of one machine may seem to differ, and to which they are cut.
const SLACK: i64 = 30;

/// Signs of life further apart are an outage.
const SILENCE: i64 = 15_000;

/// A side that has a base time has so long for its first move.
const FIRST_MOVE: i64 = 5 * 60_000;

/// A game that ought to be over for so long is one whose flag does not fall.
const OVERDUE: i64 = 12_000;

/// Times in which no server could write.
struct Outages(Vec<(i64, i64)>);

impl Outages {
    /// What passed, less all outages.
    fn passed(&self, from: Time, to: Time) -> i64 {
        let within = |(begin, end): &(i64, i64)| ((*end).min(to.0) - (*begin).max(from.0)).max(0);
        (to.0 - from.0).max(0) - self.0.iter().map(within).sum::<i64>()
    }

    /// What passed as the server that wrote or told something at the end knew it. An outage begins with the
    /// newest sign of life, after which the server that gave it may have gone on for a while.
    fn passed_as_known(&self, from: Time, to: Time) -> i64 {
        let known = self.0.iter().filter(|(_, end)| *end <= to.0);
        Outages(known.copied().collect()).passed(from, to)
    }
}

pub(super) fn check(past: &Past, judged: &mut Judged) {
    let ended = past
        .signs
        .iter()
        .filter_map(|sign| Some((sign.outage_from?.0, sign.time.0)));
    let outages = Outages(ended.collect());
    for pair in past.signs.windows(2) {
        let [before, after] = pair else { continue };
        let gap = after.time.0 - before.time.0;
        let good = match after.outage_from {
            Some(from) => from == before.time && gap > SILENCE,
            None => gap <= SILENCE,
        };
        judged.see(FLAGS, good, || {
            format!("{before:?} is followed by {after:?}")
        });
    }
    let asked = first_calls(past);
    for (id, log) in &past.games {
        let Some((_, first)) = log.first() else {
            continue;
        };
        let Event::Created(created) = &first.event else {
            continue;
        };
        if created.imported.is_some() {
            continue;
        }
        let control = created.time_control;
        let begins = first.state.clocks.left == BySide::from_fn(|_| whole(control));
        judged.see(CLOCKS, begins, || {
            format!("{id} begins with {:?}", first.state.clocks)
        });
        let mut game = Running {
            control,
            outages: &outages,
            has_moved: BySide::default(),
            turn_began: first.time,
        };
        game.runs(first, judged);
        for pair in log.windows(2) {
            let [(_, before), (_, after)] = pair else {
                continue;
            };
            let invoked = after.request.and_then(|request| asked.get(&request.key));
            let invoked = invoked.map(|asked| Time((*asked / 1_000) as i64));
            let problem = game.step(before, after, invoked);
            judged.see(CLOCKS, problem.is_none(), || {
                format!(
                    "{id}: {}: {before:?} is followed by {after:?}",
                    problem.unwrap_or_default()
                )
            });
            game.flag(before, after, judged);
            game.runs(after, judged);
        }
    }
    times(past, &asked, judged);
    for claim in &past.claims {
        shown(past, claim, &outages, judged);
    }
}

/// What a side has at first.
fn whole(control: TimeControl) -> i64 {
    match control {
        TimeControl::PerMove(time) => time,
        TimeControl::Base { base: 0, increment } => increment,
        TimeControl::Base { base, .. } => base,
    }
}

/// When each request was first made.
fn first_calls(past: &Past) -> HashMap<[u8; 16], Micros> {
    let mut first = HashMap::new();
    for asked in &past.asked {
        if let Some(request) = asked.request {
            let invoked = past.call(asked).invoked;
            let known: &mut Micros = first.entry(request.key).or_insert(invoked);
            *known = (*known).min(invoked);
        }
    }
    first
}

/// A game whose events are gone through.
struct Running<'a> {
    control: TimeControl,
    outages: &'a Outages,
    has_moved: BySide<bool>,
    turn_began: Time,
}

impl Running<'_> {
    /// What is wrong with the clocks after an event, given those before it and when it was first asked for.
    fn step(
        &mut self,
        before: &Record,
        after: &Record,
        invoked: Option<Time>,
    ) -> Option<&'static str> {
        let (was, is) = (&before.state.clocks, &after.state.clocks);
        let per_move = matches!(self.control, TimeControl::PerMove(_));
        let mover = match &after.event {
            Event::Moved(moved) => Some(moved.mover),
            _ => None,
        };
        let most = self.outages.passed_as_known(before.time, after.time);
        let least = invoked.map_or(0, |invoked| {
            self.outages.passed(before.time, invoked) - SLACK
        });
        if let Some(side) = was.running
            && mover == Some(side)
            && least > was.left[side]
        {
            return Some("a move after its time had run out");
        }
        let new_turn =
            after.state.turn != before.state.turn || after.state.status != before.state.status;
        if new_turn {
            self.turn_began = after.time;
        }
        if per_move && new_turn && after.state.status == Status::Active {
            let whole = BySide::from_fn(|_| whole(self.control));
            self.has_moved(mover);
            return (is.left != whole).then_some("time a move is not whole again");
        }
        for side in Side::BOTH {
            let gains = match self.control {
                TimeControl::Base { increment, .. }
                    if mover == Some(side) && was.running == Some(side) =>
                {
                    increment
                }
                _ => 0,
            };
            let charged = was.left[side] + gains - is.left[side];
            let fair = match was.running == Some(side) {
                // Nobody has less than nothing.
                true => {
                    charged <= most.min(was.left[side])
                        && charged >= least.min(was.left[side])
                        && charged >= 0
                }
                false => charged == 0,
            };
            if !fair {
                return Some("a side is charged what it has not used");
            }
        }
        self.has_moved(mover);
        None
    }

    fn has_moved(&mut self, mover: Option<Side>) {
        if let Some(mover) = mover {
            self.has_moved[mover] = true;
        }
    }

    /// Whose clock runs after an event.
    fn runs(&self, after: &Record, judged: &mut Judged) {
        let timed = |side: &Side| match self.control {
            TimeControl::PerMove(_) => true,
            TimeControl::Base { .. } => self.has_moved[*side],
        };
        let to_move = after.state.position.to_move().filter(timed);
        let runs = to_move.filter(|_| after.state.status == Status::Active);
        judged.see(CLOCKS, after.state.clocks.running == runs, || {
            format!("the clock of {runs:?} ought to run after {after:?}")
        });
    }

    /// That an event which only time makes was due.
    fn flag(&self, before: &Record, after: &Record, judged: &mut Judged) {
        let clocks = &before.state.clocks;
        let due = match after.event {
            Event::TimedOut { side } => {
                clocks.running == Some(side)
                    && self.has_moved[side]
                    && self.outages.passed(before.time, after.time) >= clocks.left[side]
            }
            Event::Aborted { by: None, .. } => match (before.state.status, clocks.running) {
                (Status::Active, Some(side)) => {
                    !self.has_moved[side]
                        && self.outages.passed(before.time, after.time) >= clocks.left[side]
                }
                (Status::Active, None) => {
                    self.outages
                        .passed(before.state.clocks.turn_began, after.time)
                        >= FIRST_MOVE
                }
                // No round lasts for a day.
                _ => false,
            },
            _ => return,
        };
        judged.see(FLAGS, due, || format!("{after:?} after {before:?}"));
    }
}

/// An event happens between its request and its answer.
fn times(past: &Past, first: &HashMap<[u8; 16], Micros>, judged: &mut Judged) {
    for asked in &past.asked {
        let call = past.call(asked);
        let (Answer::Done(answer), Some(request)) = (&call.answer, asked.request) else {
            continue;
        };
        let game = call.method.game(answer).unwrap_or_default();
        let Some(record) = past.record(&game.game_id, game.seq) else {
            continue;
        };
        if record
            .request
            .is_none_or(|logged| logged.key != request.key)
        {
            continue;
        }
        let earliest = first
            .get(&request.key)
            .map_or(0, |first| (*first / 1_000) as i64);
        let latest = (call.returned / 1_000) as i64;
        let good = (earliest - SLACK..=latest + SLACK).contains(&record.time.0);
        judged.see(TIMES, good, || {
            format!("asked for at {earliest}, answered at {latest}: {record:?}")
        });
    }
}

/// Clocks that were shown at a moment.
fn shown(past: &Past, claim: &Claim, outages: &Outages, judged: &mut Judged) {
    let Shown::Game {
        game, now: true, ..
    } = &claim.what
    else {
        return;
    };
    let (Some(record), Some(told)) = (past.record(&claim.game_id, claim.seq), &game.clocks) else {
        return;
    };
    let moment = Time(told.server_time.map_or(0, millis));
    let clocks = &record.state.clocks;
    let left = |side: Side| {
        let told = match side {
            Side::South => told.south,
            Side::North => told.north,
        };
        told.map_or(-1, |left| {
            left.seconds * 1_000 + i64::from(left.nanos) / 1_000_000
        })
    };
    for side in Side::BOTH {
        let passed = match clocks.running == Some(side) {
            true => outages.passed_as_known(record.time, moment),
            false => 0,
        };
        let due = (clocks.left[side] - passed).max(0);
        // While one lasts, an outage is known that the log tells of later, or never if a sign was late.
        let good = match outages.0.is_empty() && outages_are_far(past, moment) {
            true => left(side) == due,
            false => (due..=clocks.left[side]).contains(&left(side)),
        };
        judged.see(SHOWN, good, || {
            format!("{side:?} has {due}: {told:?} after {record:?}")
        });
    }
    // Inboxes tell late readers how games were.
    let newest = matches!(claim.method, Method::GetGame | Method::ListGames);
    if let (true, proto::GameStatus::Active, Some(side)) = (newest, game.status(), clocks.running) {
        let late = outages.passed(record.time, moment) - clocks.left[side];
        judged.see(FLAGS, late < OVERDUE, || {
            format!("{} is {late} ms overdue after {record:?}", claim.game_id)
        });
    }
}

/// Whether a sign of life was given not long before a moment.
fn outages_are_far(past: &Past, moment: Time) -> bool {
    let before = past.signs.partition_point(|sign| sign.time <= moment);
    let newest = before
        .checked_sub(1)
        .and_then(|index| past.signs.get(index));
    newest.is_some_and(|sign| moment.0 - sign.time.0 <= SILENCE)
}
