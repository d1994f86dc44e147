//! The log of commits, read and appended by one host.
//!
//! An append is one statement. The primary key decides which host gets a number, so
//! correctness needs no lock; an advisory lock (a host's *turn* to append) only saves
//! wasted work when hosts collide. If the connection is lost during an append, the same
//! entry is inserted again under the same number: either the log already has it, or it is
//! inserted now, or another host has used the number. While the lost connection's
//! statement still runs, the new insert waits for it, like any insert of the same key.

use std::time::{Duration, Instant};

use futures_util::{StreamExt as _, pin_mut};
use tokio_postgres::Row;
use tollbridge_store::{
    Appended, Following, Hash, LogEntry, LogPosition, NextEntries, NoteSink, SharedLog, StoreError, TABLES_VERSION,
    TableNote,
};

use crate::blocking::BlockingRuntime;
use crate::connection::{Connection, connect};
use crate::error::PostgresError;
use crate::migrations::migrate;
use crate::settings::PostgresSettings;

/// Time-out of one attempt at an operation.
const ATTEMPT: Duration = Duration::from_secs(12);
/// Time-out of a copy of all tables.
const COPY: Duration = Duration::from_secs(24 * 3_600);
/// Pauses between attempts; doubled up to the maximum.
const PAUSE_MIN: Duration = Duration::from_millis(20);
const PAUSE_MAX: Duration = Duration::from_millis(500);
/// Maximum number of log entries read at once.
const ENTRIES_AT_ONCE: i64 = 32;
/// Total size, in bytes, at which a copy of the tables passes the rows read so far to the
/// caller.
const NOTES_AT_ONCE_BYTES: usize = 1 << 20;
/// Key of the advisory lock for a turn to append. An arbitrary number.
const TURN_LOCK: i64 = 0x746f_6c6c_7475_726e;

/// One host's access to the log.
pub struct PostgresLog {
    settings: PostgresSettings,
    runtime: BlockingRuntime,
    connection: Option<Connection>,
    /// Random id of this process, new at each start.
    host: [u8; 16],
    /// Whether a turn's transaction is open on the connection.
    in_turn: bool,
    ledger_id: [u8; 16],
}

impl PostgresLog {
    /// Connects to the database, migrates it to the newest schema and creates its ledger if there
    /// is none. Blocks.
    ///
    /// # Errors
    /// The database cannot be reached at once, is not durable, or has tables of an incompatible
    /// format.
    pub fn open(settings: PostgresSettings) -> Result<Self, PostgresError> {
        let runtime = BlockingRuntime::new()?;
        let (mut host, mut fresh_id) = ([0; 16], [0; 16]);
        getrandom::fill(&mut host).map_err(std::io::Error::other)?;
        getrandom::fill(&mut fresh_id).map_err(std::io::Error::other)?;
        let ledger_id = runtime.wait(ATTEMPT, found_ledger(&settings, fresh_id))?;
        Ok(Self { settings, runtime, connection: None, host, in_turn: false, ledger_id })
    }

    /// Marks the ledger as moved, so that no host uses it in this database. Blocks.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub fn retire(settings: &PostgresSettings) -> Result<(), PostgresError> {
        BlockingRuntime::new()?.wait(ATTEMPT, async {
            let client = connect(settings).await?;
            client.execute("update ledger set moved_at = clock_timestamp()", &[]).await?;
            Ok(())
        })
    }

    /// Runs an operation on the connection; while the database is unavailable, retries on
    /// new connections. The operation must be idempotent.
    fn persist<T>(
        &mut self,
        doing: &'static str,
        mut attempt: impl AsyncFnMut(&Connection) -> Result<T, PostgresError>,
    ) -> Result<T, StoreError> {
        let Self { settings, runtime, connection, in_turn, .. } = self;
        let (started, mut pause) = (Instant::now(), PAUSE_MIN);
        loop {
            let tried = runtime.wait(ATTEMPT, async {
                let connected = match connection.take() {
                    Some(connected) => connected,
                    None => Connection::open(settings).await?,
                };
                let outcome = attempt(&connected).await?;
                *connection = Some(connected);
                Ok(outcome)
            });
            let error = match tried {
                Ok(outcome) => return Ok(outcome),
                Err(error) => error,
            };
            // Losing the connection ends the turn.
            *in_turn = false;
            if !error.is_transient() || started.elapsed() >= settings.patience {
                return Err(error.into_store_error(doing));
            }
            tracing::warn!(%error, doing, "the database is unavailable; retrying");
            std::thread::sleep(pause);
            pause = PAUSE_MAX.min(pause * 2);
        }
    }
}

