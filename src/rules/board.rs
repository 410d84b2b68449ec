//! The seeds on a board, packed so that a whole lap is a few additions.

use super::Side;

/// Most holes a row: a row and its store fit 16 cells.
pub const MAX_HOLES: u8 = 10;

/// Most holes of a row that fits eight cells together with its store.
pub(crate) const NARROW: u8 = 7;

/// A side's cells, one byte a cell: its holes from its own left, then its store.
///
/// No cell can overflow, since a board never holds more than 255 seeds in all: the definition is
/// refused otherwise. So adding two rows adds all their cells at once.
pub(crate) trait Row: Copy + PartialEq + std::fmt::Debug + 'static {
    /// No seeds.
    const EMPTY: Self;

    /// The first of 16 cells, as many as fit: the others must be empty.
    fn first_of(cells: u128) -> Self;
    /// As 16 cells.
    fn cells(self) -> u128;
    /// Seeds in a cell.
    fn get(self, cell: u8) -> u8;
    /// With so many seeds more in a cell.
    fn plus(self, cell: u8, seeds: u8) -> Self;
    /// With so many seeds fewer in a cell.
    fn minus(self, cell: u8, seeds: u8) -> Self;
    /// With all that another has, or lacks, modulo the width of the row.
    fn with(self, added: Self) -> Self;
    /// This row, or the other one: without a branch, since nothing foretells which.
    fn or(self, other: Self, choose_other: bool) -> Self;
    /// Seeds in all cells.
    fn sum(self) -> u8;
    /// Whether the cells that another row has full are empty.
    fn is_empty_in(self, cells: Self) -> bool;
    /// The cells that hold at least `least` seeds, which is 1 or 2.
    fn holding(self, least: u8) -> HoleSet;
}

macro_rules! row {
    ($width:ty) => {
        impl Row for $width {
            const EMPTY: Self = 0;

            #[inline(always)]
            fn first_of(cells: u128) -> Self {
                cells as Self
            }

            #[inline(always)]
            fn cells(self) -> u128 {
                self.into()
            }

            #[inline(always)]
            fn get(self, cell: u8) -> u8 {
                self.wrapping_shr(8 * u32::from(cell)) as u8
            }

            #[inline(always)]
            fn plus(self, cell: u8, seeds: u8) -> Self {
                self.wrapping_add(Self::from(seeds).wrapping_shl(8 * u32::from(cell)))
            }

            #[inline(always)]
            fn minus(self, cell: u8, seeds: u8) -> Self {
                self.wrapping_sub(Self::from(seeds).wrapping_shl(8 * u32::from(cell)))
            }

            #[inline(always)]
            fn with(self, added: Self) -> Self {
                self.wrapping_add(added)
            }

            #[inline(always)]
            fn or(self, other: Self, choose_other: bool) -> Self {
                let mask = Self::from(choose_other).wrapping_neg();
                self ^ (self ^ other) & mask
            }

            #[inline(always)]
            fn sum(self) -> u8 {
                // The highest cell of the product is the sum of all.
                (self.wrapping_mul(<$width>::MAX / 255) >> (Self::BITS - 8)) as u8
            }

            #[inline(always)]
            fn is_empty_in(self, cells: Self) -> bool {
                self & cells == 0
            }

            #[inline(always)]
            fn holding(self, least: u8) -> HoleSet {
                // Carries into the highest bit of each cell that holds enough, and is gathered there.
                const HIGH: $width = <$width>::MAX / 255 * 128;
                let carry = (HIGH >> 7) * <$width>::from(0x80 - least);
                let high = ((self & !HIGH).wrapping_add(carry) | self) & HIGH;
                let gather = |high: u64| high.wrapping_mul(0x0002_0408_1020_4081) >> 56;
                let mut cells = gather(high as u64);
                if Self::BITS > u64::BITS {
                    cells |= gather((high >> (Self::BITS / 2)) as u64) << 8;
                }
                HoleSet(cells as u32)
            }
        }
    };
}

