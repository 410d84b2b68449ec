//! The tests that see the crate from outside, in one binary.

#![allow(clippy::unwrap_used)]

mod architecture;
mod game;
mod reference;
mod rules;
mod service;
mod store;
mod support;
