//! The registry service: checks access, and finds versions and blobs.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use semver::Version;
use tokio::sync::Semaphore;
use tollbridge_agents::DeployService;
use tollbridge_market::catalog::{CatalogReconciler, publishers};
use tollbridge_registry::{Digest, PluginId, Publishers, StoredVersion, parse_version};
use tollbridge_store::Store;

use super::answer::Source;
use super::kept::{Kept, KeptArtifact, Origin};
use super::refusal::Refusal;
use super::staging::Staging;
use crate::artifact::{config_of, described};
use crate::error::OciError;

/// Interval at which idle uploads and blobs are deleted.
const EXPIRE_EVERY: Duration = Duration::from_secs(60);
/// Maximum number of manifests processed at once; each needs the whole version in memory.
const TAKEN_AT_ONCE: usize = 4;

/// Dependencies of the registry.
pub struct PluginRegistryDeps {
    /// The folder of the plugin registry.
    pub registry: PathBuf,
    /// The file of trusted publishers.
    pub publishers_file: PathBuf,
    /// Folder for uploads and artifact manifests; separate from the registry folder.
    pub folder: PathBuf,
    /// The store with the deploying accounts and the revoked keys.
    pub store: Arc<dyn Store>,
    /// Deploys versions that are pushed without a publisher's signature.
    pub deployments: Arc<DeployService>,
    /// Loads pushed versions into the catalog.
    pub reconciler: Arc<CatalogReconciler>,
}

/// An OCI registry whose repositories are this server's plugins.
pub struct PluginRegistry {
    pub(super) deps: PluginRegistryDeps,
    pub(super) staging: Arc<Staging>,
    pub(super) kept: Kept,
    /// Slots for manifests that are being processed.
    pub(super) places: Semaphore,
    /// Accounts with a manifest that is being processed.
    pub(super) taking: Mutex<HashSet<String>>,
}

