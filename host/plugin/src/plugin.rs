//! A loaded plugin, and a call of it.
//!
//! Invariants:
//! 1. The caller gets an answer by the deadline, whatever the plugin does: the program
//!    returns by then. A long check of the output, or of a proposed input, may add at most
//!    `SCHEMA_CHECK_MS_MAX`.
//! 2. The program's memory is released before the permit passes to the next call.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hmac::{Hmac, Mac};
use semver::Version;
use serde_json::Value;
use sha2::Sha256;
use tollbridge_core::config::Grant;
use tollbridge_core::fair_limiter::NoPermit;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_registry::Table;
use tollbridge_store::hexed;

use crate::checks::schemas::{CheckError, OutputError, PluginSchemas};
use crate::context::CallContext;
use crate::describe::{Described, Description};
use crate::facts::PluginFacts;
use crate::failure::Failure;
use crate::failure_report::FailureReport;
use crate::input::PluginInput;
use crate::log::{LogLine, PluginLog};
use crate::output::PluginOutput;
use crate::places::PluginPlaces;
use crate::pool::PluginPool;
use crate::program::{Program, ProgramCall, ProgramOutput, ProgramRun};
use crate::proposed_input::ProposedInput;
use crate::recent_usage::{RecentUsage, UsageSummary};
use crate::schema::words::Invalid;
use crate::spec::CallLimits;

/// A loaded plugin, ready to be called.
pub struct Plugin {
    pool: Arc<PluginPool>,
    facts: Arc<PluginFacts>,
    limits: CallLimits,
    description: Description,
    schemas: PluginSchemas,
    program: Box<dyn Program>,
    places: PluginPlaces,
    usage: RecentUsage,
    /// HMAC that computes callers' pseudonyms, already initialized with the plugin's kind and name.
    pseudonyms: Hmac<Sha256>,
}

impl Plugin {
    /// Creates a plugin that runs a program.
    pub fn new(
        pool: &Arc<PluginPool>,
        facts: Arc<PluginFacts>,
        limits: CallLimits,
        described: Described,
        program: Box<dyn Program>,
    ) -> Self {
        let Described { description, input, output } = described;
        let owner = facts.owner.as_deref();
        Self {
            pool: pool.clone(),
            places: pool.places.of_plugin(owner, limits.concurrency),
            schemas: PluginSchemas::new(input, output, pool.check_places.turns(owner)),
            usage: RecentUsage::default(),
            pseudonyms: pool.pseudonyms_of(&facts),
            facts,
            limits,
            description,
            program,
        }
    }

    /// Returns the name of the plugin.
    pub fn name(&self) -> &str {
        &self.facts.name
    }

    /// Returns whether the plugin is a bridge or an agent.
    pub fn kind(&self) -> PluginKind {
        self.facts.kind
    }

    /// Returns whether a tenant deployed the plugin; the operator need not trust such a plugin.
    pub fn is_deployed(&self) -> bool {
        self.facts.owner.is_some()
    }

    /// Returns whether a call may cause further billed calls: of other plugins, or of models if a
    /// tenant deployed this plugin.
    pub fn uses_others(&self) -> bool {
        !self.facts.callees.is_empty() || self.is_deployed() && self.facts.grants.contains(&Grant::Inference)
    }

    /// Returns whether a call may cost anyone more than processor time.
    pub fn spends(&self) -> bool {
        !self.facts.callees.is_empty() || self.facts.grants.contains(&Grant::Inference)
    }

    /// Returns whether a call may send data outside of this host, directly or through another
    /// plugin.
    pub fn reaches_out(&self) -> bool {
        let outside = [Grant::Http, Grant::Inference];
        !self.facts.callees.is_empty() || outside.iter().any(|grant| self.facts.grants.contains(grant))
    }

    /// Returns whether a call may store data, directly or through another plugin.
    pub fn keeps_data(&self) -> bool {
        !self.facts.callees.is_empty() || self.facts.grants.contains(&Grant::Keyvalue)
    }

    /// Returns whether answers do not depend on stored data, other plugins or models.
    pub fn is_self_contained(&self) -> bool {
        !self.keeps_data() && !self.facts.grants.contains(&Grant::Inference)
    }

