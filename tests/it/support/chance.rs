//! Choices that look random and are the same in every run.

/// A small generator (xorshift64*).
pub(crate) struct Chance(u64);

impl Chance {
    /// Choices that follow from a seed.
    pub(crate) fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let scrambled = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        scrambled as usize % bound
    }

    /// One of some things.
    pub(crate) fn of<'a, T>(&mut self, things: &'a [T]) -> &'a T {
        &things[self.below(things.len())]
    }
}
