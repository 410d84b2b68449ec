//! The `mancala` program.
fn main() {}
