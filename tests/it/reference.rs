//! The slow, obviously right implementation of the rules, to compare the fast one with.
//!
//! Plain loops over arrays, one seed at a time; a sowing is counted to the limit of laps, and nothing
//! looks for cycles. It takes nothing from the library but the definition and the plain values that it
//! reads and is compared in, and is never tuned.

use mancala::rules::{
    Blocked, CaptureKind, Definition, Destination, Landing, Laps, LastSeed, Lift, Opening,
    Position, Reason, Remainder, Side, Step, Winner,
};

/// Both rows of the widest board.
const MOST_CELLS: usize = 20;

/// The limit of laps, as the rules have it.
const MOST_LAPS: u32 = 10_000;

/// A position, as numbers that lie open. Cells are the ring's holes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) holes: usize,
    pub(crate) cells: [u8; MOST_CELLS],
    pub(crate) closed: [bool; MOST_CELLS],
    pub(crate) unopened: [bool; MOST_CELLS],
    pub(crate) stores: [u8; 2],
    pub(crate) to_move: Option<Side>,
    pub(crate) round: u16,
    pub(crate) first: Side,
}

/// What a move did, all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) state: State,
    pub(crate) captured: u8,
    pub(crate) laps: u32,
    pub(crate) passed: Option<Side>,
    pub(crate) round_end: Option<Count>,
    pub(crate) end: Option<Count>,
}

/// How a round, or all of it, came out: the winner, why, and each side's seeds that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) winner: Option<Side>,
    pub(crate) reason: Reason,
    pub(crate) score: [u8; 2],
}

/// What was told of a sowing and its capture.
struct Sown {
    captured: u8,
    laps: u32,
}

impl State {
    /// A position's numbers.
    pub(crate) fn of(position: &Position) -> State {
        let holes = usize::from(position.holes());
        let mut state = State {
            holes,
            cells: [0; MOST_CELLS],
            closed: [false; MOST_CELLS],
            unopened: [false; MOST_CELLS],
            stores: [position.store(Side::South), position.store(Side::North)],
            to_move: position.to_move(),
            round: position.round().unwrap_or(0),
            first: position.first(),
        };
        for cell in 0..2 * holes {
            state.cells[cell] = position.seeds(cell as u8);
            state.closed[cell] = position.closed().contains(cell as u8);
            state.unopened[cell] = position.unopened().contains(cell as u8);
        }
        state
    }

    /// The ring index of a side's hole.
    fn cell(&self, side: Side, hole: usize) -> usize {
        side.index() * self.holes + hole
    }

    /// The open hole after a hole.
    fn next(&self, cell: usize) -> usize {
        let mut next = cell;
        loop {
            next += 1;
            if next == 2 * self.holes {
                next = 0;
            }
            if !self.closed[next] {
                return next;
            }
        }
    }

    fn row_total(&self, side: Side) -> u8 {
        (0..self.holes)
            .map(|hole| self.cells[self.cell(side, hole)])
            .sum()
    }
}

/// The legal moves of the side to move: holes from its left, ascending.
pub(crate) fn legal(rules: &Definition, state: &State) -> Vec<u8> {
    (0..state.holes as u8)
        .filter(|hole| make(rules, state, (*hole).into(), None).is_some())
        .collect()
}

/// Plays a hole, counted from the mover's left; `None` if that is not legal. Who gives a list gets the
/// steps, but for a new round, whose position is the outcome's.
pub(crate) fn play(
    rules: &Definition,
    state: &State,
    hole: usize,
    mut steps: Option<&mut Vec<Step>>,
) -> Option<Outcome> {
    let (after, sown) = make(rules, state, hole, steps.as_deref_mut())?;
    let mut outcome = Outcome {
        state: after,
        captured: sown.captured,
        laps: sown.laps,
        passed: None,
        round_end: None,
        end: None,
    };
    if legal(rules, &after).is_empty() {
        block(rules, &mut outcome, steps);
    }
    Some(outcome)
}

/// Counts the sequences of exactly `depth` plies, sowing each.
pub(crate) fn perft(rules: &Definition, state: &State, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if state.to_move.is_none() {
        return 0;
    }
    let mut moves = 0;
    let mut count = 0;
    for hole in 0..state.holes {
        if let Some((after, _)) = make(rules, state, hole, None) {
            moves += 1;
            count += perft(rules, &after, depth - 1);
        }
    }
    if moves > 0 {
        return count;
    }
    let mut outcome = Outcome {
        state: *state,
        captured: 0,
        laps: 0,
        passed: None,
        round_end: None,
        end: None,
    };
    block(rules, &mut outcome, None);
    perft(rules, &outcome.state, depth)
}

