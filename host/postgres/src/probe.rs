//! Looks at a database without changing it.

use std::time::Duration;

use tokio_postgres::Client;

use crate::blocking::BlockingRuntime;
use crate::connection::connect;
use crate::error::PostgresError;
use crate::leadership::{HOLDS_LOCK, LEADER_LOCK};
use crate::membership::SILENT_MAX;
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
    /// Whether a host leads, or a command works on it.
    pub is_served: bool,
    /// Hosts that are alive.
    pub hosts: i64,
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
                    &format!(
                        "select current_setting('server_version'), to_regclass('ledger') is not null, \
                         exists (select from pg_locks where {HOLDS_LOCK}), \
                         (select count(*) from pg_stat_replication where sync_state in ('sync', 'quorum'))"
                    ),
                    &[&LEADER_LOCK],
                )
                .await?;
            // Before the first host has come to it, there is no such table.
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
