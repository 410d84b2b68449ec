//! A gRPC game service for traditional mancala games.
#![doc = "Rooms."]
pub mod catalog;
pub mod rules;
