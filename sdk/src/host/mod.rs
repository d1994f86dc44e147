//! The functions of the host: imports in a component, test doubles in a native build,
//! with the same signatures in both.

#[cfg(not(target_family = "wasm"))]
mod native;
#[cfg(not(target_family = "wasm"))]
mod native_services;
#[cfg(target_family = "wasm")]
mod wasm;
#[cfg(target_family = "wasm")]
mod wasm_http;
#[cfg(target_family = "wasm")]
mod wasm_services;

#[cfg(not(target_family = "wasm"))]
pub(crate) use native::{Bucket, config_all, config_get, log, send};
#[cfg(not(target_family = "wasm"))]
pub(crate) use native_services::{
    Table, call_bridge, complete, embed, ledger_proof, ledger_record, ledger_verify, run_agent,
};
#[cfg(target_family = "wasm")]
pub(crate) use wasm::{Bucket, config_all, config_get, log, report_panic, send};
#[cfg(target_family = "wasm")]
pub(crate) use wasm_services::{
    Table, call_bridge, complete, embed, ledger_proof, ledger_record, ledger_verify, run_agent,
};
