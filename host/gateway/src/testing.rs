//! Model deployments for unit tests.

use std::sync::Arc;

use tollbridge_core::config::ProviderKind;

use super::breaker::DeploymentHealth;
use super::counters::DeploymentCounters;
use super::pricing::TokenPrices;
use super::provider::{self, ModelDeployment, ModelKind, OutputLimitParam, ProviderEndpoint, Quirks};

/// Returns a deployment of model `name` at a provider, with prices in micro-dollars per
/// million tokens.
pub(super) fn deployment(provider: &str, name: &str, input: u64, output: u64) -> ModelDeployment {
    of(
        provider,
        name,
        ProviderKind::OpenAi,
        TokenPrices { input, output, ..TokenPrices::default() },
        OutputLimitParam::AsSent,
    )
}

pub(super) fn quirky(limit: OutputLimitParam) -> ModelDeployment {
    of("q", "m", ProviderKind::OpenAi, TokenPrices::default(), limit)
}

pub(super) fn claude() -> ModelDeployment {
    of("anthropic", "claude", ProviderKind::Anthropic, TokenPrices::default(), OutputLimitParam::AsSent)
}

fn of(at: &str, name: &str, kind: ProviderKind, prices: TokenPrices, limit: OutputLimitParam) -> ModelDeployment {
    ModelDeployment {
        provider: Arc::new(ProviderEndpoint {
            name: at.to_owned(),
            kind,
            chat: "http://127.0.0.1:9/v1/chat/completions".parse().unwrap(),
            embeddings: "http://127.0.0.1:9/v1/embeddings".parse().unwrap(),
            speech: "http://127.0.0.1:9/v1/audio/speech".parse().unwrap(),
            transcriptions: "http://127.0.0.1:9/v1/audio/transcriptions".parse().unwrap(),
            images: "http://127.0.0.1:9/v1/images/generations".parse().unwrap(),
            responses: None,
            count_tokens: None,
            key: None,
            headers: provider::headers(kind, None),
            quirks: Quirks { limit, needs_usage_option: true, billed_seconds_min: 0, responses: None },
            engine: None,
            builtin: None,
        }),
        name: name.to_owned(),
        upstream: format!("up/{name}"),
        prices,
        context: 128_000,
        max_output: Some(16_000),
        tools: true,
        vision: true,
        json: true,
        kind: ModelKind::Chat,
        counters: DeploymentCounters::new(at, name),
        health: DeploymentHealth::default(),
    }
}
