//! A loaded plugin, and a call of it.
//!
//! Invariants:
//! 1. The caller has an answer at the deadline, whatever the plugin does: a guest that computes is
//!    stopped at a tick, and one that waits by the outer time-out. A long check of the output may
//!    add at most `SCHEMA_CHECK_MS_MAX`.
//! 2. The store, and with it the guest's memory and stack, is dropped before the permit passes to
//!    the next call.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use hmac::{Hmac, Mac};
use semver::Version;
use serde_json::Value;
use sha2::Sha256;
use tollbridge_core::config::Grant;
use tollbridge_core::fair_limiter::{FairShare, NoPermit};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_registry::Table;
use tollbridge_store::{KvWrite, hexed};
use wasmtime::Store;

use super::failure::{self, Failure};
use super::input::PluginInput;
use super::log::{LogLine, PluginLog};
use super::places::PluginPlaces;
use super::recent_usage::UsageSummary;
use super::state::State;
use crate::plugins::bindings::types;
use crate::plugins::checks::schemas::{CheckError, OutputError, PluginSchemas};
use crate::plugins::imports::counter_locks::CounterLock;
use crate::plugins::imports::link::LinkedComponent;
use crate::plugins::loading::describe::Description;
use crate::plugins::loading::loaded::LoadedPlugin;
use crate::plugins::loading::spec::CallLimits;
use crate::plugins::runtime::Shared;
use crate::plugins::schema::words::Invalid;
use crate::plugins::services::Services;

/// A loaded plugin, ready to be called.
pub struct Plugin {
    pub(crate) shared: Arc<Shared>,
    pub(crate) loaded: Arc<LoadedPlugin>,
    pub(crate) limits: CallLimits,
    pub(crate) description: Description,
    pub(crate) schemas: PluginSchemas,
    pub(crate) entry: LinkedComponent,
    pub(crate) places: PluginPlaces,
    /// HMAC that computes callers' pseudonyms, already initialized with the plugin's kind and name.
    pub(crate) pseudonyms: Hmac<Sha256>,
}

/// The context of a call: caller, time and services.
pub struct CallContext {
    /// Id of the request, for logs.
    pub request_id: String,
    /// The id of the calling account. The plugin sees only a pseudonym.
    pub caller: Option<String>,
    /// The tenant whose share of the call slots is used.
    pub share: FairShare,
    /// Whether the caller is another plugin; a nested call uses the slot of its original caller.
    pub is_nested: bool,
    /// Time of the call, Unix milliseconds.
    pub now_ms: u64,
    /// The stored resource that the input refers to, if any.
    pub resource: Option<Resource>,
    /// The caller's remaining time, if less than the plugin's own time limit.
    pub deadline: Option<Duration>,
    /// The services that host calls use.
    pub services: Services,
}

/// A stored resource of the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Id of the resource, as used in the input.
    pub id: String,
    /// The media type declared by the resource's owner.
    pub content_type: String,
    /// Content of the resource.
    pub bytes: Vec<u8>,
}

/// The output of a successful plugin call.
#[derive(Debug)]
pub struct PluginOutput {
    /// The answer: the text of a JSON object.
    pub body: Vec<u8>,
    /// Key-value writes to commit together with the seal.
    pub kv: Vec<KvWrite>,
    /// Time and memory that the call used.
    pub usage: CallUsage,
    /// Locks of the counters in `kv`. Keep the output until `kv` is durable, so that no other call
    /// reads a value that may yet be lost.
    _counters: Vec<CounterLock>,
}

#[cfg(feature = "testing")]
impl PluginOutput {
    pub(crate) const fn of_script(body: Vec<u8>) -> Self {
        let usage = CallUsage { wall: Duration::ZERO, memory_bytes: 0 };
        Self { body, kv: Vec::new(), usage, _counters: Vec::new() }
    }
}

/// Resources that a plugin call used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallUsage {
    /// Wall-clock time since the instance was started.
    pub wall: Duration,
    /// Final size of all the guest's memories, which never shrink.
    pub memory_bytes: usize,
}

impl Plugin {
    /// Returns the name of the plugin.
    pub fn name(&self) -> &str {
        &self.loaded.name
    }

    /// Returns whether the plugin is a bridge or an agent.
    pub fn kind(&self) -> PluginKind {
        self.loaded.kind
    }

    /// Returns whether a tenant deployed the plugin; the operator need not trust such a plugin.
    pub fn is_deployed(&self) -> bool {
        self.loaded.owner.is_some()
    }

    /// Returns whether a call may cause further billed calls: of other plugins, or of models if a
    /// tenant deployed this plugin.
    pub fn uses_others(&self) -> bool {
        !self.loaded.callees.is_empty() || self.is_deployed() && self.loaded.grants.contains(&Grant::Inference)
    }

