//! `GET /v1/usage`: the model usage of the account's keys and plugins.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_api::error::{ApiError, internal};
use tollbridge_api::operation::Operation;
use tollbridge_core::limits::USAGE_DAYS_MAX;
use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_core::time::{DAY_MS, date, now_ms};
use tollbridge_gateway::{UsageKey, UsageSubject, UsageTotals, day_of};
use tollbridge_web::admit::Caller;
use tollbridge_web::{AppState, Routes};

use crate::billing::exact;

const USUAL_DAYS: u32 = 30;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UsageQuery {
    /// Number of days, up to and including today.
    #[schemars(range(min = 1, max = USAGE_DAYS_MAX))]
    days: Option<u32>,
}

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let operation = Operation::new("usage", "Usage", "Tokens and cost by key, plugin and provider.")
        .answer::<Usage>(200, "The usage");
    Routes::new("inference").get("/v1/usage", usage, operation)
}

/// Model usage of an account, up to and including today.
#[derive(Serialize, JsonSchema)]
struct Usage {
    from: String,
    to: String,
    total: Sums,
    by_key: Vec<KeyUsage>,
    by_plugin: Vec<PluginUsage>,
    by_provider: Vec<ProviderUsage>,
    lines: Vec<UsageLine>,
    /// Whether there are more lines.
    truncated: bool,
}

/// Sums of requests, tokens and costs.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "UsageSums")]
struct Sums {
    requests: u64,
    /// Requests whose tokens were estimated.
    requests_estimated: u64,
    input_tokens: u64,
    cached_tokens: u64,
    output_tokens: u64,
    cost_gbp: String,
    charged_gbp: String,
    charged_millipence: i64,
}

#[derive(Serialize, JsonSchema)]
struct KeyUsage {
    key_id: String,
    #[serde(flatten)]
    sums: Sums,
}

#[derive(Serialize, JsonSchema)]
struct PluginUsage {
    plugin: String,
    #[serde(flatten)]
    sums: Sums,
}

#[derive(Serialize, JsonSchema)]
struct ProviderUsage {
    provider: String,
    #[serde(flatten)]
    sums: Sums,
}

/// The usage of a key or a plugin on one day.
#[derive(Serialize, JsonSchema)]
struct UsageLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    key_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    plugin: Option<String>,
    day: String,
    provider: String,
    model: String,
    #[serde(flatten)]
    sums: Sums,
}

async fn usage(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    query: Result<Query<UsageQuery>, QueryRejection>,
) -> Result<Json<Usage>, ApiError> {
    let Query(query) = query.map_err(|error| ApiError::invalid("", format!("bad query: {error}")))?;
    let days = query.days.unwrap_or(USUAL_DAYS);
    if !(1..=USAGE_DAYS_MAX).contains(&days) {
        return Err(ApiError::invalid("", format!("days must be from 1 to {USAGE_DAYS_MAX}")));
    }
    let today = day_of(now_ms());
    let from = today.saturating_sub(u64::from(days) - 1);
    let account = principal.account_id.clone();
    let worker = app.clone();
    let read = tokio::task::spawn_blocking(move || lines(&worker, &account, from));
    let read = read.await.map_err(|error| internal(&error))?;
    let (lines, more) = read.map_err(|error| internal(&error))?;
    let mut total = UsageTotals::default();
    let (mut by_key, mut by_plugin, mut by_provider) = (TotalsByName::new(), TotalsByName::new(), TotalsByName::new());
    for (line, counts) in &lines {
        total.add(counts);
        match &line.subject {
            UsageSubject::Key { key, .. } => by_key.entry(key.clone()).or_default().add(counts),
            UsageSubject::Plugin(plugin) => by_plugin.entry(plugin.clone()).or_default().add(counts),
        }
        by_provider.entry(line.provider.clone()).or_default().add(counts);
    }
    let sums = |totals: UsageTotals| Sums::new(&totals);
    Ok(Json(Usage {
        from: date(from.saturating_mul(DAY_MS)),
        to: date(today.saturating_mul(DAY_MS)),
        total: sums(total),
        by_key: by_key.into_iter().map(|(key_id, of)| KeyUsage { key_id, sums: sums(of) }).collect(),
        by_plugin: by_plugin.into_iter().map(|(plugin, of)| PluginUsage { plugin, sums: sums(of) }).collect(),
        by_provider: by_provider.into_iter().map(|(provider, of)| ProviderUsage { provider, sums: sums(of) }).collect(),
        lines: lines.into_iter().map(line).collect(),
        truncated: more,
    }))
}

/// Returns the usage of the account's keys, and of the plugins that earn for it.
fn lines(
    app: &AppState,
    account: &str,
    from: u64,
) -> Result<(Vec<(UsageKey, UsageTotals)>, bool), tollbridge_store::StoreError> {
    let meter = app.gateway.meter();
    let subject = UsageSubject::Key { account: account.to_owned(), key: String::new() };
    let (mut all, mut more) = meter.lines(&subject, from)?;
    let snapshot = app.catalog.snapshot();
    for kind in [PluginKind::Bridge, PluginKind::Agent] {
        for offer in snapshot.live(kind).filter(|offer| offer.owner == account) {
            let (lines, cut) = meter.lines(&UsageSubject::Plugin(offer.name.clone()), from)?;
            all.extend(lines);
            more |= cut;
        }
    }
    Ok((all, more))
}

type TotalsByName = BTreeMap<String, UsageTotals>;

impl Sums {
    fn new(totals: &UsageTotals) -> Self {
        Self {
            requests: totals.requests,
            requests_estimated: totals.estimated,
            input_tokens: totals.input_tokens,
            cached_tokens: totals.cached_tokens,
            output_tokens: totals.output_tokens,
            cost_gbp: exact(Millipence::new(totals.cost_millipence)),
            charged_gbp: exact(Millipence::new(totals.charged_millipence)),
            charged_millipence: totals.charged_millipence,
        }
    }
}

fn line((line, totals): (UsageKey, UsageTotals)) -> UsageLine {
    let (key_id, plugin) = match line.subject {
        UsageSubject::Key { key, .. } => (Some(key), None),
        UsageSubject::Plugin(plugin) => (None, Some(plugin)),
    };
    UsageLine {
        key_id,
        plugin,
        day: date(line.day.saturating_mul(DAY_MS)),
        provider: line.provider,
        model: line.model,
        sums: Sums::new(&totals),
    }
}
