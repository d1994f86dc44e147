//! Bindings of `wit/plugin.wit`: the types and imports that the worlds `bridge` and
//! `agent` share, and the exports of each world. `scripts/renew-bindings.sh` regenerates
//! them.
//!
//! A plugin's component contains only the functions that the plugin calls.

#![allow(unsafe_code, missing_docs, unreachable_pub, reason = "generated: the calling convention of components")]
#![allow(clippy::all, reason = "generated")]

/// Bindings of the world `bridge`, and the types and imports that it shares with the world `agent`.
pub mod bridge {
    include!("../../wit/rust/bridge.rs");
}

/// Bindings of the world `agent`.
pub mod agent {
    include!("../../wit/rust/agent.rs");
}

/// Bindings of the interface for pages of tables.
pub mod reading_pages {
    include!("../../wit/rust/reading_pages.rs");
}

/// Bindings of the interface by which an agent proposes an input.
pub mod proposing_inputs {
    include!("../../wit/rust/proposing_inputs.rs");
}

/// Bindings of the world of a plugin with an `init`. Building removes that export from the
/// component, so hosts never see it.
pub mod init {
    include!("../../wit/rust/prepared.rs");
}

/// The record types of the plugin contract.
pub use bridge::tollbridge::plugin::types as contract;
