//! A gRPC game service for traditional mancala games.
#![doc = "Rooms."]
pub mod catalog;
pub mod game;
pub mod rules;
pub mod store;
