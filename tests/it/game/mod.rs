//! Whole games as pure aggregates: commands in, events out.

mod checks;
mod clocks;
mod create;
mod repetition;
mod replay;
mod rounds;
mod series;
mod takebacks;
mod transcript;
mod turns;
