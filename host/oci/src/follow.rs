//! Copies versions of the configured artifacts from other registries into the registry
//! folder, and checks for new versions periodically.
//!
//! Invariants: a registry's response or failure to respond never changes an existing
//! version; a copied version is verified as in `pull`, then treated like any other
//! version in the folder; an artifact whose registry hangs delays others only if all
//! slots are in use.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use metrics::{counter, gauge};
use semver::Version;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tollbridge_core::artifact_problems::ArtifactProblems;
use tollbridge_core::artifact_reference::ArtifactReference;
use tollbridge_core::blocking::blocking;
use tollbridge_core::config::{ArtifactsConfig, FollowedArtifact};
use tollbridge_registry::{Publishers, RegistryError, StoredVersion};

use crate::client::{OciClient, Offered};
use crate::credentials::Credentials;
use crate::error::OciError;
use crate::follow_step::{Course, Outcome, Told, check, folder_of, newest};

/// Maximum time for downloading one artifact: 32 MiB at 1 Mbit/s.
const ARTIFACT_TIME_MAX: Duration = Duration::from_secs(300);
/// Maximum number of concurrent downloads; each artifact is completely in memory.
const ARTIFACTS_AT_ONCE_MAX: usize = 4;

/// Settings of the follower: the artifacts to copy and the folder to copy them into.
pub struct ArtifactFollowerSettings {
    /// The configured `registry.artifacts` with their options.
    pub artifacts: ArtifactsConfig,
    /// The registry folder.
    pub registry: PathBuf,
    /// File of trusted publishers; read again for each check.
    pub publishers_file: PathBuf,
    /// Maximum size of a component that the host loads, in bytes.
    pub max_component: u64,
}

/// Copies the configured artifacts into the registry folder and keeps them up to date.
pub struct ArtifactFollower {
    settings: ArtifactFollowerSettings,
    places: Semaphore,
    problems: Arc<ArtifactProblems>,
}

/// References whose version is already in the registry folder, with the version's folder.
/// A version never changes, so these references are not checked again.
pub(crate) type Settled = BTreeMap<String, PathBuf>;

impl ArtifactFollower {
    /// Creates a follower without starting it. The follower records its failures in
    /// `problems`.
    pub fn new(settings: ArtifactFollowerSettings, problems: Arc<ArtifactProblems>) -> Arc<Self> {
        Arc::new(Self { settings, places: Semaphore::new(ARTIFACTS_AT_ONCE_MAX), problems })
    }

    /// Starts checking all artifacts concurrently and periodically; dropping the returned
    /// set stops the checks.
    pub fn start(self: &Arc<Self>) -> JoinSet<()> {
        let mut following = JoinSet::new();
        for followed in &self.settings.artifacts.followed {
            following.spawn(self.clone().follow(followed.clone()));
        }
        if !following.is_empty() {
            self.measure();
        }
        following
    }

    async fn follow(self: Arc<Self>, followed: FollowedArtifact) {
        let (mut course, mut settled) = (Course::default(), Settled::new());
        let artifact = followed.reference.to_string();
        loop {
            let looked = self.look(&followed, &mut settled).await;
            let (report, pause) = course.note(&looked, self.settings.artifacts.every);
            match report {
                Told::Problem(error) => {
                    tracing::warn!(artifact, error, "an artifact is not taken; the registry folder is unchanged");
                }
                Told::Well => tracing::info!(artifact, "the artifact is available again"),
                Told::Nothing => {}
            }
            self.problems.note(&artifact, course.problem());
            self.measure();
            tokio::time::sleep(pause).await;
        }
    }

    fn measure(&self) {
        let failing = u32::try_from(self.problems.count()).unwrap_or(u32::MAX);
        gauge!("tollbridge_artifacts_failing").set(failing);
    }

    /// Checks the version that a reference names, or the newest versions if the reference
    /// names only a repository. If one of them fails, returns the first error, but still
    /// installs the others.
    pub(crate) async fn look(&self, followed: &FollowedArtifact, settled: &mut Settled) -> Result<Outcome, OciError> {
        let reference = &followed.reference;
        if reference.tag().is_some() || reference.digest().is_some() {
            return self.look_at(followed, reference, None, settled).await;
        }
        let listed = match self.client(followed) {
            Ok(client) => in_time(reference, client.tags(reference)).await,
            Err(error) => Err(error),
        };
        let tags = listed.inspect_err(|_| count(Outcome::Failed))?;
        let mut whole = Ok(Outcome::Unchanged);
        for (tag, version) in newest(tags) {
            let tagged = reference.clone().or_tag(&tag);
            let looked = self.look_at(followed, &tagged, Some(&version), settled).await;
            whole = match (whole, looked) {
                (Err(first), _) => Err(first),
                (Ok(_), Err(error)) => Err(error),
                (Ok(Outcome::Taken), Ok(_)) | (Ok(_), Ok(Outcome::Taken)) => Ok(Outcome::Taken),
                (Ok(outcome), Ok(_)) => Ok(outcome),
            };
        }
        whole
    }

