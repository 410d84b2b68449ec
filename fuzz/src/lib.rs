//! What the fuzz targets share. README.md says what each of them promises.

pub mod client;
pub mod memory;
pub mod methods;
pub mod play;
pub mod server;
pub mod table;
pub mod token;
pub mod watchman;
