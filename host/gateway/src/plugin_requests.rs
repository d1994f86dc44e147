//! What plugins ask of models: the same router, under the plugin's bounds.
//!
//! Nothing is charged here: the room that sells the call takes the cost out of
//! its price, and says beforehand how much of it is left.

use std::time::Instant;

use bytes::Bytes;
use serde_json::{Value, json};

use super::error::GatewayError;
use super::failover::{ProviderResponse, SuccessfulAttempt};
use super::gateway::Gateway;
use super::pricing::TokenUsage;
use super::provider_error::clean;
use super::request::{AUTO, Endpoint, ModelRequest};
use super::router::RoutingPriority;
use super::tokens::estimate_usage;
use super::usage_meter::UsageSubject;
use tollbridge_core::money::Millipence;

/// A question of a plugin.
#[derive(Clone, Debug)]
pub struct PluginRequest {
    pub plugin: String,
    pub now_ms: u64,
    pub deadline: Instant,
    /// The most that it may cost.
    pub budget: Option<Millipence>,
    /// A model's id, or `auto`.
    pub model: String,
}

/// What a plugin wants written.
#[derive(Clone, Debug)]
pub struct CompletionParams {
    /// Role and text.
    pub messages: Vec<(&'static str, String)>,
    pub max_tokens: u32,
    pub temperature: Option<f64>,
    /// JSON Schema that the answer must fit.
    pub schema: Option<Value>,
}

/// What a model wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextCompletion {
    pub text: String,
    pub truncated: bool,
    pub report: UsageReport,
}

/// Vectors of texts.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddingVectors {
    pub vectors: Vec<Vec<f32>>,
    pub report: UsageReport,
}

/// Who answered, and what it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageReport {
    pub provider: String,
    pub model: String,
    pub usage: TokenUsage,
    pub cost: Millipence,
}

impl Gateway {
    /// Lets a model write.
    pub async fn complete(
        &self,
        question: PluginRequest,
        prompt: CompletionParams,
    ) -> Result<TextCompletion, GatewayError> {
        let messages: Vec<Value> =
            prompt.messages.iter().map(|(role, text)| json!({ "role": role, "content": text })).collect();
        let mut body = json!({ "model": question.model, "messages": messages, "max_tokens": prompt.max_tokens });
        if let Some(members) = body.as_object_mut() {
            members.extend(prompt.temperature.map(|value| ("temperature".to_owned(), value.into())));
            members.extend(prompt.schema.map(|schema| {
                let schema = json!({ "name": "answer", "schema": schema });
                ("response_format".to_owned(), json!({ "type": "json_schema", "json_schema": schema }))
            }));
        }
        let request = ModelRequest::chat(&Bytes::from(body.to_string()))?;
        let (success, report, body) = self.answer(&question, &request).await?;
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
                message: "its filter kept the answer back".to_owned(),
            }),
            (None, finish) => {
                let why = format!("no text in the answer (finish_reason {})", finish.unwrap_or("absent"));
                Err(nothing(&success, &clean(&why, None)))
            }
        }
    }

    /// Turns texts into vectors.
    pub async fn embed(
        &self,
        mut question: PluginRequest,
        texts: Vec<String>,
    ) -> Result<EmbeddingVectors, GatewayError> {
        if question.model.is_empty() {
            AUTO.clone_into(&mut question.model);
        }
        let body = json!({ "model": question.model, "input": texts, "encoding_format": "float" });
        let request = ModelRequest::embeddings(&Bytes::from(body.to_string()))?;
        let (success, report, body) = self.answer(&question, &request).await?;
        let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
        let mut found: Vec<(u64, Vec<f32>)> = Vec::new();
        for (position, one) in answer.get("data").and_then(Value::as_array).into_iter().flatten().enumerate() {
            let index = one.get("index").and_then(Value::as_u64).unwrap_or(u64::try_from(position).unwrap_or(u64::MAX));
            let vector = one.get("embedding").cloned().map(serde_json::from_value);
            match vector {
                Some(Ok(vector)) => found.push((index, vector)),
                _ => return Err(nothing(&success, "a vector that is none")),
            }
        }
        found.sort_by_key(|(index, _)| *index);
        if found.len() != texts.len() {
            return Err(nothing(&success, "another number of vectors than texts"));
        }
        Ok(EmbeddingVectors { vectors: found.into_iter().map(|(_, vector)| vector).collect(), report })
    }

    async fn answer(
        &self,
        question: &PluginRequest,
        request: &ModelRequest,
    ) -> Result<(SuccessfulAttempt, UsageReport, Bytes), GatewayError> {
        let plan = self.plan(request, RoutingPriority::Balanced, question.budget)?;
        let deadline = self.deadline(Some(question.deadline));
        let mut success = self.run_candidates(request, &plan, deadline, question.now_ms).await?;
        let whole = match std::mem::replace(
            &mut success.response,
            ProviderResponse::Complete(super::wire::CompleteResponse { body: Bytes::new(), usage: None }),
        ) {
            ProviderResponse::Complete(whole) => whole,
            // It was not asked for.
            ProviderResponse::Stream(..) => return Err(nothing(&success, "a stream")),
        };
        let usage = whole.usage.unwrap_or_else(|| estimate_usage(request, &whole.body));
        let mut cost = success.deployment.prices.cost(&usage, self.usd_gbp());
        if let Some(budget) = question.budget {
            // A provider that counts more than there was; the host bears it.
            cost = cost.min(budget);
        }
        let charged = if self.is_billed() { cost } else { Millipence::ZERO };
        let subject = UsageSubject::Plugin(question.plugin.clone());
        self.meter.add(subject, &success.deployment, &usage, [cost, charged], question.now_ms);
        let (provider, model) = (success.deployment.provider.name.clone(), success.deployment.upstream.clone());
        Ok((success, UsageReport { provider, model, usage, cost: charged }, whole.body))
    }
}

/// An answer that is of no use.
fn nothing(success: &SuccessfulAttempt, why: &str) -> GatewayError {
    let attempt = super::error::FailedAttempt {
        provider: success.deployment.provider.name.clone(),
        model: success.deployment.upstream.clone(),
        reason: format!("answered with {why}"),
        elapsed_ms: 0,
    };
    GatewayError::ProvidersUnavailable {
        model: success.deployment.name.clone(),
        attempts: vec![attempt],
        retry_after_s: 1,
    }
}

impl Endpoint {
    /// For people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Embeddings => "embeddings",
        }
    }
}
