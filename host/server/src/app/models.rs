//! What plugins ask of models, handed on to the gateway.

use futures_util::future::{BoxFuture, FutureExt};
use serde_json::Value;

use super::now_ms;
use tollbridge_core::money::Millipence;
use tollbridge_gateway::{Error, Gateway, Prompt as GatewayPrompt, Question};
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
        let asked = GatewayPrompt {
            messages: prompt.messages.into_iter().map(|(who, text)| (role(who), text)).collect(),
            max_tokens: prompt.max_tokens,
            temperature: prompt.temperature,
            schema,
        };
        let written = gateway.write(question(gateway, asker, prompt.model), asked).await.map_err(explain)?;
        let (usage, cost) = (written.from.usage, cost(written.from.cost));
        Ok(Completion {
            text: written.text,
            truncated: written.truncated,
            model: written.from.model,
            provider: written.from.provider,
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
        let made = gateway.embed(question(gateway, asker, model), texts).await.map_err(explain)?;
        Ok(Embeddings {
            vectors: made.vectors,
            model: made.from.model,
            provider: made.from.provider,
            input_tokens: made.from.usage.input,
            cost_millipence: cost(made.from.cost),
        })
    }
    .boxed()
}

fn question(gateway: &Gateway, asker: Asker, model: String) -> Question {
    let budget = asker.budget_millipence.map(|left| Millipence::new(i64::try_from(left).unwrap_or(i64::MAX)));
    Question {
        plugin: asker.plugin,
        now_ms: now_ms(),
        deadline: asker.deadline,
        // Where nobody pays nothing is too dear. A call that nobody sold, such as
        // one of the risk rules, has nothing to spend.
        budget: gateway.billed().then_some(budget.unwrap_or(Millipence::ZERO)),
        model,
    }
}

fn cost(cost: Millipence) -> u64 {
    u64::try_from(cost.get()).unwrap_or(0)
}

/// The texts reach callers of the plugin.
fn explain(error: Error) -> InferenceError {
    match error {
        Error::NoProvider(text) => InferenceError::NoProvider(text),
        Error::AllDown { .. } | Error::Busy => {
            tracing::warn!(%error, "a plugin got no answer of a model");
            InferenceError::Failed(error.to_string())
        }
        Error::TooDear { .. } => {
            InferenceError::Refused(format!("{error}; what a model costs is taken out of the price of this call"))
        }
        Error::Invalid { .. } | Error::Refused { .. } | Error::UnknownModel { .. } | Error::Incapable { .. } => {
            InferenceError::Refused(error.to_string())
        }
        _ => {
            tracing::error!(%error, "a plugin's request to a model failed");
            InferenceError::Failed("the request to a model failed".to_owned())
        }
    }
}
