//! Shares published plugin versions among all hosts: each host adds the versions in its
//! folder to the database, and copies the versions that its folder lacks from the
//! database.
//!
//! A host adds only versions signed by publishers that it trusts, and verifies copied
//! versions like any other version in its folder. Nothing is ever removed: a version that
//! should no longer serve is yanked, which is a row of the ledger.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_market::catalog::publishers;
use tollbridge_postgres::{PostgresSettings, SharedRegistry};
use tollbridge_registry::{
    Candidate, PluginId, RegistryWatch, ScanTime, Scanner, WatchOptions, parse_version, read_version, write_version,
};
use tollbridge_store::Store;

/// Interval between comparisons when no change is reported.
const COMPARE_EVERY: Duration = Duration::from_secs(10);
/// Delay before a retry after a database error.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Synchronizes this host's registry folder with the versions in the database.
pub(super) struct RegistryMirror {
    shared: SharedRegistry,
    folder: PathBuf,
    publishers_file: PathBuf,
    store: Arc<dyn Store>,
    scanner: Arc<Mutex<Scanner>>,
    /// Versions that need no copying: both sides have them, or they arrived damaged.
    settled: Mutex<HashSet<String>>,
}

impl RegistryMirror {
    pub(super) fn new(
        settings: PostgresSettings,
        folder: PathBuf,
        publishers_file: PathBuf,
        store: Arc<dyn Store>,
    ) -> Self {
        let scanner = Arc::new(Mutex::new(Scanner::new(folder.clone())));
        let (shared, settled) = (SharedRegistry::new(settings), Mutex::default());
        Self { shared, folder, publishers_file, store, scanner, settled }
    }

    /// Keeps the folder and the database in sync until the process ends. `published` is
    /// notified when another host adds a version.
    pub(super) async fn run(self, published: Arc<Notify>) {
        let mut watch = RegistryWatch::start(self.folder.clone(), WatchOptions::default());
        loop {
            let pause = match self.compare().await {
                Ok(()) => COMPARE_EVERY,
                Err(error) => {
                    tracing::warn!(error = format!("{error:#}"), "cannot fetch the plugins of other hosts");
                    RETRY_AFTER
                }
            };
            tokio::select! {
                () = watch.changed() => {}
                () = published.notified() => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Compares the folder with the database once: copies versions that the folder lacks,
    /// and adds those that the database lacks.
    pub(super) async fn compare(&self) -> Result<()> {
        let shared = self.shared.versions().await?;
        let there: HashSet<&str> = shared.iter().map(|version| version.path.as_str()).collect();
        let here = self.scan().await?;
        for candidate in here {
            let path = path_of(&candidate);
            if !there.contains(path.as_str()) {
                self.add(&path, candidate).await.with_context(|| format!("cannot share {path}"))?;
            }
            self.settled.lock().insert(path);
        }
        for version in &shared {
            if !self.settled.lock().contains(&version.path) {
                let taken = self.take(version.number, &version.path).await;
                taken.with_context(|| format!("cannot copy {}", version.path))?;
                self.settled.lock().insert(version.path.clone());
            }
        }
        Ok(())
    }

    async fn scan(&self) -> Result<Vec<Arc<Candidate>>> {
        let publishers = publishers(&self.publishers_file, self.store.as_ref()).map_err(anyhow::Error::msg)?;
        let scanner = self.scanner.clone();
        let scan = tokio::task::spawn_blocking(move || scanner.lock().scan(&publishers, ScanTime::now())).await?;
        if let Some(fault) = scan.fault {
            anyhow::bail!("the registry {fault}");
        }
        Ok(scan.plugins.into_values().flat_map(|versions| versions.candidates.into_values()).collect())
    }

    async fn add(&self, path: &str, candidate: Arc<Candidate>) -> Result<()> {
        let folder = self.folder.clone();
        let parts = tokio::task::spawn_blocking(move || read_version(&folder, &candidate)).await??;
        self.shared.add(path, &parts).await?;
        tracing::info!(version = path, "shared with other hosts");
        Ok(())
    }

    async fn take(&self, number: i64, path: &str) -> Result<()> {
        let Some((id, version)) = read_path(path) else {
            tracing::error!(path, "another host shared an invalid version path");
            return Ok(());
        };
        let parts = self.shared.files(number).await?;
        let folder = self.folder.clone();
        let written = tokio::task::spawn_blocking(move || write_version(&folder, &id, &version, parts)).await?;
        match written {
            Ok(true) => tracing::info!(version = path, "copied from another host"),
            Ok(false) => {}
            Err(error) => tracing::error!(%error, path, "a version from another host is damaged"),
        }
        Ok(())
    }
}

/// Returns the path of a version below the registry.
fn path_of(candidate: &Candidate) -> String {
    let id = candidate.id();
    format!("{}/{}/{}", id.kind.folder(), id.name, candidate.version())
}

/// Parses the path of a version below the registry.
fn read_path(path: &str) -> Option<(PluginId, semver::Version)> {
    let mut parts = path.split('/');
    let (folder, name, version) = (parts.next()?, parts.next()?, parts.next()?);
    let kind = [PluginKind::Bridge, PluginKind::Agent].into_iter().find(|kind| kind.folder() == folder)?;
    let id = PluginId { kind, name: name.parse().ok()? };
    let version = parse_version(version).ok()?;
    parts.next().is_none().then_some((id, version))
}
