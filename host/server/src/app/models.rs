//! Model access for plugins, through the gateway.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use serde_json::Value;
use tokio::time::Instant;
use tollbridge_agents::a2a::SKILLS;
use tollbridge_agents::qualification::Qualifications;
use tollbridge_core::money::Millipence;
use tollbridge_core::time::now_ms;
use tollbridge_gateway::{
    AUTO, CompletionParams, Gateway, GatewayError, ModelKind, Outage, PluginRequest, UsageReport,
};
use tollbridge_operator::ModelChoice;
use tollbridge_plugin::{
    Completion, CompletionRequest, Embeddings, InferenceContext, InferenceError, ModelOutage, Models, Role,
};
use tollbridge_registry::NeededModels;

/// Model access for plugins, through the gateway.
pub(super) struct GatewayModels {
    pub(super) gateway: Arc<Gateway>,
    /// The rule by which agents may use models.
    pub(super) admission: Admission,
}

/// The rule by which agents use chat models.
pub(super) enum Admission {
    /// An agent whose skill is on the agent card uses the model for which it is qualified.
    Qualified(Qualifications),
    /// Every plugin may use every model, because the operator accepts any quality.
    Every,
    /// Nothing is sold: an agent uses this model to be measured.
    Measured(String),
}

impl GatewayModels {
    /// Returns the chat model that replaces `auto` in the requests of an agent, or of a
    /// bridge that is called directly.
    fn chosen(&self, agent: Option<&str>) -> Result<Option<String>, String> {
        match &self.admission {
            Admission::Every => Ok(None),
            Admission::Measured(model) => Ok(Some(model.clone())),
            Admission::Qualified(recorded) => {
                let Some(agent) = agent.filter(|agent| is_skill(agent)) else { return Ok(None) };
                let all = recorded.of(agent).map_err(|error| error.to_string())?;
                let chat =
                    |model: &str| self.gateway.router().named(model).iter().any(|one| one.kind == ModelKind::Chat);
                let admitted = all.into_iter().find(|one| one.admitted && chat(&one.model));
                admitted.map(|one| Some(one.model)).ok_or_else(|| {
                    format!(
                        "no model of this server is qualified for the agent `{agent}`; the operator can run \
                         `tollbridge inference qualify --agent {agent} --model ID`"
                    )
                })
            }
        }
    }
}

/// Returns a builder of access to one chat model, for agents that are measured with it.
pub(super) fn models_to_measure(gateway: Arc<Gateway>) -> ModelChoice {
    Arc::new(move |model| Arc::new(GatewayModels { gateway: gateway.clone(), admission: Admission::Measured(model) }))
}

/// Returns whether an agent serves one of the skills on the agent card.
fn is_skill(agent: &str) -> bool {
    SKILLS.iter().any(|skill| skill.id.replace(':', "-") == agent)
}

impl Models for GatewayModels {
    fn complete(
        &self,
        context: InferenceContext,
        request: CompletionRequest,
    ) -> BoxFuture<'_, Result<Completion, InferenceError>> {
        async move {
            let chosen = self.chosen(context.agent.as_deref()).map_err(InferenceError::NoProvider)?;
            let model = chosen.filter(|_| request.model == AUTO).unwrap_or(request.model);
            self.request_completion(context, CompletionRequest { model, ..request }).await
        }
        .boxed()
    }

    fn embed(
        &self,
        context: InferenceContext,
        model: String,
        texts: Vec<String>,
    ) -> BoxFuture<'_, Result<Embeddings, InferenceError>> {
        self.request_embeddings(context, model, texts).boxed()
    }

    fn outage(&self, agent: Option<&str>, models: NeededModels) -> Option<ModelOutage> {
        let kind = match models {
            NeededModels::Chat => ModelKind::Chat,
            NeededModels::Embedding => ModelKind::Embedding,
        };
        if let Some(Outage { reason, explanation, is_probe_due }) = self.gateway.outage(kind, Instant::now()) {
            return Some(ModelOutage { reason, explanation, is_probe_due });
        }
        let explanation = self.chosen(agent).err().filter(|_| kind == ModelKind::Chat)?;
        let reason = "no model of this server is qualified for this agent".to_owned();
        Some(ModelOutage { reason, explanation, is_probe_due: false })
    }
}

