//! Accepts a pushed manifest, which completes the push and creates the version.
//!
//! Invariants:
//! 1. A manifest with a publisher's signature is completely verified and then stored like
//!    a published version; only the account that earns with the version may push it.
//! 2. A manifest without a signature is deployed under the account that pushes it, and
//!    signed with the key that the host holds for that account.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::Response;
use http_body_util::{BodyExt, Limited};
use semver::Version;
use tollbridge_agents::{DeployRequest, MANIFEST_MEMBERS, PluginCode};
use tollbridge_core::limits::{BODY_MS_MAX, COMPONENT_BYTES_MAX};
use tollbridge_market::catalog::handle_of;
use tollbridge_registry::limits::VERSIONS_PER_PLUGIN_MAX;
use tollbridge_registry::{
    Candidate, Digest, PluginId, Revocation, VersionParts, parse_version, verify_manifest, verify_version,
    version_parts, write_version,
};
use tollbridge_store::Collection;

use super::answer::{CONTENT_DIGEST, empty};
use super::kept::{KeptArtifact, Origin};
use super::path::repository;
use super::refusal::Refusal;
use super::routes::blocking;
use super::service::PluginRegistry;
use crate::artifact::{layers_of, small_files};
use crate::digest::{read, text_of};
use crate::manifest::{CONFIG_BYTES_MAX, Descriptor, ImageManifest, MANIFEST, MANIFEST_JSON_BYTES_MAX, WASM};

/// Maximum time that a manifest waits for a slot.
const WAIT_MAX: Duration = Duration::from_secs(30);
/// Members of a pushed `plugin.toml` that the host sets itself; other unknown members are
/// refused.
const SET_BY_HOST: [&str; 4] = ["name", "kind", "version", "publisher"];

/// A manifest that is being pushed.
struct Push {
    account: String,
    id: PluginId,
    /// Version in the tag; `None` if the manifest was pushed by digest.
    tag: Option<Version>,
    image: ImageManifest,
    bytes: Vec<u8>,
}

/// The slot of an account whose manifest is being processed; dropping it frees the slot.
struct Taking(Arc<PluginRegistry>, String);

impl Drop for Taking {
    fn drop(&mut self) {
        self.0.taking.lock().remove(&self.1);
    }
}

impl PluginRegistry {
    pub(super) async fn put_manifest(
        self: Arc<Self>,
        account: String,
        id: PluginId,
        reference: Result<Digest, String>,
        head: &Parts,
        body: Body,
    ) -> Result<Response, Refusal> {
        let kind = head.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        if let Some(other) = kind.filter(|kind| kind.split(';').next().map(str::trim) != Some(MANIFEST)) {
            return Err(Refusal::unfit_manifest(format!("{other} is not accepted here; push {MANIFEST}")));
        }
        let bytes = read_body(body).await?;
        let digest = Digest::of(&bytes);
        let tag = match reference {
            Ok(named) if named != digest => {
                return Err(Refusal::unfit_digest(format!("the manifest has the digest {}", text_of(digest))));
            }
            Ok(_) => None,
            Err(tag) => Some(
                parse_version(&tag)
                    .map_err(|error| Refusal::unfit_manifest(format!("the tag must be a plugin version: {error}")))?,
            ),
        };
        let image = ImageManifest::parse(&bytes)?;
        let place = format!("/v2/{}/manifests/{}", repository(&id), text_of(digest));
        let push = Push { account, id, tag, image, bytes };
        let _taking = self.clone().turn(&push.account)?;
        let waited = tokio::time::timeout(WAIT_MAX, self.places.acquire()).await;
        let busy = || Refusal::too_many("too many versions are being pushed; push the manifest again later", 60);
        let _place = waited.map_err(|_| busy())?.map_err(|_| busy())?;
        match push.image.is_signed() {
            true => self.clone().take_published(push).await?,
            false => self.clone().take_deployed(push).await?,
        }
        Ok(empty(StatusCode::CREATED, &[(header::LOCATION, place), (CONTENT_DIGEST, text_of(digest))]))
    }

