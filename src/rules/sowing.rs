//! Rules compiled for one board, and the sowing kernel.
//!
//! A lap from a hole with so many seeds in hand adds the same to every board: that sum is looked up
//! and added, a row at a time. The plain loops that it must agree with are the reference of the tests.

use super::{
    Definition, HoleSet, Laps, Origin, Position, Recorder, Side, Store,
    board::{NARROW, Row},
    kernel::Kernel,
    mechanisms::{Choice, Compiled, Mechanisms, least_to_play},
};

/// A sowing that has not ended after so many laps is too long, and its move is not legal.
pub const MAX_LAPS: u32 = 10_000;

/// A hole or store as the mover sees it: the own ones from the own left, the store after the holes, and
/// then the opponent's in the same way, from [`OTHER`] on.
pub(crate) type Spot = u8;

/// The opponent's first hole.
pub(crate) const OTHER: Spot = 16;

/// Spots of the widest board, some of which no board uses.
const SPOTS: usize = 32;

/// Both sides' seeds as the mover sees them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rows<R> {
    pub(crate) own: R,
    pub(crate) other: R,
}

/// What a sowing meets from any hole on, as tables: of the open holes of one board.
#[derive(Debug)]
pub struct Ring {
    pub(crate) tables: Tables,
    /// The open hole after each spot, stores passed over.
    next: [Spot; SPOTS],
    /// The spot that is sown after each spot.
    sown: [Spot; SPOTS],
    holes: u8,
    skips_origin: bool,
    /// Laps a hole in the tables.
    stride: usize,
}

/// Laps for rows of eight or of sixteen cells.
#[derive(Debug)]
pub(crate) enum Tables {
    Narrow(Vec<Lap<u64>>),
    Wide(Vec<Lap<u128>>),
}

/// What a lap does, from some hole with some seeds in hand. A table has those of the own first hole with
/// 0, 1, … seeds in hand, then those of the next, …, and then the opponent's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lap<R> {
    /// What it adds to each row.
    added: Rows<R>,
    /// Where the last seed falls.
    last: Spot,
    /// The spot whose contents say whether a further lap follows: that is where it is lifted.
    look: Spot,
    /// What it adds to that spot.
    gain: u8,
    /// The sowing ends if that spot then holds at most so many seeds.
    stop: u8,
    /// Where the laps of that spot begin in the table.
    following: u16,
}

impl<R: Row> Default for Rows<R> {
    fn default() -> Self {
        let (own, other) = (R::EMPTY, R::EMPTY);
        Rows { own, other }
    }
}

impl<R: Row> Rows<R> {
    /// Seeds in a spot.
    #[inline(always)]
    pub(crate) fn get(&self, spot: Spot) -> u8 {
        self.own.or(self.other, spot >= OTHER).get(spot % OTHER)
    }

    /// Puts seeds into a spot.
    #[inline(always)]
    pub(crate) fn add(&mut self, spot: Spot, seeds: u8) {
        match spot {
            ..OTHER => self.own = self.own.plus(spot, seeds),
            _ => self.other = self.other.plus(spot % OTHER, seeds),
        }
    }

    /// Takes seeds out of a spot.
    #[inline(always)]
    pub(crate) fn remove(&mut self, spot: Spot, seeds: u8) {
        match spot {
            ..OTHER => self.own = self.own.minus(spot, seeds),
            _ => self.other = self.other.minus(spot % OTHER, seeds),
        }
    }
}

impl Ring {
    fn new(definition: &Definition, holes: u8, total: u8, closed: HoleSet) -> Ring {
        let mut ring = Ring {
            tables: Tables::Narrow(Vec::new()),
            next: [0; SPOTS],
            sown: [0; SPOTS],
            holes,
            skips_origin: definition.origin == Origin::Skipped,
            stride: usize::from(total) + 1,
        };
        let round = || (0..=holes).chain(OTHER..=OTHER + holes);
        let open = |spot: &Spot| {
            let (row, hole) = (spot / OTHER, spot % OTHER);
            hole < holes && !closed.contains(row * holes + hole)
        };
        let sown = |spot: &Spot| open(spot) || definition.store == Store::Sown && *spot == holes;
        for (passed, spot) in round().enumerate() {
            // Somewhere on the round there is an open hole: a row is never closed altogether.
            let after = || round().cycle().skip(passed + 1);
            ring.next[usize::from(spot)] = after().find(open).unwrap_or(spot);
            ring.sown[usize::from(spot)] = after().find(sown).unwrap_or(spot);
        }
        ring.tables = match holes {
            ..=NARROW => Tables::Narrow(ring.laps(definition.laps)),
            _ => Tables::Wide(ring.laps(definition.laps)),
        };
        ring
    }

