//! Qualification of agents: tasks that run without a sale, and the measured quality.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value, json};
use tollbridge_agents::qualification::{self, Qualification, Qualifications};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_core::time::{now_ms, rfc3339};
use tollbridge_gateway::{Gateway, ModelKind};
use tollbridge_market::checkout::{Checkout, CheckoutError};
use tollbridge_market::dry_run::DryRun;
use tollbridge_plugin::Models;
use tollbridge_store::{Db, StoreError};

use super::answers::answers;
use super::error::OperatorError;

answers! {
    /// The answer of an agent to a task that was not sold, or the reason there is none.
    TriedTask { version: String, output: Option<Value>, refusal: Option<String>, cost_millipence: i64 }
    /// The newest measurement of an agent with each model.
    AgentQualifications { agent: String, #[serde(flatten)] qualification: Qualification }
}

/// Builds access to one chat model, for runs that are not sold.
pub type ModelChoice = Arc<dyn Fn(String) -> Arc<dyn Models> + Send + Sync>;

/// The services of a running server that qualification needs.
#[derive(Clone)]
pub struct Trials {
    /// The path of calls, for runs that are not sold.
    pub checkout: Arc<Checkout>,
    /// Gives such a run one chat model.
    pub choose: ModelChoice,
    /// The models.
    pub gateway: Arc<Gateway>,
}

/// The commands for the qualification of agents.
pub(super) struct QualificationCommands {
    pub(super) db: Db,
    pub(super) trials: Option<Trials>,
}

impl QualificationCommands {
    /// Runs one task, with a chat model or as it would be sold now.
    pub(super) async fn try_task(
        &self,
        agent: &str,
        task: &str,
        model: Option<String>,
    ) -> Result<TriedTask, OperatorError> {
        let trials = self.trials.as_ref().ok_or_else(|| {
            OperatorError::Refused("qualification needs a running server: `tollbridge serve`".to_owned())
        })?;
        let offer = trials.checkout.catalog.offer(PluginKind::Agent, agent);
        let offer = offer.map_err(|error| OperatorError::NotFound(error.to_string()))?;
        if let Some(model) = &model {
            trials.check_model(model)?;
        }
        let checkout = trials.checkout.clone();
        let run = match model {
            Some(model) => DryRun::with_models(checkout, (trials.choose)(model), now_ms()),
            None => DryRun::new(checkout, now_ms()),
        };
        let body = Bytes::from(json!({ "task": task }).to_string());
        let dry = run.answer(&offer, &body).await;
        let (output, refusal) = match dry.answer {
            Ok(output) => (Some(output), None),
            Err(CheckoutError::Plugin(failure)) => {
                (None, Some(format!("{}: {}", failure.kind(), failure.public_message())))
            }
            Err(error) => (None, Some(error.to_string())),
        };
        Ok(TriedTask { version: offer.version_text.clone(), output, refusal, cost_millipence: dry.cost.get() })
    }

    /// Records a measurement; whether it admits the agent follows from its figures.
    pub(super) async fn record(&self, agent: &str, measured: Qualification) -> Result<Qualification, OperatorError> {
        let counts = [measured.tasks, measured.answered, measured.wrong];
        if measured.model.is_empty() || !counts.is_sorted_by(|more, fewer| more >= fewer) {
            return Err(OperatorError::Refused(
                "a measurement names its model, and tasks >= answered >= wrong".to_owned(),
            ));
        }
        let admitted = Qualification::admits(measured.answered, measured.wrong);
        let measured = Qualification { admitted, measured_at: rfc3339(now_ms()), ..measured };
        qualification::record(&self.db, agent, &measured).await?;
        Ok(measured)
    }

    /// Returns the newest measurements of all agents.
    pub(super) fn all(&self) -> Result<Vec<AgentQualifications>, StoreError> {
        let all = Qualifications::new(self.db.shared_store()).all()?;
        Ok(all.into_iter().map(|(agent, qualification)| AgentQualifications { agent, qualification }).collect())
    }
}

impl Trials {
    fn check_model(&self, model: &str) -> Result<(), OperatorError> {
        let is_chat = self.gateway.router().named(model).iter().any(|one| one.kind == ModelKind::Chat);
        let mut names: Vec<&str> = self
            .gateway
            .router()
            .all()
            .iter()
            .filter(|one| one.kind == ModelKind::Chat)
            .map(|one| one.name.as_str())
            .collect();
        names.dedup();
        names.truncate(20);
        match (is_chat, names.is_empty()) {
            (true, _) => Ok(()),
            (false, true) => Err(OperatorError::Refused(
                "no chat model is configured; see [inference.providers.NAME] in docs/configuration.md".to_owned(),
            )),
            (false, false) => Err(OperatorError::NotFound(format!(
                "there is no chat model `{model}`; there are {}",
                names.join(", ")
            ))),
        }
    }
}
