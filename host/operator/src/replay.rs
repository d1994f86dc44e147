//! Replays stored inputs of calls through a version that does not serve calls.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollbridge_core::limits::KEPT_INPUTS_MAX;
use tollbridge_core::time::{now_ms, rfc3339_millis};
use tollbridge_market::catalog::AsideError;
use tollbridge_market::kept_inputs::{KeptInputs, KeptInputsError};
use tollbridge_market::replay::{ReplayOrder, ReplayReport, Replays};

use super::answers::answers;
use super::error::OperatorError;
use super::plugin_names::PluginNames;
use super::plugins::parse;

answers! {
    /// The input of a call in which a plugin failed, and the failure.
    FailedInputShown {
        plugin: String, version: String, request_id: String, at: String, now_ms: Option<u64>, why: String, input: Value,
    }
    /// The number of deleted inputs of a plugin.
    ForgottenInputs { plugin: String, forgotten: usize }
}

/// Default number of kept inputs that one command replays.
pub const REPLAYED: u32 = 100;

/// Options of a replay; omitted ones have the defaults of the command line.
#[expect(missing_docs, reason = "each field is named after its command-line option")]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReplayOptions {
    pub last: Option<u32>,
    pub version: Option<String>,
    pub against: Option<String>,
    pub allow_outside: bool,
    pub show_inputs: bool,
}

/// The commands for kept inputs.
pub(super) struct ReplayCommands {
    pub(super) names: PluginNames,
    pub(super) kept_inputs: Arc<KeptInputs>,
    pub(super) replays: Option<Arc<Replays>>,
}

impl ReplayCommands {
    pub(super) async fn run(&self, plugin: &str, options: ReplayOptions) -> Result<ReplayReport, OperatorError> {
        let not_serving = || OperatorError::Refused("replay needs a running server: `tollbridge serve`".to_owned());
        let replays = self.replays.as_ref().ok_or_else(not_serving)?;
        let ReplayOptions { last, version, against, allow_outside, show_inputs } = options;
        let last = last.unwrap_or(REPLAYED);
        if !(1..=KEPT_INPUTS_MAX).contains(&last) {
            return Err(OperatorError::Refused(format!("last: {last} is not from 1 to {KEPT_INPUTS_MAX}")));
        }
        let order = ReplayOrder {
            plugin: self.names.id(plugin)?,
            last: usize::try_from(last).unwrap_or(usize::MAX),
            version: version.as_deref().map(parse).transpose()?,
            against: against.as_deref().map(parse).transpose()?,
            allow_outside,
            show_inputs,
        };
        Ok(Box::pin(replays.run(order, now_ms())).await?)
    }

    /// Returns the input of a call in which a plugin failed, and the failure.
    pub(super) fn failed_input(&self, plugin: &str, request: &str) -> Result<FailedInputShown, OperatorError> {
        if self.replays.is_none() {
            return Err(OperatorError::Refused(
                "only a running server has these inputs: `tollbridge serve`".to_owned(),
            ));
        }
        let id = self.names.id(plugin)?;
        let name = id.name.as_str();
        let missing = |text: String| Err(OperatorError::NotFound(text));
        if !self.kept_inputs.keeps(name) {
            return missing(format!(
                "inputs of {name} are not kept; set plugins.{name}.keep_inputs = 100 in the configuration \
                 to keep those of later failed calls"
            ));
        }
        let Some(failed) = self.kept_inputs.failed((&id.row_key(), name), request, now_ms()) else {
            return missing(format!(
                "no failed call {request} of {name} is kept: only the last failed calls are, in the memory of the host \
                 on which they failed, until it stops; never those of a plugin that an account deployed, or with a \
                 stored resource"
            ));
        };
        let input: Value =
            serde_json::from_str(&failed.body).map_err(|error| OperatorError::Failed(error.to_string()))?;
        Ok(FailedInputShown {
            plugin: format!("{}/{name}", id.kind.folder()),
            version: failed.version,
            request_id: failed.request_id,
            at: rfc3339_millis(failed.at_ms),
            now_ms: Some(failed.at_ms),
            why: failed.why,
            input,
        })
    }

    pub(super) async fn forget(&self, plugin: &str) -> Result<ForgottenInputs, OperatorError> {
        let id = self.names.id(plugin)?;
        let forgotten = self.kept_inputs.forget(&id.row_key()).await?;
        Ok(ForgottenInputs { plugin: format!("{}/{}", id.kind.folder(), id.name), forgotten })
    }
}

impl From<AsideError> for OperatorError {
    fn from(error: AsideError) -> Self {
        match error {
            AsideError::NotFound(text) => Self::NotFound(text),
            AsideError::Refused(text) => Self::Refused(text),
            AsideError::Failed(text) => Self::Failed(text),
        }
    }
}

impl From<KeptInputsError> for OperatorError {
    fn from(error: KeptInputsError) -> Self {
        match error {
            KeptInputsError::Submit(error) => error.into(),
            other => Self::Failed(other.to_string()),
        }
    }
}
