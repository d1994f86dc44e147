//! Signed versions of plugins as OCI artifacts: their form, a client for registries
//! of others, and a registry of our own under `/v2/`.
//!
//! An artifact is a manifest with one layer `application/wasm`, as the CNCF's
//! runtime group lays components out, so every tool that knows those takes it. What
//! the publisher signed (`plugin.toml`) and the signature (`plugin.sig`) are
//! annotations of that manifest; tables are layers of our own type
//! ([decision 41](../../../docs/decisions/0041-plugins-as-oci-artifacts.md)).
//!
//! Invariants:
//! 1. Nothing is written into a registry folder before it is whole, its digests are
//!    those that the publisher signed, and the publisher is trusted.
//! 2. An artifact adds no trust: what is pushed or pulled serves or waits exactly as
//!    if it had been published or deployed.
//! 3. What a stranger sends is bounded before it is kept: in bytes, in number, in time.
//! 4. Who pushes and pulls is the account that earns with the version, or nobody.
//! 5. What the configuration names is taken from other registries without a start, a
//!    call or another artifact waiting for it.
//!
//! Never imports routes, money or prices; the only crate that knows oci-client.

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
