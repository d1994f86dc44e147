//! Signed plugin versions as OCI artifacts: the format, a client for other registries,
//! and this host's own registry under `/v2/`.
//!
//! An artifact is a manifest with one layer `application/wasm`, in the layout of the
//! CNCF's runtime group, so every tool that supports that layout accepts it. The signed
//! text (`plugin.toml`) and the signature (`plugin.sig`) are annotations of that
//! manifest; tables are layers of a Tollbridge media type ([decision
//! 41](../../../docs/decisions/0041-plugins-as-oci-artifacts.md)).
//!
//! Invariants:
//! 1. A version is written into a registry folder only when it is complete, its digests
//!    match those that the publisher signed, and the publisher is trusted.
//! 2. An artifact adds no trust: a pushed or pulled version needs the same approval as
//!    one that was published or deployed.
//! 3. Untrusted input is limited in size, number and duration before it is stored.
//! 4. Only the account that receives a version's earnings may push and pull the version.
//! 5. Following an artifact of another registry delays neither the server's start, nor
//!    calls, nor other artifacts.
//!
//! Never imports routes, money or prices; the only crate that depends on oci-client.

mod artifact;
mod client;
mod credentials;
mod digest;
mod error;
mod follow;
mod follow_step;
#[cfg(test)]
mod follow_tests;
#[cfg(test)]
mod fuzz_tests;
mod manifest;
mod server;
#[cfg(test)]
mod testing;
mod wasm_config;

pub use artifact::Artifact;
pub use client::{OciClient, Offered, Pulled};
pub use credentials::Credentials;
pub use error::OciError;
pub use follow::{ArtifactFollower, ArtifactFollowerSettings};
pub use server::{PluginRegistry, PluginRegistryDeps, routes};
