//! The manifest of an artifact as it is on the wire, and the types of media in it.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::error::OciError;

/// An image manifest of OCI 1.1, which artifacts of all kinds have.
pub(crate) const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
/// A list of manifests, which answers to questions for referrers are.
pub(crate) const INDEX: &str = "application/vnd.oci.image.index.v1+json";
/// What the CNCF's layout describes a component with.
pub(crate) const WASM_CONFIG: &str = "application/vnd.wasm.config.v0+json";
/// The layer of a component.
pub(crate) const WASM: &str = "application/wasm";
/// The layer of a table; ours alone.
pub(crate) const TABLE: &str = "application/vnd.tollbridge.table.v1.tsv";
/// Annotation with the text of `plugin.toml`.
pub(crate) const PLUGIN_TOML: &str = "tollbridge.plugin.toml";
/// Annotation with the text of `plugin.sig`.
pub(crate) const PLUGIN_SIG: &str = "tollbridge.plugin.sig";
/// Behind the name of one of these two: the same in base64, for clients that write no
/// line break into a manifest that JSON can be read from (wkg).
const IN_BASE64: &str = ".base64";
/// Annotation that names a file.
pub(crate) const TITLE: &str = "org.opencontainers.image.title";
/// Annotation with a version.
pub(crate) const VERSION: &str = "org.opencontainers.image.version";
/// Annotation with a line about what it is.
pub(crate) const DESCRIPTION: &str = "org.opencontainers.image.description";
/// Annotation with whose it is.
pub(crate) const VENDOR: &str = "org.opencontainers.image.vendor";

/// The largest manifest: the text of a `plugin.toml` may double in JSON, and a tool
/// may add annotations of its own.
pub(crate) const MANIFEST_JSON_BYTES_MAX: usize = 512 << 10;
/// The largest config: names of imports and exports.
pub(crate) const CONFIG_BYTES_MAX: usize = 256 << 10;
/// Layers that are looked at: a component, tables, and one more to refuse.
const LAYERS_MAX: usize = 64;

/// A blob, as a manifest names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Descriptor {
    pub(crate) media_type: String,
    pub(crate) digest: String,
    pub(crate) size: i64,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "nullable")]
    pub(crate) annotations: BTreeMap<String, String>,
}

/// A manifest. Members that are not ours to know are passed over.
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

/// Some tools write `null` where there is nothing.
fn nullable<'de, D: serde::Deserializer<'de>>(from: D) -> Result<BTreeMap<String, String>, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

impl ImageManifest {
    /// Reads the manifest of an artifact that holds a component.
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
            return wrong(format!("its type is {other:?}, not {MANIFEST}"));
        }
        if manifest.config.media_type != WASM_CONFIG {
            return wrong(format!("its config has the type {:?}, not {WASM_CONFIG}", manifest.config.media_type));
        }
        if manifest.subject.is_some() {
            return wrong("it is attached to another artifact; signatures are annotations here".to_owned());
        }
        if manifest.layers.len() > LAYERS_MAX {
            return wrong(format!("it has {} layers", manifest.layers.len()));
        }
        [PLUGIN_TOML, PLUGIN_SIG].into_iter().try_for_each(|name| manifest.decode(name))?;
        Ok(manifest)
    }

    /// Has an annotation that came in base64 under its own name, too.
    fn decode(&mut self, name: &'static str) -> Result<(), OciError> {
        let encoded = format!("{name}{IN_BASE64}");
        let Some(value) = self.annotations.get(&encoded).filter(|_| !self.annotations.contains_key(name)) else {
            return Ok(());
        };
        let text = STANDARD.decode(value).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let text = text.ok_or_else(|| OciError::Manifest(format!("its annotation {encoded} is no text in base64")))?;
        self.annotations.insert(name.to_owned(), text);
        Ok(())
    }

    /// An annotation that it must have.
    pub(crate) fn annotation(&self, name: &'static str) -> Result<&str, OciError> {
        self.annotations.get(name).map(String::as_str).ok_or(OciError::NoAnnotation(name))
    }

    /// Whether it brings a publisher's signature.
    pub(crate) fn is_signed(&self) -> bool {
        self.annotations.contains_key(PLUGIN_SIG)
    }

    /// The bytes of it.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        // Texts and numbers: there is nothing in here that the writer could refuse.
        serde_json::to_vec(self).unwrap_or_default()
    }
}
