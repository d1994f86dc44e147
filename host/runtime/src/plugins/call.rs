//! A loaded plugin, and one call of it.
//!
//! Invariants:
//! 1. The caller has an answer at the deadline, whatever the plugin does: a
//!    computing guest is stopped at a tick, a waiting one by the outer time-out.
//! 2. The store, and with it memory and stack, is gone before the place is
//!    given to the next call.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use hmac::{Hmac, Mac};
use semver::Version;
use serde_json::Value;
use sha2::Sha256;
use wasmtime::Store;

use super::bindings::types;
use super::describe::Description;
use super::failure::{self, Failure};
use super::gate::{Busy, Gate};
use super::host_kv::Held;
use super::link::Entry;
use super::log::LogLine;
use super::output;
use super::runtime::Shared;
use super::schema::{Invalid, Schema};
use super::services::Services;
use super::spec::CallLimits;
use super::state::{Identity, State};
use crate::registry::{Kind, Table};
use tollbridge_store::{KvWrite, hexed};

/// A plugin that can be called.
pub struct Plugin {
    pub(super) shared: Arc<Shared>,
    pub(super) identity: Arc<Identity>,
    pub(super) limits: CallLimits,
    pub(super) description: Description,
    pub(super) input: Schema,
    pub(super) output: Schema,
    pub(super) entry: Entry,
    pub(super) gate: Gate,
    /// Makes pseudonyms; keyed, and fed with the plugin's kind and name.
    pub(super) pseudonyms: Hmac<Sha256>,
}

/// Who calls, when, and with what behind them.
pub struct CallContext {
    pub request_id: String,
    /// Id of the calling account. The plugin sees a pseudonym.
    pub caller: Option<String>,
    /// Unix time in milliseconds.
    pub now_ms: u64,
    /// The stored resource that the input names.
    pub resource: Option<Resource>,
    /// Time left to whoever is behind this call, if that is less than the
    /// plugin's own limit.
    pub deadline: Option<Duration>,
    /// What host calls reach outside of the runtime.
    pub services: Services,
}

/// A stored resource of the caller's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    pub id: String,
    pub content_type: String,
    pub bytes: Vec<u8>,
}

/// What a plugin works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// The text of a JSON object that fits the input schema.
    Bridge(Bytes),
    /// A task, and such a JSON object if the caller sent one.
    Agent { task: String, input: Option<Bytes> },
}

impl From<Bytes> for Input {
    fn from(object: Bytes) -> Self {
        Self::Bridge(object)
    }
}

/// An answer.
#[derive(Debug)]
pub struct Output {
    /// The text of a JSON object.
    pub body: Vec<u8>,
    /// To be committed with the seal, or not at all.
    pub kv: Vec<KvWrite>,
    pub usage: Usage,
    /// Counters among `kv`: nobody else reads them until this is dropped, which
    /// should be when `kv` is durable.
    _counters: Vec<Held>,
}

/// What a call took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    pub wall: Duration,
    /// Of all memories, at the end; they never shrink.
    pub memory_bytes: usize,
}

impl Plugin {
    pub fn name(&self) -> &str {
        &self.identity.name
    }

    pub fn kind(&self) -> Kind {
        self.identity.kind
    }

    pub fn version(&self) -> &Version {
        &self.identity.version
    }

    /// As they hold: the manifest's, within the operator's.
    pub fn limits(&self) -> &CallLimits {
        &self.limits
    }

    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Whether the input schema names a member of the top level.
    pub fn declares(&self, member: &str) -> bool {
        self.input.declares(member)
    }

    /// Checks the members that an input has; some may still be missing from its
    /// top level.
    pub fn check_present(&self, input: &Value) -> Result<(), Invalid> {
        self.input.check_present(input)
    }

    /// Checks that an input is whole.
    pub fn check_complete(&self, input: &Value) -> Result<(), Invalid> {
        self.input.check_complete(input)
    }

    /// Checks an output against what the plugin promised.
    pub fn check_output(&self, output: &Value) -> Result<(), Invalid> {
        self.output.check_complete(output)
    }

    /// The tables that it may open, in the order of their names.
    pub fn tables(&self) -> impl Iterator<Item = (&str, &Table)> {
        self.identity.tables.iter().map(|(name, table)| (name.as_str(), table.as_ref()))
    }

    /// The last lines of its log, oldest first.
    pub fn logs(&self) -> Vec<LogLine> {
        self.identity.logs.lines()
    }

    /// Calls of it that could start now, as far as its own share goes.
    pub fn free_places(&self) -> usize {
        self.gate.free()
    }

    /// Runs one call in a fresh instance. The input must have been checked.
    /// Dropping the future stops the plugin.
    pub async fn call(&self, context: CallContext, input: impl Into<Input>) -> Result<Output, Failure> {
        let input = input.into();
        self.check_size(&input)?;
        let time = context.deadline.map_or(self.limits.time, |left| left.min(self.limits.time));
        // Waiting does not count against the plugin, but against the caller.
        let wait = self.shared.limits.queue_wait.min(context.deadline.unwrap_or(Duration::MAX));
        let _place = self.gate.enter(wait).await.map_err(busy)?;
        let _shared_place = self.shared.gate.enter(wait).await.map_err(busy)?;
        let now_ms = context.now_ms;
        let result = self.run(context, input, time).await;
        if let Err(failure) = &result {
            self.note(failure, now_ms);
        }
        result
    }

