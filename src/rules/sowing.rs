//! Rules compiled for one board size, and the sowing kernel.
//!
//! A lap from a hole with so many seeds in hand adds the same to every board: that sum is looked up
//! and added, eight cells at a time. The plain loops that it must agree with are the reference of the
//! tests.

use super::{
    Board, Definition, HoleSet, Laps, Position, Recorder, Side,
    board::{WORDS, place},
};

/// A sowing that has not ended after so many laps is too long, and its move is not legal.
pub const MAX_LAPS: u32 = 10_000;

/// The ring of open holes, as tables.
#[derive(Debug)]
pub struct Ring {
    /// What each lap does: those of hole 0 with 0, 1, … seeds in hand, then those of hole 1, …
    laps: Vec<Lap>,
    /// The open hole after each hole.
    next: [u8; 32],
    /// Laps a hole.
    stride: usize,
}

/// What a lap does, from some hole with some seeds in hand.
#[derive(Clone, Copy, Debug)]
struct Lap {
    /// What it adds to the words of a board.
    added: [u64; WORDS],
    /// The hole where the last seed falls.
    last: u8,
    /// The hole whose contents say whether a further lap follows: that is where it is lifted.
    look: u8,
    /// Where that hole's laps begin in the table.
    following: u16,
}

impl Ring {
    fn new(holes: u8, closed: HoleSet, total: u8, kind: Laps) -> Ring {
        let cells = 2 * holes;
        let stride = usize::from(total) + 1;
        let mut next = [0; 32];
        for hole in 0..cells {
            let mut after = (hole + 1) % cells;
            while closed.contains(after) {
                after = (after + 1) % cells;
            }
            next[usize::from(hole)] = after;
        }
        let mut laps = Vec::with_capacity(usize::from(cells) * stride);
        for hole in 0..cells {
            // Taking a seed out of the hole and dropping it further on, once more for each entry.
            let (mut added, mut last) = ([0u64; WORDS], hole);
            for _ in 0..stride {
                let look = match kind {
                    Laps::Single | Laps::Relay => last,
                    Laps::RelayFromNext => next[usize::from(last)],
                };
                laps.push(Lap {
                    added,
                    last,
                    look,
                    // At most 20 holes with 256 entries each.
                    following: (usize::from(look) * stride) as u16,
                });
                last = next[usize::from(last)];
                let ((from, from_shift), (to, to_shift)) = (place(hole), place(last));
                added[from] = added[from].wrapping_sub(1 << from_shift);
                added[to] = added[to].wrapping_add(1 << to_shift);
            }
        }
        Ring { laps, next, stride }
    }

    /// The open hole after a hole.
    #[inline]
    pub fn next(&self, hole: u8) -> u8 {
        self.next[usize::from(hole) % 32]
    }
}

/// How a sowing ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sown {
    /// Where the last seed fell.
    pub(crate) last: u8,
    pub(crate) laps: u32,
}

/// A definition compiled for one board size: what answers every question about positions.
#[derive(Debug)]
pub struct Rules {
    definition: Definition,
    holes: u8,
    /// The open board's first; then those with 1, 2, … of South's holes closed, then of North's.
    rings: Vec<Ring>,
    /// Contents that a run captures: bit s stands for s seeds.
    pub(crate) run_sizes: u64,
    /// A sowing ends if the hole looked at holds at most so many seeds.
    stop: u8,
}

impl Rules {
    /// Compiles a checked definition.
    pub(crate) fn compile(definition: &Definition, holes: u8) -> Rules {
        let total = 2 * holes * definition.seeds;
        let mut rings = vec![Ring::new(holes, HoleSet::EMPTY, total, definition.laps)];
        if definition.rounds.is_some() {
            rings.extend(Side::BOTH.into_iter().flat_map(|side| {
                let end = (side as u8 + 1) * holes;
                (1..holes).map(move |count| {
                    Ring::new(
                        holes,
                        HoleSet::run(end - count, count),
                        total,
                        definition.laps,
                    )
                })
            }));
        }
        let sizes = definition.capture.sizes.iter().flatten();
        Rules {
            definition: definition.clone(),
            holes,
            rings,
            run_sizes: sizes.fold(0, |mask, size| mask | 1 << size),
            stop: match definition.laps {
                Laps::Single => u8::MAX,
                // The seed that fell.
                Laps::Relay => 1,
                Laps::RelayFromNext => 0,
            },
        }
    }

    /// The definition that these are compiled from.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Holes in each row.
    pub fn holes(&self) -> u8 {
        self.holes
    }

    /// Seeds of the game, in all.
    pub fn total(&self) -> u8 {
        2 * self.holes * self.definition.seeds
    }

    /// The ring of a position's open holes.
    #[inline]
    pub(crate) fn ring(&self, position: &Position) -> &Ring {
        let closed = position.closed;
        if closed.is_empty() {
            return &self.rings[0];
        }
        let row = usize::from(self.holes) - 1;
        let north = !closed
            .intersection(position.row_holes(Side::North))
            .is_empty();
        &self.rings[closed.len() as usize + if north { row } else { 0 }]
    }

    /// Sows from a hole with so many seeds in hand until the sowing ends. `None`, with the board
    /// spoilt, if that takes more than [`MAX_LAPS`].
    ///
    /// A lap can be undone (sown backwards from its end until an empty hole), so a sowing that never
    /// ends comes back to its own first state: comparing with that one finds every cycle.
    #[inline]
    pub(crate) fn sow(
        &self,
        board: &mut Board,
        ring: &Ring,
        origin: u8,
        seeds: u8,
        recorder: &mut impl Recorder,
    ) -> Option<Sown> {
        let start = *board;
        let origin = usize::from(origin) * ring.stride;
        let (mut from, mut seeds) = (origin, seeds);
        let mut laps = 0;
        loop {
            laps += 1;
            let lap = &ring.laps[from + usize::from(seeds)];
            recorder.lap(ring, (from / ring.stride) as u8, seeds);
            for (word, added) in board.0.iter_mut().zip(lap.added) {
                *word = word.wrapping_add(added);
            }
            seeds = board.get(lap.look);
            if seeds <= self.stop {
                let last = lap.last;
                return Some(Sown { last, laps });
            }
            from = lap.following.into();
            if laps == MAX_LAPS || from == origin && *board == start {
                return None;
            }
        }
    }
}
