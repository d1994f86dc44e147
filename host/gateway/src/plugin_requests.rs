//! Model requests of plugins, which use the same router, within the budget of the
//! plugin's call.
//!
//! Nothing is charged here: checkout pays the cost out of the price of the call and
//! passes the remaining budget to this module.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::time::Instant;
use tollbridge_core::fair_limiter::TenantName;
use tollbridge_core::money::Millipence;
use tracing::Instrument as _;

use super::error::GatewayError;
use super::failover::{ProviderResponse, SuccessfulAttempt};
use super::gateway::Gateway;
use super::pricing::TokenUsage;
use super::provider_error::sanitize;
use super::request::{AUTO, InferenceEndpoint, ModelRequest};
use super::router::RoutingPriority;
use super::trace;
use super::usage_meter::UsageSubject;
use super::wire::CompleteResponse;

/// A plugin's request to a model, and its limits.
#[derive(Clone, Debug)]
pub struct PluginRequest {
    /// The name of the plugin, under which usage is metered.
    pub plugin: String,
    /// The account that calls the plugin; the plugin itself if there is none.
    pub tenant: TenantName,
    /// Unix time in milliseconds.
    pub now_ms: u64,
    /// The deadline of the call for which the plugin runs.
    pub deadline: Instant,
    /// The most that the request may cost.
    pub budget: Option<Millipence>,
    /// The id of a model, or `auto`.
    pub model: String,
}

/// The messages and parameters of a completion.
#[derive(Clone, Debug)]
pub struct CompletionParams {
    /// The messages, each as role and text.
    pub messages: Vec<(&'static str, String)>,
    /// The maximum number of tokens in the answer.
    pub max_tokens: u32,
    /// The sampling temperature; `None` for the model's default.
    pub temperature: Option<f64>,
    /// A JSON Schema that the answer must satisfy.
    pub schema: Option<Value>,
}

/// The text that a model returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextCompletion {
    /// The whole text.
    pub text: String,
    /// Whether the text was cut off at `max_tokens`.
    pub truncated: bool,
    /// The provider that answered, and the cost.
    pub report: UsageReport,
}

/// The embedding vectors of texts.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddingVectors {
    /// One vector for each text, in order.
    pub vectors: Vec<Vec<f32>>,
    /// The provider that answered, and the cost.
    pub report: UsageReport,
}

/// The provider that answered, the tokens used, and the cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageReport {
    /// The name of the provider.
    pub provider: String,
    /// The provider's name for the model.
    pub model: String,
    /// The tokens used.
    pub usage: TokenUsage,
    /// The cost at the prices in the configuration.
    pub cost: Millipence,
    /// The amount charged to the plugin's call; zero if billing is off.
    pub charged: Millipence,
}

impl Gateway {
    /// Asks a model to continue a conversation.
    pub async fn complete(
        &self,
        request_params: PluginRequest,
        params: CompletionParams,
    ) -> Result<TextCompletion, GatewayError> {
        let messages: Vec<Value> =
            params.messages.iter().map(|(role, text)| json!({ "role": role, "content": text })).collect();
        let mut body = json!({ "model": request_params.model, "messages": messages, "max_tokens": params.max_tokens });
        if let Some(members) = body.as_object_mut() {
            members.extend(params.temperature.map(|value| ("temperature".to_owned(), value.into())));
            members.extend(params.schema.map(|schema| {
                let schema = json!({ "name": "answer", "schema": schema });
                ("response_format".to_owned(), json!({ "type": "json_schema", "json_schema": schema }))
            }));
        }
        let request = ModelRequest::chat(&Bytes::from(body.to_string()))?;
        let (success, report, body) = self.answer_plugin(&request_params, &request).await?;
        let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
        let choice = answer.get("choices").and_then(|choices| choices.get(0));
        let text = choice.and_then(|choice| choice.get("message")?.get("content")).and_then(Value::as_str);
        let finish = choice.and_then(|choice| choice.get("finish_reason")).and_then(Value::as_str);
        match (text, finish) {
            (Some(text), finish) => {
                Ok(TextCompletion { text: text.to_owned(), truncated: finish == Some("length"), report })
            }
            (None, Some("content_filter")) => Err(GatewayError::ProviderRejected {
                provider: success.deployment.provider.name.clone(),
                status: 400,
                message: "the provider's filter withheld the answer".to_owned(),
            }),
            (None, finish) => {
                let why = format!("no text in the answer (finish_reason {})", finish.unwrap_or("absent"));
                Err(unusable(&success, &sanitize(&why, None)))
            }
        }
    }

