//! Builds every service once, in order: the only place that knows all of them.

mod a2a;
mod base;
mod follow;
mod models;
mod money;
mod open_files;
mod private_folder;
mod serve;
mod services;
mod webhook_delivery;

pub use base::{Base, admin_file, discard_journal};
pub use money::Money;
pub use serve::{AdminFile, Running, serve, start_runtime};