    fn laps<R: Row>(&self, kind: Laps) -> Vec<Lap<R>> {
        let mut laps = Vec::with_capacity(usize::from(2 * self.holes) * self.stride);
        for origin in (0..self.holes).chain(OTHER..OTHER + self.holes) {
            // Taking a seed out of the hole and dropping it further on, once more for each entry.
            let mut added = Rows::<R>::default();
            let (mut gains, mut last) = ([0_u8; SPOTS], origin);
            for _ in 0..self.stride {
                laps.push(self.lap(kind, added, &gains, last));
                last = self.drop_after(origin, last);
                added.remove(origin, 1);
                added.add(last, 1);
                gains[usize::from(origin)] = gains[usize::from(origin)].wrapping_sub(1);
                gains[usize::from(last)] = gains[usize::from(last)].wrapping_add(1);
            }
        }
        laps
    }

    fn lap<R: Row>(&self, kind: Laps, added: Rows<R>, gains: &[u8], last: Spot) -> Lap<R> {
        let (look, stop) = match kind {
            // A lap that ends in a store ends the sowing.
            _ if last % OTHER == self.holes => (last, u8::MAX),
            Laps::Single => (last, u8::MAX),
            // The seed that fell.
            Laps::Relay => (last, 1),
            Laps::RelayFromNext => (self.next(last), 0),
        };
        Lap {
            added,
            last,
            look,
            gain: gains[usize::from(look)],
            stop,
            // At most 20 holes with 256 entries each.
            following: self.first_lap(look) as u16,
        }
    }

    /// Where a hole's laps begin in the table.
    #[inline(always)]
    fn first_lap(&self, hole: Spot) -> usize {
        usize::from(hole / OTHER * self.holes + hole % OTHER) * self.stride
    }

    /// The open hole after a spot.
    #[inline]
    pub(crate) fn next(&self, spot: Spot) -> Spot {
        self.next[usize::from(spot) % SPOTS]
    }

    /// Where the seed after the one that fell into `last` falls, in a lap from `origin`.
    fn drop_after(&self, origin: Spot, last: Spot) -> Spot {
        let next = self.sown[usize::from(last)];
        match self.skips_origin && next == origin {
            true => self.sown[usize::from(next)],
            false => next,
        }
    }

    /// Where the seeds of a lap fall, as ring indices.
    pub(crate) fn drops(&self, mover: Side, origin: Spot, seeds: u8) -> Vec<u8> {
        let mut last = origin;
        let drops = (0..seeds).map(|_| {
            last = self.drop_after(origin, last);
            self.ring_index(mover, last)
        });
        drops.collect()
    }

    /// A spot's ring index; the stores' come after all holes'.
    pub(crate) fn ring_index(&self, mover: Side, spot: Spot) -> u8 {
        let side = if spot < OTHER {
            mover
        } else {
            mover.opponent()
        };
        match spot % OTHER {
            store if store == self.holes => 2 * store + side as u8,
            hole => side as u8 * self.holes + hole,
        }
    }
}

