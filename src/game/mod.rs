//! One game as a pure aggregate: commands are decided into events, events are applied to the state.
//!
//! An event is a fact: applying one never sows. The first event of a game holds its rule set, so the
//! game ends under the rules it began with.

mod audit;
mod clocks;
mod create;
mod date;
mod decide;
mod event;
mod ids;
mod import;
mod offers;
mod outages;
mod player;
mod rematch;
mod result;
mod seats;
mod settle;
mod state;
mod steps;
mod transcript;

pub use audit::{AdminAction, AuditRecord};
pub use clocks::{Clocks, Moment, TimeControl};
pub use create::{CreateError, NewGame};
pub use decide::{Command, Decision, Refusal};
pub use event::{
    Answered, Created, Event, Imported, MoveByte, Moved, Record, Request, Standing, TakenBack,
};
pub use ids::{GameId, PlayerId, Time};
pub use import::{ImportedGame, Importer};
pub use offers::{MAX_TAKEBACKS, Offer, OfferKind};
pub use outages::{LONGEST_SILENCE, OUTAGES_KEPT, Outages, SystemRecord};
pub use player::{BadName, Player, PlayerEvent, PlayerKind, PlayerRecord, check_name};
pub use result::{EndReason, GameResult, Outcome, RoundResult};
pub use seats::SEATS_EXPIRE;
pub use state::{Game, MAX_PLIES, ReplayError, Seat, Status, Summary, Visibility};
pub use transcript::{Place, Placed, Ply, Transcript, TranscriptError};
