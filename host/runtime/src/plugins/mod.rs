//! Loads plugins and runs them without trusting them.
//!
//! A plugin is a WebAssembly component that turns bytes into bytes. This module has no notion of
//! prices and accounts; it ensures that a plugin uses no more than its limits and reaches nothing
//! that it was not granted.
//!
//! Invariants:
//! 1. Every call runs in a fresh instance that no other call ever sees.
//! 2. Whatever a plugin does, its caller has an answer by the deadline, and the call's permit is
//!    then released.
//! 3. A component is linked only with the interfaces that its manifest requests and the operator
//!    allows.
//! 4. A plugin's writes take effect only when its call is sealed.

mod bindings;
mod buckets;
mod cache;
mod call;
mod check_places;
mod check_rate;
mod checked;
mod compile_child;
mod compiler;
mod component_limits;
mod counter_locks;
mod describe;
mod engine;
mod failure;
mod failure_report;
mod fairness;
mod grants;
mod guest_trace;
mod host_bridges;
mod host_config;
mod host_http;
mod host_inference;
mod host_kv;
mod host_ledger;
mod host_log;
mod host_panic;
mod host_tables;
mod host_wasi;
mod limiter;
mod link;
mod load;
mod loaded;
mod log;
mod memory_layout;
mod native_code;
mod outgoing;
mod output;
mod output_document;
mod output_schema;
mod pattern_cost;
mod places;
mod plugin_schemas;
mod plugin_tables;
mod prepare;
mod recent_usage;
mod reported_limits;
mod runtime;
mod schema;
mod schema_alternatives;
mod schema_cost;
#[cfg(test)]
mod schema_fuzz_tests;
mod schema_parts;
mod schema_words;
#[cfg(feature = "testing")]
mod script;
#[cfg(feature = "testing")]
mod scripted;
mod secret;
mod services;
mod shape;
mod spec;
mod state;
mod text;
mod wasi;
mod write_budget;

pub use cache::INSTALLED_KEY;
pub use call::{CallContext, CallUsage, Plugin, PluginInput, PluginOutput, Resource};
pub use compile_child::{CompileChildError, CompileOrder, compile_component};
pub use compiler::{COMPILE_COMMAND, ChildCompiler, CompileError, CompileLimits, Compiler};
pub use component_limits::ComponentFault;
pub use describe::{Description, Example};
pub use engine::{CodeTarget, RuntimeLimits, TICK};
pub use failure::Failure;
pub use failure_report::FailureReport;
pub use grants::{GrantError, grant_of};
pub use load::{LoadError, LoadProblem};
pub use log::{LogLine, PluginLog};
pub use memory_layout::{MemoryLayout, UnknownLayout};
pub use plugin_schemas::CheckError;
pub use prepare::{INIT_EXPORT, PREPARE_VERSION, PrepareError, prepare};
pub use recent_usage::UsageSummary;
pub use runtime::{CodeFolders, Runtime, RuntimeKeys, StartError};
pub use schema::{Schema, SchemaError, SizeLimit};
pub use schema_words::Invalid;
#[cfg(feature = "testing")]
pub use script::{PluginScript, Script, ScriptedCall};
pub use services::{
    CalleeError, Completion, CompletionRequest, Embeddings, InferenceContext, InferenceError, KeyValueReader,
    LedgerReader, LedgerRecord, ModelOutage, Models, PluginCall, PluginCaller, ProofVerdict, RecordId, Role,
    ServiceError, Services, VerifiedProof,
};
pub use shape::ShapeError;
pub use spec::{CallLimits, PluginSpec};

#[cfg(test)]
mod tests;
