//! Providers of models: their availability, failures and charges.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use tollbridge_core::limits::USAGE_DAYS_MAX;
use tollbridge_core::money::Millipence;
use tollbridge_core::time::{DAY_MS, date, rfc3339};
use tollbridge_gateway::{BreakerState, Gateway, ModelDeployment, UsageKey, UsageSubject, UsageTotals, day_of};
use tollbridge_store::StoreError;

use super::error::OperatorError;
use super::records::exact;
use super::service::OperatorService;

/// Maximum number of keys and plugins shown; the others are summed up.
const WHO_MAX: usize = 50;

/// Charges of providers.
#[derive(Default)]
struct Spending {
    by_day: BTreeMap<(u64, String), UsageTotals>,
    by_who: BTreeMap<UsageSubject, UsageTotals>,
    by_provider: BTreeMap<String, UsageTotals>,
    /// Whether there was more usage than one list reads.
    more: bool,
}

/// Requests to a model or a provider, and the failed ones among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Attempts {
    all: u64,
    failed: u64,
}

impl OperatorService {
    /// Shows providers, their models, and their charges of the last days.
    pub(super) async fn inference_show(&self, days: u32) -> Result<Value, OperatorError> {
        let gateway = self.gateway.clone().ok_or_else(|| {
            let why = "only a running server has the state of its providers; `tollbridge config check` lists them";
            OperatorError::Refused(why.to_owned())
        })?;
        let (now_ms, now) = ((self.now_ms)(), Instant::now());
        let days = days.clamp(1, USAGE_DAYS_MAX);
        let from_day = day_of(now_ms).saturating_sub(u64::from(days).saturating_sub(1));
        let read = gateway.clone();
        let reading = tokio::task::spawn_blocking(move || Spending::read(&read, from_day));
        let spending = reading.await.map_err(|error| OperatorError::Failed(error.to_string()))??;
        let providers: Vec<Value> = gateway
            .provider_statuses()
            .iter()
            .map(|status| {
                let models: Vec<&Arc<ModelDeployment>> =
                    gateway.router().all().iter().filter(|one| one.provider.name == status.name).collect();
                let took = spending.by_provider.get(&status.name).copied().unwrap_or_default();
                provider_view(&status.name, status.state.as_ref().err(), &models, (&took, now))
            })
            .collect();
        let models = gateway.router().all().iter().map(|one| model_view(one, now_ms, now));
        Ok(json!({
            "providers": providers,
            "models": models.collect::<Vec<_>>(),
            "since": date(from_day.saturating_mul(DAY_MS)),
            "by_day": spending.days(),
            "by_who": spending.subjects(),
            "is_billed": gateway.is_billed(),
            "usd_gbp_millionths": gateway.usd_gbp().get(),
            "incomplete": spending.more,
        }))
    }
}

impl Spending {
    fn read(gateway: &Gateway, from_day: u64) -> Result<Self, StoreError> {
        let mut spending = Self::default();
        let more = gateway.meter().for_each_since(from_day, |line, totals| spending.add(line, totals))?;
        Ok(Self { more, ..spending })
    }

    fn add(&mut self, line: &UsageKey, totals: &UsageTotals) {
        self.by_day.entry((line.day, line.provider.clone())).or_default().add(totals);
        self.by_who.entry(line.subject.clone()).or_default().add(totals);
        self.by_provider.entry(line.provider.clone()).or_default().add(totals);
    }

    /// Returns the charges by day, the newest first.
    fn days(&self) -> Vec<Value> {
        let view = |((day, provider), totals): (&(u64, String), &UsageTotals)| {
            let about = json!({ "day": date(day.saturating_mul(DAY_MS)), "provider": provider });
            with_totals(about, totals)
        };
        self.by_day.iter().rev().map(view).collect()
    }

    /// Returns the most expensive keys and plugins first; those above the bound are summed in one
    /// row.
    fn subjects(&self) -> Vec<Value> {
        let mut all: Vec<(&UsageSubject, &UsageTotals)> = self.by_who.iter().collect();
        all.sort_by_key(|(_, totals)| Reverse((totals.cost_millipence, totals.requests)));
        let mut others = UsageTotals::default();
        let rest = all.split_off(all.len().min(WHO_MAX));
        rest.iter().for_each(|(_, totals)| others.add(totals));
        let view = |(subject, totals): (&UsageSubject, &UsageTotals)| with_totals(who(subject), totals);
        let mut rows: Vec<Value> = all.into_iter().map(view).collect();
        if !rest.is_empty() {
            rows.push(with_totals(json!({ "kind": "others", "others": rest.len() }), &others));
        }
        rows
    }
}

fn who(subject: &UsageSubject) -> Value {
    match subject {
        UsageSubject::Key { account, key } => json!({ "kind": "key", "account_id": account, "key": key }),
        UsageSubject::Plugin(plugin) => json!({ "kind": "plugin", "plugin": plugin }),
    }
}

fn with_totals(mut about: Value, totals: &UsageTotals) -> Value {
    if let Some(members) = about.as_object_mut() {
        let pounds = |amount: i64| Value::from(exact(Millipence::new(amount)));
        members.extend(
            [
                ("requests", Value::from(totals.requests)),
                ("estimated", totals.estimated.into()),
                ("input_tokens", totals.input_tokens.into()),
                ("output_tokens", totals.output_tokens.into()),
                ("cost_gbp", pounds(totals.cost_millipence)),
                ("cost_millipence", totals.cost_millipence.into()),
                ("charged_gbp", pounds(totals.charged_millipence)),
            ]
            .map(|(name, value)| (name.to_owned(), value)),
        );
    }
    about
}

