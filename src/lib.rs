//! A gRPC game service for traditional mancala games.
//!
//! The rooms of the house, each using only those above it:
//!
//! - [`rules`]: positions, moves and results, pure;
//! - [`catalog`]: variants as TOML files, checked and compiled;
//! - [`search`]: rounds played at random;
//! - [`game`]: one game as a pure aggregate of events;
//! - [`store`]: the log, which is the truth, and the projection;
//! - [`session`]: live games: decide, make durable, apply, tell;
//! - [`grpc`]: the service as clients see it.
//!
//! [`config`], [`admin`], [`runtime`] and [`telemetry`] serve the program. ARCHITECTURE.md says more.

pub mod rules;

pub mod catalog;

pub mod search;

pub mod game;

pub mod store;

pub mod session;

pub mod grpc;

pub mod admin;
pub mod config;
pub mod runtime;
pub mod telemetry;
