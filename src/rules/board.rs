//! The seeds on a board, packed so that a whole lap is a few additions.

/// Most holes a row: two rows and both stores fit the board's 24 cells.
pub const MAX_HOLES: u8 = 10;

const CELLS_A_WORD: usize = 8;
/// Words of a board. A board whose cells fit two words leaves the third at zero.
pub(crate) const WORDS: usize = 3;

/// Seeds in each cell, one byte a cell: the ring's holes 0..2n, South's store 2n, North's 2n + 1.
///
/// No cell can overflow, since a board never holds more than 255 seeds in all: the definition is
/// refused otherwise. So adding words adds all their cells at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Board(pub(crate) [u64; WORDS]);

impl Board {
    /// Seeds in a cell.
    #[inline]
    pub fn get(&self, cell: u8) -> u8 {
        let (word, shift) = place(cell);
        (self.0[word] >> shift) as u8
    }

    /// Puts so many seeds into a cell, whatever it held.
    #[inline]
    pub(crate) fn set(&mut self, cell: u8, seeds: u8) {
        let (word, shift) = place(cell);
        self.0[word] = self.0[word] & !(0xff << shift) | u64::from(seeds) << shift;
    }

    /// Adds seeds to a cell.
    #[inline]
    pub(crate) fn add(&mut self, cell: u8, seeds: u8) {
        let (word, shift) = place(cell);
        self.0[word] += u64::from(seeds) << shift;
    }

    /// Empties a cell and says what it held.
    #[inline]
    pub(crate) fn take(&mut self, cell: u8) -> u8 {
        let seeds = self.get(cell);
        let (word, shift) = place(cell);
        self.0[word] -= u64::from(seeds) << shift;
        seeds
    }
}

/// The word and the shift of a cell.
#[inline]
pub(crate) fn place(cell: u8) -> (usize, u32) {
    let cell = usize::from(cell);
    (cell / CELLS_A_WORD, 8 * (cell % CELLS_A_WORD) as u32)
}

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
