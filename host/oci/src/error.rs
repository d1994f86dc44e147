//! The errors of this crate.

use semver::Version;
use tollbridge_registry::{IdError, RegistryError, Rejection};

/// The reason why an artifact could not be pushed, pulled or installed.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum OciError {
    #[error("the manifest does not describe a plugin: {0}")]
    Manifest(String),
    #[error("the manifest is larger than {0} bytes")]
    ManifestTooLarge(usize),
    #[error(
        "the artifact has no annotation `{0}`; push a published version with `tollbridge plugin push`, or give your \
         tool the file's text as this annotation"
    )]
    NoAnnotation(&'static str),
    #[error("the layer {digest} has the type {found}; it must be {wanted}")]
    LayerType { digest: String, found: String, wanted: &'static str },
    #[error("the artifact has a layer {0} that plugin.toml does not name")]
    OtherLayer(String),
    #[error("the artifact lacks the layer {digest}, which plugin.toml names as {file}")]
    LacksLayer { file: String, digest: String },
    #[error("{file} has {found} bytes in the artifact, but {named} in plugin.toml")]
    Size { file: String, found: i64, named: u64 },
    #[error("{0}")]
    Rejected(#[from] Rejection),
    #[error("{0}")]
    Registry(#[from] RegistryError),
    #[error("{0}")]
    Id(#[from] IdError),
    #[error("the component cannot be read: {0}")]
    Component(String),
    #[error("the tag {tag} holds version {version}; the tag of a followed version must be its version number")]
    OtherVersion { tag: Version, version: Version },
    #[error("a task on the registry folder was aborted: {0}")]
    Unfinished(String),
    #[error("{registry}: {message}")]
    Remote { registry: String, message: String },
    #[error("{0}")]
    Credentials(String),
}