impl<R: Row, M: Mechanisms> Kernel<'_, R, M> {
    /// Sows an own hole until the sowing ends. `None`, with the rows spoilt, if that takes more than
    /// [`MAX_LAPS`].
    ///
    /// A lap can be undone (sown backwards from its end until an empty hole), so a sowing that never
    /// ends comes back to its own first state, and then to the one after the first lap: comparing with
    /// that one finds every cycle, and costs a sowing of one lap nothing.
    #[inline(always)]
    pub(crate) fn sow(
        &self,
        rows: &mut Rows<R>,
        mover: Side,
        hole: u8,
        recorder: &mut impl Recorder,
    ) -> Option<Sown> {
        let mut seeds = rows.own.get(hole) - (least_to_play(M::choice(self.rules).lift) - 1);
        recorder.lap(self.ring, mover, hole, seeds);
        let mut lap = &self.laps[usize::from(hole) * self.ring.stride + usize::from(seeds)];
        seeds = lap.sow(rows);
        let mut count = 1;
        if M::choice(self.rules).laps != Laps::Single && seeds > lap.stop {
            let (first, start) = (lap.following, *rows);
            loop {
                recorder.lap(self.ring, mover, lap.look, seeds);
                lap = &self.laps[usize::from(lap.following) + usize::from(seeds)];
                seeds = lap.sow(rows);
                count += 1;
                if seeds <= lap.stop {
                    break;
                }
                if count == MAX_LAPS || lap.following == first && *rows == start {
                    return None;
                }
            }
        }
        let last = lap.last;
        Some(Sown { last, laps: count })
    }
}

impl<R: Row> Lap<R> {
    /// Changes the rows, and says what the spot then holds that decides whether a further lap follows.
    #[inline(always)]
    fn sow(&self, rows: &mut Rows<R>) -> u8 {
        // Looked up before the rows are changed, so that the next lap need not wait for that.
        let seeds = rows.get(self.look).wrapping_add(self.gain);
        rows.own = rows.own.with(self.added.own);
        rows.other = rows.other.with(self.added.other);
        seeds
    }
}

/// How a sowing ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sown {
    /// Where the last seed fell.
    pub(crate) last: Spot,
    pub(crate) laps: u32,
}

/// A definition compiled for one board: what answers every question about positions.
#[derive(Debug)]
pub struct Rules {
    definition: Definition,
    holes: u8,
    seeds: u8,
    /// The open board's first; then those with 1, 2, … of the mover's holes closed, then of the
    /// opponent's.
    rings: Vec<Ring>,
    /// The holes of a row.
    pub(crate) row: HoleSet,
    /// A row with all its holes full and nothing in its store.
    pub(crate) row_cells: u128,
    /// Contents that a run captures: bit s stands for s seeds.
    pub(crate) run_sizes: u64,
    /// What the kernel asks for at every move.
    pub(crate) choice: Choice,
    /// Which kernel is compiled for that.
    pub(crate) compiled: Compiled,
}

impl Rules {
    /// Compiles a checked definition.
    pub(crate) fn compile(definition: &Definition, holes: u8, seeds: u8) -> Rules {
        let total = 2 * holes * seeds;
        let mut closed = vec![HoleSet::EMPTY];
        if definition.rounds.is_some() {
            let closing = |end: u8| (1..holes).map(move |count| HoleSet::run(end - count, count));
            closed.extend([holes, 2 * holes].into_iter().flat_map(closing));
        }
        let ring = |closed| Ring::new(definition, holes, total, closed);
        let sizes = definition.capture.sizes.iter().flatten();
        let choice = Choice::of(definition);
        Rules {
            definition: definition.clone(),
            holes,
            seeds,
            rings: closed.into_iter().map(ring).collect(),
            row: HoleSet::run(0, holes),
            row_cells: (1 << (8 * u32::from(holes))) - 1,
            run_sizes: sizes.fold(0, |mask, size| mask | 1 << size),
            choice,
            compiled: Compiled::of(&choice),
        }
    }

    /// The definition that these are compiled from.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Whether the kernel is compiled for these mechanisms, and needn't look them up at every move.
    pub fn has_own_kernel(&self) -> bool {
        self.compiled != Compiled::AsDefined
    }

    /// Holes in each row.
    pub fn holes(&self) -> u8 {
        self.holes
    }

    /// Seeds in each hole at the start.
    pub fn seeds(&self) -> u8 {
        self.seeds
    }

    /// Seeds of the game, in all.
    pub fn total(&self) -> u8 {
        2 * self.holes * self.seeds
    }

    /// The ring of a position's open holes, for a mover.
    #[inline]
    pub(crate) fn ring(&self, position: &Position, mover: Side) -> &Ring {
        let closed = position.closed;
        if closed.is_empty() {
            return &self.rings[0];
        }
        let own = position.in_row(closed, mover).len();
        let other = position.in_row(closed, mover.opponent()).len();
        let index = match other {
            0 => own,
            _ => u32::from(self.holes) - 1 + other,
        };
        &self.rings[index as usize]
    }
}
