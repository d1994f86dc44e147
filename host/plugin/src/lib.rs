//! Plugins as their callers see them: descriptions, schemas, limits, call slots,
//! services, failures and logs. This crate has no engine: [`Program`] runs a plugin's
//! code, and [`PluginLoader`] makes a program of a component's bytes.
//! `tollbridge-runtime` implements both; the crates that sell calls need only this one.
//!
//! A plugin turns bytes into bytes. This crate has no notion of prices and accounts.
//!
//! Invariants:
//! 1. A call has an answer by its deadline, which its [`Program`] keeps, and its permit is
//!    then released. A long check of the output, or of a proposed input, may add
//!    `SCHEMA_CHECK_MS_MAX`.
//! 2. An input that does not fit its schema never reaches the plugin, and an output that
//!    does not fit never reaches the caller; nor does a proposed input with a member that
//!    does not fit.
//! 3. A check that may take long never runs on a thread that serves calls.

mod checks;
mod context;
mod describe;
mod facts;
mod failure;
mod failure_report;
mod input;
pub mod limits;
mod loader;
mod log;
mod output;
mod places;
mod plugin;
mod pool;
mod program;
mod proposed_input;
mod recent_usage;
mod runtime_limits;
mod schema;
mod services;
mod spec;
pub mod text;
mod usage;

pub use checks::schemas::CheckError;
pub use context::{CallContext, Resource};
pub use describe::{Described, Description, DescriptionError, DescriptionText, Example, ExampleText};
pub use facts::PluginFacts;
pub use failure::Failure;
pub use failure_report::FailureReport;
pub use input::PluginInput;
pub use loader::{LoadFailure, PluginLoader};
pub use log::{CallLog, LogLine, LogRing, PluginLog};
pub use output::PluginOutput;
pub use plugin::Plugin;
pub use pool::PluginPool;
pub use program::{Program, ProgramCall, ProgramOutput, ProgramRun, WriteLocks};
pub use proposed_input::ProposedInput;
pub use recent_usage::UsageSummary;
pub use runtime_limits::RuntimeLimits;
pub use schema::compiled::{Schema, SchemaError, SizeLimit};
pub use schema::shape::ShapeError;
pub use schema::words::Invalid;
pub use services::{
    CalleeError, Completion, CompletionRequest, Embeddings, InferenceContext, InferenceError, KeyValueReader,
    LedgerReader, LedgerRecord, ModelOutage, Models, PluginCall, PluginCaller, ProofVerdict, RecordId, Role,
    ServiceError, Services, VerifiedProof,
};
pub use spec::{CallLimits, PluginSpec};
pub use usage::CallUsage;
