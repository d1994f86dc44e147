//! A signed plugin version as an OCI artifact, and the mapping of the artifact's layers
//! to files.
//!
//! Invariant: layers are identified by the digests that the publisher signed, never by
//! their names.

use std::collections::BTreeMap;

use tollbridge_registry::limits::{MANIFEST_BYTES_MAX, SIGNATURE_BYTES_MAX};
use tollbridge_registry::{Component, Digest, Manifest, VersionParts, check_files, files_by_digest, small_parts};

use crate::digest::{read, text_of};
use crate::error::OciError;
use crate::manifest::{
    DESCRIPTION, Descriptor, ImageManifest, MANIFEST, PLUGIN_SIG, PLUGIN_TOML, TABLE, TITLE, VENDOR, VERSION, WASM,
    WASM_CONFIG,
};
use crate::wasm_config::wasm_config;

/// A plugin version in the form that OCI registries store.
#[derive(Clone, Debug)]
pub struct Artifact {
    pub(crate) manifest: Vec<u8>,
    pub(crate) config: Vec<u8>,
    pub(crate) layers: Vec<(Digest, Vec<u8>)>,
}

/// A file of a version, stored as a layer of the artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VersionLayer {
    /// Path below the version's folder.
    pub(crate) path: String,
    pub(crate) digest: Digest,
    pub(crate) size: u64,
}

impl Artifact {
    /// Returns the artifact of a version. The same version yields the same bytes on every
    /// host.
    ///
    /// # Errors
    /// The files are not those of a published version.
    pub fn of(parts: VersionParts) -> Result<Self, OciError> {
        let (toml, signature) =
            small_parts(&parts).ok_or_else(|| unpublished("plugin.toml or plugin.sig is missing"))?;
        let (toml, signature) = (text(toml)?.to_owned(), text(signature)?.to_owned());
        let manifest = Manifest::parse(&toml).map_err(|error| unpublished(&error.to_string()))?;
        check_files(&parts, &manifest)?;
        let component = manifest.component.ok_or_else(|| unpublished("plugin.toml has no [component]"))?;
        let mut bytes: BTreeMap<String, Vec<u8>> = parts.into_iter().collect();
        let mut layers = Vec::new();
        for VersionLayer { path, digest, .. } in version_layers(&manifest) {
            let file = bytes.remove(&path).ok_or_else(|| unpublished(&format!("{path} is missing")))?;
            layers.push((digest, file));
        }
        let wasm = layers.iter().find(|(digest, _)| *digest == component.sha256).map(|(_, bytes)| bytes.as_slice());
        let config = config_of(&manifest, wasm.unwrap_or_default())?;
        let manifest = described(&manifest, (&toml, &signature), &config).to_bytes();
        Ok(Self { manifest, config, layers })
    }

    /// Returns the digest of the artifact's manifest, which identifies the artifact in a
    /// registry.
    pub fn digest(&self) -> String {
        text_of(Digest::of(&self.manifest))
    }
}

/// Returns the config of a version's artifact.
pub(crate) fn config_of(manifest: &Manifest, component: &[u8]) -> Result<Vec<u8>, OciError> {
    wasm_config(component, version_layers(manifest).into_iter().map(|layer| layer.digest))
}

/// Returns the manifest of a version's artifact.
pub(crate) fn described(manifest: &Manifest, (toml, signature): (&str, &str), config: &[u8]) -> ImageManifest {
    let layer = |layer: VersionLayer| Descriptor {
        media_type: type_of(manifest.component, layer.digest).to_owned(),
        digest: text_of(layer.digest),
        size: i64::try_from(layer.size).unwrap_or(i64::MAX),
        annotations: BTreeMap::from([(TITLE.to_owned(), layer.path)]),
    };
    let annotations = [
        (TITLE, manifest.id.name.to_string()),
        (VERSION, manifest.version.to_string()),
        (DESCRIPTION, manifest.purpose.clone()),
        (VENDOR, manifest.publisher.to_string()),
        (PLUGIN_TOML, toml.to_owned()),
        (PLUGIN_SIG, signature.to_owned()),
    ];
    ImageManifest {
        schema_version: 2,
        media_type: Some(MANIFEST.to_owned()),
        config: Descriptor {
            media_type: WASM_CONFIG.to_owned(),
            digest: text_of(Digest::of(config)),
            size: i64::try_from(config.len()).unwrap_or(i64::MAX),
            annotations: BTreeMap::new(),
        },
        layers: version_layers(manifest).into_iter().map(layer).collect(),
        subject: None,
        annotations: annotations.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
    }
}

