//! Rust bindings of the plugin contract in `wit/`, generated at build time.
//!
//! The bridge world and the agent world share one set of types and imports: the agent's bindings
//! reuse the bridge's, so that every host import is implemented once.
#![allow(unreachable_pub, missing_docs, clippy::all, reason = "generated code")]

pub mod bridge {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "bridge",
        imports: {
            "wasi:keyvalue/atomics.increment": async | trappable,
            "tollbridge:plugin/ledger.record": async | trappable,
            "tollbridge:plugin/ledger.proof": async | trappable,
            "tollbridge:plugin/ledger.verify": async | trappable,
            "tollbridge:plugin/inference.complete": async | trappable,
            "tollbridge:plugin/inference.embed": async | trappable,
            "tollbridge:plugin/bridges.call": async | trappable,
            "tollbridge:plugin/bridges.run": async | trappable,
            default: trappable,
        },
        exports: { default: async },
        with: {
            "wasi:io": wasmtime_wasi::p2::bindings::io,
            "wasi:clocks": wasmtime_wasi::p2::bindings::clocks,
            "wasi:http": wasmtime_wasi_http::p2::bindings::http,
            "wasi:keyvalue/store.bucket": crate::imports::buckets::Bucket,
            "tollbridge:plugin/tables.table": crate::imports::plugin_tables::GuestTable,
        },
    });
}

pub mod agent {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "agent",
        imports: { default: trappable },
        exports: { default: async },
        with: {
            "tollbridge:plugin/types": super::bridge::tollbridge::plugin::types,
            "tollbridge:plugin/panic": super::bridge::tollbridge::plugin::panic,
            "tollbridge:plugin/tables": super::bridge::tollbridge::plugin::tables,
            "tollbridge:plugin/ledger": super::bridge::tollbridge::plugin::ledger,
            "tollbridge:plugin/inference": super::bridge::tollbridge::plugin::inference,
            "tollbridge:plugin/bridges": super::bridge::tollbridge::plugin::bridges,
            "wasi:logging/logging": super::bridge::wasi::logging::logging,
            "wasi:config/store": super::bridge::wasi::config::store,
            "wasi:keyvalue/store": super::bridge::wasi::keyvalue::store,
            "wasi:keyvalue/atomics": super::bridge::wasi::keyvalue::atomics,
            "wasi:io": wasmtime_wasi::p2::bindings::io,
            "wasi:clocks": wasmtime_wasi::p2::bindings::clocks,
            "wasi:http": wasmtime_wasi_http::p2::bindings::http,
        },
    });
}

pub mod reading_pages {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "reading-pages",
        imports: { default: trappable },
        with: { "tollbridge:plugin/tables": super::bridge::tollbridge::plugin::tables },
    });
}

pub mod proposing_inputs {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "proposing-inputs",
        imports: { default: trappable },
    });
}

pub use agent::AgentPre;
pub use bridge::BridgePre;
pub use bridge::tollbridge::plugin::{bridges, inference, ledger, panic, tables, types};
pub use bridge::wasi::config::store as config_store;
pub use bridge::wasi::keyvalue::{atomics as kv_atomics, store as kv_store};
pub use bridge::wasi::logging::logging;
pub use proposing_inputs::tollbridge::plugin::proposal;
pub use reading_pages::tollbridge::plugin::table_pages;