fn provider_view(
    name: &str,
    why_not: Option<&String>,
    models: &[&Arc<ModelDeployment>],
    (took, now): (&UsageTotals, Instant),
) -> Value {
    let held = models.iter().filter(|one| one.health.is_tripped(now)).count();
    let attempts = models.iter().fold(Attempts::default(), |sum, one| sum.and(Attempts::of(one.health.since_start())));
    let state = match (why_not, held) {
        (Some(_), _) => "off",
        (None, 0) => "up",
        (None, held) if held == models.len() => "paused",
        (None, _) => "partly paused",
    };
    let about = json!({
        "provider": name,
        "state": state,
        "why_not": why_not,
        "models": models.len(),
        "models_paused": held,
        "attempts": attempts.all,
        "failed": attempts.failed,
        "failed_percent": attempts.percent(),
    });
    with_totals(about, took)
}

fn model_view(deployment: &ModelDeployment, now_ms: u64, now: Instant) -> Value {
    let attempts = Attempts::of(deployment.health.since_start());
    let (recent, recent_failed) = deployment.health.recent(now);
    let (breaker, paused_until) = breaker_view(deployment.health.state(now), now_ms);
    json!({
        "provider": deployment.provider.name,
        "model": deployment.name,
        "upstream": deployment.upstream,
        "kind": deployment.kind.as_str(),
        "breaker": breaker,
        "paused_until": paused_until,
        "attempts": attempts.all,
        "failed": attempts.failed,
        "failed_percent": attempts.percent(),
        "recent_attempts": recent,
        "recent_failed": recent_failed,
        "latency_ms": deployment.health.latency().map(|latency| u64::try_from(latency.as_millis()).unwrap_or(u64::MAX)),
    })
}

/// Returns the state of a breaker, and until when it blocks requests.
fn breaker_view(state: BreakerState, now_ms: u64) -> (&'static str, Option<String>) {
    match state {
        BreakerState::Closed => ("closed", None),
        BreakerState::HalfOpen => ("half open", None),
        BreakerState::Open(left) => {
            let left = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
            ("open", Some(rfc3339(now_ms.saturating_add(left))))
        }
    }
}

impl Attempts {
    const fn of((all, failed): (u64, u64)) -> Self {
        Self { all, failed }
    }

    const fn and(self, other: Self) -> Self {
        Self { all: self.all.saturating_add(other.all), failed: self.failed.saturating_add(other.failed) }
    }

    /// Returns the percentage that failed, with one decimal; none without requests.
    fn percent(self) -> Option<String> {
        let tenths = self.failed.saturating_mul(1_000).checked_div(self.all)?;
        Some(format!("{}.{}", tenths.div_euclid(10), tenths.rem_euclid(10)))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn totals(requests: u64, cost_millipence: i64) -> UsageTotals {
        UsageTotals { requests, cost_millipence, ..UsageTotals::default() }
    }

    fn line(subject: UsageSubject, day: u64, provider: &str) -> UsageKey {
        UsageKey { subject, day, provider: provider.to_owned(), model: "m".to_owned() }
    }

    #[test]
    fn spending_is_summed_by_day_and_by_who() {
        let mut spending = Spending::default();
        let key = UsageSubject::Key { account: "acct_1".to_owned(), key: "k1".to_owned() };
        let plugin = UsageSubject::Plugin("summarise".to_owned());
        spending.add(&line(key.clone(), 0, "one"), &totals(1, 100_000));
        spending.add(&line(key, 1, "two"), &totals(2, 50_000));
        spending.add(&line(plugin, 1, "two"), &totals(3, 1));
        let days = spending.days();
        assert_eq!(days.len(), 2);
        assert_eq!((&days[0]["day"], &days[0]["requests"]), (&json!("1970-01-02"), &json!(5)));
        let who = spending.subjects();
        assert_eq!((&who[0]["account_id"], &who[0]["cost_gbp"]), (&json!("acct_1"), &json!("1.50")));
        assert_eq!((&who[1]["plugin"], &who[1]["kind"]), (&json!("summarise"), &json!("plugin")));
    }

    #[test]
    fn those_who_cost_little_are_one_row() {
        let mut spending = Spending::default();
        for number in 0..WHO_MAX + 3 {
            let subject = UsageSubject::Plugin(format!("p{number}"));
            spending.add(&line(subject, 0, "one"), &totals(1, i64::try_from(number).unwrap()));
        }
        let who = spending.subjects();
        assert_eq!(
            (who.len(), &who[WHO_MAX]["others"], &who[WHO_MAX]["requests"]),
            (WHO_MAX + 1, &json!(3), &json!(3))
        );
        assert_eq!(who[0]["plugin"], json!(format!("p{}", WHO_MAX + 2)));
    }

    #[test]
    fn a_share_of_nothing_is_not_known() {
        assert_eq!(Attempts::of((0, 0)).percent(), None);
        assert_eq!(Attempts::of((3, 1)).and(Attempts::of((5, 0))).percent().as_deref(), Some("12.5"));
        assert_eq!(breaker_view(BreakerState::Closed, 5), ("closed", None));
        let open = breaker_view(BreakerState::Open(Duration::from_secs(60)), 0);
        assert_eq!(open, ("open", Some("1970-01-01T00:01:00Z".to_owned())));
    }
}
