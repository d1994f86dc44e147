//! The settings of the database connection.

use std::path::PathBuf;
use std::time::Duration;

/// The settings of a host's database connection.
#[derive(Clone, Debug)]
pub struct PostgresSettings {
    /// Connection string, `postgres://user:password@host:port/database?…`; several hosts are tried
    /// in turn, and the writable one is used.
    pub url: tollbridge_core::config::Secret,
    /// File of trusted certificates, as PEM; those of the system unless set.
    pub root_certificate: Option<PathBuf>,
    /// Time that the database may be unavailable before the host gives up.
    pub patience: Duration,
}