    /// Converts texts to embedding vectors.
    pub async fn embed(
        &self,
        mut request_params: PluginRequest,
        texts: Vec<String>,
    ) -> Result<EmbeddingVectors, GatewayError> {
        if request_params.model.is_empty() {
            AUTO.clone_into(&mut request_params.model);
        }
        let body = json!({ "model": request_params.model, "input": texts });
        let mut request = ModelRequest::embeddings(&Bytes::from(body.to_string()))?;
        request.tenant = request_params.tenant.clone();
        let (success, report, body) = self.answer_plugin(&request_params, &request).await?;
        let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
        let mut indexed: Vec<(u64, Vec<f32>)> = Vec::new();
        for (position, item) in answer.get("data").and_then(Value::as_array).into_iter().flatten().enumerate() {
            let index =
                item.get("index").and_then(Value::as_u64).unwrap_or(u64::try_from(position).unwrap_or(u64::MAX));
            let vector = item.get("embedding").cloned().map(serde_json::from_value);
            match vector {
                Some(Ok(vector)) => indexed.push((index, vector)),
                _ => return Err(unusable(&success, "an invalid vector")),
            }
        }
        indexed.sort_by_key(|(index, _)| *index);
        if indexed.len() != texts.len() {
            return Err(unusable(&success, "a number of vectors that differs from the number of texts"));
        }
        Ok(EmbeddingVectors { vectors: indexed.into_iter().map(|(_, vector)| vector).collect(), report })
    }

    async fn answer_plugin(
        &self,
        request_params: &PluginRequest,
        request: &ModelRequest,
    ) -> Result<(SuccessfulAttempt, UsageReport, Bytes), GatewayError> {
        let span = trace::model_span(request);
        let answered = self.answer_within_budget(request_params, request).instrument(span.clone()).await;
        trace::model_failed(&span, answered.as_ref().err());
        if let Ok((success, report, _)) = &answered {
            trace::model_answered(&span, &success.deployment, &report.usage, report.charged);
        }
        answered
    }

    async fn answer_within_budget(
        &self,
        request_params: &PluginRequest,
        request: &ModelRequest,
    ) -> Result<(SuccessfulAttempt, UsageReport, Bytes), GatewayError> {
        let plan = self.plan(request, RoutingPriority::Balanced, request_params.budget)?;
        let deadline = self.deadline(Some(request_params.deadline));
        let waiting = Arc::new(());
        let client = Arc::downgrade(&waiting);
        let mut success = self.failover.run(request, &plan, deadline, request_params.now_ms, &client).await?;
        let whole = match std::mem::replace(
            &mut success.response,
            ProviderResponse::Complete(CompleteResponse { body: Bytes::new(), usage: None, is_native: false }),
        ) {
            ProviderResponse::Complete(whole) => whole,
            // The plugin did not request a stream.
            ProviderResponse::Stream(..) => return Err(unusable(&success, "a stream")),
        };
        let usage = whole.usage.unwrap_or_else(|| request.estimated_usage(&whole.body));
        let mut cost = success.deployment.prices.cost(&usage, self.usd_gbp());
        if let Some(budget) = request_params.budget {
            // The provider counted more tokens than the request can have; the host pays
            // the excess.
            cost = cost.min(budget);
        }
        let charged = if self.is_billed() { cost } else { Millipence::ZERO };
        let subject = UsageSubject::Plugin(request_params.plugin.clone());
        self.meter.add(subject, &success.deployment, &usage, [cost, charged], request_params.now_ms);
        let (provider, model) = (success.deployment.provider.name.clone(), success.deployment.upstream.clone());
        Ok((success, UsageReport { provider, model, usage, cost, charged }, whole.body))
    }
}

/// Builds the error for an answer that a plugin cannot use.
fn unusable(success: &SuccessfulAttempt, why: &str) -> GatewayError {
    let attempt = super::error::FailedAttempt {
        provider: success.deployment.provider.name.clone(),
        model: success.deployment.upstream.clone(),
        reason: format!("answered with {why}"),
        elapsed_ms: 0,
        may_be_billed: true,
    };
    GatewayError::ProvidersUnavailable {
        model: success.deployment.name.clone(),
        attempts: vec![attempt],
        are_paused: false,
        retry_after_s: 1,
    }
}

impl InferenceEndpoint {
    /// Returns the name of the endpoint for display.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Embeddings => "embeddings",
            Self::Speech => "speech",
            Self::Transcription => "transcriptions",
            Self::Images => "images",
        }
    }
}
