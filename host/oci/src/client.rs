//! A client for OCI registries: pushes versions, and pulls and verifies them.
//!
//! Invariant: `pull` returns only a complete version that a trusted publisher signed. It
//! requests no layer before the signature is verified.

use std::collections::BTreeSet;
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::http::HeaderValue;
use oci_client::client::{ClientConfig, ClientProtocol};
use oci_client::errors::OciDistributionError;
use oci_client::secrets::RegistryAuth;
use oci_client::{Client, Reference};
use tokio::io::AsyncWrite;
use tollbridge_core::artifact_reference::ArtifactReference;
use tollbridge_registry::{
    Candidate, Digest, Publishers, RegistryError, StoredVersion, VersionParts, verify_manifest, verify_version,
    version_parts, write_version,
};

use crate::artifact::{Artifact, VersionLayer, layers_of, small_files};
use crate::credentials::Credentials;
use crate::digest::text_of;
use crate::error::OciError;
use crate::manifest::{ImageManifest, MANIFEST, PLUGIN_SIG};

/// Maximum number of a repository's tags that are examined.
const ARTIFACT_TAGS_MAX: usize = 1_000;

const CONNECT_MAX: Duration = Duration::from_secs(10);
/// Time without data from the registry after which a request is aborted.
const SILENCE_MAX: Duration = Duration::from_secs(60);

/// Number of tags requested per page.
const TAGS_PER_PAGE: usize = 100;

/// A client of one registry.
pub struct OciClient {
    client: Client,
    auth: RegistryAuth,
    registry: String,
}

/// The version that a registry offers under a reference, signed by a trusted publisher.
#[derive(Debug)]
pub struct Offered {
    /// The signed manifest.
    pub candidate: Candidate,
    /// Digest of the artifact's manifest.
    pub digest: String,
    toml: Vec<u8>,
    signature: Vec<u8>,
    layers: Vec<VersionLayer>,
}

/// A pulled version, completely verified.
#[derive(Debug)]
pub struct Pulled {
    /// The signed manifest.
    pub candidate: Candidate,
    /// Files of the version.
    pub parts: VersionParts,
    /// Digest of the artifact's manifest.
    pub digest: String,
}

impl OciClient {
    /// Creates a client for the registry of a reference. The client uses plain HTTP for a
    /// registry on this machine, and for other registries only if `plain_http` is set.
    pub fn new(reference: &ArtifactReference, credentials: Option<Credentials>, plain_http: bool) -> Self {
        tollbridge_core::tls_provider::install();
        let protocol = match plain_http || reference.is_local() {
            true => ClientProtocol::Http,
            false => ClientProtocol::Https,
        };
        let config = ClientConfig {
            protocol,
            connect_timeout: Some(CONNECT_MAX),
            read_timeout: Some(SILENCE_MAX),
            user_agent: concat!("tollbridge/", env!("CARGO_PKG_VERSION")),
            ..ClientConfig::default()
        };
        let auth = match credentials {
            Some(Credentials { username, password }) => RegistryAuth::Basic(username, password),
            None => RegistryAuth::Anonymous,
        };
        Self { client: Client::new(config), auth, registry: reference.registry().to_owned() }
    }

    /// Pushes an artifact under a reference and returns the digest of its manifest. Skips
    /// layers that the registry already has.
    ///
    /// # Errors
    /// The registry is unreachable or refuses the push.
    pub async fn push(&self, reference: &ArtifactReference, artifact: Artifact) -> Result<String, OciError> {
        let image = image_of(reference);
        let digest = artifact.digest();
        self.client.store_auth_if_needed(image.resolve_registry(), &self.auth).await;
        let config = (Digest::of(&artifact.config), artifact.config);
        for (digest, bytes) in artifact.layers.into_iter().chain([config]) {
            let name = text_of(digest);
            if !self.client.blob_exists(&image, &name).await.map_err(|error| self.remote(error))? {
                self.client.push_blob(&image, bytes, &name).await.map_err(|error| self.remote(error))?;
            }
        }
        let kind = HeaderValue::from_static(MANIFEST);
        let pushed = self.client.push_manifest_raw(&image, artifact.manifest, kind).await;
        pushed.map_err(|error| self.remote(error))?;
        Ok(digest)
    }

    /// Pulls a version and verifies it.
    ///
    /// # Errors
    /// The registry is unreachable or refuses the pull, or its artifact is not a version that a
    /// trusted publisher signed.
    pub async fn pull(&self, reference: &ArtifactReference, publishers: &Publishers) -> Result<Pulled, OciError> {
        let offered = self.look(reference, publishers).await?;
        self.take(reference, offered, publishers).await
    }

    /// Fetches the signed manifest that a reference names, without the version's files.
    ///
    /// # Errors
    /// The registry is unreachable or refuses the request, or no trusted publisher signed
    /// the manifest.
    pub async fn look(&self, reference: &ArtifactReference, publishers: &Publishers) -> Result<Offered, OciError> {
        let image = image_of(reference);
        let pulled = self.client.pull_manifest_raw(&image, &self.auth, &[MANIFEST]).await;
        let (bytes, digest) = pulled.map_err(|error| self.remote(error))?;
        let manifest = ImageManifest::parse(&bytes)?;
        let (toml, signature) = small_files(&manifest)?;
        let signature = signature.ok_or(OciError::NoAnnotation(PLUGIN_SIG))?;
        let candidate = verify_manifest(toml.as_bytes(), signature.as_bytes(), publishers)?;
        let layers = layers_of(&manifest, &candidate.manifest)?;
        let (toml, signature) = (toml.as_bytes().to_vec(), signature.as_bytes().to_vec());
        Ok(Offered { candidate, digest, toml, signature, layers })
    }

