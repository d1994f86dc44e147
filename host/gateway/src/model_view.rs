//! Models and the health of their providers, as the API lists them.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use tokio::time::Instant;
use tollbridge_core::timestamp::Timestamp;

use crate::breaker::BreakerState;
use crate::presets::price_table_source;
use crate::provider::{ModelDeployment, ModelKind};
use crate::router::ModelRouter;

/// A model: the members that OpenAI's and Anthropic's clients need, and this server's own.
#[derive(Serialize, JsonSchema)]
pub struct Model {
    /// The id.
    pub id: String,
    #[schemars(extend("const" = "model"))]
    object: &'static str,
    /// Date of the price list, Unix time in seconds.
    created: i64,
    /// The provider, or `several`.
    owned_by: String,
    #[serde(rename = "type")]
    #[schemars(extend("const" = "model"))]
    anthropic_type: &'static str,
    display_name: String,
    created_at: Timestamp,
    kind: Option<&'static str>,
    context_length: Option<u64>,
    #[schemars(extend("enum" = ["up", "paused"]))]
    status: &'static str,
    providers: Vec<ModelProvider>,
}

/// A provider of a model.
#[derive(Serialize, JsonSchema)]
struct ModelProvider {
    provider: String,
    /// The provider's name for the model.
    model: String,
    context_length: u64,
    max_output: Option<u64>,
    tools: bool,
    vision: bool,
    json: bool,
    pricing: Pricing,
    #[schemars(extend("enum" = ["up", "paused"]))]
    status: &'static str,
}

/// Prices in dollars: per million tokens, per minute or per image.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ModelPricing")]
#[serde(untagged)]
enum Pricing {
    Recording {
        usd_per_minute: String,
        currency: Usd,
    },
    Image {
        input_usd_per_mtok: String,
        usd_per_image: String,
        currency: Usd,
    },
    Tokens {
        input_usd_per_mtok: String,
        output_usd_per_mtok: String,
        cached_input_usd_per_mtok: Option<String>,
        cache_write_usd_per_mtok: Option<String>,
        currency: Usd,
    },
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
enum Usd {
    #[serde(rename = "usd")]
    Usd,
}

/// The health of one provider, summed over all its models.
#[derive(Serialize, JsonSchema)]
pub struct ProviderHealth {
    name: String,
    /// The combined state of the provider's models.
    #[schemars(extend("enum" = ["up", "partly paused", "paused"]))]
    pub state: &'static str,
    models: usize,
    models_paused: usize,
    recent_requests: u32,
    recent_failures: u32,
    /// The median time to the first content.
    first_content_ms: Option<u64>,
}

impl Model {
    /// Creates the view of a model by its deployments.
    pub fn new(name: &str, deployments: &[&ModelDeployment]) -> Self {
        let created = price_table_time();
        let owners: BTreeSet<&str> = deployments.iter().map(|one| one.provider.name.as_str()).collect();
        let owner = if owners.len() == 1 { owners.first().copied().unwrap_or_default() } else { "several" };
        let up = deployments.iter().any(|one| one.is_up());
        Self {
            id: name.to_owned(),
            object: "model",
            created,
            owned_by: owner.to_owned(),
            anthropic_type: "model",
            display_name: name.to_owned(),
            created_at: Timestamp::from_ms(u64::try_from(created).unwrap_or(0).saturating_mul(1_000)),
            kind: deployments.first().map(|one| one.kind.as_str()),
            context_length: deployments.iter().map(|one| one.context).max(),
            status: if up { "up" } else { "paused" },
            providers: deployments.iter().map(|one| provider(one)).collect(),
        }
    }
}

fn provider(deployment: &ModelDeployment) -> ModelProvider {
    ModelProvider {
        provider: deployment.provider.name.clone(),
        model: deployment.upstream.clone(),
        context_length: deployment.context,
        max_output: deployment.max_output,
        tools: deployment.tools,
        vision: deployment.vision,
        json: deployment.json,
        pricing: pricing(deployment),
        status: if deployment.is_up() { "up" } else { "paused" },
    }
}

fn pricing(deployment: &ModelDeployment) -> Pricing {
    let (prices, currency) = (&deployment.prices, Usd::Usd);
    match (deployment.kind, deployment.max_output) {
        (ModelKind::Transcription, _) => {
            Pricing::Recording { usd_per_minute: in_dollars(prices.input.saturating_mul(60)), currency }
        }
        (ModelKind::Image, None) => Pricing::Image {
            input_usd_per_mtok: per_mtok(prices.input),
            usd_per_image: in_dollars(prices.output),
            currency,
        },
        _ => Pricing::Tokens {
            input_usd_per_mtok: per_mtok(prices.input),
            output_usd_per_mtok: per_mtok(prices.output),
            cached_input_usd_per_mtok: prices.cached.map(per_mtok),
            cache_write_usd_per_mtok: prices.cache_write.map(per_mtok),
            currency,
        },
    }
}

/// Returns the date of the price list as Unix time in seconds, for the member `created`,
/// which clients expect to be a number.
fn price_table_time() -> i64 {
    let (day, _) = price_table_source();
    let date = day.parse::<jiff::civil::Date>().ok();
    date.and_then(|date| date.to_zoned(jiff::tz::TimeZone::UTC).ok()).map_or(0, |zoned| zoned.timestamp().as_second())
}

/// Formats a price in picodollars.
fn in_dollars(price: u64) -> String {
    let text = format!("{}.{:012}", price / 1_000_000_000_000, price % 1_000_000_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Formats a token price; picodollars per token are millionths of a dollar per million tokens.
fn per_mtok(price: u64) -> String {
    let text = format!("{}.{:06}", price / 1_000_000, price % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl ProviderHealth {
    /// Summarizes the health of one provider over all its models.
    pub fn new(router: &ModelRouter, name: &str) -> Self {
        let now = Instant::now();
        let deployments = router.all().iter().filter(|one| one.provider.name == name);
        let (mut models, mut paused, mut requests, mut failures, mut latencies) = (0, 0, 0, 0, Vec::new());
        for deployment in deployments {
            models += 1;
            paused += usize::from(deployment.health.state(now) != BreakerState::Closed);
            let (all, failed) = deployment.health.recent(now);
            (requests, failures) = (requests + all, failures + failed);
            latencies.extend(deployment.health.latency());
        }
        latencies.sort_unstable();
        let middle = latencies.get(latencies.len() / 2).map(|latency| u64::try_from(latency.as_millis()).unwrap_or(0));
        let state = match (models, paused) {
            (models, paused) if models > 0 && models == paused => "paused",
            (_, 0) => "up",
            _ => "partly paused",
        };
        Self {
            name: name.to_owned(),
            state,
            models,
            models_paused: paused,
            recent_requests: requests,
            recent_failures: failures,
            first_content_ms: middle,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_written_exactly() {
        for (price, text) in [(150_000, "0.15"), (3_000_000, "3"), (0, "0"), (1, "0.000001")] {
            assert_eq!(per_mtok(price), text);
        }
        for (price, text) in [(40_000_000_000, "0.04"), (1, "0.000000000001"), (2_000_000_000_000, "2")] {
            assert_eq!(in_dollars(price), text);
        }
        assert!(price_table_time() > 1_700_000_000);
    }
}