/// Makes a move: sowing and capture, and the turn passes to the opponent whether it can move or not.
fn make(
    rules: &Definition,
    state: &State,
    hole: usize,
    mut steps: Option<&mut Vec<Step>>,
) -> Option<(State, Sown)> {
    let mover = state.to_move?;
    if hole >= state.holes {
        return None;
    }
    let origin = state.cell(mover, hole);
    let stays = match rules.lift {
        Lift::All => 0,
        Lift::AllButOne => 1,
    };
    if state.closed[origin] || state.cells[origin] <= stays {
        return None;
    }
    let opening = (0..state.holes).any(|hole| state.unopened[state.cell(mover, hole)]);
    if opening && !state.unopened[origin] {
        return None;
    }
    let all_opened = state.unopened == [false; MOST_CELLS];

    let mut after = *state;
    let (last, laps) = sow(rules, &mut after, origin, stays, steps.as_deref_mut())?;
    let mut captured = 0;
    if all_opened || rules.capture.during_opening {
        captured = capture(rules, &mut after, mover, last, steps);
    }
    after.unopened[origin] = false;
    after.to_move = Some(mover.opponent());
    Some((after, Sown { captured, laps }))
}

/// Sows from a hole until the sowing ends, and says where the last seed fell and after how many laps.
fn sow(
    rules: &Definition,
    state: &mut State,
    origin: usize,
    stays: u8,
    mut steps: Option<&mut Vec<Step>>,
) -> Option<(usize, u32)> {
    let mut lifted_from = origin;
    let mut laps = 0;
    loop {
        if laps == MOST_LAPS {
            return None;
        }
        laps += 1;
        let seeds = state.cells[lifted_from] - stays;
        state.cells[lifted_from] = stays;
        let mut last = lifted_from;
        for _ in 0..seeds {
            last = state.next(last);
            state.cells[last] += 1;
        }
        if let Some(steps) = steps.as_deref_mut() {
            tell_lap(state, lifted_from, seeds, steps);
        }
        match rules.laps {
            Laps::Single => return Some((last, laps)),
            Laps::Relay => {
                // One seed is the one that fell, so the hole was empty.
                if state.cells[last] == 1 {
                    return Some((last, laps));
                }
                lifted_from = last;
            }
            Laps::RelayFromNext => {
                let next = state.next(last);
                if state.cells[next] == 0 {
                    return Some((last, laps));
                }
                lifted_from = next;
            }
        }
    }
}

fn tell_lap(state: &State, lifted_from: usize, seeds: u8, steps: &mut Vec<Step>) {
    let mut holes = Vec::new();
    let mut hole = lifted_from;
    for _ in 0..seeds {
        hole = state.next(hole);
        holes.push(hole as u8);
    }
    steps.push(Step::Lift {
        hole: lifted_from as u8,
        seeds,
    });
    steps.push(Step::Drop { holes });
}

/// Captures after a sowing whose last seed fell into `last`, and says how many seeds.
fn capture(
    rules: &Definition,
    state: &mut State,
    mover: Side,
    last: usize,
    steps: Option<&mut Vec<Step>>,
) -> u8 {
    // No capture takes more holes than there are.
    let mut emptied = [0; MOST_CELLS];
    let mut count = 0;
    match rules.capture.kind {
        CaptureKind::NextRun => {
            let sizes = rules.capture.sizes.as_ref().expect("runs have sizes");
            let mut hole = state.next(last);
            while hole != last && sizes.contains(&state.cells[hole]) {
                emptied[count] = hole;
                count += 1;
                hole = state.next(hole);
            }
        }
        CaptureKind::Opposite => {
            let own_row = last / state.holes == mover.index();
            let opposite = 2 * state.holes - 1 - last;
            let may = own_row || rules.capture.landing == Some(Landing::EitherRow);
            if may && state.cells[opposite] > 0 {
                emptied[count] = opposite;
                count += 1;
                if rules.capture.last_seed == Some(LastSeed::Captured) {
                    emptied[count] = last;
                    count += 1;
                }
            }
        }
        CaptureKind::BeyondEmpty => {
            let beyond = state.next(state.next(last));
            if state.cells[beyond] > 0 {
                emptied[count] = beyond;
                count += 1;
            }
        }
    }
    let mut captured = 0;
    for hole in &emptied[..count] {
        captured += state.cells[*hole];
    }
    if let Some(steps) = steps {
        for hole in &emptied[..count] {
            steps.push(Step::Capture {
                hole: *hole as u8,
                seeds: state.cells[*hole],
                to: (rules.capture.to == Destination::Store).then_some(mover),
            });
        }
    }
    for hole in &emptied[..count] {
        state.cells[*hole] = 0;
    }
    if rules.capture.to == Destination::Store {
        state.stores[mover.index()] += captured;
    }
    captured
}