/// Returns the layers of a version. The component comes first, because WebAssembly tools
/// expect it there. Files with the same bytes are separate layers.
pub(crate) fn version_layers(manifest: &Manifest) -> Vec<VersionLayer> {
    let files = files_by_digest(manifest);
    let mut layers: Vec<VersionLayer> =
        files.into_iter().map(|(path, (digest, size))| VersionLayer { path, digest, size }).collect();
    let component = manifest.component.map(|component| component.sha256);
    layers.sort_by_key(|layer| Some(layer.digest) != component);
    layers
}

/// Returns the files of a version after checking that the artifact's layers match them
/// exactly.
pub(crate) fn layers_of(image: &ImageManifest, manifest: &Manifest) -> Result<Vec<VersionLayer>, OciError> {
    let wanted = version_layers(manifest);
    for layer in &image.layers {
        let digest = read(&layer.digest).filter(|digest| wanted.iter().any(|file| file.digest == *digest));
        let digest = digest.ok_or_else(|| OciError::OtherLayer(excerpt(&layer.digest)))?;
        let kind = type_of(manifest.component, digest);
        if layer.media_type != kind {
            let (digest, found) = (layer.digest.clone(), excerpt(&layer.media_type));
            return Err(OciError::LayerType { digest, found, wanted: kind });
        }
    }
    for file in &wanted {
        let layer = image.layers.iter().find(|layer| read(&layer.digest) == Some(file.digest));
        let (path, digest) = (file.path.clone(), text_of(file.digest));
        let layer = layer.ok_or(OciError::LacksLayer { file: path.clone(), digest })?;
        if u64::try_from(layer.size) != Ok(file.size) {
            return Err(OciError::Size { file: path, found: layer.size, named: file.size });
        }
    }
    Ok(wanted)
}

/// Returns the text of `plugin.toml` from an artifact, and of `plugin.sig` if the
/// artifact is signed.
pub(crate) fn small_files(image: &ImageManifest) -> Result<(&str, Option<&str>), OciError> {
    let toml = image.annotation(PLUGIN_TOML)?;
    let signature = image.is_signed().then(|| image.annotation(PLUGIN_SIG)).transpose()?;
    for (name, text, max) in
        [(PLUGIN_TOML, toml, MANIFEST_BYTES_MAX), (PLUGIN_SIG, signature.unwrap_or_default(), SIGNATURE_BYTES_MAX)]
    {
        if text.len() > max {
            return Err(OciError::Manifest(format!("`{name}` has {} bytes; at most {max} are allowed", text.len())));
        }
    }
    Ok((toml, signature))
}

fn type_of(component: Option<Component>, digest: Digest) -> &'static str {
    if component.is_some_and(|component| component.sha256 == digest) { WASM } else { TABLE }
}

fn text(bytes: &[u8]) -> Result<&str, OciError> {
    std::str::from_utf8(bytes).map_err(|_| unpublished("plugin.toml or plugin.sig is not valid UTF-8"))
}

fn unpublished(what: &str) -> OciError {
    OciError::Manifest(format!("{what}; publish the version with `tollbridge plugin publish` first"))
}

fn excerpt(text: &str) -> String {
    tollbridge_core::excerpt::excerpt(text, 80)
}

#[cfg(test)]
mod tests {
    use tollbridge_registry::verify_version;

    use super::*;
    use crate::testing::{TABLE_TEXT, published, trusted};