    /// Reserves the slot of an account, which limits it to one manifest at a time.
    fn turn(self: Arc<Self>, account: &str) -> Result<Taking, Refusal> {
        if !self.taking.lock().insert(account.to_owned()) {
            return Err(Refusal::too_many("another push of your account is in progress; retry when it ends", 10));
        }
        Ok(Taking(self, account.to_owned()))
    }

    /// Accepts a version that a publisher signed.
    async fn take_published(self: Arc<Self>, push: Push) -> Result<(), Refusal> {
        let (registry, id) = (self.clone(), push.id.clone());
        let (version, new) = blocking(move || registry.write_published(&push)).await?;
        if new {
            self.deps.reconciler.refresh_plugin(&id).await;
            let serves = !self.deps.reconciler.waits(&id, &version);
            tracing::info!(plugin = %id, version, waits = !serves, "a version was pushed");
        }
        Ok(())
    }

    /// Verifies a version completely and writes it; returns the version number, and
    /// whether it was new.
    fn write_published(&self, push: &Push) -> Result<(String, bool), Refusal> {
        let publishers = self.publishers()?;
        let (toml, signature) = small_files(&push.image)?;
        let signature = signature.unwrap_or_default();
        let candidate = verify_manifest(toml.as_bytes(), signature.as_bytes(), &publishers)?;
        self.check_publisher(push, &candidate, publishers.find(&candidate.manifest.publisher))?;
        push.check_place(&candidate.manifest.id, candidate.version())?;
        let layers = layers_of(&push.image, &candidate.manifest)?;
        let (id, version) = (candidate.id().clone(), candidate.version().clone());
        let before = self.tagged(&push.account, &id, &version.to_string())?;
        if before.as_ref().is_some_and(|before| before.candidate.digest != candidate.digest) {
            return Err(conflict(&id, &version));
        }
        let config = self.config(push)?;
        let new = match before {
            Some(_) => false,
            None => {
                self.check_count(&id)?;
                let mut files = VersionParts::new();
                for layer in layers {
                    let bytes = self.read_blob(&push.account, &push.id, (layer.digest, layer.size))?;
                    files.push((layer.path, bytes.ok_or_else(|| lacks(&text_of(layer.digest)))?));
                }
                let parts = version_parts(toml.as_bytes().to_vec(), signature.as_bytes().to_vec(), files);
                verify_version(&parts, &publishers)?;
                let written = write_version(&self.deps.registry, &id, &version, parts);
                // This version number was written meanwhile, or belongs to a version that
                // does not verify.
                if !written.map_err(|error| Refusal::internal(&error))? {
                    return Err(conflict(&id, &version));
                }
                true
            }
        };
        self.keep(push, &version, config);
        Ok((version.to_string(), new))
    }

    /// Checks that the publisher's earnings go to the account that pushes, and that the
    /// publisher's key is not revoked.
    fn check_publisher(
        &self,
        push: &Push,
        candidate: &Candidate,
        publisher: Option<&tollbridge_registry::Publisher>,
    ) -> Result<(), Refusal> {
        let Some(publisher) = publisher.filter(|publisher| publisher.account == push.account) else {
            let name = &candidate.manifest.publisher;
            return Err(Refusal::denied(format!(
                "{name} signed this for another account; push it with that account's key"
            )));
        };
        let row = self.deps.store.get(Collection::Publishers, publisher.name.as_str());
        let row = row.map_err(|error| Refusal::internal(&error))?;
        let revocation = row.as_deref().map(Revocation::from_row).transpose();
        match revocation.map_err(|error| Refusal::internal(&error))? {
            Some(revocation) if revocation.covers(&publisher.key) => Err(Refusal::denied(format!(
                "the operator has revoked the publisher {}; ask the operator",
                publisher.name
            ))),
            _ => Ok(()),
        }
    }

