//! Builds every room once, in order: the only place that knows all of them.

mod a2a;
mod base;
mod couriers;
mod follow;
mod models;
mod money;
mod serve;
mod services;

pub use base::{Base, admin_file, discard_journal};
pub use money::Money;
pub use serve::{AdminFile, Running, serve, start_runtime};
