//! The registry: the known plugins, their publishers' signatures, and the selection of the version
//! of each plugin that should run. The registry runs no plugin code.
//!
//! A registry is a folder, `<bridges|agents>/<name>/<version>/` with `plugin.toml` (the manifest),
//! `plugin.wasm` and `tables/*.tsv` (component and tables, which the manifest names by digest) and
//! `plugin.sig` (a trusted publisher's signature of the manifest). Other crates use it as follows:
//!
//! 1. [`RegistryWatch::changed`] returns when a scan is due.
//! 2. [`Scanner::scan`] returns for every plugin the versions that are signed and complete, and the
//!    reasons why other versions are rejected.
//! 3. [`PluginState::learn`], then [`select_version`], decide which version should run.
//! 4. [`Scanner::load`] returns the version's verified files, which are compiled and tried. A
//!    version that does not load is added to [`SelectionInput::failed`], and `select_version` is
//!    called again.
//! 5. [`PluginState::activate`] updates the state, the caller writes the row, and the version
//!    serves. `select_version` is called again until it returns [`Action::Keep`]: the grants of an
//!    approved version may unblock a higher one.
//!
//! Invariants:
//! 1. Nothing is trusted before its signature is verified, and only verified bytes are returned.
//! 2. A published version never changes, neither in memory nor on disk.
//! 3. The serving version is downgraded only by an operator's action.
//! 4. Only regular files below the root are read; no link is followed.
//!
//! This crate never imports the runtime, the ledger or any crate above them, so that versions are
//! verified, published and distributed without compiling them.

mod canary;
mod declaration;
mod digest;
mod error;
mod fields;
mod folder;
#[cfg(test)]
mod fuzz_tests;
mod id;
mod key_id;
mod keys;
pub mod limits;
mod manifest;
mod need;
mod operator_tables;
mod publish;
mod publishers;
mod received;
mod scan;
mod selection;
mod signature;
mod state;
mod stored_version;
mod table;
mod table_cache;
mod tables;
#[cfg(test)]
mod testing;
mod transfer;
mod versions;
mod watch;

pub use canary::{CANARY_SHARE_ALL, CanaryPlan, CanaryRules};
pub use declaration::Declaration;
pub use digest::{Digest, InvalidDigest};
pub use error::{OperatorActionError, RegistryError, Rejection, TableProblem};
pub use fields::FieldError;
pub use folder::FileFault;
pub use id::{IdError, Name, PluginId, parse_version};
pub use key_id::KeyId;
pub use keys::{InvalidPublicKey, PublisherKey, PublisherPublicKey, key_folder, key_path};
pub use manifest::{Component, Limits, MANIFEST_SCHEMA, Manifest, Skill, TableFile};
pub use need::{Need, NeededModels, NeededThing};
pub use operator_tables::with_operator_tables;
pub use publish::{Published, publish};
pub use publishers::{AutoActivate, Namespaces, Publisher, Publishers, Revocation, Revocations};
pub use received::{
    check_files, files_by_digest, read_version_folder, small_parts, verify_manifest, verify_version, version_parts,
};
pub use scan::{Scan, ScanTime, Scanner, VersionReadError};
pub use selection::{
    Action, ApprovalReason, Decision, HoldReason, SelectionInput, StopReason, distrusted, select_version,
};
pub use signature::Signature;
pub use state::{ActivationTerms, Candidates, PluginState};
pub use stored_version::StoredVersion;
pub use table::{Table, TableFault, TableMetadata};
pub use table_cache::TableCache;
pub use tables::{TableFiles, parse_tables, read_table, read_tables};
pub use transfer::{VersionParts, read_version, write_version};
pub use versions::{Candidate, PluginVersions, VersionFiles};
pub use watch::{RegistryWatch, WatchOptions};