    fn check_count(&self, id: &PluginId) -> Result<(), Refusal> {
        let count = self.deps.deployments.versions(id.kind, id.name.as_str()).len();
        match count < VERSIONS_PER_PLUGIN_MAX {
            true => Ok(()),
            false => Err(Refusal::denied(format!("{id} has {count} versions, which is the maximum"))),
        }
    }

    /// Accepts a version without a signature and deploys it.
    async fn take_deployed(self: Arc<Self>, push: Push) -> Result<(), Refusal> {
        let request = push.deployment()?;
        let (registry, account, id) = (self.clone(), push.account.clone(), push.id.clone());
        let layer = push.component()?;
        let digest = read(&layer.digest).ok_or_else(|| Refusal::unfit_digest("the digest of a layer is not sha256"))?;
        let size = u64::try_from(layer.size).unwrap_or(u64::MAX);
        if size > COMPONENT_BYTES_MAX as u64 {
            return Err(Refusal::unfit_manifest(format!("a component may have at most {COMPONENT_BYTES_MAX} bytes")));
        }
        let name = layer.digest.clone();
        let (push, component, config) = blocking(move || {
            let config = registry.config(&push)?;
            let component = registry.read_blob(&account, &id, (digest, size))?.ok_or_else(|| lacks(&name))?;
            Ok((push, component, config))
        })
        .await?;
        let request = DeployRequest { code: PluginCode::Component(component), ..request };
        let deployed = self.deps.deployments.deploy(&push.account, request).await?;
        let version = parse_version(&deployed.version).map_err(|error| Refusal::internal(&error))?;
        tracing::info!(plugin = %deployed.id, version = deployed.version, waits = !deployed.serves, "a push was deployed");
        let registry = self.clone();
        blocking(move || {
            registry.keep(&push, &version, config);
            Ok(())
        })
        .await
    }

    /// Reads the config of an artifact after checking that it is small.
    fn config(&self, push: &Push) -> Result<Vec<u8>, Refusal> {
        let Descriptor { digest, size, .. } = &push.image.config;
        let size = u64::try_from(*size).unwrap_or(u64::MAX);
        if size > CONFIG_BYTES_MAX as u64 {
            return Err(Refusal::unfit_manifest(format!("a config may have at most {CONFIG_BYTES_MAX} bytes")));
        }
        let named = read(digest).ok_or_else(|| Refusal::unfit_digest("the digest of the config is not sha256"))?;
        self.read_blob(&push.account, &push.id, (named, size))?.ok_or_else(|| lacks(digest))
    }

    /// Stores the artifact as it was pushed and releases its blobs.
    fn keep(&self, push: &Push, version: &Version, config: Vec<u8>) {
        let artifact = KeptArtifact { manifest: push.bytes.clone(), config };
        if let Err(error) = self.kept.keep(Origin::Pushed, (&push.id, version), &artifact) {
            tracing::warn!(%error, "an artifact will be served with a digest other than the pushed one");
        }
        let blobs = push.image.layers.iter().chain([&push.image.config]);
        let digests: Vec<Digest> = blobs.filter_map(|blob| read(&blob.digest)).collect();
        self.staging.release(&push.account, &digests);
    }
}

impl Push {
    /// Checks that the manifest belongs to the repository and matches the tag.
    fn check_place(&self, id: &PluginId, version: &Version) -> Result<(), Refusal> {
        if *id != self.id {
            let (is, should) = (repository(&self.id), repository(id));
            return Err(Refusal::unfit_manifest(format!("plugin.toml is for {should}, but the repository is {is}")));
        }
        match self.tag.as_ref().filter(|tag| *tag != version) {
            Some(tag) => {
                Err(Refusal::unfit_manifest(format!("plugin.toml has version {version}, but the tag is {tag}")))
            }
            None => Ok(()),
        }
    }

