//! Choices by lot, the same in each run.

/// What chooses.
pub struct Lot(pub u64);

impl Lot {
    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// A number from 0 to 1.
    pub fn share(&mut self) -> f64 {
        self.next() as f64 / u64::MAX as f64
    }

    /// A xorshift-multiply step: good enough to choose moves.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^ mixed >> 27
    }
}
