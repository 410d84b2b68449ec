//! The slow, obviously right implementation of the rules, to compare the fast one with.
//!
//! Plain loops over arrays, one seed at a time; a sowing is counted to the limit of laps, and nothing
//! looks for cycles. It takes nothing from the library but the definition and the plain values that it
//! reads and is compared in, and is never tuned.

use mancala::rules::{
    Again, Blocked, CaptureKind, Definition, Destination, Feeding, GrandSlam, Landing, Laps,
    LastSeed, Lift, Majority, Opening, OppositeEmpty, Origin, Position, Reason, Remainder, Side,
    Step, Store, Swap, Winner,
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
    pub(crate) swap: Option<Side>,
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
    /// The start of a game with so many holes a row and seeds a hole.
    pub(crate) fn start(rules: &Definition, holes: u8, seeds: u8, first: Side) -> State {
        let mut state = State {
            holes: holes.into(),
            cells: [0; MOST_CELLS],
            closed: [false; MOST_CELLS],
            unopened: [false; MOST_CELLS],
            stores: [0, 0],
            to_move: Some(first),
            round: 0,
            first: Side::South,
            swap: None,
        };
        for side in Side::BOTH {
            for hole in 0..state.holes {
                let cell = state.cell(side, hole);
                state.cells[cell] = seeds;
                state.unopened[cell] = match rules.opening {
                    Opening::Free => false,
                    Opening::EveryHole => true,
                    Opening::RightmostHole => hole + 1 == state.holes,
                };
            }
        }
        if rules.rounds.is_some() {
            state.round = 1;
            state.first = first;
        }
        if rules.swap == Swap::AfterFirstTurn {
            state.swap = Some(first.opponent());
        }
        state
    }

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
            swap: position.swap(),
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

    /// Where the seed after one that fell into `last` falls, in a lap from `origin`. After all holes come
    /// South's store and North's.
    fn drop_after(&self, rules: &Definition, mover: Side, origin: usize, last: usize) -> usize {
        if rules.store == Store::PassedOver && rules.origin == Origin::Sown {
            return self.next(last);
        }
        let (south_store, north_store) = (2 * self.holes, 2 * self.holes + 1);
        let mut spot = last;
        loop {
            spot = if spot == self.holes - 1 {
                south_store
            } else if spot == south_store {
                self.holes
            } else if spot == 2 * self.holes - 1 {
                north_store
            } else if spot == north_store {
                0
            } else {
                spot + 1
            };
            let sown = if spot >= south_store {
                rules.store == Store::Sown && spot == south_store + mover.index()
            } else {
                !self.closed[spot] && (rules.origin == Origin::Sown || spot != origin)
            };
            if sown {
                return spot;
            }
        }
    }

    /// The open hole after a hole or a store.
    fn next(&self, cell: usize) -> usize {
        let mut next = cell;
        if cell >= 2 * self.holes {
            // A store lies after the last hole of its owner's row.
            next = (cell - 2 * self.holes + 1) * self.holes - 1;
        }
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

/// The legal moves of the side to move: holes from its left, ascending, and then the swap of sides.
pub(crate) fn legal(rules: &Definition, state: &State) -> Vec<u8> {
    (0..=state.holes as u8)
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
    if let Some(reason) = decided(rules, &after) {
        end(rules, &mut outcome, reason, steps);
    } else if legal(rules, &after).is_empty() {
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
    let unchanged = || Outcome {
        state: *state,
        captured: 0,
        laps: 0,
        passed: None,
        round_end: None,
        end: None,
    };
    if let Some(reason) = decided(rules, state) {
        let mut outcome = unchanged();
        end(rules, &mut outcome, reason, None);
        return perft(rules, &outcome.state, depth);
    }
    let mut moves = 0;
    let mut count = 0;
    for hole in 0..=state.holes {
        if let Some((after, _)) = make(rules, state, hole, None) {
            moves += 1;
            count += perft(rules, &after, depth - 1);
        }
    }
    if moves > 0 {
        return count;
    }
    let mut outcome = unchanged();
    block(rules, &mut outcome, None);
    perft(rules, &outcome.state, depth)
}

/// Makes a move: sowing, capture and whose turn it is then, whether or not that side can move.
fn make(
    rules: &Definition,
    state: &State,
    hole: usize,
    mut steps: Option<&mut Vec<Step>>,
) -> Option<(State, Sown)> {
    let mover = state.to_move?;
    if hole >= state.holes {
        return swap(state, mover, hole, steps);
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
    let (last, laps) = sow(
        rules,
        &mut after,
        mover,
        origin,
        stays,
        steps.as_deref_mut(),
    )?;
    let mut captured = 0;
    if all_opened || rules.capture.during_opening {
        captured = capture(rules, &mut after, mover, last, steps)?;
    }
    let other = mover.opponent();
    let must_feed = rules.feeding == Feeding::Required && state.row_total(other) == 0;
    if must_feed && after.row_total(other) == 0 {
        return None;
    }
    after.unopened[origin] = false;
    let again = rules.again == Again::LastInStore && last >= 2 * state.holes;
    after.to_move = Some(if again { mover } else { other });
    if state.swap == Some(mover) {
        after.swap = None;
    }
    Some((after, Sown { captured, laps }))
}

/// The pie rule: the rows change places with their stores, instead of a first move.
fn swap(
    state: &State,
    mover: Side,
    hole: usize,
    steps: Option<&mut Vec<Step>>,
) -> Option<(State, Sown)> {
    if hole > state.holes || state.swap != Some(mover) {
        return None;
    }
    let mut after = *state;
    for hole in 0..state.holes {
        after.cells.swap(hole, state.holes + hole);
    }
    after.stores.swap(0, 1);
    after.to_move = Some(mover.opponent());
    after.swap = None;
    if let Some(steps) = steps {
        steps.push(Step::Swap { side: mover });
    }
    let (captured, laps) = (0, 0);
    Some((after, Sown { captured, laps }))
}

/// Sows from a hole until the sowing ends, and says where the last seed fell and after how many laps.
fn sow(
    rules: &Definition,
    state: &mut State,
    mover: Side,
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
            last = state.drop_after(rules, mover, lifted_from, last);
            if last < 2 * state.holes {
                state.cells[last] += 1;
            } else {
                state.stores[mover.index()] += 1;
            }
        }
        if let Some(steps) = steps.as_deref_mut() {
            tell_lap(rules, state, mover, lifted_from, seeds, steps);
        }
        if last >= 2 * state.holes {
            return Some((last, laps));
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

fn tell_lap(
    rules: &Definition,
    state: &State,
    mover: Side,
    lifted_from: usize,
    seeds: u8,
    steps: &mut Vec<Step>,
) {
    let mut holes = Vec::new();
    let mut hole = lifted_from;
    for _ in 0..seeds {
        hole = state.drop_after(rules, mover, lifted_from, hole);
        holes.push(hole as u8);
    }
    steps.push(Step::Lift {
        hole: lifted_from as u8,
        seeds,
    });
    steps.push(Step::Drop { holes });
}

/// Captures after a sowing whose last seed fell into `last`, and says how many seeds; `None` if that
/// makes the move illegal.
fn capture(
    rules: &Definition,
    state: &mut State,
    mover: Side,
    last: usize,
    mut steps: Option<&mut Vec<Step>>,
) -> Option<u8> {
    let in_hole = last < 2 * state.holes;
    let mut rest_to_opponent = false;
    // No capture takes more holes than there are.
    let mut emptied = [0; MOST_CELLS];
    let mut count = 0;
    match rules.capture.kind {
        CaptureKind::NextRun => {
            let sizes = rules.capture.sizes.as_ref().expect("runs have sizes");
            let mut hole = state.next(last);
            while hole != last
                && !emptied[..count].contains(&hole)
                && sizes.contains(&state.cells[hole])
            {
                emptied[count] = hole;
                count += 1;
                hole = state.next(hole);
            }
        }
        // The hole was empty if it now holds the one seed that fell.
        CaptureKind::Opposite if in_hole && state.cells[last] == 1 => {
            let own_row = last / state.holes == mover.index();
            let opposite = 2 * state.holes - 1 - last;
            let may = own_row || rules.capture.landing == Some(Landing::EitherRow);
            let with_last = rules.capture.last_seed == Some(LastSeed::Captured);
            if may && state.cells[opposite] > 0 {
                emptied[count] = opposite;
                count += 1;
                if with_last {
                    emptied[count] = last;
                    count += 1;
                }
            } else if may && rules.capture.opposite_empty == OppositeEmpty::LastSeed {
                emptied[count] = last;
                count += 1;
            }
        }
        CaptureKind::Opposite => {}
        CaptureKind::BeyondEmpty if in_hole => {
            let beyond = state.next(state.next(last));
            if state.cells[beyond] > 0 {
                emptied[count] = beyond;
                count += 1;
            }
        }
        CaptureKind::BeyondEmpty => {}
        CaptureKind::RunBack => {
            let sizes = rules.capture.sizes.as_ref().expect("runs have sizes");
            let first_of_row = mover.opponent().index() * state.holes;
            let mut hole = last;
            while in_hole
                && last / state.holes != mover.index()
                && sizes.contains(&state.cells[hole])
            {
                emptied[count] = hole;
                count += 1;
                if hole == first_of_row {
                    break;
                }
                hole -= 1;
            }
            let run: u8 = emptied[..count].iter().map(|hole| state.cells[*hole]).sum();
            if count > 0 && run == state.row_total(mover.opponent()) {
                match rules.capture.grand_slam.expect("runs back have it") {
                    GrandSlam::Taken => {}
                    GrandSlam::Void => count = 0,
                    GrandSlam::Forbidden => return None,
                    GrandSlam::SparesLast => count -= 1,
                    GrandSlam::SparesFirst => {
                        emptied.copy_within(1..count, 0);
                        count -= 1;
                    }
                    GrandSlam::RestToOpponent => rest_to_opponent = true,
                }
            }
        }
    }
    let mut captured = 0;
    for hole in &emptied[..count] {
        captured += state.cells[*hole];
    }
    if let Some(steps) = steps.as_deref_mut() {
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
    if rest_to_opponent {
        sweep(state, mover.opponent(), &[mover], steps);
    }
    Some(captured)
}

/// Why it is over after a move, even if the side to move could move.
fn decided(rules: &Definition, state: &State) -> Option<Reason> {
    let rows = || [state.row_total(Side::South), state.row_total(Side::North)];
    if rules.majority == Majority::Ends {
        let seeds: u16 = rows().into_iter().map(u16::from).sum();
        let seeds = seeds + u16::from(state.stores[0]) + u16::from(state.stores[1]);
        if state
            .stores
            .iter()
            .any(|store| 2 * u16::from(*store) > seeds)
        {
            return Some(Reason::Majority);
        }
    }
    let empty = rules.blocked == Blocked::EndsWithEmptyRow && rows().contains(&0);
    empty.then_some(Reason::EmptyRow)
}

/// What follows when the side to move has no legal move: a pass, the end, or the next round.
fn block(rules: &Definition, outcome: &mut Outcome, steps: Option<&mut Vec<Step>>) {
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
    end(rules, outcome, Reason::NoMoves, steps);
}

/// The end of a round, and the next one.
fn end(
    rules: &Definition,
    outcome: &mut Outcome,
    reason: Reason,
    mut steps: Option<&mut Vec<Step>>,
) {
    let state = &mut outcome.state;
    let mut blocked = state.to_move.expect("somebody is to move");
    if reason == Reason::EmptyRow && state.row_total(blocked) > 0 {
        blocked = blocked.opponent();
    }
    let other = blocked.opponent();
    state.to_move = None;
    state.swap = None;
    state.unopened = [false; MOST_CELLS];
    let remainder = match reason {
        Reason::Majority if rules.remainder != Remainder::Stays => Remainder::OwnRow,
        _ => rules.remainder,
    };
    match remainder {
        Remainder::Stays => {}
        Remainder::Blocked => sweep(state, blocked, &Side::BOTH, steps.as_deref_mut()),
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
        reason,
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