/// Returns the id of the database's ledger; creates the ledger with `fresh_id` if there
/// is none.
async fn found_ledger(settings: &PostgresSettings, fresh_id: [u8; 16]) -> Result<[u8; 16], PostgresError> {
    let mut client = connect(settings).await?;
    migrate(&mut client).await?;
    if client.query_opt("select from import", &[]).await?.is_some() {
        return Err(PostgresError::Importing);
    }
    client
        .execute(
            "insert into ledger (id, tables_version, compacted_digest) values ($1, $2, $3) on conflict (one) do nothing",
            &[&fresh_id.as_slice(), &TABLES_VERSION, &[0_u8; 32].as_slice()],
        )
        .await?;
    let row = client.query_one("select id, tables_version, moved_at is not null from ledger", &[]).await?;
    let (id, version): (&[u8], i32) = (row.try_get(0)?, row.try_get(1)?);
    if row.try_get(2)? {
        return Err(PostgresError::Moved);
    }
    if version != TABLES_VERSION {
        return Err(PostgresError::OtherShape { found: version, known: TABLES_VERSION });
    }
    id.try_into().map_err(|_| PostgresError::Damaged("ledger.id"))
}

/// Converts a number to PostgreSQL's signed integer.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn digest(bytes: &[u8]) -> Result<Hash, PostgresError> {
    bytes.try_into().map_err(|_| PostgresError::Damaged("commits.digest"))
}

impl SharedLog for PostgresLog {
    fn ledger_id(&mut self) -> Result<[u8; 16], StoreError> {
        Ok(self.ledger_id)
    }

    fn append(&mut self, at: LogPosition, entry: &LogEntry) -> Result<Appended, StoreError> {
        let (host, mut in_turn) = (self.host, std::mem::take(&mut self.in_turn));
        self.persist("appending to the log", async |connection| {
            let number = signed(at.next);
            let (host, digest, before) = (host.as_slice(), entry.digest.as_slice(), at.digest.as_slice());
            let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 5] =
                [&number, &host, &digest, &entry.notes, &before];
            let insert = connection.client.execute(&connection.append, &parameters);
            // A turn is a transaction: it is committed with the append, in one round
            // trip.
            let inserted = match std::mem::take(&mut in_turn) {
                true => {
                    let commit = connection.client.batch_execute("commit");
                    let (inserted, committed) = tokio::join!(insert, commit);
                    committed?;
                    inserted?
                }
                false => insert.await?,
            };
            if inserted == 1 {
                return Ok(Appended::Durable);
            }
            // The number is already used: by another host's entry, or by this entry if
            // its acknowledgement was lost. If the row is missing, the next read detects
            // that the log lost commits.
            let Some(row) = connection.client.query_opt(&connection.owner, &[&number]).await? else {
                return Ok(Appended::Taken);
            };
            let (owner, found): (&[u8], &[u8]) = (row.try_get(0)?, row.try_get(1)?);
            Ok(if owner == host && found == digest { Appended::Durable } else { Appended::Taken })
        })
    }

    fn entries(&mut self, at: LogPosition) -> Result<Following, StoreError> {
        self.persist("reading the log", async |connection| {
            let rows = connection.client.query(&connection.entries, &[&signed(at.next), &ENTRIES_AT_ONCE]).await?;
            interpret_rows(connection, at, &rows).await
        })
    }

    fn tables(&mut self, take: &mut NoteSink<'_>) -> Result<LogPosition, StoreError> {
        // Not retried: rows that were already passed on cannot be withdrawn.
        let Self { settings, runtime, .. } = self;
        runtime.wait(COPY, copy_tables(settings, take)).map_err(|error| error.into_store_error("copying the tables"))
    }

    fn begin_turn(&mut self, at: LogPosition) -> Result<Following, StoreError> {
        let begin = format!("begin; select pg_advisory_xact_lock({TURN_LOCK})");
        let following = self.persist("waiting for this host's turn", async |connection| {
            let next = signed(at.next);
            let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 2] = [&next, &ENTRIES_AT_ONCE];
            // Both statements take one round trip. The read begins once the lock is held,
            // so it sees everything committed before.
            let entries = connection.client.query(&connection.entries, &parameters);
            let (begun, rows) = tokio::join!(connection.client.batch_execute(&begin), entries);
            begun?;
            interpret_rows(connection, at, &rows?).await
        })?;
        self.in_turn = true;
        Ok(following)
    }

    fn is_in_turn(&self) -> bool {
        self.in_turn
    }

    fn end_turn(&mut self) -> Result<(), StoreError> {
        if !std::mem::take(&mut self.in_turn) {
            return Ok(());
        }
        self.persist("ending this host's turn", async |connection| {
            Ok(connection.client.batch_execute("rollback").await?)
        })
    }
}

