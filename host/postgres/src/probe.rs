//! A read-only check of a database.

use std::time::Duration;

use tokio_postgres::Client;

use crate::blocking::BlockingRuntime;
use crate::connection::connect;
use crate::error::PostgresError;
use crate::leader_lock::{HOLDS_LOCK, LEADER_LOCK};
use crate::membership::SILENT_MAX;
use crate::settings::PostgresSettings;

/// Time-out of a probe.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);

/// The result of a probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Version of the server.
    pub version: String,
    /// Whether the database has a ledger.
    pub has_ledger: bool,
    /// Whether a host leads, or a command holds the leader lock.
    pub is_served: bool,
    /// Number of live hosts.
    pub hosts: i64,
    /// Number of standbys that must acknowledge commits.
    pub synchronous_standbys: i64,
}

impl Probe {
    /// Probes the writable database. Blocks.
    ///
    /// # Errors
    /// The database cannot be reached, or is unsuitable for a host.
    pub fn of(settings: &PostgresSettings) -> Result<Self, PostgresError> {
        BlockingRuntime::new()?.wait(PROBE_TIMEOUT, async {
            let client = connect(settings).await?;
            let row = client
                .query_one(
                    &format!(
                        "select current_setting('server_version'), to_regclass('ledger') is not null, \
                         exists (select from pg_locks where {HOLDS_LOCK}), \
                         (select count(*) from pg_stat_replication where sync_state in ('sync', 'quorum'))"
                    ),
                    &[&LEADER_LOCK],
                )
                .await?;
            // The table does not exist until a host has started.
            let hosts = match row.try_get(1)? {
                true => alive(&client).await?,
                false => 0,
            };
            Ok(Self {
                hosts,
                version: row.try_get(0)?,
                has_ledger: row.try_get(1)?,
                is_served: row.try_get(2)?,
                synchronous_standbys: row.try_get(3)?,
            })
        })
    }
}

async fn alive(client: &Client) -> Result<i64, PostgresError> {
    if client.query_one("select to_regclass('hosts') is null", &[]).await?.try_get(0)? {
        return Ok(0);
    }
    let alive = "select count(*) from hosts where seen_at > clock_timestamp() - make_interval(secs => $1)";
    Ok(client.query_one(alive, &[&SILENT_MAX.as_secs_f64()]).await?.try_get(0)?)
}
