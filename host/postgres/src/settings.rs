//! The settings of the database connection.

use std::path::PathBuf;
use std::time::Duration;

/// The settings of a host's database connection.
#[derive(Clone, Debug)]
pub struct PostgresSettings {
    /// Connection string, `postgres://user:password@host:port/database?…`. If it lists
    /// several hosts, they are tried in turn, and the writable one is used.
    pub url: tollbridge_core::config::Secret,
    /// PEM file of trusted certificates; `None` for the system's.
    pub root_certificate: Option<PathBuf>,
    /// Maximum time that the database may be unavailable before the host stops.
    pub patience: Duration,
}
