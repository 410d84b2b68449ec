//! One game as a pure aggregate: commands are decided into events, events are applied to the state.
//!
//! An event is a fact: applying one never sows. The first event of a game holds its rule set, so the
//! game ends under the rules it began with.

mod create;
mod decide;
mod event;
mod ids;
mod player;
mod result;
mod state;
mod steps;

pub use create::{CreateError, NewGame};
pub use decide::{Command, Decision, Refusal};
pub use event::{Created, Event, Moved, Record, Request, Standing};
pub use ids::{GameId, PlayerId, Time};
pub use player::{BadName, Player, PlayerEvent, PlayerKind, PlayerRecord};
pub use result::{EndReason, GameResult, RoundResult};
pub use state::{Game, MAX_PLIES, ReplayError, Seat, Status, Summary, Visibility};