    /// Returns the version of the plugin.
    pub fn version(&self) -> &Version {
        &self.facts.version
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
    /// # Errors
    /// A member is invalid, or no slot is free for a long check.
    pub async fn check_input(&self, input: &Arc<Value>, bytes: usize) -> Result<Option<Invalid>, CheckError> {
        self.schemas.check_input(&self.pool.check_places, input, bytes).await
    }

    /// Returns the tables that the plugin may open, with their names.
    pub fn tables(&self) -> impl Iterator<Item = (&str, &Table)> {
        self.facts.tables.iter().map(|(name, table)| (name.as_str(), table.as_ref()))
    }

    /// Returns the last lines of the plugin's log, oldest first.
    pub fn logs(&self) -> Vec<LogLine> {
        self.facts.logs.lines()
    }

    /// Returns a handle to the plugin's log. The handle also shows later lines and keeps no other
    /// part of the plugin alive.
    pub fn log(&self) -> PluginLog {
        PluginLog(self.facts.logs.clone())
    }

    /// Returns the resource usage of the plugin's last calls; `None` before the first call.
    pub fn recent_usage(&self) -> Option<UsageSummary> {
        self.usage.summary()
    }

    /// Returns the number of calls that can start now within the plugin's own concurrency limit.
    pub fn available_permits(&self) -> usize {
        self.places.free()
    }

    /// Runs one call of the program. The input must have been checked before. Dropping the future
    /// stops the plugin.
    pub async fn call(&self, context: CallContext, input: impl Into<PluginInput>) -> Result<PluginOutput, Failure> {
        let input = input.into();
        self.check_size(&input)?;
        let time = context.deadline.map_or(self.limits.time, |left| left.min(self.limits.time));
        // Waiting for a slot counts against the caller's time, not the plugin's time limit.
        let wait = self.pool.queue_wait.min(context.deadline.unwrap_or(Duration::MAX));
        let places = self.pool.places.acquire(&self.places, &context.share, context.is_nested, wait);
        let _permit = places.await.map_err(overloaded)?;
        let now_ms = context.now_ms;
        let result = self.run(context, input, time).await;
        if let Err(failure) = &result {
            self.log_failure(failure, now_ms);
        }
        result
    }

    async fn run(&self, context: CallContext, input: PluginInput, time: Duration) -> Result<PluginOutput, Failure> {
        let CallContext { request_id, caller: account, share, now_ms, resource, services, .. } = context;
        let caller = account.as_deref().map(|account| self.pseudonym(account));
        let call =
            ProgramCall { request_id, account, caller, tenant: share.tenant, now_ms, resource, services, input, time };
        let ProgramRun { result, usage, proposal } = self.program.run(call).await;
        self.usage.note(usage);
        let result = match (result, proposal) {
            (Err(Failure::InvalidInput { field, message, .. }), Some(proposal)) => {
                Err(Failure::InvalidInput { field, message, input: self.usable(proposal).await })
            }
            (result, _) => result,
        };
        let ProgramOutput { body, request_id, panic, kv, locks } = result?;
        let body = self.check_output(body).await?.map_err(|reason| {
            let (plugin, version) = (self.facts.name.clone(), self.facts.version.to_string());
            let report = FailureReport { plugin, version, request_id, reason, panic, ..FailureReport::default() };
            Failure::BadOutput(Box::new(report))
        })?;
        Ok(PluginOutput { body, kv, usage, _locks: locks })
    }

    /// Returns a proposed input of which every member fits the input schema; members may be
    /// missing. Any other proposal is dropped, and the plugin's log gets the reason.
    async fn usable(&self, proposal: ProposedInput) -> Option<Value> {
        let checked = match proposal.read().map(Arc::new) {
            Ok(input) => match self.check_input(&input, proposal.text.len()).await {
                Ok(_) => Ok(Arc::unwrap_or_clone(input)),
                Err(CheckError::Invalid(wrong)) => Err(format!("{} {}", wrong.field, wrong.message)),
                Err(CheckError::Busy) => Err("too many long checks are waiting".to_owned()),
            },
            Err(reason) => Err(reason),
        };
        checked.map_err(|reason| ProposedInput::log_dropped(&proposal.log, &reason)).ok()
    }

    /// Checks the size and the schema of an output. The inner error says why it is invalid.
    async fn check_output(&self, body: Vec<u8>) -> Result<Result<Vec<u8>, String>, Failure> {
        let max = self.limits.output_bytes;
        if body.len() > max {
            return Ok(Err(format!("the output has {} bytes; its limit is {max}", body.len())));
        }
        match self.schemas.check_output(&self.pool.check_places, body).await {
            Ok(body) => Ok(Ok(body)),
            Err(OutputError::Bad(reason)) => Ok(Err(reason)),
            Err(OutputError::Busy) => Err(Failure::Overloaded { retry_after_s: 1 }),
        }
    }

    fn check_size(&self, input: &PluginInput) -> Result<(), Failure> {
        let size = match (self.facts.kind, input) {
            (PluginKind::Bridge, PluginInput::Bridge(object)) => object.len(),
            (PluginKind::Agent, PluginInput::Agent { task, input }) => {
                task.len().saturating_add(input.as_ref().map_or(0, Bytes::len))
            }
            (kind, _) => return Err(invalid(format!("{} is a {kind}", self.facts.name))),
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
            self.facts.logs.push(LogLine {
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

fn overloaded(_: NoPermit) -> Failure {
    Failure::Overloaded { retry_after_s: 1 }
}

fn invalid(message: String) -> Failure {
    Failure::InvalidInput { field: String::new(), message, input: None }
}
