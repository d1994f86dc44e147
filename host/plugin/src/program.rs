//! The code of a plugin, and one run of it.

use std::any::Any;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tollbridge_core::fair_limiter::TenantName;
use tollbridge_store::KvWrite;

use crate::context::Resource;
use crate::failure::Failure;
use crate::input::PluginInput;
use crate::proposed_input::ProposedInput;
use crate::services::Services;
use crate::usage::CallUsage;

/// The code of a loaded plugin: a component in the sandbox, or a script of a test.
pub trait Program: Send + Sync {
    /// Runs one call and returns within `call.time`, whatever the code does. Dropping the future
    /// stops the code.
    fn run(&self, call: ProgramCall) -> BoxFuture<'_, ProgramRun>;
}

/// A call for a program. Its input has been checked.
pub struct ProgramCall {
    /// Id of the request, for logs.
    pub request_id: String,
    /// The calling account, for the services; the program's code never sees it.
    pub account: Option<String>,
    /// The caller's pseudonym, which the code may see.
    pub caller: Option<String>,
    /// The tenant whose budgets the call uses.
    pub tenant: TenantName,
    /// Time of the call, Unix milliseconds.
    pub now_ms: u64,
    /// The stored resource that the input refers to, if any.
    pub resource: Option<Resource>,
    /// The services that host calls use.
    pub services: Services,
    /// The input.
    pub input: PluginInput,
    /// The time limit of the call.
    pub time: Duration,
}

/// A completed run: its result, and the time and memory it used.
pub struct ProgramRun {
    /// The output, or the reason why there is none.
    pub result: Result<ProgramOutput, Failure>,
    /// Time and memory used, also by a failed call.
    pub usage: CallUsage,
    /// The input that the code proposes, if the result is an invalid input.
    pub proposal: Option<ProposedInput>,
}

/// The output of a program, not checked yet.
pub struct ProgramOutput {
    /// The answer, expected to be the text of a JSON object.
    pub body: Vec<u8>,
    /// Id of the request, for the report if the answer is invalid.
    pub request_id: String,
    /// The panic that the code reported before it answered, for the same report.
    pub panic: Option<String>,
    /// Key-value writes of the call.
    pub kv: Vec<KvWrite>,
    /// Locks on counters in `kv`, held until the writes are durable.
    pub locks: WriteLocks,
}

/// Locks that are released when dropped.
#[derive(Default)]
pub struct WriteLocks(Option<Box<dyn Any + Send + Sync>>);

impl WriteLocks {
    /// Keeps the guards of the locks.
    pub fn of<T: Any + Send + Sync>(guards: Vec<T>) -> Self {
        if guards.is_empty() { Self(None) } else { Self(Some(Box::new(guards))) }
    }
}

impl std::fmt::Debug for WriteLocks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("WriteLocks").field(&self.0.is_some()).finish()
    }
}