    async fn run(&self, context: CallContext, input: Input, time: Duration) -> Result<Output, Failure> {
        let started = Instant::now();
        let deadline = started.checked_add(time).unwrap_or(started);
        let CallContext { request_id, caller, now_ms, resource, services, .. } = context;
        let account = caller;
        let caller = account.as_deref().map(|account| self.pseudonym(account));
        let call = types::Call {
            request_id: request_id.clone(),
            deadline_ms: u32::try_from(time.as_millis()).unwrap_or(u32::MAX),
            now_ms,
            caller: caller.clone(),
            resource: resource.map(|Resource { id, content_type, bytes }| types::Stored { id, content_type, bytes }),
        };
        let memory = self.limits.memory_bytes;
        let mut state = State::new(self.identity.clone(), request_id, now_ms, services, memory, deadline);
        state.caller = caller;
        state.account = account;
        let mut store = state.into_store(&self.shared.engine);
        let guest = self.guest(&mut store, &call, &input);
        match tokio::time::timeout(time, guest).await {
            Ok(Ok(Ok(body))) => self.finish(store, body, started),
            Ok(Ok(Err(error))) => Err(failure::declared(store.data(), error)),
            Ok(Err(Stopped { started, error })) => Err(failure::stopped(store.data(), started, &error)),
            Err(_) => Err(failure::timed_out(store.data())),
        }
    }

    /// Instantiates and calls: both are the guest's code.
    async fn guest(
        &self,
        store: &mut Store<State>,
        call: &types::Call,
        input: &Input,
    ) -> Result<Result<Vec<u8>, types::Error>, Stopped> {
        let unstarted = |error| Stopped { started: false, error };
        let returned = match (&self.entry, input) {
            (Entry::Bridge(pre), Input::Bridge(object)) => {
                let bridge = pre.instantiate_async(&mut *store).await.map_err(unstarted)?;
                bridge.call_handle(store, call, object).await
            }
            (Entry::Agent(pre), Input::Agent { task, input }) => {
                let agent = pre.instantiate_async(&mut *store).await.map_err(unstarted)?;
                agent.call_run(store, call, task, input.as_deref()).await
            }
            // `check_size` refused these.
            (Entry::Bridge(_), Input::Agent { .. }) | (Entry::Agent(_), Input::Bridge(_)) => {
                Err(wasmtime::Error::msg("a bridge was called as an agent, or the other way round"))
            }
        };
        returned.map_err(|error| Stopped { started: true, error })
    }

    fn finish(&self, mut store: Store<State>, body: Vec<u8>, started: Instant) -> Result<Output, Failure> {
        let max = self.limits.output_bytes;
        if body.len() > max {
            let reason = format!("the output has {} bytes; its limit is {max}", body.len());
            return Err(failure::bad_output(store.data(), reason));
        }
        output::check(&body).map_err(|reason| failure::bad_output(store.data(), reason))?;
        let buckets = store.data_mut().buckets.take();
        let (kv, counters) = buckets.map(|buckets| buckets.into_writes()).unwrap_or_default();
        let usage = Usage { wall: started.elapsed(), memory_bytes: store.data().limiter.memory() };
        Ok(Output { body, kv, usage, _counters: counters })
    }

    fn check_size(&self, input: &Input) -> Result<(), Failure> {
        let size = match (self.identity.kind, input) {
            (Kind::Bridge, Input::Bridge(object)) => object.len(),
            (Kind::Agent, Input::Agent { task, input }) => {
                task.len().saturating_add(input.as_ref().map_or(0, Bytes::len))
            }
            (kind, _) => return Err(invalid(format!("{} is a {kind}", self.identity.name))),
        };
        let max = self.limits.input_bytes;
        if size > max {
            return Err(invalid(format!("the input has {size} bytes; at most {max} are accepted")));
        }
        Ok(())
    }

    /// Who an account is to this plugin: stable, but of no use elsewhere.
    fn pseudonym(&self, account: &str) -> String {
        let mut mac = self.pseudonyms.clone();
        mac.update(account.as_bytes());
        let code = mac.finalize().into_bytes();
        hexed::text(code.first_chunk::<16>().unwrap_or(&[0; 16]))
    }

    fn note(&self, failure: &Failure, time_ms: u64) {
        if let Some(report) = failure.report() {
            tracing::warn!(target: "plugin", kind = failure.kind(), "{report}");
            self.identity.logs.push(LogLine {
                time_ms,
                request_id: report.request_id.clone(),
                level: tracing::Level::ERROR,
                text: report.to_string(),
            });
        }
    }
}

/// A guest that was stopped, and whether it had started.
struct Stopped {
    started: bool,
    error: wasmtime::Error,
}

fn busy(Busy: Busy) -> Failure {
    Failure::Overloaded { retry_after_s: 1 }
}

fn invalid(message: String) -> Failure {
    Failure::InvalidInput { field: String::new(), message }
}
