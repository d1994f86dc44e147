//! Imports the tables of a ledger into an empty database.
//!
//! A transaction writes each batch, reads it back and records the progress, so an
//! interrupted import of the same, byte-identical source resumes where it stopped. A
//! database whose import is unfinished is refused by hosts.

use std::time::Duration;

use tokio_postgres::Client;
use tollbridge_store::{Hash, RedbStore, TABLES_VERSION, TableNote};

use crate::blocking::BlockingRuntime;
use crate::connection::connect;
use crate::error::PostgresError;
use crate::migrations::migrate;
use crate::settings::PostgresSettings;

/// Maximum number of rows in one batch.
const ROWS_AT_ONCE: usize = 2_000;
/// Maximum size of the rows in one batch.
const BYTES_AT_ONCE: usize = 4 << 20;

/// Time-out of one step of the import.
const STEP: Duration = Duration::from_secs(60);

/// An import into one database.
pub struct Import {
    runtime: BlockingRuntime,
    client: Client,
    source: Hash,
    earlier: i64,
}

/// Rows to be written together.
#[derive(Default)]
struct Batch {
    numbers: Vec<i16>,
    keys: Vec<Vec<u8>>,
    values: Vec<Vec<u8>>,
    bytes: usize,
}

impl Import {
    /// Starts an import, or resumes an earlier one of the same source. Blocks.
    ///
    /// # Errors
    /// The database already has a ledger, or cannot be used.
    pub fn begin(settings: &PostgresSettings, from: &RedbStore) -> Result<Self, PostgresError> {
        let (_, source) = from.tables_digest()?;
        let runtime = BlockingRuntime::new()?;
        let (client, earlier) = runtime.wait(STEP, async {
            let mut client = connect(settings).await?;
            migrate(&mut client).await?;
            if client.query_opt("select from ledger", &[]).await?.is_some() {
                return Err(PostgresError::NotEmpty);
            }
            let earlier = resume(&mut client, &source).await?;
            Ok((client, earlier))
        })?;
        Ok(Self { runtime, client, source, earlier })
    }

    /// Imports all rows, reads each back, and returns their total number. Calls
    /// `progress` with the number of rows imported so far. Blocks.
    ///
    /// # Errors
    /// The database fails or alters data. The import can be started again.
    pub fn run(mut self, from: &RedbStore, mut progress: impl FnMut(i64)) -> Result<i64, PostgresError> {
        let (mut batch, mut rows) = (Batch::default(), 0_i64);
        from.copy_tables(&mut |note| {
            rows += 1;
            if rows <= self.earlier {
                return Ok(());
            }
            for note in TableNote::all(note) {
                batch.add(&note);
            }
            if batch.numbers.len() < ROWS_AT_ONCE && batch.bytes < BYTES_AT_ONCE {
                return Ok(());
            }
            let written = self.runtime.wait(STEP, write(&mut self.client, &mut batch));
            progress(rows);
            written.map_err(|error| error.into_store_error("importing rows"))
        })?;
        let Self { runtime, mut client, source, .. } = self;
        runtime.wait(STEP, async {
            write(&mut client, &mut batch).await?;
            finish(&mut client, rows, &source).await
        })?;
        progress(rows);
        Ok(rows)
    }
}

impl Batch {
    fn add(&mut self, note: &TableNote<'_>) {
        let value = note.value.unwrap_or_default();
        self.numbers.push(i16::from(note.table));
        self.keys.push(note.key.to_vec());
        self.values.push(value.to_vec());
        self.bytes = self.bytes.saturating_add(note.key.len()).saturating_add(value.len());
    }
}

/// Returns the number of rows of this source that are already imported.
async fn resume(client: &mut Client, source: &Hash) -> Result<i64, PostgresError> {
    let txn = client.transaction().await?;
    let row = txn.query_opt("select source, rows from import for update", &[]).await?;
    if let Some(row) = &row
        && row.try_get::<_, &[u8]>(0)? == source
    {
        let rows = row.try_get(1)?;
        txn.commit().await?;
        return Ok(rows);
    }
    txn.batch_execute("truncate table_rows; delete from import").await?;
    txn.execute("insert into import (source) values ($1)", &[&source.as_slice()]).await?;
    txn.commit().await?;
    Ok(0)
}

/// Writes a batch of rows and reads it back.
async fn write(client: &mut Client, batch: &mut Batch) -> Result<(), PostgresError> {
    let Batch { numbers, keys, values, .. } = std::mem::take(batch);
    let written = i64::try_from(numbers.len()).unwrap_or(i64::MAX);
    let txn = client.transaction().await?;
    txn.execute(
        "insert into table_rows (number, key, value) select * from unnest($1::smallint[], $2::bytea[], $3::bytea[])",
        &[&numbers, &keys, &values],
    )
    .await?;
    let row = txn
        .query_one(
            "select count(*) from unnest($1::smallint[], $2::bytea[], $3::bytea[]) as given (number, key, value) \
             join table_rows using (number, key) where table_rows.value = given.value",
            &[&numbers, &keys, &values],
        )
        .await?;
    let found: i64 = row.try_get(0)?;
    if found != written {
        return Err(PostgresError::Unlike { written, found });
    }
    txn.execute("update import set rows = rows + $1", &[&written]).await?;
    txn.commit().await?;
    Ok(())
}

/// Marks the imported tables as a ledger, which hosts can then use.
async fn finish(client: &mut Client, rows: i64, source: &Hash) -> Result<(), PostgresError> {
    let txn = client.transaction().await?;
    let row = txn.query_one("select count(*) from table_rows", &[]).await?;
    let found: i64 = row.try_get(0)?;
    if found != rows {
        return Err(PostgresError::Unlike { written: rows, found });
    }
    let id = source.first_chunk::<16>().copied().unwrap_or_default();
    txn.execute(
        "insert into ledger (id, tables_version, compacted_digest) values ($1, $2, $3)",
        &[&id.as_slice(), &TABLES_VERSION, &[0_u8; 32].as_slice()],
    )
    .await?;
    txn.execute("delete from import", &[]).await?;
    txn.commit().await?;
    Ok(())
}