impl GatewayModels {
    async fn request_completion(
        &self,
        context: InferenceContext,
        request: CompletionRequest,
    ) -> Result<Completion, InferenceError> {
        let schema = request.response_schema.as_deref().map(serde_json::from_str::<Value>).transpose();
        let schema = schema.map_err(|error| InferenceError::Refused(format!("response-schema: {error}")))?;
        let params = CompletionParams {
            messages: request.messages.into_iter().map(|(role, text)| (role_name(role), text)).collect(),
            max_tokens: request.max_tokens,
            temperature: request.temperature,
            schema,
        };
        let plugin_request = self.plugin_request(context, request.model);
        let completion = self.gateway.complete(plugin_request, params).await.map_err(explain)?;
        let cost_millipence = self.cost(&completion.report);
        let report = completion.report;
        Ok(Completion {
            text: completion.text,
            truncated: completion.truncated,
            model: report.model,
            provider: report.provider,
            input_tokens: report.usage.input,
            output_tokens: report.usage.output,
            cost_millipence,
        })
    }

    async fn request_embeddings(
        &self,
        context: InferenceContext,
        model: String,
        texts: Vec<String>,
    ) -> Result<Embeddings, InferenceError> {
        let plugin_request = self.plugin_request(context, model);
        let embeddings = self.gateway.embed(plugin_request, texts).await.map_err(explain)?;
        let cost_millipence = self.cost(&embeddings.report);
        Ok(Embeddings {
            vectors: embeddings.vectors,
            model: embeddings.report.model,
            provider: embeddings.report.provider,
            input_tokens: embeddings.report.usage.input,
            cost_millipence,
        })
    }

    fn plugin_request(&self, context: InferenceContext, model: String) -> PluginRequest {
        let budget = context.budget_millipence.map(|left| Millipence::new(i64::try_from(left).unwrap_or(i64::MAX)));
        PluginRequest {
            tenant: context.account.as_ref().unwrap_or(&context.plugin).as_str().into(),
            plugin: context.plugin,
            now_ms: now_ms(),
            deadline: context.deadline,
            // Without billing there is no budget. A call that was not sold, such as a risk
            // rule's call of a bridge, has a budget of zero.
            budget: self.has_budget().then_some(budget.unwrap_or(Millipence::ZERO)),
            model,
        }
    }

    /// Returns whether a call's price limits the cost of its models. The operator sees the
    /// cost of a measurement even if models are free of charge.
    fn has_budget(&self) -> bool {
        self.gateway.is_billed() || matches!(self.admission, Admission::Measured(_))
    }

    /// Returns the cost of a request to the budget of its call.
    fn cost(&self, report: &UsageReport) -> u64 {
        let cost = if self.has_budget() { report.cost } else { report.charged };
        u64::try_from(cost.get()).unwrap_or(0)
    }
}

const fn role_name(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}

/// Converts an error; its text reaches callers of the plugin.
fn explain(error: GatewayError) -> InferenceError {
    match error {
        GatewayError::NotConfigured(text) => InferenceError::NoProvider(text),
        GatewayError::ProvidersUnavailable { are_paused: true, retry_after_s, .. }
        | GatewayError::ProvidersRateLimited { retry_after_s, .. } => {
            tracing::warn!(%error, "every model for a plugin's request is paused");
            InferenceError::NoProvider(format!("{error}; try again in {retry_after_s} s"))
        }
        GatewayError::ProvidersUnavailable { .. } | GatewayError::Busy => {
            tracing::warn!(%error, "no model answered a plugin's request");
            InferenceError::Failed(error.to_string())
        }
        GatewayError::CostLimitExceeded { .. } => {
            InferenceError::Refused(format!("{error}; the limit is what the price of this call leaves for models"))
        }
        GatewayError::Invalid { .. }
        | GatewayError::ProviderRejected { .. }
        | GatewayError::UnknownModel { .. }
        | GatewayError::Unsupported { .. } => InferenceError::Refused(error.to_string()),
        _ => {
            tracing::error!(%error, "a plugin's request to a model failed");
            InferenceError::Failed("the request to a model failed".to_owned())
        }
    }
}
