//! Plugins for tests that run a script in place of a component. Size limits, permits, time limits
//! and the check of the output are the same as for any plugin.

use std::sync::Arc;
use std::time::Duration;

use super::script::{Script, ScriptedCall};
use crate::plugins::bindings::types;
use crate::plugins::calls::call::{Plugin, PluginOutput};
use crate::plugins::calls::failure::Failure;
use crate::plugins::calls::failure_report::FailureReport;
use crate::plugins::checks::schemas::{OutputError, PluginSchemas};
use crate::plugins::imports::link::LinkedComponent;
use crate::plugins::loading::describe::{self, Described};
use crate::plugins::loading::load::{LoadProblem, loaded_plugin, pseudonyms};
use crate::plugins::loading::spec::PluginSpec;
use crate::plugins::runtime::Runtime;

impl Runtime {
    /// Loads a plugin that runs a script, with schemas given as text.
    ///
    /// # Errors A schema is rejected.
    pub fn load_script(
        &self,
        spec: &PluginSpec,
        [input_schema, output_schema]: [&str; 2],
        script: Script,
    ) -> Result<Arc<Plugin>, LoadProblem> {
        let shared = &self.0;
        let limits = spec.limits.clone().within(&shared.limits);
        let described = types::Description {
            input_schema: input_schema.to_owned(),
            output_schema: output_schema.to_owned(),
            examples: Vec::new(),
        };
        let Described { description, input, output } = describe::check(&described, &limits, false)?;
        Ok(Arc::new(Plugin {
            places: shared.places.of_plugin(spec.tenant.as_deref(), limits.concurrency),
            schemas: PluginSchemas::new(input, output, shared.check_places.turns(spec.tenant.as_deref())),
            pseudonyms: pseudonyms(shared, spec).ok_or(LoadProblem::Stopped)?,
            loaded: Arc::new(loaded_plugin(shared, spec, &limits)),
            shared: shared.clone(),
            limits,
            description,
            entry: LinkedComponent::Scripted(script),
        }))
    }
}

impl Plugin {
    pub(crate) async fn run_script(
        &self,
        script: &Script,
        call: ScriptedCall,
        time: Duration,
    ) -> Result<PluginOutput, Failure> {
        let request_id = call.request_id.clone();
        let report = |reason: String| {
            Box::new(FailureReport {
                plugin: self.name().to_owned(),
                version: self.version().to_string(),
                request_id,
                function: None,
                reason,
                panic: None,
                limit: None,
                trace: Vec::new(),
            })
        };
        match tokio::time::timeout(time, script.run(call)).await {
            Ok(Ok(body)) if body.len() > self.limits.output_bytes => {
                Err(Failure::BadOutput(report("the output is too large".to_owned())))
            }
            Ok(Ok(body)) => match self.schemas.check_output(&self.shared.check_places, body).await {
                Ok(body) => Ok(PluginOutput::of_script(body)),
                Err(OutputError::Bad(reason)) => Err(Failure::BadOutput(report(reason))),
                Err(OutputError::Busy) => Err(Failure::Overloaded { retry_after_s: 1 }),
            },
            Ok(Err(failure)) => Err(failure),
            Err(_) => Err(Failure::TimedOut(report("the time limit was reached".to_owned()))),
        }
    }
}
