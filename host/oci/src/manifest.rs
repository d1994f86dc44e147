//! The JSON form of an artifact's manifest, and its media types.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::error::OciError;

/// Media type of an OCI 1.1 image manifest, which all kinds of artifacts use.
pub(crate) const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
/// Media type of a list of manifests; the referrers endpoint returns such a list.
pub(crate) const INDEX: &str = "application/vnd.oci.image.index.v1+json";
/// Media type of a component's config in the CNCF's layout for WebAssembly.
pub(crate) const WASM_CONFIG: &str = "application/vnd.wasm.config.v0+json";
/// Media type of a component's layer.
pub(crate) const WASM: &str = "application/wasm";
/// Media type of a table's layer; specific to Tollbridge.
pub(crate) const TABLE: &str = "application/vnd.tollbridge.table.v1.tsv";
/// Annotation with the text of `plugin.toml`.
pub(crate) const PLUGIN_TOML: &str = "tollbridge.plugin.toml";
/// Annotation with the text of `plugin.sig`.
pub(crate) const PLUGIN_SIG: &str = "tollbridge.plugin.sig";
/// Suffix of the two annotations above when their values are in base64, for clients that
/// do not escape line breaks in JSON (wkg).
const IN_BASE64: &str = ".base64";
/// Annotation with the file name of a layer.
pub(crate) const TITLE: &str = "org.opencontainers.image.title";
/// Annotation with the version number.
pub(crate) const VERSION: &str = "org.opencontainers.image.version";
/// Annotation with a one-line description.
pub(crate) const DESCRIPTION: &str = "org.opencontainers.image.description";
/// Annotation with the publisher.
pub(crate) const VENDOR: &str = "org.opencontainers.image.vendor";

/// Maximum size of a manifest. JSON escaping may double the size of `plugin.toml`, and
/// tools may add annotations.
pub(crate) const MANIFEST_JSON_BYTES_MAX: usize = 512 << 10;
/// Maximum size of a config, which lists the names of imports and exports.
pub(crate) const CONFIG_BYTES_MAX: usize = 256 << 10;
/// Maximum number of layers. It exceeds the layers of any version, so that the error for
/// an extra layer can name the layer.
const LAYERS_MAX: usize = 64;

/// A reference to a blob in a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Descriptor {
    pub(crate) media_type: String,
    pub(crate) digest: String,
    pub(crate) size: i64,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "nullable")]
    pub(crate) annotations: BTreeMap<String, String>,
}

/// The manifest of an artifact. Unknown members are ignored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImageManifest {
    pub(crate) schema_version: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) media_type: Option<String>,
    pub(crate) config: Descriptor,
    pub(crate) layers: Vec<Descriptor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) subject: Option<Descriptor>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "nullable")]
    pub(crate) annotations: BTreeMap<String, String>,
}

/// Deserializes a map; `null`, which some tools write instead of an empty map, becomes
/// empty.
fn nullable<'de, D: serde::Deserializer<'de>>(from: D) -> Result<BTreeMap<String, String>, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

impl ImageManifest {
    /// Parses the manifest of an artifact that holds a component.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, OciError> {
        if bytes.len() > MANIFEST_JSON_BYTES_MAX {
            return Err(OciError::ManifestTooLarge(MANIFEST_JSON_BYTES_MAX));
        }
        let mut manifest: Self =
            serde_json::from_slice(bytes).map_err(|error| OciError::Manifest(error.to_string()))?;
        let wrong = |what: String| Err(OciError::Manifest(what));
        if manifest.schema_version != 2 {
            return wrong(format!("schemaVersion is {}, not 2", manifest.schema_version));
        }
        if let Some(other) = manifest.media_type.as_deref().filter(|kind| *kind != MANIFEST) {
            return wrong(format!("the manifest has the media type {other:?}; it must be {MANIFEST}"));
        }
        if manifest.config.media_type != WASM_CONFIG {
            return wrong(format!("the config's media type is {:?}, not {WASM_CONFIG}", manifest.config.media_type));
        }
        if manifest.subject.is_some() {
            return wrong(
                "the manifest has a `subject`, which is not supported; signatures are annotations of the manifest"
                    .to_owned(),
            );
        }
        if manifest.layers.len() > LAYERS_MAX {
            return wrong(format!("the manifest has {} layers", manifest.layers.len()));
        }
        [PLUGIN_TOML, PLUGIN_SIG].into_iter().try_for_each(|name| manifest.decode(name))?;
        Ok(manifest)
    }

    /// Decodes a base64 annotation and stores its value under the name without the
    /// suffix.
    fn decode(&mut self, name: &'static str) -> Result<(), OciError> {
        let encoded = format!("{name}{IN_BASE64}");
        let Some(value) = self.annotations.get(&encoded).filter(|_| !self.annotations.contains_key(name)) else {
            return Ok(());
        };
        let text = STANDARD.decode(value).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let text =
            text.ok_or_else(|| OciError::Manifest(format!("the annotation {encoded} is not base64-encoded text")))?;
        self.annotations.insert(name.to_owned(), text);
        Ok(())
    }

    /// Returns a required annotation.
    pub(crate) fn annotation(&self, name: &'static str) -> Result<&str, OciError> {
        self.annotations.get(name).map(String::as_str).ok_or(OciError::NoAnnotation(name))
    }

    /// Returns whether the manifest has a publisher's signature.
    pub(crate) fn is_signed(&self) -> bool {
        self.annotations.contains_key(PLUGIN_SIG)
    }

    /// Returns the bytes of the manifest.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        // Strings and numbers always serialize.
        serde_json::to_vec(self).unwrap_or_default()
    }
}