    /// Returns whether a call may cost anyone more than processor time.
    pub fn spends(&self) -> bool {
        !self.loaded.callees.is_empty() || self.loaded.grants.contains(&Grant::Inference)
    }

    /// Returns whether a call may send data outside of this host, directly or through another
    /// plugin.
    pub fn reaches_out(&self) -> bool {
        let outside = [Grant::Http, Grant::Inference];
        !self.loaded.callees.is_empty() || outside.iter().any(|grant| self.loaded.grants.contains(grant))
    }

    /// Returns whether a call may store data, directly or through another plugin.
    pub fn keeps_data(&self) -> bool {
        !self.loaded.callees.is_empty() || self.loaded.grants.contains(&Grant::Keyvalue)
    }

    /// Returns whether answers do not depend on stored data, other plugins or models.
    pub fn is_self_contained(&self) -> bool {
        !self.keeps_data() && !self.loaded.grants.contains(&Grant::Inference)
    }

    /// Returns the version of the plugin.
    pub fn version(&self) -> &Version {
        &self.loaded.version
    }

    /// Returns the limits in effect: those of the manifest, capped by the operator's ceilings.
    pub fn limits(&self) -> &CallLimits {
        &self.limits
    }

    /// Returns the plugin's own description.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Returns whether the input schema defines a top-level member of this name.
    pub fn declares(&self, member: &str) -> bool {
        self.schemas.declares(member)
    }

    /// Checks an input whose text has `bytes` bytes. Returns the first violated top-level
    /// requirement, for example a missing member.
    ///
    /// # Errors A member is invalid, or no slot is free for a long check.
    pub async fn check_input(&self, input: &Arc<Value>, bytes: usize) -> Result<Option<Invalid>, CheckError> {
        self.schemas.check_input(&self.shared.check_places, input, bytes).await
    }

    /// Returns the tables that the plugin may open, with their names.
    pub fn tables(&self) -> impl Iterator<Item = (&str, &Table)> {
        self.loaded.tables.iter().map(|(name, table)| (name.as_str(), table.as_ref()))
    }

    /// Returns the last lines of the plugin's log, oldest first.
    pub fn logs(&self) -> Vec<LogLine> {
        self.loaded.logs.lines()
    }

    /// Returns a handle to the plugin's log. The handle also shows later lines and keeps no other
    /// part of the plugin alive.
    pub fn log(&self) -> PluginLog {
        PluginLog(self.loaded.logs.clone())
    }

    /// Returns the resource usage of the plugin's last calls; `None` before the first call.
    pub fn recent_usage(&self) -> Option<UsageSummary> {
        self.loaded.usage.summary()
    }

    /// Returns the number of calls that can start now within the plugin's own concurrency limit.
    pub fn available_permits(&self) -> usize {
        self.places.free()
    }

    /// Runs one call in a fresh instance. The input must have been checked before. Dropping the
    /// future stops the plugin.
    pub async fn call(&self, context: CallContext, input: impl Into<PluginInput>) -> Result<PluginOutput, Failure> {
        let input = input.into();
        self.check_size(&input)?;
        let time = context.deadline.map_or(self.limits.time, |left| left.min(self.limits.time));
        // Waiting for a slot counts against the caller's time, not the plugin's time limit.
        let wait = self.shared.limits.queue_wait.min(context.deadline.unwrap_or(Duration::MAX));
        let places = self.shared.places.acquire(&self.places, &context.share, context.is_nested, wait);
        let _permit = places.await.map_err(overloaded)?;
        let now_ms = context.now_ms;
        let result = self.run(context, input, time).await;
        if let Err(failure) = &result {
            self.log_failure(failure, now_ms);
        }
        result
    }

    async fn run(&self, context: CallContext, input: PluginInput, time: Duration) -> Result<PluginOutput, Failure> {
        let started = Instant::now();
        let deadline = started.checked_add(time).unwrap_or(started);
        let CallContext { request_id, caller, share, now_ms, resource, services, .. } = context;
        let account = caller;
        let caller = account.as_deref().map(|account| self.pseudonym(account));
        let call = types::Call {
            request_id: request_id.clone(),
            deadline_ms: u32::try_from(time.as_millis()).unwrap_or(u32::MAX),
            now_ms,
            caller: caller.clone(),
            resource: resource.map(|Resource { id, content_type, bytes }| types::Stored { id, content_type, bytes }),
        };
        #[cfg(feature = "testing")]
        if let LinkedComponent::Scripted(script) = &self.entry {
            let call = crate::plugins::testing::script::ScriptedCall { request_id, account, now_ms, services, input };
            return self.run_script(script, call, time).await;
        }
        let memory = self.limits.memory_bytes;
        let mut state = State::new(self.loaded.clone(), request_id, now_ms, services, memory, deadline);
        state.time = time;
        state.caller = caller;
        state.account = account;
        state.tenant = Some(share.tenant);
        let mut store = state.into_store(&self.shared.engine);
        let guest = self.guest(&mut store, &call, &input);
        let outcome = tokio::time::timeout(time, guest).await;
        self.loaded.usage.note(started.elapsed(), store.data().limiter.memory());
        match outcome {
            Ok(Ok(Ok(body))) => self.finish(store, body, started).await,
            Ok(Ok(Err(error))) => Err(failure::declared(store.data(), error)),
            Ok(Err(Stopped { started, error })) => Err(failure::stopped(store.data(), started, &error)),
            Err(_) => Err(failure::timed_out(store.data())),
        }
    }

