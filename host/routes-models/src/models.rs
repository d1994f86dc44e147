//! `GET /api/v1/models`, `/api/v1/models/{id}` and `/api/v1/health`: the available models, and the
//! health of their providers.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_api::error::{ApiError, Code};
use tollbridge_api::list_page::{OpenAiPage, Page};
use tollbridge_api::operation::Operation;
use tollbridge_gateway::{Gateway, GatewayError, Model, ModelDeployment, ProviderHealth, price_table_source};
use tollbridge_web::{AppState, Path, Routes};

use crate::errors::gateway_error;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    Routes::new("inference")
        .get(
            "/v1/models",
            list,
            Operation::new("listModels", "List models", "Models of all active providers, with their prices.")
                .alias("/api/v1/models")
                .answer::<OpenAiPage<Model>>(200, "The models"),
        )
        .get(
            "/v1/models/{*id}",
            show,
            Operation::new("showModel", "Show a model", "One model, with its providers and prices.")
                .alias("/api/v1/models/{*id}")
                .answer::<Model>(200, "The model")
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
            .answer::<ProvidersHealth>(200, "The providers"),
        )
}

async fn list(State(app): State<Arc<AppState>>) -> Json<OpenAiPage<Model>> {
    let mut models: BTreeMap<&str, Vec<&ModelDeployment>> = BTreeMap::new();
    for deployment in app.gateway.router().all() {
        models.entry(&deployment.name).or_default().push(deployment);
    }
    let models: Vec<Model> = models.into_iter().map(|(name, of)| Model::new(name, &of)).collect();
    Json(Page::new(models, |model| Some(&model.id), false).into())
}

async fn show(State(app): State<Arc<AppState>>, Path(id): Path<String>) -> Result<Json<Model>, ApiError> {
    let deployments = app.gateway.router().named(&id);
    if deployments.is_empty() {
        let shown = id.chars().filter(|c| !c.is_control()).take(80).collect();
        return Err(gateway_error(GatewayError::UnknownModel { model: shown, suggestion: None }));
    }
    let all: Vec<&ModelDeployment> = deployments.iter().map(AsRef::as_ref).collect();
    Ok(Json(Model::new(&id, &all)))
}

/// The health of the providers.
#[derive(Serialize, JsonSchema)]
struct ProvidersHealth {
    #[schemars(extend("enum" = ["ok", "degraded", "down", "unconfigured"]))]
    status: &'static str,
    provider_count: usize,
    providers: Vec<ProviderHealth>,
    prices: PriceList,
    /// Instructions for configuring a provider; absent if a provider is active.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    hint: Option<String>,
}

/// The source of the built-in prices.
#[derive(Serialize, JsonSchema)]
struct PriceList {
    as_of: &'static str,
    source: &'static str,
    note: &'static str,
}

/// Reports the health of the providers. The status is always 200, because this server
/// itself is healthy.
async fn health(State(app): State<Arc<AppState>>) -> Json<ProvidersHealth> {
    let gateway = &app.gateway;
    let live: Vec<&str> = live(gateway);
    let providers: Vec<ProviderHealth> = live.iter().map(|name| ProviderHealth::new(gateway.router(), name)).collect();
    let up = providers.iter().filter(|one| one.state != "paused").count();
    let status = match (providers.len(), up) {
        (0, _) => "unconfigured",
        (_, 0) => "down",
        (all, up) if up < all => "degraded",
        _ => "ok",
    };
    let (as_of, source) = price_table_source();
    Json(ProvidersHealth {
        status,
        provider_count: providers.len(),
        providers,
        prices: PriceList {
            as_of,
            source,
            note: "built-in addresses and prices were not tested against the providers",
        },
        hint: live.is_empty().then(|| gateway.no_provider()),
    })
}

fn live(gateway: &Gateway) -> Vec<&str> {
    gateway.provider_statuses().iter().filter(|one| one.state.is_ok()).map(|one| one.name.as_str()).collect()
}
