//! The log shared by several hosts of one ledger, in PostgreSQL.
//!
//! The database keeps the commits of all hosts in one order, and the table rows that
//! result from the commits, so that a new host need not read every commit ever made. The
//! database also keeps the state that hosts exchange: the live hosts, the remaining calls
//! of shared rate limits, and the published versions of plugins. The database knows no
//! accounts and checks no balances: each host does that, on local tables that are at the
//! end of the log (see the store's `replica`).
//!
//! Invariants:
//! 1. A commit is acknowledged when PostgreSQL has acknowledged it.
//! 2. A commit with an unknown outcome is looked up by its number, never written again
//!    under another number.
//! 3. Every statement has a time-out, and every wait for the database is bounded.
//!
//! The only crate that uses tokio-postgres. Never imports the ledger or any crate above.

mod blocking;
mod call_windows;
mod compactor;
mod connection;
mod error;
mod import;
mod leader_lock;
mod leadership;
mod log;
mod membership;
mod migrations;
mod probe;
mod session;
mod settings;
mod shared_registry;

pub use call_windows::{CallWindows, Slice, SliceRequest};
pub use compactor::Compactor;
pub use error::PostgresError;
pub use import::Import;
pub use leadership::{Candidate, Leadership};
pub use log::PostgresLog;
pub use membership::{Heartbeat, Membership, SILENT_MAX};
pub use probe::Probe;
pub use settings::PostgresSettings;
pub use shared_registry::{SharedFile, SharedRegistry, SharedVersion};
