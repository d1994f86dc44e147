//! An OCI registry under `/v2/`, following the distribution specification, whose
//! repositories are the plugins of this server.
//!
//! A repository is `bridges/NAME` or `agents/NAME`, a tag is a version. Pushed blobs wait
//! in a staging folder until the manifest is pushed. The manifest is then verified and
//! becomes a published version (with a trusted publisher's signature) or a deployed one
//! (without a signature, and with a name that begins with the account's handle). Versions
//! are stored only in the registry folder; the manifests and configs of artifacts, which
//! can be generated again, are stored beside it.

mod accept;
mod answer;
mod blobs;
mod kept;
mod path;
mod refusal;
mod routes;
mod service;
mod staging;
mod uploads;

#[cfg(test)]
pub(crate) use path::Place;
pub use routes::routes;
pub use service::{PluginRegistry, PluginRegistryDeps};
