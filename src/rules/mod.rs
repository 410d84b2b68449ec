//! The rules of the games, as pure functions of values.
//!
//! A [`Definition`] is a variant's rule set as data: it picks one of each mechanism. [`Rules`] is a
//! definition compiled for one board size: tables for sowing, and everything that plays. A
//! [`Position`] is a plain value without a pointer to its rules, so each question is asked of the
//! rules with the position in hand.
//!
//! # Examples
//!
//! ```
//! use mancala::{catalog::Catalog, rules::Side};
//!
//! let catalog = Catalog::built_in();
//! let rules = catalog.get("bosh").expect("it is built in").rules(5).expect("it has five holes");
//! let start = rules.start(Side::South);
//! let played = rules.play(&start, 4).expect("e is legal");
//! assert_eq!(
//!     rules.text(&played.position).to_string(),
//!     "5,5,5,5,0/0,5,5,5,0 5-0 N round=1"
//! );
//! ```

mod board;
mod definition;
mod ending;
mod moves;
mod notation;
mod opening;
mod perft;
mod position;
mod side;
mod sowing;
mod steps;

pub use board::{Board, HoleSet, MAX_HOLES};
pub use definition::{
    Blocked, Capture, CaptureKind, Definition, DefinitionError, Destination, HoleRange, Landing,
    Laps, LastSeed, Lift, Opening, Remainder, Rounds, Winner,
};
pub use ending::{End, Reason, RoundEnd};
pub use moves::{BlockReason, IllegalMove, Played};
pub use notation::{ParseError, Text};
pub use perft::BudgetSpent;
pub use position::{Position, PositionError, Setup};
pub use side::{BySide, Side};
pub use sowing::{MAX_LAPS, Rules};
pub use steps::{Recorder, Step};