    /// Checks one artifact. `wanted` is the version that the tag names, if the tag is a
    /// version number.
    async fn look_at(
        &self,
        followed: &FollowedArtifact,
        reference: &ArtifactReference,
        wanted: Option<&Version>,
        settled: &mut Settled,
    ) -> Result<Outcome, OciError> {
        // A digest or a version tag always names the same version; other tags may move.
        let key = (wanted.is_some() || reference.digest().is_some()).then(|| reference.to_string());
        if key.as_ref().and_then(|key| settled.get(key)).is_some_and(|folder| folder.is_dir()) {
            return Ok(Outcome::Unchanged);
        }
        let looked = match self.places.acquire().await {
            Ok(_place) => in_time(reference, self.take(followed, reference, wanted)).await,
            // Unreachable: the semaphore is never closed.
            Err(_) => return Ok(Outcome::Unchanged),
        };
        count(looked.as_ref().map_or_else(Outcome::of, |(outcome, _)| *outcome));
        let (outcome, folder) = looked?;
        if let Some(key) = key {
            settled.insert(key, folder);
        }
        Ok(outcome)
    }

    /// Installs the version that a reference names, unless the registry folder already
    /// has it.
    async fn take(
        &self,
        followed: &FollowedArtifact,
        reference: &ArtifactReference,
        wanted: Option<&Version>,
    ) -> Result<(Outcome, PathBuf), OciError> {
        let client = self.client(followed)?;
        let publishers = self.publishers().await?;
        let offered = client.look(reference, &publishers).await?;
        check(&offered.candidate, wanted, self.settings.max_component)?;
        let folder = folder_of(&self.settings.registry, &offered.candidate);
        let publishers = Arc::new(publishers);
        if self.is_there(&offered, &publishers).await? {
            return Ok((Outcome::Unchanged, folder));
        }
        let pulled = client.take(reference, offered, &publishers).await?;
        let (plugin, version) = (pulled.candidate.id().to_string(), pulled.candidate.version().to_string());
        let digest = pulled.digest.clone();
        let root = self.settings.registry.clone();
        let is_new = off_thread(move || pulled.put_into(&root, &publishers)).await?;
        if is_new {
            tracing::info!(artifact = %reference, plugin, version, digest, "a version was copied from a registry");
        }
        Ok((if is_new { Outcome::Taken } else { Outcome::Unchanged }, folder))
    }

    /// Returns whether the registry folder already has the offered version. If so, its
    /// files are not downloaded.
    async fn is_there(&self, offered: &Offered, publishers: &Arc<Publishers>) -> Result<bool, OciError> {
        let (id, version) = (offered.candidate.id().clone(), offered.candidate.version().clone());
        let (digest, root, publishers) = (offered.candidate.digest, self.settings.registry.clone(), publishers.clone());
        let folder = folder_of(&root, &offered.candidate);
        off_thread(move || match StoredVersion::open(&root, &id, &version, &publishers) {
            Ok(stored) if stored.candidate.digest == digest => Ok(true),
            Err(_) if !folder.exists() => Ok(false),
            _ => Err(RegistryError::Published { id, version }.into()),
        })
        .await
    }

    async fn publishers(&self) -> Result<Publishers, OciError> {
        let file = self.settings.publishers_file.clone();
        off_thread(move || Ok(Publishers::load(&file)?)).await
    }

    fn client(&self, followed: &FollowedArtifact) -> Result<OciClient, OciError> {
        let registry = followed.reference.registry();
        let credentials = match &self.settings.artifacts.credentials {
            Some(file) => Credentials::in_file(registry, file)?,
            None => Credentials::of_docker(registry, &|name| std::env::var(name).ok())?,
        };
        Ok(OciClient::new(&followed.reference, credentials, followed.plain_http))
    }

    /// Queries the registries of all artifacts once without installing anything. For each
    /// configured reference, returns the available version or the error.
    pub async fn probe(self: &Arc<Self>, patience: Duration) -> BTreeMap<String, Result<String, OciError>> {
        let mut asked = JoinSet::new();
        for followed in &self.settings.artifacts.followed {
            let (follower, followed) = (self.clone(), followed.clone());
            asked.spawn(async move {
                let answer = tokio::time::timeout(patience, follower.ask(&followed)).await;
                let answer = answer.unwrap_or_else(|_| Err(too_slow(&followed.reference, patience)));
                (followed.reference.to_string(), answer)
            });
        }
        asked.join_all().await.into_iter().collect()
    }

    async fn ask(&self, followed: &FollowedArtifact) -> Result<String, OciError> {
        let reference = &followed.reference;
        let client = self.client(followed)?;
        let (reference, wanted) = match reference.tag().is_some() || reference.digest().is_some() {
            true => (reference.clone(), None),
            false => match newest(client.tags(reference).await?).into_iter().next() {
                Some((tag, version)) => (reference.clone().or_tag(&tag), Some(version)),
                None => return Ok("no version yet".to_owned()),
            },
        };
        let offered = client.look(&reference, &self.publishers().await?).await?;
        check(&offered.candidate, wanted.as_ref(), self.settings.max_component)?;
        Ok(format!("{} {}", offered.candidate.id(), offered.candidate.version()))
    }
}

fn count(outcome: Outcome) {
    counter!("tollbridge_artifacts_total", "outcome" => outcome.label()).increment(1);
}

async fn in_time<T>(
    reference: &ArtifactReference,
    work: impl Future<Output = Result<T, OciError>>,
) -> Result<T, OciError> {
    let done = tokio::time::timeout(ARTIFACT_TIME_MAX, work).await;
    done.unwrap_or_else(|_| Err(too_slow(reference, ARTIFACT_TIME_MAX)))
}

fn too_slow(reference: &ArtifactReference, patience: Duration) -> OciError {
    let message = format!("no complete answer within {} s", patience.as_secs());
    OciError::Remote { registry: reference.registry().to_owned(), message }
}

async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, OciError> + Send + 'static,
) -> Result<T, OciError> {
    blocking(work).await.unwrap_or_else(|error| Err(OciError::Unfinished(error.to_string())))
}
