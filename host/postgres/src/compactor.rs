//! Compaction: applies commits to the table rows, and deletes old commits.
//!
//! Without compaction, a new host would have to read every commit ever made. Only the
//! host that holds an advisory lock compacts, on a separate connection; if that host
//! dies, the lock is released. A row that many commits write, such as the balance of a
//! popular account, is written once per compaction.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio_postgres::Client;
use tollbridge_store::TableNote;

use crate::connection::connect;
use crate::error::PostgresError;
use crate::settings::PostgresSettings;

/// Pause of the compaction thread when there was little to do or the database is
/// unavailable.
const IDLE_PAUSE: Duration = Duration::from_millis(500);
/// Number of commits per compaction.
const COMMITS_AT_ONCE: i64 = 256;
/// Time for which commits are kept after compaction; a host that was offline for less can
/// resume where it stopped.
const KEPT: &str = "1 hour";
/// Maximum number of old commits deleted at a time.
const DELETED_AT_ONCE: i64 = 1_000;
/// Key of the compacting host's advisory lock. An arbitrary number.
const COMPACTION_LOCK: i64 = 0x746f_6c6c_666f_6c64;

/// Handle of the compaction thread, which stops on drop.
pub struct Compactor {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Compactor {
    /// Starts the compaction thread.
    ///
    /// # Errors
    /// The system cannot create a thread.
    pub fn start(settings: PostgresSettings) -> Result<Self, PostgresError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::Builder::new().name("compactor".to_owned()).spawn(move || {
            runtime.block_on(async {
                while !stopped.load(Ordering::Relaxed) {
                    if let Err(error) = compact_until(&settings, &stopped).await {
                        tracing::warn!(%error, "commits were not compacted; retrying later");
                    }
                    tokio::time::sleep(IDLE_PAUSE).await;
                }
            });
        })?;
        Ok(Self { stop, thread: Some(thread) })
    }
}

impl Drop for Compactor {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Compacts on one connection until that connection fails.
async fn compact_until(settings: &PostgresSettings, stopped: &AtomicBool) -> Result<(), PostgresError> {
    let mut client = connect(settings).await?;
    while !stopped.load(Ordering::Relaxed) {
        let row = client.query_one("select pg_try_advisory_lock($1)", &[&COMPACTION_LOCK]).await?;
        if row.try_get(0)? {
            while compact(&mut client).await? == COMMITS_AT_ONCE && !stopped.load(Ordering::Relaxed) {}
            delete_old(&client).await?;
            client.execute("select pg_advisory_unlock($1)", &[&COMPACTION_LOCK]).await?;
        }
        tokio::time::sleep(IDLE_PAUSE).await;
    }
    Ok(())
}

/// Applies the next commits to the tables; returns the number of commits applied.
async fn compact(client: &mut Client) -> Result<i64, PostgresError> {
    let txn = client.transaction().await?;
    let commits = txn
        .query(
            "select number, digest, notes from commits where number >= (select compacted_next from ledger) \
             order by number limit $1",
            &[&COMMITS_AT_ONCE],
        )
        .await?;
    let Some(newest) = commits.last() else { return Ok(0) };
    let mut writes: BTreeMap<(i16, &[u8]), Option<&[u8]>> = BTreeMap::new();
    for commit in &commits {
        for note in TableNote::all(commit.try_get(2)?) {
            writes.insert((i16::from(note.table), note.key), note.value);
        }
    }
    let (written, removed): (Vec<_>, Vec<_>) = writes.into_iter().partition(|(_, value)| value.is_some());
    let numbers: Vec<i16> = written.iter().map(|((number, _), _)| *number).collect();
    let keys: Vec<&[u8]> = written.iter().map(|((_, key), _)| *key).collect();
    let values: Vec<&[u8]> = written.iter().filter_map(|(_, value)| *value).collect();
    txn.execute(
        "insert into table_rows (number, key, value) select * from unnest($1::smallint[], $2::bytea[], $3::bytea[]) \
         on conflict (number, key) do update set value = excluded.value",
        &[&numbers, &keys, &values],
    )
    .await?;
    let numbers: Vec<i16> = removed.iter().map(|((number, _), _)| *number).collect();
    let keys: Vec<&[u8]> = removed.iter().map(|((_, key), _)| *key).collect();
    txn.execute(
        "delete from table_rows using unnest($1::smallint[], $2::bytea[]) as gone (number, key) \
         where table_rows.number = gone.number and table_rows.key = gone.key",
        &[&numbers, &keys],
    )
    .await?;
    let (number, digest): (i64, &[u8]) = (newest.try_get(0)?, newest.try_get(1)?);
    txn.execute("update ledger set compacted_next = $1, compacted_digest = $2", &[&(number + 1), &digest]).await?;
    txn.commit().await?;
    Ok(i64::try_from(commits.len()).unwrap_or(i64::MAX))
}

/// Deletes old compacted commits, but keeps the newest one, so that a returning host can
/// check that the log still matches the history it has read.
async fn delete_old(client: &Client) -> Result<(), PostgresError> {
    let delete = format!(
        "delete from commits where number in (select number from commits \
         where number < (select compacted_next - 1 from ledger) and at < clock_timestamp() - interval '{KEPT}' \
         order by number limit $1)"
    );
    client.execute(&delete, &[&DELETED_AT_ONCE]).await?;
    Ok(())
}
