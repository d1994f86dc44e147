//! Builds every service once, in order: the only place that knows all of them.

mod a2a;
mod admin_listener;
mod base;
mod call_slice_broker;
mod cluster;
mod duties;
mod email;
mod engine;
mod follow;
mod foreign_changes;
mod gauges;
mod metric_descriptions;
mod models;
mod money;
mod moving;
mod mpp;
mod open_files;
mod precompile;
mod private_folder;
mod recorder;
mod registry_mirror;
mod restoring;
mod serve;
mod services;
mod shared_keys;
mod tls;
mod wallet;
mod webhook_delivery;

pub use admin_listener::AdminFile;
pub use base::{Base, admin_file, discard_journal};
pub use engine::{OpenedFor, Tenure, database};
pub use money::Money;
pub use moving::{Moved, move_to_embedded, move_to_postgres};
pub use precompile::precompile;
pub use restoring::{Restored, Restoring, restore};
pub use serve::{Running, Startup, serve, start_runtime};
