//! Providers of models: their availability, failures and charges.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::time::Instant;
use tollbridge_core::limits::USAGE_DAYS_MAX;
use tollbridge_core::money::Millipence;
use tollbridge_core::time::{DAY_MS, date, now_ms, rfc3339};
use tollbridge_gateway::{
    BreakerState, EnginePhase, EngineState, Gateway, ModelDeployment, UsageKey, UsageSubject, UsageTotals, day_of,
};
use tollbridge_store::StoreError;

use super::answers::answers;
use super::error::OperatorError;
use super::qualification::AgentQualifications;
use super::records::exact;

answers! {
    /// Providers, their models, and their charges.
    InferenceReport {
        providers: Vec<ProviderView>, models: Vec<ModelView>, since: String, by_day: Vec<DayUsage>,
        by_who: Vec<SubjectUsage>, is_billed: bool, usd_gbp_millionths: u64, incomplete: bool,
        qualifications: Vec<AgentQualifications>,
    }
    /// A provider with its charges.
    ProviderView {
        provider: String, state: String, why_not: Option<String>, models: usize, models_paused: usize, attempts: u64,
        failed: u64, failed_percent: Option<String>,
        #[serde(flatten)] usage: UsageView,
    }
    /// A model with its state since the server started.
    ModelView {
        provider: String, model: String, upstream: String, kind: String, breaker: String,
        paused_until: Option<String>, attempts: u64, failed: u64, failed_percent: Option<String>,
        recent_attempts: u32, recent_failed: u32, latency_ms: Option<u64>,
    }
    /// The charges of a provider on one day.
    DayUsage { day: String, provider: String, #[serde(flatten)] usage: UsageView }
    /// The charges for one key or plugin, or the sum for all that are not listed.
    SubjectUsage {
        kind: String,
        #[serde(skip_serializing_if = "Option::is_none")] account_id: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")] key: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")] plugin: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")] others: Option<usize>,
        #[serde(flatten)] usage: UsageView,
    }
    /// Requests, tokens and their costs.
    UsageView {
        requests: u64, estimated: u64, input_tokens: u64, output_tokens: u64, cost_gbp: String, cost_millipence: i64,
        charged_gbp: String,
    }
}

/// Maximum number of keys and plugins listed; the remaining ones are summed in one row.
const WHO_MAX: usize = 50;

/// Charges of providers.
#[derive(Default)]
struct Spending {
    by_day: BTreeMap<(u64, String), UsageTotals>,
    by_who: BTreeMap<UsageSubject, UsageTotals>,
    by_provider: BTreeMap<String, UsageTotals>,
    /// Whether some usage is missing because the number of rows read is limited.
    more: bool,
}

/// Requests to a model or a provider, and the failed ones among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Attempts {
    all: u64,
    failed: u64,
}

/// The command for providers of models.
pub(super) struct InferenceCommands {
    pub(super) gateway: Option<Arc<Gateway>>,
}

