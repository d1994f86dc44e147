//! The registry: which plugins there are, who vouches for them, and which
//! version of each should run. It runs no code.
//!
//! A registry is a folder, `<bridges|agents>/<name>/<version>/` with
//! `plugin.toml` (the manifest), `plugin.wasm` and `tables/*.tsv` (component
//! and tables, which the manifest names by digest) and `plugin.sig` (a trusted
//! publisher's signature of the manifest). How the rest of the house uses this room:
//!
//! 1. [`RegistryWatch::changed`] says when to look.
//! 2. [`Scanner::scan`] gives for every plugin the versions that are signed and
//!    complete, and why others are not.
//! 3. [`PluginState::learn`], then [`choose`], says which version should run.
//! 4. [`Scanner::load`] hands out its verified parts; they are compiled and
//!    tried. What does not load goes into [`Situation::failed`], and `choose`
//!    is asked again.
//! 5. [`PluginState::activate`], the row is written, and the version serves.
//!    `choose` is asked again until it says [`Action::Keep`]: what an approved
//!    version was granted may be all that a higher one waited for.
//!
//! Invariants:
//! 1. Nothing is believed before its signature is verified, and what was
//!    verified is what is handed out.
//! 2. A published version never changes, here or in the folder.
//! 3. The version that serves goes down only by an operator's act.
//! 4. Only regular files below the root are read; no link is followed.

mod choose;
mod declaration;
mod digest;
mod error;
mod fields;
mod folder;
mod id;
mod keys;
mod manifest;
mod operator_tables;
mod publish;
mod publishers;
mod scan;
mod signature;
mod state;
mod table;
mod table_cache;
mod tables;
#[cfg(test)]
mod testing;
mod versions;
mod watch;

pub use choose::{Action, Cause, Decision, Obstacle, Situation, WaitReason, choose};
pub use declaration::Declaration;
pub use digest::{Digest, NotADigest};
pub use error::{ActError, RegistryError, Rejection, TableProblem};
pub use fields::FieldError;
pub use folder::FileFault;
pub use id::{IdError, Kind, Name, PluginId, parse_version};
pub use keys::{KeyId, NotAPublicKey, PublicKey, PublisherKey, key_folder, key_path};
pub use manifest::{Component, Limits, MANIFEST_SCHEMA, Manifest, Skill, TableFile};
pub use operator_tables::with_operator_tables;
pub use publish::{Published, publish};
pub use publishers::{AutoActivate, Namespaces, Publisher, Publishers, Revocation, Revocations};
pub use scan::{LoadError, Moment, Scan, Scanner};
pub use signature::Signature;
pub use state::{Candidates, PluginState, Terms};
pub use table::{About, Table, TableFault};
pub use table_cache::TableCache;
pub use tables::{TableFiles, check_tables, read_table, read_tables};
pub use versions::{Candidate, Found, Parts};
pub use watch::{RegistryWatch, WatchOptions};
