//! Bindings of `wit/plugin.wit`: the shared types and imports of both worlds, and each world's
//! exports. `scripts/renew-bindings.sh` regenerates them.
//!
//! Functions that a plugin does not call do not appear in its component.

#![allow(unsafe_code, missing_docs, unreachable_pub, reason = "generated: the calling convention of components")]
#![allow(clippy::all, reason = "generated")]

/// The world `bridge`, and the types and imports that both worlds share.
pub mod bridge {
    include!("../../wit/rust/bridge.rs");
}

/// The world `agent`.
pub mod agent {
    include!("../../wit/rust/agent.rs");
}

/// The separate interface for pages of tables.
pub mod reading_pages {
    include!("../../wit/rust/reading_pages.rs");
}

/// The world of a plugin that prepares itself when it is built. The finished component no longer
/// exports it, so hosts never see it.
pub mod init {
    include!("../../wit/rust/prepared.rs");
}

/// The records of the contract.
pub use bridge::tollbridge::plugin::types as contract;
