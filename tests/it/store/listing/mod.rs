//! Lists of games, against a model that filters what was appended.

mod filters;
mod pages;
mod unfinished;
mod world;

pub(crate) use filters::{every_filter, lists_by_every_filter};
pub(crate) use pages::{lists_in_pages, pages_are_stable};
pub(crate) use unfinished::{lists_what_is_not_over, tells_a_player_of_all_games};
pub(crate) use world::{World, told};
