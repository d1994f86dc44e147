//! Migrations of the database schema: numbered files, forward only.

use tokio_postgres::Client;

use crate::error::PostgresError;

/// All migrations, in order; a migration's number is its position, counted from one.
const MIGRATIONS: [&str; 2] =
    [include_str!("../migrations/0001_log.sql"), include_str!("../migrations/0002_hosts.sql")];
/// Key of the advisory lock that serializes the migrations of hosts that start together.
/// An arbitrary number.
const MIGRATION_LOCK: i64 = 0x746f_6c6c_6272_6900;

/// Migrates the database to the newest schema. Other hosts may migrate at the same time.
pub(crate) async fn migrate(client: &mut Client) -> Result<(), PostgresError> {
    let txn = client.transaction().await?;
    txn.execute("select pg_advisory_xact_lock($1)", &[&MIGRATION_LOCK]).await?;
    txn.batch_execute(
        "create schema if not exists tollbridge; \
         create table if not exists migrations (number integer primary key, at timestamptz not null default now())",
    )
    .await?;
    let row = txn.query_one("select coalesce(max(number), 0) from migrations", &[]).await?;
    let done: i32 = row.try_get(0)?;
    let known = i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX);
    if done > known {
        return Err(PostgresError::Newer(done));
    }
    for (number, migration) in (1..).zip(MIGRATIONS).filter(|(number, _)| *number > done) {
        txn.batch_execute(migration).await?;
        txn.execute("insert into migrations (number) values ($1)", &[&number]).await?;
    }
    txn.commit().await?;
    Ok(())
}
