//! `GET /api/v1/models`, `/api/v1/models/{id}` and `/api/v1/health`: the available models, and the
//! health of their providers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};
use tollbridge_api::error::{ApiError, Code};
use tollbridge_api::operation;
use tollbridge_api::operation::Operation;
use tollbridge_core::time::rfc3339;
use tollbridge_gateway::{BreakerState, Gateway, GatewayError, ModelDeployment, ModelKind, price_table_source};

use crate::inference::errors::gateway_error;
use crate::path::Path;
use crate::state::AppState;
use crate::state::Routes;

/// Returns the date of the price list in Unix time; `created` must be a number.
fn listed_at() -> i64 {
    let (day, _) = price_table_source();
    let date = day.parse::<jiff::civil::Date>().ok();
    date.and_then(|date| date.to_zoned(jiff::tz::TimeZone::UTC).ok()).map_or(0, |zoned| zoned.timestamp().as_second())
}

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let model = || json!({ "type": "object", "required": ["id", "object", "created", "owned_by"] });
    Routes::new("inference")
        .get(
            "/v1/models",
            list,
            Operation::new("listModels", "List models", "Models of all active providers, with their prices.")
                .alias("/api/v1/models")
                .members(
                    200,
                    "The models",
                    &json!({ "object": { "const": "list" }, "data": operation::list(&model()) }),
                ),
        )
        .get(
            "/v1/models/{*id}",
            show,
            Operation::new("showModel", "Show a model", "One model, with its providers and prices.")
                .alias("/api/v1/models/{*id}")
                .answer_schema(200, "The model", model())
                .errors(&[Code::ModelNotFound]),
        )
        .get(
            "/api/v1/health",
            health,
            Operation::new(
                "inferenceHealth",
                "Health of the providers",
                "The number of active providers, and the health of each.",
            )
            .answer_schema(
                200,
                "The providers",
                json!({ "type": "object", "required": ["status", "providers"] }),
            ),
        )
}

async fn list(State(app): State<Arc<AppState>>) -> Json<Value> {
    let mut models: BTreeMap<&str, Vec<&ModelDeployment>> = BTreeMap::new();
    for deployment in app.gateway.router().all() {
        models.entry(&deployment.name).or_default().push(deployment);
    }
    let created = listed_at();
    let data: Vec<Value> = models.into_iter().map(|(name, of)| model(name, &of, created)).collect();
    let id = |one: Option<&Value>| one.and_then(|one| one.get("id")).cloned();
    let (first, last) = (id(data.first()), id(data.last()));
    Json(json!({ "object": "list", "data": data, "has_more": false, "first_id": first, "last_id": last }))
}

async fn show(State(app): State<Arc<AppState>>, Path(id): Path<String>) -> Result<Json<Value>, ApiError> {
    let deployments = app.gateway.router().named(&id);
    if deployments.is_empty() {
        let shown = id.chars().filter(|c| !c.is_control()).take(80).collect();
        return Err(gateway_error(GatewayError::UnknownModel { model: shown, suggestion: None }));
    }
    let all: Vec<&ModelDeployment> = deployments.iter().map(AsRef::as_ref).collect();
    Ok(Json(model(&id, &all, listed_at())))
}

/// Builds a model's description: the members that OpenAI's and Anthropic's clients need, and this
/// server's own.
fn model(name: &str, deployments: &[&ModelDeployment], created: i64) -> Value {
    let owners: BTreeSet<&str> = deployments.iter().map(|one| one.provider.name.as_str()).collect();
    let owner = if owners.len() == 1 { owners.first().copied().unwrap_or_default() } else { "several" };
    let up = deployments.iter().any(|one| one.is_up());
    let providers: Vec<Value> = deployments.iter().map(|one| provider(one)).collect();
    json!({
        "id": name,
        "object": "model",
        "created": created,
        "owned_by": owner,
        "type": "model",
        "display_name": name,
        "created_at": rfc3339(u64::try_from(created).unwrap_or(0).saturating_mul(1_000)),
        "kind": deployments.first().map(|one| one.kind.as_str()),
        "context_length": deployments.iter().map(|one| one.context).max(),
        "status": if up { "up" } else { "paused" },
        "providers": providers,
    })
}

fn provider(deployment: &ModelDeployment) -> Value {
    json!({
        "provider": deployment.provider.name,
        "model": deployment.upstream,
        "context_length": deployment.context,
        "max_output": deployment.max_output,
        "tools": deployment.tools,
        "vision": deployment.vision,
        "json": deployment.json,
        "pricing": pricing(deployment),
        "status": if deployment.is_up() { "up" } else { "paused" },
    })
}

/// Returns a model's prices: per token, minute or image.
fn pricing(deployment: &ModelDeployment) -> Value {
    let prices = &deployment.prices;
    match (deployment.kind, deployment.max_output) {
        (ModelKind::Transcription, _) => {
            json!({ "usd_per_minute": in_dollars(prices.input.saturating_mul(60)), "currency": "usd" })
        }
        (ModelKind::Image, None) => json!({
            "input_usd_per_mtok": per_mtok(prices.input),
            "usd_per_image": in_dollars(prices.output),
            "currency": "usd",
        }),
        _ => json!({
            "input_usd_per_mtok": per_mtok(prices.input),
            "output_usd_per_mtok": per_mtok(prices.output),
            "cached_input_usd_per_mtok": prices.cached.map(per_mtok),
            "cache_write_usd_per_mtok": prices.cache_write.map(per_mtok),
            "currency": "usd",
        }),
    }
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

/// Reports the health of the providers. Always 200, because it is not about this server.
async fn health(State(app): State<Arc<AppState>>) -> Json<Value> {
    let gateway = &app.gateway;
    let live: Vec<&str> = live(gateway);
    let providers: Vec<Value> = live.iter().map(|name| standing(gateway, name)).collect();
    let up = providers.iter().filter(|one| one.get("state").and_then(Value::as_str) != Some("paused")).count();
    let status = match (providers.len(), up) {
        (0, _) => "unconfigured",
        (_, 0) => "down",
        (all, up) if up < all => "degraded",
        _ => "ok",
    };
    let (as_of, from) = price_table_source();
    let mut body = json!({
        "status": status,
        "provider_count": providers.len(),
        "providers": providers,
        "prices": { "as_of": as_of, "source": from, "note": "built-in addresses and prices were not tried live" },
    });
    if live.is_empty()
        && let Some(members) = body.as_object_mut()
    {
        members.insert("hint".to_owned(), gateway.no_provider().into());
    }
    Json(body)
}

fn live(gateway: &Gateway) -> Vec<&str> {
    gateway.provider_statuses().iter().filter(|one| one.state.is_ok()).map(|one| one.name.as_str()).collect()
}

/// Summarizes one provider over all its models.
fn standing(gateway: &Gateway, name: &str) -> Value {
    let now = Instant::now();
    let deployments = gateway.router().all().iter().filter(|one| one.provider.name == name);
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
    json!({
        "name": name,
        "state": state,
        "models": models,
        "models_paused": paused,
        "recent_requests": requests,
        "recent_failures": failures,
        "first_content_ms": middle,
    })
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
        assert!(listed_at() > 1_700_000_000);
    }
}
