//! The two players, and things that each of them has one of.

use std::ops::{Index, IndexMut};

/// One of the two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// Owns the bottom row, the first half of the ring.
    South,
    /// Owns the top row, the second half of the ring.
    North,
}

impl Side {
    /// Both sides, South first.
    pub const BOTH: [Side; 2] = [Side::South, Side::North];

    /// The other side.
    pub fn opponent(self) -> Side {
        match self {
            Side::South => Side::North,
            Side::North => Side::South,
        }
    }

    /// 0 for South, 1 for North.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// A pair of things, one for each side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BySide<T> {
    /// South's.
    pub south: T,
    /// North's.
    pub north: T,
}

impl<T> BySide<T> {
    /// A pair made by asking for each side's.
    pub fn from_fn(mut make: impl FnMut(Side) -> T) -> Self {
        BySide {
            south: make(Side::South),
            north: make(Side::North),
        }
    }

    /// Both, South's first.
    pub fn iter(&self) -> impl Iterator<Item = (Side, &T)> {
        [(Side::South, &self.south), (Side::North, &self.north)].into_iter()
    }
}

impl<T: Ord> BySide<T> {
    /// The side that has more; `None` if they are equal.
    pub fn leader(&self) -> Option<Side> {
        match self.south.cmp(&self.north) {
            std::cmp::Ordering::Greater => Some(Side::South),
            std::cmp::Ordering::Less => Some(Side::North),
            std::cmp::Ordering::Equal => None,
        }
    }
}

impl<T> Index<Side> for BySide<T> {
    type Output = T;

    fn index(&self, side: Side) -> &T {
        match side {
            Side::South => &self.south,
            Side::North => &self.north,
        }
    }
}

impl<T> IndexMut<Side> for BySide<T> {
    fn index_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::South => &mut self.south,
            Side::North => &mut self.north,
        }
    }
}
