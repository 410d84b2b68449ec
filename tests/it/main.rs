//! The tests that see the crate from outside, in one binary.

#![allow(clippy::unwrap_used)]

mod reference;
mod rules;
