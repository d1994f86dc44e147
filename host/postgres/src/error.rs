//! Errors of the database.

use tollbridge_store::StoreError;

/// An error of a database, its settings or the connection to it.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum PostgresError {
    #[error("store.url is not a connection string: {0}")]
    Url(tokio_postgres::Error),
    #[error("store.root_certificate cannot be read: {0}")]
    Certificate(String),
    #[error("{}", described(.0))]
    Database(#[from] tokio_postgres::Error),
    #[error("the database did not answer within {0} seconds")]
    TimeOut(u64),
    #[error(
        "synchronous_commit is {0}, so the database acknowledges commits that a crash can lose; set it to on, or to \
         remote_apply with a standby"
    )]
    NotDurable(String),
    #[error("fsync is off, so a crash of the database's machine can damage the ledger; set it to on")]
    NoSync,
    #[error("the database answers read-only: it is a standby")]
    ReadOnly,
    #[error("the ledger of this database was moved elsewhere; set store.engine to its new location")]
    Moved,
    #[error("an import into this database was not finished; run `tollbridge store migrate` again to resume it")]
    Importing,
    #[error("{found} of {written} rows match what was written; the database alters data")]
    Unlike { written: i64, found: i64 },
    #[error("the database already has a ledger; use another database")]
    NotEmpty,
    #[error("the database was made by a newer Tollbridge (migration {0}); run that version")]
    Newer(i32),
    #[error(
        "the database's tables have format {found}, this Tollbridge has {known}; run the same version on every host"
    )]
    OtherShape { found: i32, known: i32 },
    #[error("a row of the database is corrupt: {0}")]
    Damaged(&'static str),
    #[error("the database client cannot start: {0}")]
    Runtime(#[from] std::io::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Formats the database's own message and its code, because the library's text is only
/// `db error`.
fn described(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(db) => format!("PostgreSQL says: {} ({})", db.message(), db.code().code()),
        None => {
            let source = std::error::Error::source(error).map_or_else(String::new, |source| format!(": {source}"));
            let hint = match source.contains("certificate") {
                true => {
                    "; name its certificate in store.root_certificate, or set sslmode=disable for a database on this machine"
                }
                false => "",
            };
            format!("{error}{source}{hint}")
        }
    }
}

impl PostgresError {
    /// Returns whether a retry may succeed: the database is unavailable, is starting or
    /// has become a standby, or the connection was lost.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::TimeOut(_) | Self::ReadOnly => true,
            Self::Database(error) => error.code().is_none_or(|code| {
                // SQLSTATE classes (connection, resources, operator intervention,
                // rollback, object state), and the code with which a standby refuses to
                // write.
                ["08", "53", "57", "40", "55"].iter().any(|class| code.code().starts_with(class))
                    || code.code() == "25006"
            }),
            _ => false,
        }
    }

    pub(crate) fn into_store_error(self, doing: &'static str) -> StoreError {
        StoreError { doing, source: Box::new(self) }
    }
}