impl PluginRegistry {
    /// Opens the registry and discards the uploads of the previous process. Blocks on
    /// files.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn open(deps: PluginRegistryDeps) -> std::io::Result<Arc<Self>> {
        let staging = Staging::open(deps.folder.join("uploads"))?;
        let kept = Kept(deps.folder.join("artifacts"));
        let (places, taking) = (Semaphore::new(TAKEN_AT_ONCE), Mutex::default());
        Ok(Arc::new(Self { deps, staging, kept, places, taking }))
    }

    /// Deletes idle uploads and blobs periodically, until the registry is dropped.
    pub fn keep_clean(self: &Arc<Self>) {
        let registry = Arc::downgrade(self);
        tokio::spawn(async move {
            let mut moments = tokio::time::interval(EXPIRE_EVERY);
            loop {
                moments.tick().await;
                let Some(registry) = registry.upgrade() else { return };
                registry.staging.expire(Instant::now());
            }
        });
    }

    /// Returns all trusted publishers. Blocks.
    pub(super) fn publishers(&self) -> Result<Publishers, Refusal> {
        publishers(&self.deps.publishers_file, self.deps.store.as_ref()).map_err(|error| Refusal::internal(&error))
    }

    /// Returns whether a trusted publisher other than the account's own deployment key
    /// pays earnings to the account. Blocks.
    pub(super) fn has_publisher(&self, account: &str) -> Result<bool, Refusal> {
        let handle = tollbridge_market::catalog::handle_of(account);
        let all = self.publishers()?;
        Ok(all.iter().any(|publisher| publisher.account == account && publisher.name.as_str() != handle))
    }

    /// Calls `find` for the account's versions of a plugin, newest first, and returns the
    /// first match. Blocks.
    pub(super) fn find_version<T>(
        &self,
        account: &str,
        id: &PluginId,
        find: impl Fn(StoredVersion) -> Result<Option<T>, Refusal>,
    ) -> Result<Option<T>, Refusal> {
        let publishers = self.publishers()?;
        for version in self.deps.deployments.versions(id.kind, id.name.as_str()).into_iter().rev() {
            if let Some(stored) = self.open_version(account, id, &version, &publishers)
                && let Some(found) = find(stored)?
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn open_version(
        &self,
        account: &str,
        id: &PluginId,
        version: &Version,
        publishers: &Publishers,
    ) -> Option<StoredVersion> {
        let stored = StoredVersion::open(&self.deps.registry, id, version, publishers).ok()?;
        let publisher = publishers.find(&stored.candidate.manifest.publisher)?;
        (publisher.account == account).then_some(stored)
    }

    /// Returns the version that a tag names, if it belongs to the account. Blocks.
    pub(super) fn tagged(&self, account: &str, id: &PluginId, tag: &str) -> Result<Option<StoredVersion>, Refusal> {
        if tag == "latest" {
            let released = |stored: StoredVersion| Ok(stored.candidate.version().pre.is_empty().then_some(stored));
            return self.find_version(account, id, released);
        }
        let Ok(version) = parse_version(tag) else { return Ok(None) };
        Ok(self.open_version(account, id, &version, &self.publishers()?))
    }

    /// Returns the account's versions of a plugin, lowest first. Blocks.
    pub(super) fn tags(&self, account: &str, id: &PluginId) -> Result<Vec<String>, Refusal> {
        let publishers = self.publishers()?;
        let versions = self.deps.deployments.versions(id.kind, id.name.as_str()).into_iter();
        let own = versions.filter(|version| self.open_version(account, id, version, &publishers).is_some());
        Ok(own.map(|version| version.to_string()).collect())
    }

    /// Returns the artifacts of a version: the signed one, which the version's tag names,
    /// and the unsigned one if the version was pushed without a signature. Blocks.
    pub(super) fn artifacts(&self, stored: &StoredVersion) -> Result<Vec<KeptArtifact>, Refusal> {
        let pushed = self.kept.find(Origin::Pushed, stored);
        if let Some(signed) = pushed.clone().filter(KeptArtifact::is_signed) {
            return Ok(vec![signed]);
        }
        let made = match self.kept.find(Origin::Made, stored).filter(KeptArtifact::is_signed) {
            Some(made) => made,
            None => self.make(stored)?,
        };
        Ok([made].into_iter().chain(pushed).collect())
    }

    /// Generates the signed artifact of a version for which none was pushed.
    fn make(&self, stored: &StoredVersion) -> Result<KeptArtifact, Refusal> {
        use std::io::Read as _;

        let manifest = &stored.candidate.manifest;
        let opened = stored.open_file(stored.candidate.component.sha256).map_err(|fault| Refusal::internal(&fault))?;
        let (mut file, _) = opened.ok_or_else(Refusal::unknown_manifest)?;
        let mut component = Vec::new();
        file.read_to_end(&mut component).map_err(|error| Refusal::internal(&error))?;
        let config = config_of(manifest, &component).map_err(|error| Refusal::internal(&error))?;
        let text = |bytes| std::str::from_utf8(bytes).map_err(|error| Refusal::internal(&error));
        let image = described(manifest, (text(&stored.manifest)?, text(&stored.signature)?), &config);
        let made = KeptArtifact { manifest: image.to_bytes(), config };
        let place = (stored.candidate.id(), stored.candidate.version());
        if let Err(error) = self.kept.keep(Origin::Made, place, &made) {
            tracing::warn!(%error, "the manifest of an artifact cannot be stored and is generated for each request");
        }
        Ok(made)
    }

    /// Finds a blob that the account uploaded, or that one of the account's versions in
    /// the repository references. Blocks.
    pub(super) fn find_blob(&self, account: &str, id: &PluginId, digest: Digest) -> Result<Option<Source>, Refusal> {
        if let Some((path, size)) = self.staging.blob(account, digest)
            && let Ok(file) = std::fs::File::open(path)
        {
            return Ok(Some(Source::File(file, size)));
        }
        self.find_version(account, id, |stored| {
            if let Some((file, size)) = stored.open_file(digest).map_err(|fault| Refusal::internal(&fault))? {
                return Ok(Some(Source::File(file, size)));
            }
            let configs = self.artifacts(&stored)?.into_iter().map(|artifact| artifact.config);
            Ok(configs.into_iter().find(|config| Digest::of(config) == digest).map(Source::Bytes))
        })
    }

    /// Reads a blob of the account and checks that it has the given size. Blocks.
    pub(super) fn read_blob(
        &self,
        account: &str,
        id: &PluginId,
        (digest, size): (Digest, u64),
    ) -> Result<Option<Vec<u8>>, Refusal> {
        use std::io::Read as _;

        let bytes = match self.find_blob(account, id, digest)? {
            None => return Ok(None),
            Some(Source::Bytes(bytes)) => bytes,
            Some(Source::File(file, _)) => {
                let mut bytes = Vec::new();
                let read = file.take(size.saturating_add(1)).read_to_end(&mut bytes);
                read.map_err(|error| Refusal::internal(&error))?;
                bytes
            }
        };
        let fits = bytes.len() as u64 == size;
        let wrong = || OciError::Manifest(format!("the blob sha256:{digest} does not have {size} bytes"));
        if fits { Ok(Some(bytes)) } else { Err(wrong().into()) }
    }
}