/// What follows when the side to move has no legal move: a pass, the end, or the next round.
fn block(rules: &Definition, outcome: &mut Outcome, mut steps: Option<&mut Vec<Step>>) {
    let blocked = outcome.state.to_move.expect("somebody is to move");
    let other = blocked.opponent();
    if rules.blocked == Blocked::Passes {
        let mut passed = outcome.state;
        passed.to_move = Some(other);
        if !legal(rules, &passed).is_empty() {
            if let Some(steps) = steps {
                steps.push(Step::Pass { side: blocked });
            }
            outcome.passed = Some(blocked);
            outcome.state = passed;
            return;
        }
    }
    let state = &mut outcome.state;
    state.to_move = None;
    state.unopened = [false; MOST_CELLS];
    match rules.remainder {
        Remainder::Stays => {}
        Remainder::OwnRow => {
            sweep(state, Side::South, &[Side::South], steps.as_deref_mut());
            sweep(state, Side::North, &[Side::North], steps);
        }
        Remainder::Opponent => sweep(state, other, &Side::BOTH, steps),
    }
    let score = match rules.winner {
        Winner::MoreSeeds => state.stores,
        Winner::LastAbleToMove => [state.row_total(Side::South), state.row_total(Side::North)],
    };
    let count = Count {
        winner: match rules.winner {
            Winner::MoreSeeds => more(score),
            Winner::LastAbleToMove => Some(other),
        },
        reason: Reason::NoMoves,
        score,
    };
    outcome.round_end = Some(count);
    if rules.rounds.is_none() {
        outcome.end = Some(count);
    } else if state.stores.iter().any(|store| *store < rules.seeds) {
        outcome.end = Some(Count {
            winner: more(score),
            reason: Reason::HolesClosed,
            score,
        });
    } else {
        refill(rules, state);
    }
}

/// Who has more.
fn more([south, north]: [u8; 2]) -> Option<Side> {
    if south > north {
        Some(Side::South)
    } else if north > south {
        Some(Side::North)
    } else {
        None
    }
}

/// Gives all seeds of some rows to a side.
fn sweep(state: &mut State, to: Side, rows: &[Side], steps: Option<&mut Vec<Step>>) {
    let mut holes = Vec::new();
    let mut seeds = 0;
    for row in rows {
        for hole in 0..state.holes {
            let cell = state.cell(*row, hole);
            if state.cells[cell] > 0 {
                seeds += state.cells[cell];
                state.cells[cell] = 0;
                holes.push(cell as u8);
            }
        }
    }
    state.stores[to.index()] += seeds;
    if let Some(steps) = steps.filter(|_| seeds > 0) {
        steps.push(Step::Sweep {
            side: to,
            seeds,
            holes: holes.into_iter().collect(),
        });
    }
}

/// Sets up the next round from the stores.
fn refill(rules: &Definition, state: &mut State) {
    state.round += 1;
    // Round 1's starter begins the odd rounds.
    state.to_move = Some(if state.round % 2 == 1 {
        state.first
    } else {
        state.first.opponent()
    });
    for side in Side::BOTH {
        for hole in 0..state.holes {
            let cell = state.cell(side, hole);
            let store = &mut state.stores[side.index()];
            state.closed[cell] = *store < rules.seeds;
            if !state.closed[cell] {
                *store -= rules.seeds;
                state.cells[cell] = rules.seeds;
            }
        }
    }
    debug_assert_eq!(rules.opening, Opening::Free, "rounds have no opening");
}