    /// Instantiates the component and calls it. Both steps run the guest's code.
    async fn guest(
        &self,
        store: &mut Store<State>,
        call: &types::Call,
        input: &PluginInput,
    ) -> Result<Result<Vec<u8>, types::Error>, Stopped> {
        let unstarted = |error| Stopped { started: false, error };
        let returned = match (&self.entry, input) {
            (LinkedComponent::Bridge(pre), PluginInput::Bridge(object)) => {
                let bridge = pre.instantiate_async(&mut *store).await.map_err(unstarted)?;
                bridge.call_handle(store, call, object).await
            }
            (LinkedComponent::Agent(pre), PluginInput::Agent { task, input }) => {
                let agent = pre.instantiate_async(&mut *store).await.map_err(unstarted)?;
                agent.call_run(store, call, task, input.as_deref()).await
            }
            #[cfg(feature = "testing")]
            (LinkedComponent::Scripted(_), _) => Err(wasmtime::Error::msg("a script has no instance")),
            // `check_size` has already rejected an input of the wrong kind.
            (LinkedComponent::Bridge(_), PluginInput::Agent { .. })
            | (LinkedComponent::Agent(_), PluginInput::Bridge(_)) => {
                Err(wasmtime::Error::msg("a bridge was called as an agent, or an agent as a bridge"))
            }
        };
        returned.map_err(|error| Stopped { started: true, error })
    }

    async fn finish(&self, mut store: Store<State>, body: Vec<u8>, started: Instant) -> Result<PluginOutput, Failure> {
        let max = self.limits.output_bytes;
        if body.len() > max {
            let reason = format!("the output has {} bytes; its limit is {max}", body.len());
            return Err(failure::bad_output(store.data(), reason));
        }
        let usage = CallUsage { wall: started.elapsed(), memory_bytes: store.data().limiter.memory() };
        let body = match self.schemas.check_output(&self.shared.check_places, body).await {
            Ok(body) => body,
            Err(OutputError::Bad(reason)) => return Err(failure::bad_output(store.data(), reason)),
            Err(OutputError::Busy) => return Err(Failure::Overloaded { retry_after_s: 1 }),
        };
        let buckets = store.data_mut().buckets.take();
        let (kv, counter_locks) = buckets.map(|buckets| buckets.into_writes()).unwrap_or_default();
        Ok(PluginOutput { body, kv, usage, _counters: counter_locks })
    }

    fn check_size(&self, input: &PluginInput) -> Result<(), Failure> {
        let size = match (self.loaded.kind, input) {
            (PluginKind::Bridge, PluginInput::Bridge(object)) => object.len(),
            (PluginKind::Agent, PluginInput::Agent { task, input }) => {
                task.len().saturating_add(input.as_ref().map_or(0, Bytes::len))
            }
            (kind, _) => return Err(invalid(format!("{} is a {kind}", self.loaded.name))),
        };
        let max = self.limits.input_bytes;
        if size > max {
            return Err(invalid(format!("the input has {size} bytes; at most {max} are accepted")));
        }
        Ok(())
    }

    /// Returns the account's pseudonym for this plugin: stable, and different for every plugin.
    fn pseudonym(&self, account: &str) -> String {
        let mut mac = self.pseudonyms.clone();
        mac.update(account.as_bytes());
        let code = mac.finalize().into_bytes();
        hexed::text(code.first_chunk::<16>().unwrap_or(&[0; 16]))
    }

    fn log_failure(&self, failure: &Failure, time_ms: u64) {
        if let Some(report) = failure.report() {
            tracing::warn!(target: "plugin::failure", kind = failure.kind(), "{report}");
            self.loaded.logs.push(LogLine {
                time_ms,
                number: 0,
                request_id: report.request_id.clone(),
                level: tracing::Level::ERROR,
                text: report.log_line(),
                trace: report.places(),
            });
        }
    }
}

/// The error that stopped a guest, and whether the guest had been instantiated.
struct Stopped {
    started: bool,
    error: wasmtime::Error,
}

fn overloaded(_: NoPermit) -> Failure {
    Failure::Overloaded { retry_after_s: 1 }
}

fn invalid(message: String) -> Failure {
    Failure::InvalidInput { field: String::new(), message }
}