    /// Downloads the files of an offered version and verifies all of them.
    ///
    /// # Errors
    /// The registry is unreachable or refuses a request, or a file differs from the
    /// signed one.
    pub async fn take(
        &self,
        reference: &ArtifactReference,
        offered: Offered,
        publishers: &Publishers,
    ) -> Result<Pulled, OciError> {
        let image = image_of(reference);
        let mut files = VersionParts::new();
        for layer in offered.layers {
            let mut bytes = Bounded::new(layer.size);
            let name = text_of(layer.digest);
            let pulled = self.client.pull_blob(&image, name.as_str(), &mut bytes).await;
            pulled.map_err(|error| self.remote(error))?;
            files.push((layer.path, bytes.bytes));
        }
        let parts = version_parts(offered.toml, offered.signature, files);
        let candidate = verify_version(&parts, publishers)?;
        Ok(Pulled { candidate, parts, digest: offered.digest })
    }

    /// Returns the tags of a repository, at most `ARTIFACT_TAGS_MAX` of them.
    ///
    /// # Errors
    /// The registry is unreachable or refuses the request.
    pub async fn tags(&self, reference: &ArtifactReference) -> Result<Vec<String>, OciError> {
        let image = image_of(reference);
        let (mut tags, mut last) = (BTreeSet::new(), None);
        while tags.len() < ARTIFACT_TAGS_MAX {
            let page = self.client.list_tags(&image, &self.auth, Some(TAGS_PER_PAGE), last.as_deref()).await;
            let page = page.map_err(|error| self.remote(error))?.tags;
            last = page.last().cloned();
            let before = tags.len();
            tags.extend(page);
            // A page without new tags ends the list: after the last page it is empty, and
            // a registry without paging repeats all tags.
            if tags.len() == before {
                break;
            }
        }
        Ok(tags.into_iter().take(ARTIFACT_TAGS_MAX).collect())
    }

    fn remote(&self, error: OciDistributionError) -> OciError {
        let message = match &error {
            OciDistributionError::UnauthorizedError { .. } | OciDistributionError::AuthenticationFailure(_) => {
                format!(
                    "{error}; pass a user name and password: with --username and --password-stdin, or in docker's \
                     config.json (registry.artifacts_credentials)"
                )
            }
            OciDistributionError::RequestError(inner) => innermost(inner),
            _ => error.to_string(),
        };
        OciError::Remote { registry: self.registry.clone(), message }
    }
}

impl Pulled {
    /// Writes the version into the registry folder at `root`; returns whether it was new.
    /// Blocks on files.
    ///
    /// # Errors
    /// The folder has other files under this version number, or cannot be written.
    pub fn put_into(self, root: &Path, publishers: &Publishers) -> Result<bool, OciError> {
        let (id, version) = (self.candidate.id().clone(), self.candidate.version().clone());
        if write_version(root, &id, &version, self.parts)? {
            return Ok(true);
        }
        match StoredVersion::open(root, &id, &version, publishers) {
            Ok(stored) if stored.candidate.digest == self.candidate.digest => Ok(false),
            _ => Err(RegistryError::Published { id, version }.into()),
        }
    }
}

/// Converts a reference to the type of the `oci_client` crate.
fn image_of(reference: &ArtifactReference) -> Reference {
    let (registry, repository) = (reference.registry().to_owned(), reference.repository().to_owned());
    match (reference.tag(), reference.digest()) {
        (_, Some(digest)) => Reference::with_digest(registry, repository, digest.to_owned()),
        (tag, None) => Reference::with_tag(registry, repository, tag.unwrap_or("latest").to_owned()),
    }
}

/// Returns the error with all of its causes: the outer message only says that a request
/// failed.
fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}

/// A buffer for a layer that accepts at most its signed size.
struct Bounded {
    bytes: Vec<u8>,
    max: u64,
}

impl Bounded {
    /// Creates an empty buffer, which grows with the received bytes. Nothing is allocated
    /// in advance for the length that the registry announces.
    fn new(max: u64) -> Self {
        Self { bytes: Vec::new(), max }
    }
}

impl AsyncWrite for Bounded {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, piece: &[u8]) -> Poll<std::io::Result<usize>> {
        if (self.bytes.len() as u64).saturating_add(piece.len() as u64) > self.max {
            let message = format!("a layer has more than the {} bytes that were signed", self.max);
            return Poll::Ready(Err(std::io::Error::other(message)));
        }
        self.bytes.extend_from_slice(piece);
        Poll::Ready(Ok(piece.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;

    use super::*;

    #[tokio::test]
    async fn a_layer_is_not_read_further_than_it_was_signed() {
        let mut bounded = Bounded::new(4);
        bounded.write_all(b"12").await.unwrap();
        bounded.write_all(b"34").await.unwrap();
        assert!(bounded.write_all(b"5").await.unwrap_err().to_string().contains("4 bytes"));
        assert_eq!(bounded.bytes, b"1234");
    }
}
