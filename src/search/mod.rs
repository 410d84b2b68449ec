//! Searching positions. Chance, and how far to go, are passed in.

mod playout;

pub use playout::{Playout, playout};
