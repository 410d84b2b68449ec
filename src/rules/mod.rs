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
mod capture;
mod combinations;
mod definition;
mod ending;
mod kernel;
pub(crate) mod mechanisms;
mod moves;
mod notation;
mod opening;
mod perft;
mod position;
mod side;
mod sowing;
mod standings;
mod steps;

pub(crate) use board::Row;
pub use board::{Board, HoleSet, MAX_HOLES};
pub use combinations::DefinitionError;
pub use definition::{
    Again, Blocked, Capture, CaptureKind, Definition, Destination, Feeding, GrandSlam, HoleRange,
    Landing, Laps, LastSeed, Lift, Majority, Opening, OppositeEmpty, Origin, Remainder, Repetition,
    Rounds, SeedRange, Store, Swap, Winner,
};
pub use ending::{End, Reason, RoundEnd};
pub(crate) use kernel::{Kernel, Made, with_kernel};
pub(crate) use mechanisms::{Mechanisms, with_mechanisms};
pub(crate) use moves::Follows;
pub use moves::{BlockReason, IllegalMove, Played};
pub use notation::{ParseError, Text};
pub use perft::BudgetSpent;
pub use position::{Position, PositionError, Setup};
pub use side::{BySide, Side};
pub use sowing::{MAX_LAPS, Rules};
pub(crate) use sowing::{Rows, Tables};
pub use standings::Standings;
pub use steps::{Recorder, Step};
