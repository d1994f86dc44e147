//! The plugin versions shared by all hosts: a version published on one host reaches all
//! others.
//!
//! A version consists of the files of its folder and never changes. The database is not
//! trusted: a host verifies the signature of every version that it downloads, as it does
//! for a local folder.

use std::time::Duration;

use crate::error::PostgresError;
use crate::session::Session;
use crate::settings::PostgresSettings;

/// Time-out of uploading or downloading the files of a version.
const FILES_MAX: Duration = Duration::from_secs(60);

/// One host's access to the shared versions.
pub struct SharedRegistry {
    session: Session,
}

/// An entry for one plugin version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedVersion {
    /// Position of the version in the order of publication.
    pub number: i64,
    /// `bridges/<name>/<version>` or `agents/<name>/<version>`.
    pub path: String,
}

/// A file of a version: its path relative to the version's folder, and its content.
pub type SharedFile = (String, Vec<u8>);

impl SharedRegistry {
    /// Creates the registry that is stored in the database of these settings.
    pub fn new(settings: PostgresSettings) -> Self {
        Self { session: Session::new(settings) }
    }

    /// Returns all versions, in the order of publication.
    ///
    /// # Errors
    /// The database is unavailable.
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

    /// Returns the files of a version.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn files(&self, number: i64) -> Result<Vec<SharedFile>, PostgresError> {
        self.session
            .ask_for(FILES_MAX, async |client| {
                let rows =
                    client.query("select path, bytes from registry_files where version = $1", &[&number]).await?;
                rows.into_iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
            })
            .await
    }

    /// Adds a version, unless it exists.
    ///
    /// # Errors
    /// The database is unavailable.
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
