//! Looks at a database without changing it.

use std::time::Duration;

use crate::blocking::BlockingRuntime;
use crate::connection::connect;
use crate::error::PostgresError;
use crate::leadership::LEADER_LOCK;
use crate::settings::PostgresSettings;

/// Longest that a look takes.
const LOOK: Duration = Duration::from_secs(5);

/// What a look at a database shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Of the server.
    pub version: String,
    /// Whether it has a ledger.
    pub has_ledger: bool,
    /// Whether a host serves that now.
    pub is_served: bool,
    /// Standbys without which nothing is acknowledged.
    pub synchronous_standbys: i64,
}

impl Probe {
    /// Reaches the database that takes writes. Blocks.
    ///
    /// # Errors
    /// As when a host starts on it.
    pub fn of(settings: &PostgresSettings) -> Result<Self, PostgresError> {
        BlockingRuntime::new()?.wait(LOOK, async {
            let client = connect(settings).await?;
            let row = client
                .query_one(
                    "select current_setting('server_version'), to_regclass('ledger') is not null, \
                     exists (select from pg_locks where locktype = 'advisory' and granted \
                     and (classid::bigint << 32 | objid::bigint) = $1), \
                     (select count(*) from pg_stat_replication where sync_state in ('sync', 'quorum'))",
                    &[&LEADER_LOCK],
                )
                .await?;
            Ok(Self {
                version: row.try_get(0)?,
                has_ledger: row.try_get(1)?,
                is_served: row.try_get(2)?,
                synchronous_standbys: row.try_get(3)?,
            })
        })
    }
}
