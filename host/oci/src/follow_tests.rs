//! Tests of followed artifacts with an in-process registry that can fail or send wrong
//! data.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use parking_lot::Mutex;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tollbridge_core::config::{ArtifactsConfig, FollowedArtifact};
use tollbridge_registry::{Digest, Publisher, PublisherKey, VersionParts, publish, read_version_folder};

use crate::artifact::Artifact;
use crate::digest::text_of;
use crate::follow::{ArtifactFollower, ArtifactFollowerSettings, Settled};
use crate::follow_step::Outcome;
use crate::manifest::{ImageManifest, MANIFEST};
use crate::testing::{component, published, trusted};

/// The contents of the test registry, and the requests that it received.
#[derive(Default)]
struct Shelf {
    manifests: BTreeMap<String, Vec<u8>>,
    blobs: BTreeMap<String, Vec<u8>>,
    asked: Vec<String>,
    is_away: bool,
}

struct Registry {
    shelf: Arc<Mutex<Shelf>>,
    address: String,
}

impl Registry {
    async fn open() -> Self {
        let shelf = Arc::new(Mutex::new(Shelf::default()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let routes = Router::new().fallback(answer).with_state(shelf.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { shelf, address }
    }

    fn put(&self, tag: &str, parts: VersionParts) {
        let artifact = Artifact::of(parts).unwrap();
        let mut shelf = self.shelf.lock();
        shelf.manifests.insert(artifact.digest(), artifact.manifest.clone());
        shelf.manifests.insert(tag.to_owned(), artifact.manifest);
        shelf.blobs.extend(artifact.layers.into_iter().map(|(digest, bytes)| (text_of(digest), bytes)));
    }

    /// Returns the number of matching requests since the previous call.
    fn asked(&self, what: &str) -> usize {
        let asked = std::mem::take(&mut self.shelf.lock().asked);
        asked.iter().filter(|path| path.contains(what)).count()
    }

    fn reference(&self, tag: &str) -> FollowedArtifact {
        let reference = format!("{}/bridges/tax{tag}", self.address).parse().unwrap();
        FollowedArtifact { reference, plain_http: false }
    }
}

async fn answer(State(shelf): State<Arc<Mutex<Shelf>>>, uri: Uri) -> Response {
    let mut shelf = shelf.lock();
    shelf.asked.push(uri.path().to_owned());
    if shelf.is_away {
        return StatusCode::BAD_GATEWAY.into_response();
    }
    let rest = uri.path().strip_prefix("/v2/").unwrap_or_default();
    if rest.is_empty() {
        return "{}".into_response();
    }
    if rest == "bridges/tax/tags/list" {
        // This registry has no paging: every response lists all tags.
        let tags: Vec<&String> = shelf.manifests.keys().filter(|name| !name.starts_with("sha256:")).collect();
        return serde_json::json!({ "name": "bridges/tax", "tags": tags }).to_string().into_response();
    }
    let found = match (rest.strip_prefix("bridges/tax/manifests/"), rest.strip_prefix("bridges/tax/blobs/")) {
        (Some(name), _) => shelf.manifests.get(name),
        (_, Some(name)) => shelf.blobs.get(name),
        _ => None,
    };
    let Some(bytes) = found.cloned() else { return StatusCode::NOT_FOUND.into_response() };
    let digest = text_of(Digest::of(&bytes));
    let headers = HeaderMap::from_iter([
        ("content-type".parse().unwrap(), MANIFEST.parse().unwrap()),
        ("docker-content-digest".parse().unwrap(), digest.parse().unwrap()),
    ]);
    (headers, bytes).into_response()
}

fn settings(folder: &TempDir, followed: Vec<FollowedArtifact>) -> ArtifactFollowerSettings {
    let path = |name: &str| folder.path().join(name);
    let credentials = Some(path("docker.json"));
    ArtifactFollowerSettings {
        artifacts: ArtifactsConfig { followed, every: Duration::from_secs(60), credentials },
        registry: path("registry"),
        publishers_file: path("publishers.toml"),
        max_component: 1 << 20,
    }
}

/// A host that trusts the publisher alice.
struct Host {
    folder: TempDir,
    follower: Arc<ArtifactFollower>,
    settled: Settled,
}

impl Host {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let publishers: String = trusted().iter().map(Publisher::to_toml).collect();
        std::fs::write(folder.path().join("publishers.toml"), publishers).unwrap();
        let follower = ArtifactFollower::new(settings(&folder, Vec::new()), Arc::default());
        Self { folder, follower, settled: Settled::new() }
    }

    async fn look(&mut self, followed: &FollowedArtifact) -> Result<Outcome, String> {
        self.follower.look(followed, &mut self.settled).await.map_err(|error| error.to_string())
    }

    fn version(&self, version: &str) -> PathBuf {
        self.folder.path().join("registry/bridges/tax").join(version)
    }

    fn versions(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.folder.path().join("registry/bridges/tax")) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

fn made(version: &str, with_table: bool) -> VersionParts {
    published(tempfile::tempdir().unwrap().path(), version, with_table)
}

/// Returns a version that claims to be alice's but is signed with an untrusted key.
fn forged(version: &str) -> VersionParts {
    let folder = tempfile::tempdir().unwrap();
    let manifest = format!(
        "name = \"tax\"\nkind = \"bridge\"\nversion = \"{version}\"\npublisher = \"alice\"\npurpose = \"Test\"\n\
         price_gbp = \"9.00\"\n"
    );
    let key = PublisherKey::from_seed("alice".parse().unwrap(), &[8; 32]);
    let published = publish(folder.path(), &manifest, &component(version), &BTreeMap::new(), &key).unwrap();
    read_version_folder(Path::new(&published.path)).unwrap().1
}

#[tokio::test]
async fn a_tag_is_followed_to_another_version_and_nothing_comes_twice() {
    let (registry, mut host) = (Registry::open().await, Host::new());
    let stable = registry.reference(":stable");
    registry.put("stable", made("1.0.0", true));
    assert_eq!(host.look(&stable).await, Ok(Outcome::Taken));
    assert_eq!((host.versions(), registry.asked("/blobs/")), (vec!["1.0.0".to_owned()], 2));
    let (_, files) = read_version_folder(&host.version("1.0.0")).unwrap();
    let sorted = |mut parts: VersionParts| {
        parts.sort();
        parts
    };
    assert_eq!(sorted(files), sorted(made("1.0.0", true)));
    assert_eq!(host.look(&stable).await, Ok(Outcome::Unchanged));
    assert_eq!((registry.asked("/manifests/"), registry.asked("/blobs/")), (1, 0));
    registry.put("stable", made("1.1.0", false));
    assert_eq!(host.look(&stable).await, Ok(Outcome::Taken));
    assert_eq!(host.versions(), ["1.0.0", "1.1.0"]);
    // A version whose folder was deleted is downloaded again.
    std::fs::remove_dir_all(host.version("1.1.0")).unwrap();
    assert_eq!(host.look(&stable).await, Ok(Outcome::Taken));
}

#[tokio::test]
async fn a_digest_is_asked_for_once() {
    let (registry, mut host) = (Registry::open().await, Host::new());
    let parts = made("1.0.0", false);
    let digest = Artifact::of(parts.clone()).unwrap().digest();
    registry.put("1.0.0", parts);
    let pinned = registry.reference(&format!("@{digest}"));
    assert_eq!(host.look(&pinned).await, Ok(Outcome::Taken));
    registry.asked("");
    assert_eq!((host.look(&pinned).await, registry.asked("")), (Ok(Outcome::Unchanged), 0));
}

#[tokio::test]
async fn what_nobody_trusted_signed_is_refused_and_nothing_is_written() {
    let (registry, mut host) = (Registry::open().await, Host::new());
    let stable = registry.reference(":stable");
    registry.put("stable", forged("1.0.0"));
    let refused = host.look(&stable).await.unwrap_err();
    assert!(refused.contains("not the trusted key of alice"), "{refused}");
    assert_eq!((host.versions().len(), registry.asked("/blobs/")), (0, 0));
    // The manifest was modified after signing.
    registry.put("stable", made("1.0.0", false));
    {
        let mut shelf = registry.shelf.lock();
        let mut image = ImageManifest::parse(&shelf.manifests["stable"]).unwrap();
        for text in image.annotations.values_mut() {
            *text = text.replace("0.30", "0.03");
        }
        shelf.manifests.insert("stable".to_owned(), image.to_bytes());
    }
    let refused = host.look(&stable).await.unwrap_err();
    assert!(refused.contains("is not what alice signed"), "{refused}");
    // A layer differs from the signed one.
    registry.put("stable", made("1.0.0", false));
    registry.shelf.lock().blobs.values_mut().for_each(|bytes| *bytes.last_mut().unwrap() ^= 1);
    assert!(host.look(&stable).await.is_err());
    assert_eq!(host.versions().len(), 0);
    registry.put("stable", made("1.0.0", false));
    assert_eq!(host.look(&stable).await, Ok(Outcome::Taken));
}

#[tokio::test]
async fn a_version_that_is_there_is_never_replaced() {
    let (registry, mut host) = (Registry::open().await, Host::new());
    let stable = registry.reference(":stable");
    registry.put("stable", made("1.0.0", false));
    assert_eq!(host.look(&stable).await, Ok(Outcome::Taken));
    let before = std::fs::read(host.version("1.0.0").join("plugin.toml")).unwrap();
    registry.put("stable", made("1.0.0", true));
    registry.asked("");
    let refused = host.look(&stable).await.unwrap_err();
    assert!(refused.contains("published with other bytes"), "{refused}");
    assert_eq!(registry.asked("/blobs/"), 0, "it was downloaded needlessly");
    assert_eq!(std::fs::read(host.version("1.0.0").join("plugin.toml")).unwrap(), before);
}

#[tokio::test]
async fn a_registry_that_is_away_takes_nothing_away() {
    let (registry, mut host) = (Registry::open().await, Host::new());
    let (stable, all) = (registry.reference(":stable"), registry.reference(""));
    registry.put("stable", made("1.0.0", false));
    assert_eq!(host.look(&stable).await, Ok(Outcome::Taken));
    registry.shelf.lock().is_away = true;
    for followed in [&stable, &all] {
        let error = host.follower.look(followed, &mut Settled::new()).await.unwrap_err();
        assert_eq!(Outcome::of(&error), Outcome::Failed, "{error}");
        assert!(error.to_string().contains(&registry.address), "{error}");
    }
    assert_eq!(host.versions(), ["1.0.0"]);
    registry.shelf.lock().is_away = false;
    assert_eq!(host.look(&stable).await, Ok(Outcome::Unchanged));
}

#[tokio::test]
async fn a_repository_brings_its_newest_versions_each_under_its_own_tag() {
    let (registry, mut host) = (Registry::open().await, Host::new());
    let all = registry.reference("");
    for version in ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0", "1.5.0", "2.0.0-rc.1"] {
        registry.put(version, made(version, false));
    }
    registry.put("latest", made("1.5.0", false));
    assert_eq!(host.look(&all).await, Ok(Outcome::Taken));
    assert_eq!(host.versions(), ["1.1.0", "1.2.0", "1.3.0", "1.4.0", "1.5.0"]);
    registry.asked("");
    assert_eq!((host.look(&all).await, registry.asked("/manifests/")), (Ok(Outcome::Unchanged), 0));
    // One wrong tag does not block other versions.
    registry.put("1.7.0", made("1.5.0", false));
    registry.put("1.6.0", made("1.6.0", false));
    let refused = host.look(&all).await.unwrap_err();
    assert!(refused.contains("the tag 1.7.0 holds version 1.5.0"), "{refused}");
    assert!(host.version("1.6.0").is_dir());
}

#[tokio::test]
async fn doctor_hears_what_is_there_and_takes_nothing() {
    let (registry, host) = (Registry::open().await, Host::new());
    registry.put("1.0.0", made("1.0.0", false));
    let followed = vec![registry.reference(""), registry.reference(":1.0.0"), registry.reference(":none")];
    let found =
        ArtifactFollower::new(settings(&host.folder, followed), Arc::default()).probe(Duration::from_secs(10)).await;
    let outcomes: Vec<Result<&str, ()>> = found.values().map(|one| one.as_deref().map_err(|_| ())).collect();
    let names = found.keys().map(|name| name.rsplit('/').next().unwrap()).collect::<Vec<_>>();
    assert_eq!(names, ["tax", "tax:1.0.0", "tax:none"]);
    assert_eq!(outcomes, [Ok("bridge/tax 1.0.0"), Ok("bridge/tax 1.0.0"), Err(())]);
    assert_eq!(host.versions().len(), 0);
}
