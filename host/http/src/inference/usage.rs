//! `GET /v1/usage`: the model usage of the account's keys and plugins.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tollbridge_api::error::{ApiError, internal};
use tollbridge_api::operation::Operation;
use tollbridge_core::limits::USAGE_DAYS_MAX;
use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_core::time::now_ms;
use tollbridge_core::time::{DAY_MS, date};
use tollbridge_gateway::{UsageKey, UsageSubject, UsageTotals, day_of};

use crate::admit::Caller;
use crate::inference::billing::exact;
use crate::state::AppState;
use crate::state::Routes;

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
    let operation = Operation::new("usage", "Usage", "Tokens and cost by key, plugin and provider.").answer_schema(
        200,
        "The usage",
        json!({ "type": "object" }),
    );
    Routes::new("inference").get("/v1/usage", usage, operation)
}

async fn usage(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    query: Result<Query<UsageQuery>, QueryRejection>,
) -> Result<Json<Value>, ApiError> {
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
    let mut total = Sum::default();
    let (mut by_key, mut by_plugin, mut by_provider) = (Sums::new(), Sums::new(), Sums::new());
    for (line, counts) in &lines {
        total.add(counts);
        match &line.subject {
            UsageSubject::Key { key, .. } => by_key.entry(key.clone()).or_default().add(counts),
            UsageSubject::Plugin(plugin) => by_plugin.entry(plugin.clone()).or_default().add(counts),
        }
        by_provider.entry(line.provider.clone()).or_default().add(counts);
    }
    Ok(Json(json!({
        "from": date(from.saturating_mul(DAY_MS)),
        "to": date(today.saturating_mul(DAY_MS)),
        "total": total.to_json(),
        "by_key": named("key_id", &by_key),
        "by_plugin": named("plugin", &by_plugin),
        "by_provider": named("provider", &by_provider),
        "lines": lines.iter().map(line).collect::<Vec<_>>(),
        "truncated": more,
    })))
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

type Sums = BTreeMap<String, Sum>;

#[derive(Default)]
struct Sum(UsageTotals);

impl Sum {
    fn add(&mut self, counts: &UsageTotals) {
        self.0.add(counts);
    }

    fn to_json(&self) -> Value {
        counts(&self.0)
    }
}

fn named(member: &str, sums: &Sums) -> Vec<Value> {
    let one = |(name, sum): (&String, &Sum)| {
        let mut value = sum.to_json();
        if let Some(members) = value.as_object_mut() {
            members.insert(member.to_owned(), name.clone().into());
        }
        value
    };
    sums.iter().map(one).collect()
}

fn line((line, sums): &(UsageKey, UsageTotals)) -> Value {
    let mut value = counts(sums);
    if let Some(members) = value.as_object_mut() {
        let (member, name) = match &line.subject {
            UsageSubject::Key { key, .. } => ("key_id", key),
            UsageSubject::Plugin(plugin) => ("plugin", plugin),
        };
        members.insert(member.to_owned(), name.clone().into());
        members.insert("day".to_owned(), date(line.day.saturating_mul(DAY_MS)).into());
        members.insert("provider".to_owned(), line.provider.clone().into());
        members.insert("model".to_owned(), line.model.clone().into());
    }
    value
}

fn counts(counts: &UsageTotals) -> Value {
    json!({
        "requests": counts.requests,
        "requests_estimated": counts.estimated,
        "input_tokens": counts.input_tokens,
        "cached_tokens": counts.cached_tokens,
        "output_tokens": counts.output_tokens,
        "cost_gbp": exact(Millipence::new(counts.cost_millipence)),
        "charged_gbp": exact(Millipence::new(counts.charged_millipence)),
        "charged_millipence": counts.charged_millipence,
    })
}
