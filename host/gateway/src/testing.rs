//! Deployments for unit tests.

use std::sync::Arc;

use super::breaker::Health;
use super::counters::ByDeployment;
use super::price::Prices;
use super::provider::{self, Deployment, Limit, Provider, Quirks};
use tollbridge_core::config::ProviderKind;

/// A model `name` at a provider, with prices in micro-dollars per million
/// tokens.
pub(super) fn deployment(provider: &str, name: &str, input: u64, output: u64) -> Deployment {
    of(provider, name, ProviderKind::OpenAi, Prices { input, output, ..Prices::default() }, Limit::AsSent)
}

pub(super) fn quirky(limit: Limit) -> Deployment {
    of("q", "m", ProviderKind::OpenAi, Prices::default(), limit)
}

pub(super) fn claude() -> Deployment {
    of("anthropic", "claude", ProviderKind::Anthropic, Prices::default(), Limit::AsSent)
}

fn of(at: &str, name: &str, kind: ProviderKind, prices: Prices, limit: Limit) -> Deployment {
    Deployment {
        provider: Arc::new(Provider {
            name: at.to_owned(),
            kind,
            chat: "http://127.0.0.1:9/v1/chat/completions".parse().unwrap(),
            embeddings: "http://127.0.0.1:9/v1/embeddings".parse().unwrap(),
            key: None,
            headers: provider::headers(kind, None),
            quirks: Quirks { limit, ask_usage: true },
        }),
        name: name.to_owned(),
        upstream: format!("up/{name}"),
        prices,
        context: 128_000,
        max_output: Some(16_000),
        tools: true,
        vision: true,
        json: true,
        embedding: false,
        counters: ByDeployment::new(at, name),
        health: Health::default(),
    }
}
