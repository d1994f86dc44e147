//! What plugins ask of models, handed on to the gateway.

use futures_util::future::{BoxFuture, FutureExt};
use serde_json::Value;

use super::now_ms;
use tollbridge_core::money::Millipence;
use tollbridge_gateway::{CompletionParams, Gateway, GatewayError, PluginRequest};
use tollbridge_runtime::plugins::{Asker, Completion, Embeddings, InferenceError, Prompt, Role};

/// Lets a model write for a plugin.
pub(super) fn complete(
    gateway: &Gateway,
    asker: Asker,
    prompt: Prompt,
) -> BoxFuture<'_, Result<Completion, InferenceError>> {
    async move {
        let schema = prompt.response_schema.as_deref().map(serde_json::from_str::<Value>).transpose();
        let schema = schema.map_err(|error| InferenceError::Refused(format!("response-schema: {error}")))?;
        let role = |role| match role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        let asked = CompletionParams {
            messages: prompt.messages.into_iter().map(|(who, text)| (role(who), text)).collect(),
            max_tokens: prompt.max_tokens,
            temperature: prompt.temperature,
            schema,
        };
        let completion =
            gateway.complete(plugin_request(gateway, asker, prompt.model), asked).await.map_err(explain)?;
        let (usage, cost) = (completion.report.usage, cost(completion.report.cost));
        Ok(Completion {
            text: completion.text,
            truncated: completion.truncated,
            model: completion.report.model,
            provider: completion.report.provider,
            input_tokens: usage.input,
            output_tokens: usage.output,
            cost_millipence: cost,
        })
    }
    .boxed()
}

/// Turns texts into vectors for a plugin.
pub(super) fn embed(
    gateway: &Gateway,
    asker: Asker,
    model: String,
    texts: Vec<String>,
) -> BoxFuture<'_, Result<Embeddings, InferenceError>> {
    async move {
        let made = gateway.embed(plugin_request(gateway, asker, model), texts).await.map_err(explain)?;
        Ok(Embeddings {
            vectors: made.vectors,
            model: made.report.model,
            provider: made.report.provider,
            input_tokens: made.report.usage.input,
            cost_millipence: cost(made.report.cost),
        })
    }
    .boxed()
}

fn plugin_request(gateway: &Gateway, asker: Asker, model: String) -> PluginRequest {
    let budget = asker.budget_millipence.map(|left| Millipence::new(i64::try_from(left).unwrap_or(i64::MAX)));
    PluginRequest {
        plugin: asker.plugin,
        now_ms: now_ms(),
        deadline: asker.deadline,
        // Where nobody pays nothing is too dear. A call that nobody sold, such as
        // one of the risk rules, has nothing to spend.
        budget: gateway.is_billed().then_some(budget.unwrap_or(Millipence::ZERO)),
        model,
    }
}

fn cost(cost: Millipence) -> u64 {
    u64::try_from(cost.get()).unwrap_or(0)
}

/// The texts reach callers of the plugin.
fn explain(error: GatewayError) -> InferenceError {
    match error {
        GatewayError::NotConfigured(text) => InferenceError::NoProvider(text),
        GatewayError::ProvidersUnavailable { .. } | GatewayError::Busy => {
            tracing::warn!(%error, "a plugin got no answer of a model");
            InferenceError::Failed(error.to_string())
        }
        GatewayError::CostLimitExceeded { .. } => {
            InferenceError::Refused(format!("{error}; what a model costs is taken out of the price of this call"))
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
