//! The versions of plugins that hosts share: what is published on one host comes
//! to all.
//!
//! A version is the files of its folder and never changes. The database is no
//! party to trust: whoever takes a version from here verifies its signature, as
//! with a folder.

use std::time::Duration;

use crate::error::PostgresError;
use crate::session::Session;
use crate::settings::PostgresSettings;

/// Longest that the files of a version are under way.
const FILES_MAX: Duration = Duration::from_secs(60);

/// The versions, as one host adds to them and takes from them.
pub struct SharedRegistry {
    session: Session,
}

/// A version's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedVersion {
    /// Its place in the order in which versions came.
    pub number: i64,
    /// `bridges/<name>/<version>` or `agents/<name>/<version>`.
    pub path: String,
}

/// A file of a version: its path below the version's folder, and its bytes.
pub type SharedFile = (String, Vec<u8>);

impl SharedRegistry {
    /// The versions of a database.
    pub fn new(settings: PostgresSettings) -> Self {
        Self { session: Session::new(settings) }
    }

    /// All versions, in the order in which they came.
    ///
    /// # Errors
    /// When the database is away.
    pub async fn versions(&self) -> Result<Vec<SharedVersion>, PostgresError> {
        self.session
            .ask(async |client| {
                let rows = client.query("select number, path from registry_versions order by number", &[]).await?;
                let version =
                    |row: tokio_postgres::Row| Ok(SharedVersion { number: row.try_get(0)?, path: row.try_get(1)? });
                rows.into_iter().map(version).collect()
            })
            .await
    }

    /// The files of a version.
    ///
    /// # Errors
    /// When the database is away.
    pub async fn files(&self, number: i64) -> Result<Vec<SharedFile>, PostgresError> {
        self.session
            .ask_for(FILES_MAX, async |client| {
                let rows =
                    client.query("select path, bytes from registry_files where version = $1", &[&number]).await?;
                rows.into_iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
            })
            .await
    }

    /// Adds a version, unless it is there.
    ///
    /// # Errors
    /// When the database is away.
    pub async fn add(&self, path: &str, files: &[SharedFile]) -> Result<(), PostgresError> {
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        let bytes: Vec<&[u8]> = files.iter().map(|(_, bytes)| bytes.as_slice()).collect();
        self.session
            .ask_for(FILES_MAX, async |client| {
                client
                    .execute(
                        "with version as (insert into registry_versions (path) values ($1) \
                         on conflict (path) do nothing returning number) \
                         insert into registry_files (version, path, bytes) \
                         select number, file.path, file.bytes from version, unnest($2::text[], $3::bytea[]) \
                         as file (path, bytes)",
                        &[&path, &names, &bytes],
                    )
                    .await?;
                Ok(())
            })
            .await
    }
}