/// Interprets log rows, the first of which must be the entry before position `at`.
async fn interpret_rows(connection: &Connection, at: LogPosition, rows: &[Row]) -> Result<Following, PostgresError> {
    let next = signed(at.next);
    let has_more = i64::try_from(rows.len()).is_ok_and(|count| count >= ENTRIES_AT_ONCE);
    let mut rows = rows.iter().peekable();
    if at.next > 0 {
        let first = rows.next_if(|row| row.get::<_, i64>(0) == next - 1);
        match first {
            Some(row) if row.try_get::<_, &[u8]>(1)? == at.digest => {}
            Some(_) => return Ok(Following::Diverged),
            None if rows.peek().is_some() => return Ok(Following::Forgotten),
            None => return explain_missing_entry(connection, at).await,
        }
    }
    let mut entries = Vec::new();
    for (number, row) in (next..).zip(rows) {
        if row.try_get::<_, i64>(0)? != number {
            return Ok(Following::Forgotten);
        }
        let notes: Vec<u8> = row.try_get(2)?;
        entries.push(LogEntry { notes, digest: digest(row.try_get(1)?)? });
    }
    Ok(Following::Entries(NextEntries { entries, has_more }))
}

/// Explains why the entry before position `at` is missing: either the log is empty, which
/// is correct if the compacted tables reach `at`, or the log ends earlier.
async fn explain_missing_entry(connection: &Connection, at: LogPosition) -> Result<Following, PostgresError> {
    let row = connection.client.query_one("select compacted_next, compacted_digest from ledger", &[]).await?;
    let (next, found): (i64, &[u8]) = (row.try_get(0)?, row.try_get(1)?);
    let is_at_tables = next == signed(at.next) && found == at.digest;
    Ok(if is_at_tables { Following::Entries(NextEntries::default()) } else { Following::Diverged })
}

async fn copy_tables(settings: &PostgresSettings, take: &mut NoteSink<'_>) -> Result<LogPosition, PostgresError> {
    let mut client = connect(settings).await?;
    // Copying a large ledger may take long.
    client.batch_execute("set statement_timeout = 0; set idle_in_transaction_session_timeout = 0").await?;
    let txn = client
        .build_transaction()
        .isolation_level(tokio_postgres::IsolationLevel::RepeatableRead)
        .read_only(true)
        .start()
        .await?;
    let row = txn.query_one("select compacted_next, compacted_digest from ledger", &[]).await?;
    let next: i64 = row.try_get(0)?;
    let position = LogPosition { next: u64::try_from(next).unwrap_or(0), digest: digest(row.try_get(1)?)? };
    let none: [&(dyn tokio_postgres::types::ToSql + Sync); 0] = [];
    let rows = txn.query_raw("select number, key, value from table_rows", none).await?;
    pin_mut!(rows);
    let mut notes = Vec::new();
    while let Some(row) = rows.next().await {
        let row = row?;
        let (number, key, value): (i16, &[u8], &[u8]) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        let table = u8::try_from(number).map_err(|_| PostgresError::Damaged("table_rows.number"))?;
        TableNote { table, key, value: Some(value) }.encode(&mut notes);
        if notes.len() >= NOTES_AT_ONCE_BYTES {
            take(&notes)?;
            notes.clear();
        }
    }
    take(&notes)?;
    Ok(position)
}
