//! Model access for plugins, through the gateway.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use serde_json::Value;
use tokio::time::Instant;
use tollbridge_core::money::Millipence;
use tollbridge_core::time::now_ms;
use tollbridge_gateway::{CompletionParams, Gateway, GatewayError, ModelKind, Outage, PluginRequest};
use tollbridge_plugin::{
    Completion, CompletionRequest, Embeddings, InferenceContext, InferenceError, ModelOutage, Models, Role,
};
use tollbridge_registry::NeededModels;

/// Model access for plugins, through the gateway.
pub(super) struct GatewayModels(pub(super) Arc<Gateway>);

impl Models for GatewayModels {
    fn complete(
        &self,
        context: InferenceContext,
        request: CompletionRequest,
    ) -> BoxFuture<'_, Result<Completion, InferenceError>> {
        complete(&self.0, context, request).boxed()
    }

    fn embed(
        &self,
        context: InferenceContext,
        model: String,
        texts: Vec<String>,
    ) -> BoxFuture<'_, Result<Embeddings, InferenceError>> {
        embed(&self.0, context, model, texts).boxed()
    }

    fn outage(&self, models: NeededModels) -> Option<ModelOutage> {
        let kind = match models {
            NeededModels::Chat => ModelKind::Chat,
            NeededModels::Embedding => ModelKind::Embedding,
        };
        let Outage { reason, explanation, is_probe_due } = self.0.outage(kind, Instant::now())?;
        Some(ModelOutage { reason, explanation, is_probe_due })
    }
}

async fn complete(
    gateway: &Gateway,
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
    let plugin_request = plugin_request(gateway, context, request.model);
    let completion = gateway.complete(plugin_request, params).await.map_err(explain)?;
    let report = completion.report;
    Ok(Completion {
        text: completion.text,
        truncated: completion.truncated,
        model: report.model,
        provider: report.provider,
        input_tokens: report.usage.input,
        output_tokens: report.usage.output,
        cost_millipence: cost(report.cost),
    })
}

async fn embed(
    gateway: &Gateway,
    context: InferenceContext,
    model: String,
    texts: Vec<String>,
) -> Result<Embeddings, InferenceError> {
    let embeddings = gateway.embed(plugin_request(gateway, context, model), texts).await.map_err(explain)?;
    Ok(Embeddings {
        vectors: embeddings.vectors,
        model: embeddings.report.model,
        provider: embeddings.report.provider,
        input_tokens: embeddings.report.usage.input,
        cost_millipence: cost(embeddings.report.cost),
    })
}

const fn role_name(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}

fn plugin_request(gateway: &Gateway, context: InferenceContext, model: String) -> PluginRequest {
    let budget = context.budget_millipence.map(|left| Millipence::new(i64::try_from(left).unwrap_or(i64::MAX)));
    PluginRequest {
        tenant: context.account.as_ref().unwrap_or(&context.plugin).as_str().into(),
        plugin: context.plugin,
        now_ms: now_ms(),
        deadline: context.deadline,
        // Without billing there is no budget. A call that was not sold, such as a risk
        // rule's call of a bridge, has a budget of zero.
        budget: gateway.is_billed().then_some(budget.unwrap_or(Millipence::ZERO)),
        model,
    }
}

fn cost(cost: Millipence) -> u64 {
    u64::try_from(cost.get()).unwrap_or(0)
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
