//! The service through the wire: the real server, the real clients.

mod calls;
mod ends;
mod errors;
mod faults;
mod fields;
mod idempotency;
mod identity;
mod positions;
mod privacy;
mod rules;
mod rules_bounds;
mod seeds;
mod swap;
mod watch;
mod watch_races;
