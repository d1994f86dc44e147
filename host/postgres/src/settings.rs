//! Where the database is, and how long a host waits for it.

use std::path::PathBuf;
use std::time::Duration;

/// How a host reaches its database.
#[derive(Clone, Debug)]
pub struct PostgresSettings {
    /// A connection string, `postgres://user:password@host:port/database?…`;
    /// several hosts are tried in turn, and the one that takes writes is used.
    pub url: tollbridge_core::config::Secret,
    /// Certificates that are trusted, as PEM; those of the system unless set.
    pub root_certificate: Option<PathBuf>,
    /// How long the database may be away before the host gives up.
    pub patience: Duration,
}
