//! Loads a version in addition to the serving ones, for the operator only.
//!
//! Invariant: a version loaded here is verified like serving versions, and callers never
//! get it.

use std::path::PathBuf;
use std::sync::Arc;

use semver::Version;
use tollbridge_plugin::Models;
use tollbridge_registry::{Candidate, Candidates, PluginId, ScanTime, distrusted};
use tollbridge_store::Store;

use super::deployers::tenant_of;
use super::offer::{LoadedVersion, Offer};
use super::trust::Trust;
use super::version_loader::{LoadError, VersionLoader};

/// Selects the version to load.
#[derive(Clone, Debug)]
pub enum AsideVersion {
    /// Exactly this version.
    Named(Version),
    /// The newest version other than this one; a pre-release only if there is no release.
    NewestBut(Version),
}

/// The reason a version could not be loaded or used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum AsideError {
    #[error("{0}")]
    NotFound(String),
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Failed(String),
}

/// A loader of versions for the operator only, in addition to the serving versions.
pub struct AsideLoader {
    pub(super) publishers_file: PathBuf,
    pub(super) store: Arc<dyn Store>,
    pub(super) loader: Arc<VersionLoader>,
    pub(super) models: Arc<dyn Models>,
}

impl AsideLoader {
    /// Loads a version for the operator, independently of the version that serves. The
    /// version is unloaded when the returned offer is dropped; its compiled code stays on
    /// disk while the version is in the registry.
    pub async fn load(&self, id: &PluginId, wanted: &AsideVersion) -> Result<Arc<Offer>, AsideError> {
        let trust = Trust::read(&self.publishers_file, self.store.as_ref()).map_err(AsideError::Failed)?;
        let (scanner, publishers) = (self.loader.scanner.clone(), trust.publishers.clone());
        let scan = tokio::task::spawn_blocking(move || scanner.lock().scan(&publishers, ScanTime::now())).await;
        let mut scan = scan.map_err(|error| AsideError::Failed(error.to_string()))?;
        let candidates = scan.plugins.remove(id).map(|versions| versions.candidates).unwrap_or_default();
        let candidate = wanted.find(&candidates).cloned().ok_or_else(|| AsideError::NotFound(wanted.missing(id)))?;
        let refused = |text: String| AsideError::Refused(format!("{} {}: {text}", id.name, candidate.version()));
        if let Some(cause) = distrusted(&trust.publishers, &trust.revoked, &candidate) {
            return Err(refused(cause.to_string()));
        }
        let publisher = trust.publishers.find(&candidate.manifest.publisher);
        let publisher = publisher.ok_or_else(|| refused("its publisher is not trusted".to_owned()))?;
        if tenant_of(publisher).is_some() {
            return Err(refused("an account deployed it; it can be loaded for its callers only".to_owned()));
        }
        let (plugin, needs) = self.loader.load(candidate.clone(), None).await.map_err(|error| match error {
            LoadError::Permanent(reason) => refused(format!("it does not load: {reason}")),
            LoadError::Transient(reason) | LoadError::Changing(reason) => AsideError::Failed(reason),
        })?;
        let version = LoadedVersion { plugin, needs, models: self.models.clone() };
        Ok(Arc::new(Offer::of(&candidate, publisher.account.clone(), version, false)))
    }
}

impl AsideVersion {
    fn find<'c>(&self, candidates: &'c Candidates) -> Option<&'c Arc<Candidate>> {
        match self {
            Self::Named(version) => candidates.get(version),
            Self::NewestBut(but) => {
                let others = || candidates.iter().rev().filter(|(version, _)| *version != but);
                let release = others().find(|(version, _)| version.pre.is_empty());
                release.or_else(|| others().next()).map(|(_, candidate)| candidate)
            }
        }
    }

    fn missing(&self, id: &PluginId) -> String {
        match self {
            Self::Named(version) => format!("version {version} is not in the registry or was rejected"),
            Self::NewestBut(but) => format!("{} has only version {but} in the registry; publish another", id.name),
        }
    }
}
