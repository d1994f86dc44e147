//! Errors of the registry; each message says how to fix the problem.

use std::io;
use std::path::{Path, PathBuf};

use semver::Version;

use super::fields::FieldError;
use super::folder::FileFault;
use super::id::{IdError, Name, PluginId};
use super::key_id::KeyId;
use super::table::TableFault;

/// An error of a registry operation.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum RegistryError {
    #[error("cannot {doing} {path}: {source}")]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
    #[error(transparent)]
    Field(#[from] FieldError),
    #[error(transparent)]
    Id(#[from] IdError),
    #[error("the operating system provides no randomness: {0}")]
    Random(String),
    #[error("there is no folder for keys; set HOME, or name a key file")]
    NoKeyFolder,
    #[error("{0} exists; a key file is never overwritten, move it away first")]
    KeyExists(PathBuf),
    #[error("{0} can be read by others; run `chmod 600` on it, and make a new key if others had access")]
    KeyIsReadable(PathBuf),
    #[error(
        "the manifest names publisher {manifest}, but the key belongs to {key}; write publisher = \"{key}\", or use the other key"
    )]
    OtherPublisher { manifest: Name, key: Name },
    #[error("the component has {size} bytes; at most {max} are allowed")]
    ComponentTooLarge { size: usize, max: usize },
    #[error("{0}")]
    NotAComponent(&'static str),
    #[error(
        "{id} {version} is already published with other bytes; published versions never change, so raise the version"
    )]
    Published { id: PluginId, version: Version },
    #[error("{id} {version} is in the registry but damaged ({fault}); remove its folder and publish again")]
    Damaged { id: PluginId, version: Version, fault: String },
    #[error("{path}: {fault}")]
    Table { path: String, fault: TableFault },
    #[error("{path}: {problem}")]
    TableFiles { path: String, problem: String },
    #[error("publisher {0} is trusted already; revoke it first to give it another key")]
    PublisherExists(Name),
}

impl RegistryError {
    pub(super) fn io(doing: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io { doing, path: path.to_owned(), source }
    }
}

/// The reason why a version folder is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum Rejection {
    #[error("{file} {fault}")]
    File { file: &'static str, fault: FileFault },
    #[error("plugin.sig is missing: this version is not signed; publish it with `tollbridge plugin publish`")]
    Unsigned,
    #[error("{file} is not UTF-8 text; publish it again")]
    NotText { file: &'static str },
    #[error(transparent)]
    Field(#[from] FieldError),
    #[error("publisher {publisher} is not trusted; if it should be, run `tollbridge publisher trust`")]
    UnknownPublisher { publisher: Name },
    #[error("signed with key {key_id}, which is not the trusted key of {publisher}; publish again with the right key")]
    OtherKey { publisher: Name, key_id: KeyId },
    #[error("plugin.toml is not what {publisher} signed; it was changed after publishing")]
    Forged { publisher: Name },
    #[error("the manifest says `{field}` {manifest}, but the signature or folder says {place}; publish it again")]
    Misplaced { field: &'static str, manifest: String, place: String },
    #[error("publisher {publisher} may not publish {name}: it is outside its namespaces")]
    ForeignNamespace { publisher: Name, name: Name },
    #[error("the manifest has no [component]; publish it with `tollbridge plugin publish`")]
    NotPublished,
    #[error("plugin.wasm has {actual} bytes, the manifest says {manifest}; the copy is incomplete or was changed")]
    Size { actual: u64, manifest: u64 },
    #[error("plugin.wasm is not the file that the manifest names; it was changed after publishing")]
    Digest,
    #[error("plugin.wasm: {0}")]
    NotAComponent(&'static str),
    #[error("tables/{name}.tsv {problem}")]
    Table { name: Name, problem: TableProblem },
}

/// The reason why a version's table is malformed or differs from the signed one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum TableProblem {
    #[error(transparent)]
    File(#[from] FileFault),
    #[error("has {actual} bytes, the manifest says {manifest}; the copy is incomplete or was changed")]
    Size { actual: u64, manifest: u64 },
    #[error("is not the file that the manifest names; it was changed after publishing")]
    Digest,
    #[error("is not a table: {0}")]
    Content(#[from] TableFault),
}

/// The reason why an operator's action was refused. The state is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum OperatorActionError {
    #[error("version {0} is unknown; `tollbridge plugin list` shows the known versions")]
    Unknown(Version),
    #[error("the bytes of version {0} in the registry differ from those seen before; publish a new version")]
    OtherBytes(Version),
    #[error("version {0} is yanked; pin it to run it anyway")]
    Yanked(Version),
    #[error("version {0} is a pre-release, which runs only when pinned; pin it")]
    PreRelease(Version),
    #[error("version {version} is older than {floor}, which was active; use rollback or pin to go back")]
    Older { version: Version, floor: Version },
    #[error(
        "version {version} is not older than {current}; a rollback selects an older version; use approve or pin instead"
    )]
    NotOlder { version: Version, current: Version },
    #[error("there is no earlier version that was active and is still in the registry; name one, or publish one")]
    NothingEarlier,
    #[error("version {0} already serves all callers; roll back before starting a canary with it")]
    Serves(Version),
    #[error("no version serves yet; a canary runs only next to a serving version")]
    NothingServes,
    #[error("version {version} has another price or split than {current}, for which callers were quoted")]
    OtherTerms { version: Version, current: Version },
    #[error("no canary is running")]
    NoCanary,
}