    #[test]
    fn a_version_becomes_an_artifact_and_is_found_in_it() {
        let folder = tempfile::tempdir().unwrap();
        for with_table in [false, true] {
            let parts = published(folder.path(), if with_table { "2.0.0" } else { "1.0.0" }, with_table);
            let artifact = Artifact::of(parts.clone()).unwrap();
            let image = ImageManifest::parse(&artifact.manifest).unwrap();
            assert_eq!(image.to_bytes(), artifact.manifest);
            assert_eq!(image.layers.len(), if with_table { 2 } else { 1 });
            assert_eq!(image.layers[0].media_type, WASM);
            let (toml, signature) = small_files(&image).unwrap();
            let manifest = Manifest::parse(toml).unwrap();
            let layers = layers_of(&image, &manifest).unwrap();
            let files =
                layers.iter().zip(&artifact.layers).map(|(layer, (_, bytes))| (layer.path.clone(), bytes.clone()));
            let again = tollbridge_registry::version_parts(
                toml.as_bytes().to_vec(),
                signature.unwrap().as_bytes().to_vec(),
                files.collect(),
            );
            assert!(verify_version(&again, &trusted()).is_ok());
            let (mut again, mut sent) = (again, parts.clone());
            again.sort();
            sent.sort();
            assert_eq!(again, sent);
            assert_eq!(Artifact::of(parts).unwrap().digest(), artifact.digest());
        }
    }

    #[test]
    fn annotations_may_come_in_base64() {
        use base64::Engine as _;
        let folder = tempfile::tempdir().unwrap();
        let artifact = Artifact::of(published(folder.path(), "1.0.0", true)).unwrap();
        let whole = ImageManifest::parse(&artifact.manifest).unwrap();
        let mut image = whole.clone();
        for name in [PLUGIN_TOML, PLUGIN_SIG] {
            let text = image.annotations.remove(name).unwrap();
            let encoded = base64::engine::general_purpose::STANDARD.encode(text);
            image.annotations.insert(format!("{name}.base64"), encoded);
        }
        let read = ImageManifest::parse(&image.to_bytes()).unwrap();
        assert!(read.is_signed());
        assert_eq!(small_files(&read).unwrap(), small_files(&whole).unwrap());
    }

    #[test]
    fn artifacts_that_are_not_what_their_manifest_says_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let artifact = Artifact::of(published(folder.path(), "1.0.0", true)).unwrap();
        let whole = ImageManifest::parse(&artifact.manifest).unwrap();
        let refusal = |change: &dyn Fn(&mut ImageManifest)| {
            let mut image = whole.clone();
            change(&mut image);
            let image = match ImageManifest::parse(&image.to_bytes()) {
                Ok(image) => image,
                Err(error) => return error.to_string(),
            };
            let manifest = small_files(&image).map(|(toml, _)| Manifest::parse(toml).unwrap());
            manifest.and_then(|manifest| layers_of(&image, &manifest)).unwrap_err().to_string()
        };
        type Change<'c> = &'c dyn Fn(&mut ImageManifest);
        let changes: [(Change<'_>, &str); 10] = [
            (&|image| image.schema_version = 1, "schemaVersion"),
            (&|image| image.media_type = Some("application/json".to_owned()), "the media type"),
            (&|image| image.config.media_type = "application/vnd.oci.image.config.v1+json".to_owned(), "the config"),
            (&|image| image.subject = Some(image.config.clone()), "`subject`"),
            (&|image| drop(image.annotations.remove(PLUGIN_TOML)), "tollbridge.plugin.toml"),
            (
                &|image| {
                    image.annotations.remove(PLUGIN_SIG);
                    image.annotations.insert(format!("{PLUGIN_SIG}.base64"), "no base64!".to_owned());
                },
                "tollbridge.plugin.sig.base64 is not base64-encoded text",
            ),
            (&|image| image.layers[0].media_type = TABLE.to_owned(), "must be application/wasm"),
            (&|image| drop(image.layers.pop()), "lacks the layer"),
            (&|image| image.layers.push(image.config.clone()), "does not name"),
            (&|image| image.layers[1].size += 1, "bytes in the artifact"),
        ];
        for (change, says) in changes {
            let refusal = refusal(change);
            assert!(refusal.contains(says), "{refusal} does not say {says}");
        }
        assert!(TABLE_TEXT.starts_with('#'));
    }
}