impl InferenceCommands {
    /// Shows providers, their models, and their charges of the last days.
    pub(super) async fn report(
        &self,
        days: u32,
        qualifications: Vec<AgentQualifications>,
    ) -> Result<InferenceReport, OperatorError> {
        let gateway = self.gateway.clone().ok_or_else(|| {
            let why = "only a running server has the state of its providers; `tollbridge config check` lists them";
            OperatorError::Refused(why.to_owned())
        })?;
        let (now_ms, now) = (now_ms(), Instant::now());
        let days = days.clamp(1, USAGE_DAYS_MAX);
        let from_day = day_of(now_ms).saturating_sub(u64::from(days).saturating_sub(1));
        let read = gateway.clone();
        let reading = tokio::task::spawn_blocking(move || Spending::read(&read, from_day));
        let spending = reading.await.map_err(|error| OperatorError::Failed(error.to_string()))??;
        let providers = gateway
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
        Ok(InferenceReport {
            providers,
            models: models.collect(),
            since: date(from_day.saturating_mul(DAY_MS)),
            by_day: spending.days(),
            by_who: spending.subjects(),
            is_billed: gateway.is_billed(),
            usd_gbp_millionths: gateway.usd_gbp().get(),
            incomplete: spending.more,
            qualifications,
        })
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
    fn days(&self) -> Vec<DayUsage> {
        let view = |((day, provider), totals): (&(u64, String), &UsageTotals)| DayUsage {
            day: date(day.saturating_mul(DAY_MS)),
            provider: provider.clone(),
            usage: usage(totals),
        };
        self.by_day.iter().rev().map(view).collect()
    }

    /// Returns the charges by key and plugin, the most expensive first; those beyond the
    /// maximum are summed in one row.
    fn subjects(&self) -> Vec<SubjectUsage> {
        let mut all: Vec<(&UsageSubject, &UsageTotals)> = self.by_who.iter().collect();
        all.sort_by_key(|(_, totals)| Reverse((totals.cost_millipence, totals.requests)));
        let mut others = UsageTotals::default();
        let rest = all.split_off(all.len().min(WHO_MAX));
        rest.iter().for_each(|(_, totals)| others.add(totals));
        let view = |(subject, totals): (&UsageSubject, &UsageTotals)| subject_usage(subject, usage(totals));
        let mut rows: Vec<SubjectUsage> = all.into_iter().map(view).collect();
        if !rest.is_empty() {
            let (kind, usage) = ("others".to_owned(), usage(&others));
            rows.push(SubjectUsage { kind, others: Some(rest.len()), usage, ..SubjectUsage::default() });
        }
        rows
    }
}

fn subject_usage(subject: &UsageSubject, usage: UsageView) -> SubjectUsage {
    let (kind, account_id, key, plugin) = match subject {
        UsageSubject::Key { account, key } => ("key", Some(account.clone()), Some(key.clone()), None),
        UsageSubject::Plugin(plugin) => ("plugin", None, None, Some(plugin.clone())),
    };
    SubjectUsage { kind: kind.to_owned(), account_id, key, plugin, others: None, usage }
}

fn usage(totals: &UsageTotals) -> UsageView {
    let pounds = |amount: i64| exact(Millipence::new(amount));
    UsageView {
        requests: totals.requests,
        estimated: totals.estimated,
        input_tokens: totals.input_tokens,
        output_tokens: totals.output_tokens,
        cost_gbp: pounds(totals.cost_millipence),
        cost_millipence: totals.cost_millipence,
        charged_gbp: pounds(totals.charged_millipence),
    }
}

fn provider_view(
    name: &str,
    why_not: Option<&String>,
    models: &[&Arc<ModelDeployment>],
    (took, now): (&UsageTotals, Instant),
) -> ProviderView {
    let held = models.iter().filter(|one| one.health.is_tripped(now)).count();
    let attempts = models.iter().fold(Attempts::default(), |sum, one| sum.and(Attempts::of(one.health.since_start())));
    let engine = models.iter().find_map(|one| one.provider.engine.as_ref()).map(|engine| engine.state());
    let trouble = engine.as_ref().and_then(EngineState::trouble);
    let state = match (why_not, held) {
        (Some(_), _) => "off",
        (None, _) if trouble.is_some() => match engine.map(|engine| engine.phase) {
            Some(EnginePhase::Starting) => "starting",
            _ => "failing",
        },
        (None, 0) => "up",
        (None, held) if held == models.len() => "paused",
        (None, _) => "partly paused",
    };
    ProviderView {
        provider: name.to_owned(),
        state: state.to_owned(),
        why_not: why_not.cloned().or(trouble),
        models: models.len(),
        models_paused: held,
        attempts: attempts.all,
        failed: attempts.failed,
        failed_percent: attempts.percent(),
        usage: usage(took),
    }
}

fn model_view(deployment: &ModelDeployment, now_ms: u64, now: Instant) -> ModelView {
    let attempts = Attempts::of(deployment.health.since_start());
    let (recent, recent_failed) = deployment.health.recent(now);
    let (breaker, paused_until) = breaker_view(deployment.health.state(now), now_ms);
    ModelView {
        provider: deployment.provider.name.clone(),
        model: deployment.name.clone(),
        upstream: deployment.upstream.clone(),
        kind: deployment.kind.as_str().to_owned(),
        breaker: breaker.to_owned(),
        paused_until,
        attempts: attempts.all,
        failed: attempts.failed,
        failed_percent: attempts.percent(),
        recent_attempts: recent,
        recent_failed,
        latency_ms: deployment.health.latency().map(|latency| u64::try_from(latency.as_millis()).unwrap_or(u64::MAX)),
    }
}

/// Returns the state of a circuit breaker, and the time until which it blocks requests,
/// if it does.
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

    /// Returns the percentage of requests that failed, with one decimal; `None` if there
    /// were no requests.
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
    fn spending_is_summed_by_day_and_by_caller() {
        let mut spending = Spending::default();
        let key = UsageSubject::Key { account: "acct_1".to_owned(), key: "k1".to_owned() };
        let plugin = UsageSubject::Plugin("summarise".to_owned());
        spending.add(&line(key.clone(), 0, "one"), &totals(1, 100_000));
        spending.add(&line(key, 1, "two"), &totals(2, 50_000));
        spending.add(&line(plugin, 1, "two"), &totals(3, 1));
        let days = spending.days();
        assert_eq!(days.len(), 2);
        assert_eq!((days[0].day.as_str(), days[0].usage.requests), ("1970-01-02", 5));
        let who = spending.subjects();
        assert_eq!((who[0].account_id.as_deref(), who[0].usage.cost_gbp.as_str()), (Some("acct_1"), "1.50"));
        assert_eq!((who[1].plugin.as_deref(), who[1].kind.as_str()), (Some("summarise"), "plugin"));
    }

    #[test]
    fn small_spenders_share_one_row() {
        let mut spending = Spending::default();
        for number in 0..WHO_MAX + 3 {
            let subject = UsageSubject::Plugin(format!("p{number}"));
            spending.add(&line(subject, 0, "one"), &totals(1, i64::try_from(number).unwrap()));
        }
        let who = spending.subjects();
        assert_eq!((who.len(), who[WHO_MAX].others, who[WHO_MAX].usage.requests), (WHO_MAX + 1, Some(3), 3));
        assert_eq!(who[0].plugin, Some(format!("p{}", WHO_MAX + 2)));
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
