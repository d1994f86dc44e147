//! Bindings of `wit/plugin.wit`: the types and imports once, for both worlds,
//! and each world's exports.
//!
//! What a plugin does not call does not appear in its component.

#![allow(unsafe_code, clippy::too_many_arguments, reason = "generated: the calling convention of components")]

/// The world `bridge`, and the types and imports that both worlds share.
pub mod bridge {
    wit_bindgen::generate!({
        path: "../wit",
        world: "tollbridge:plugin/bridge",
        pub_export_macro: true,
        export_macro_name: "export",
        generate_all,
    });
}

/// The world `agent`.
pub mod agent {
    wit_bindgen::generate!({
        path: "../wit",
        world: "tollbridge:plugin/agent",
        pub_export_macro: true,
        export_macro_name: "export",
        with: {
            "tollbridge:plugin/types@1.0.0": super::bridge::tollbridge::plugin::types,
            "tollbridge:plugin/panic@1.0.0": super::bridge::tollbridge::plugin::panic,
            "tollbridge:plugin/tables@1.0.0": super::bridge::tollbridge::plugin::tables,
            "tollbridge:plugin/ledger@1.0.0": super::bridge::tollbridge::plugin::ledger,
            "tollbridge:plugin/inference@1.0.0": super::bridge::tollbridge::plugin::inference,
            "tollbridge:plugin/bridges@1.0.0": super::bridge::tollbridge::plugin::bridges,
            "wasi:logging/logging@0.1.0-draft": super::bridge::wasi::logging::logging,
            "wasi:config/store@0.2.0-rc.1": super::bridge::wasi::config::store,
            "wasi:keyvalue/store@0.2.0-draft": super::bridge::wasi::keyvalue::store,
            "wasi:keyvalue/atomics@0.2.0-draft": super::bridge::wasi::keyvalue::atomics,
            "wasi:http/outgoing-handler@0.2.12": super::bridge::wasi::http::outgoing_handler,
            "wasi:http/types@0.2.12": super::bridge::wasi::http::types,
            "wasi:io/error@0.2.12": super::bridge::wasi::io::error,
            "wasi:io/poll@0.2.12": super::bridge::wasi::io::poll,
            "wasi:io/streams@0.2.12": super::bridge::wasi::io::streams,
            "wasi:clocks/monotonic-clock@0.2.12": super::bridge::wasi::clocks::monotonic_clock,
        },
    });
}

/// The interface of its own for pages of tables.
pub mod reading_pages {
    wit_bindgen::generate!({
        path: "../wit",
        world: "tollbridge:plugin/reading-pages",
        with: { "tollbridge:plugin/tables@1.0.0": super::bridge::tollbridge::plugin::tables },
        generate_all,
    });
}

/// The world of a plugin that prepares itself when it is built. What is built no
/// longer exports it, so no host ever sees it.
pub mod init {
    wit_bindgen::generate!({
        inline: "package tollbridge:sdk; world prepared { export init: func(); }",
        pub_export_macro: true,
        export_macro_name: "export",
    });
}

/// The records of the contract.
pub use bridge::tollbridge::plugin::types as contract;
