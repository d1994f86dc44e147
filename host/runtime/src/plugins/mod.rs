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
mod calls;
mod checks;
mod code;
mod imports;
mod loading;
mod runtime;
mod schema;
mod services;
#[cfg(feature = "testing")]
mod testing;
mod text;

pub use calls::call::{CallContext, CallUsage, Plugin, PluginOutput, Resource};
pub use calls::failure::Failure;
pub use calls::failure_report::FailureReport;
pub use calls::input::PluginInput;
pub use calls::log::{LogLine, PluginLog};
pub use calls::recent_usage::UsageSummary;
pub use checks::schemas::CheckError;
pub use code::cache::INSTALLED_KEY;
pub use code::child::{CompileChildError, CompileOrder, compile_component};
pub use code::compiler::{COMPILE_COMMAND, ChildCompiler, CompileError, CompileLimits, Compiler};
pub use code::component_limits::ComponentFault;
pub use code::engine::{CodeTarget, RuntimeLimits, TICK};
pub use code::memory_layout::{MemoryLayout, UnknownLayout};
pub use code::prepare::{INIT_EXPORT, PREPARE_VERSION, PrepareError, prepare};
pub use imports::grants::{GrantError, grant_of};
pub use loading::describe::{Description, Example};
pub use loading::load::{LoadError, LoadProblem};
pub use loading::spec::{CallLimits, PluginSpec};
pub use runtime::{CodeFolders, Runtime, RuntimeKeys, StartError};
pub use schema::compiled::{Schema, SchemaError, SizeLimit};
pub use schema::shape::ShapeError;
pub use schema::words::Invalid;
pub use services::{
    CalleeError, Completion, CompletionRequest, Embeddings, InferenceContext, InferenceError, KeyValueReader,
    LedgerReader, LedgerRecord, ModelOutage, Models, PluginCall, PluginCaller, ProofVerdict, RecordId, Role,
    ServiceError, Services, VerifiedProof,
};
#[cfg(feature = "testing")]
pub use testing::script::{PluginScript, Script, ScriptedCall};

#[cfg(test)]
mod tests;
