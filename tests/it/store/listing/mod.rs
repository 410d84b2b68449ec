//! Lists of games, against a model that filters what was appended.

mod filters;
mod pages;
mod waiting;
mod world;

pub(crate) use filters::{every_filter, lists_by_every_filter};
pub(crate) use pages::{lists_in_pages, pages_are_stable};
pub(crate) use waiting::lists_what_waits;
pub(crate) use world::{World, told};