    /// Returns the layer of the component; an artifact without a signature has no other
    /// layer.
    fn component(&self) -> Result<&Descriptor, Refusal> {
        match self.image.layers.as_slice() {
            [one] if one.media_type == WASM => Ok(one),
            _ => Err(Refusal::unfit_manifest(format!(
                "without a publisher's signature an artifact has one layer, {WASM}; tables require a signature"
            ))),
        }
    }

    /// Returns the deployment request; the caller adds the component's bytes.
    fn deployment(&self) -> Result<DeployRequest, Refusal> {
        let handle = handle_of(&self.account);
        let name = self.id.name.as_str().strip_prefix(&handle).and_then(|rest| rest.strip_prefix('-'));
        let Some(name) = name else {
            let folder = self.id.kind.folder();
            let what = format!(
                "a push without a publisher's signature is deployed under your account, whose plugins are called \
                 {handle}-NAME: push to {folder}/{handle}-NAME, or push a version that its publisher signed"
            );
            return Err(Refusal::denied(what));
        };
        let (toml, _) = small_files(&self.image)?;
        let wrong = |what: String| Refusal::unfit_manifest(format!("plugin.toml: {what}"));
        let mut given: toml::Table = toml.parse().map_err(|error: toml::de::Error| wrong(error.to_string()))?;
        let text =
            |given: &toml::Table, member: &str| given.get(member).and_then(toml::Value::as_str).map(str::to_owned);
        if let Some(other) = text(&given, "name").filter(|one| one != name && one != self.id.name.as_str()) {
            return Err(wrong(format!("the name is {other}, but the repository is {}", repository(&self.id))));
        }
        if let Some(kind) = text(&given, "kind").filter(|kind| kind != self.id.kind.as_str()) {
            return Err(wrong(format!("the kind is {kind}, but the repository is {}", repository(&self.id))));
        }
        let version = text(&given, "version");
        if let (Some(tag), Some(version)) = (&self.tag, version.as_ref().filter(|said| self.differs(said))) {
            return Err(wrong(format!("the version is {version}, but the tag is {tag}; they must match")));
        }
        let version = self.tag.as_ref().map(Version::to_string).or(version);
        let mut manifest = toml::Table::new();
        for member in MANIFEST_MEMBERS.into_iter().chain(["price_gbp", "purpose"]) {
            if let Some(value) = given.remove(member) {
                manifest.insert(member.to_owned(), value);
            }
        }
        if let Some(other) = given.keys().find(|member| !SET_BY_HOST.contains(&member.as_str())) {
            return Err(wrong(format!("`{other}` cannot be deployed; have a publisher sign the version")));
        }
        let code = PluginCode::Component(Vec::new());
        Ok(DeployRequest { kind: self.id.kind, name: name.to_owned(), version, manifest, code })
    }

    fn differs(&self, version: &str) -> bool {
        self.tag.as_ref().is_some_and(|tag| tag.to_string() != version)
    }
}

fn lacks(digest: &str) -> Refusal {
    let what = format!("this registry lacks the blob {digest}; push it before the manifest");
    Refusal::new(StatusCode::NOT_FOUND, "MANIFEST_BLOB_UNKNOWN", what)
}

fn conflict(id: &PluginId, version: &Version) -> Refusal {
    Refusal::conflict(format!("{id} {version} exists with other bytes; versions never change, so raise the version"))
}

async fn read_body(body: Body) -> Result<Vec<u8>, Refusal> {
    let limited = Limited::new(body, MANIFEST_JSON_BYTES_MAX).collect();
    let slow = |_| Refusal::unfit_manifest("the manifest came too slowly");
    let read = tokio::time::timeout(Duration::from_millis(BODY_MS_MAX), limited).await.map_err(slow)?;
    let too_large = |_| {
        let what = format!("the manifest ended early, or is larger than {MANIFEST_JSON_BYTES_MAX} bytes");
        Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "SIZE_INVALID", what)
    };
    Ok(read.map_err(too_large)?.to_bytes().to_vec())
}
