//! A registry of artifacts under `/v2/`, as the distribution specification has it,
//! whose repositories are the plugins of this server.
//!
//! A repository is `bridges/NAME` or `agents/NAME`, a tag is a version. What is pushed
//! waits in a staging folder; when its manifest comes it is verified and goes the way
//! of a published version (it brings a trusted publisher's signature) or of a
//! deployed one (it brings none, and its name begins with the account's handle).
//! Versions themselves are kept in the registry folder alone; beside it, only the
//! manifests and configs of artifacts are kept, which can be made again.

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