row!(u64);
row!(u128);

/// The seeds in both rows and stores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Board(pub(crate) [u128; 2]);

impl Board {
    /// Seeds in a side's cell: a hole, or its store, which comes after its holes.
    #[inline]
    pub(crate) fn get(&self, side: Side, cell: u8) -> u8 {
        self.0[side.index()].get(cell)
    }

    /// Puts so many seeds into a cell, whatever it held.
    pub(crate) fn set(&mut self, side: Side, cell: u8, seeds: u8) {
        self.take(side, cell);
        self.add(side, cell, seeds);
    }

    /// Adds seeds to a cell.
    pub(crate) fn add(&mut self, side: Side, cell: u8, seeds: u8) {
        let row = &mut self.0[side.index()];
        *row = row.plus(cell, seeds);
    }

    /// Empties a cell and says what it held.
    pub(crate) fn take(&mut self, side: Side, cell: u8) -> u8 {
        let seeds = self.get(side, cell);
        let row = &mut self.0[side.index()];
        *row = row.minus(cell, seeds);
        seeds
    }

    /// A row as wide as a kernel wants it.
    #[inline(always)]
    pub(crate) fn row<R: Row>(&self, side: Side) -> R {
        R::first_of(self.0[side.index()])
    }
}

/// For each set of the first six holes, its holes in order, each as often as any other: 60 is a multiple
/// of every number of them.
static SHARES: [[u8; 64]; 64] = {
    let mut shares = [[0; 64]; 64];
    let mut set = 1;
    while set < 64 {
        let (mut number, mut hole) = (0, 0);
        while number < 60 {
            if set >> hole & 1 == 1 {
                shares[set][number] = hole;
                number += 1;
            }
            hole = (hole + 1) % 6;
        }
        set += 1;
    }
    shares
};

/// A set of holes, as bits. Which counting they belong to (a row's or the ring's) the owner says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HoleSet(pub(crate) u32);

impl HoleSet {
    /// No hole.
    pub const EMPTY: HoleSet = HoleSet(0);

    /// `count` holes from `first` on.
    pub(crate) fn run(first: u8, count: u8) -> HoleSet {
        HoleSet(((1 << count) - 1) << first)
    }

    /// Whether a hole is in the set.
    pub fn contains(self, hole: u8) -> bool {
        hole < 32 && self.0 >> hole & 1 == 1
    }

    /// Whether the set has no hole.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// One of the holes, of which there must be some, by lot: `below` draws a number below another one.
    /// What it is asked for depends on the set only where the set is large, so that it needn't wait.
    #[inline(always)]
    pub(crate) fn draw(self, mut below: impl FnMut(u32) -> u32) -> u8 {
        match SHARES.get(self.0 as usize) {
            Some(share) => share[below(60) as usize % 64],
            None => self
                .iter()
                .nth(below(self.len()) as usize)
                .unwrap_or_default(),
        }
    }

    /// How many holes are in the set.
    pub fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// The holes, ascending.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let hole = (rest != 0).then(|| rest.trailing_zeros() as u8)?;
            rest &= rest - 1;
            Some(hole)
        })
    }

    pub(crate) fn insert(&mut self, hole: u8) {
        self.0 |= 1 << hole;
    }

    pub(crate) fn remove(&mut self, hole: u8) {
        self.0 &= !(1 << hole);
    }

    pub(crate) fn intersection(self, other: HoleSet) -> HoleSet {
        HoleSet(self.0 & other.0)
    }

    pub(crate) fn without(self, other: HoleSet) -> HoleSet {
        HoleSet(self.0 & !other.0)
    }
}

impl FromIterator<u8> for HoleSet {
    fn from_iter<I: IntoIterator<Item = u8>>(holes: I) -> Self {
        let mut set = HoleSet::EMPTY;
        holes.into_iter().for_each(|hole| set.insert(hole));
        set
    }
}
