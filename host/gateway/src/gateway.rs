//! The gateway: its services, and the deployments that a request may be sent to.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tollbridge_core::config::{Billing, InferenceConfig, Millionths};
use tollbridge_core::in_flight::InFlight;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::Notary;
use tollbridge_payment::CallPayments;
use tollbridge_store::{Db, Hash};

use super::billing::UsageBilling;
use super::builtin;
use super::deployment_loader::load_deployments;
use super::error::GatewayError;
use super::failover::Failover;
use super::presets::PRESETS;
use super::provider::{ModelKind, ProviderStatus};
use super::provider_client::ClientError;
use super::recording::RecordingMeter;
use super::request::{AUTO, ModelRequest};
use super::request_slots::RequestSlots;
use super::router::{ModelRouter, RouteCandidate, RoutingPriority};
use super::stored_response::StoredResponses;
use super::upstream::Upstream;
use super::usage_meter::UsageMeter;
use crate::limits::INFERENCE_DRAIN_AT_STOP_MS;

/// The gateway that serves the inference routes and the model requests of plugins.
pub struct Gateway {
    pub(super) router: ModelRouter,
    pub(super) upstream: Upstream,
    pub(super) failover: Failover,
    settings: InferenceConfig,
    pub(super) meter: Arc<UsageMeter>,
    pub(super) billing: Arc<UsageBilling>,
    pub(super) in_flight: InFlight<Hash>,
    provider_statuses: Vec<ProviderStatus>,
    pub(super) responses: Arc<StoredResponses>,
    pub(super) slots: Arc<RequestSlots>,
    recordings: RecordingMeter,
}

/// The services that the gateway uses.
pub struct GatewayDeps {
    /// Authorizes payments from accounts' credit.
    pub payments: Arc<CallPayments>,
    /// Seals charges.
    pub notary: Arc<Notary>,
    /// The database in the data folder.
    pub db: Db,
}

impl Gateway {
    /// Builds the gateway; `environment` returns the value of an environment variable.
    pub fn new(
        settings: InferenceConfig,
        deps: GatewayDeps,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ClientError> {
        let (deployments, provider_statuses) = load_deployments(&settings, environment);
        let meter = Arc::new(UsageMeter::new(deps.db.clone()));
        let upstream = Upstream::new()?;
        let billing = UsageBilling::new(
            deps.payments,
            deps.notary,
            deps.db.clone(),
            meter.clone(),
            settings.billing,
            settings.usd_gbp,
        );
        Ok(Self {
            router: ModelRouter::new(deployments),
            failover: Failover::new(upstream.clone(), &settings),
            upstream,
            settings,
            meter,
            billing: Arc::new(billing),
            in_flight: InFlight::default(),
            provider_statuses,
            responses: Arc::new(StoredResponses::new(deps.db)),
            slots: RequestSlots::new(),
            recordings: RecordingMeter::new(),
        })
    }

    /// Returns the router, which has all usable models.
    pub const fn router(&self) -> &ModelRouter {
        &self.router
    }

    /// Returns the meter of usage by API key and plugin.
    pub fn meter(&self) -> &UsageMeter {
        &self.meter
    }

    /// Returns the stored responses of all accounts.
    pub const fn responses(&self) -> &Arc<StoredResponses> {
        &self.responses
    }

    /// Returns the meter that measures the length of recordings.
    pub const fn recordings(&self) -> &RecordingMeter {
        &self.recordings
    }

    /// Returns the status of every built-in or configured provider, usable or not.
    pub fn provider_statuses(&self) -> &[ProviderStatus] {
        &self.provider_statuses
    }

    /// Returns the exchange rate in pounds per dollar, in millionths.
    pub const fn usd_gbp(&self) -> Millionths {
        self.settings.usd_gbp
    }

    /// Returns whether callers are charged for models.
    pub fn is_billed(&self) -> bool {
        self.settings.billing == Billing::Credit
    }

    /// Waits until every request is settled, including those whose clients have disconnected.
    /// Requests that are still running after a bounded time are abandoned.
    pub async fn close(&self) {
        self.slots.close(Duration::from_millis(INFERENCE_DRAIN_AT_STOP_MS)).await;
    }

    /// Returns the deployments that a request would be sent to, in order, within the cost
    /// limit.
    pub fn plan(
        &self,
        request: &ModelRequest,
        priority: RoutingPriority,
        limit: Option<Millipence>,
    ) -> Result<Vec<RouteCandidate>, GatewayError> {
        if let Some(text) = self.missing_kind(request.endpoint.kind())
            && (request.model == AUTO || !self.has_upstream())
        {
            return Err(GatewayError::NotConfigured(text));
        }
        let mut plan = self.router.plan(request, priority, self.settings.usd_gbp, Instant::now())?;
        if let Some(limit) = limit {
            let needed = plan.iter().map(|candidate| candidate.worst_cost).min().unwrap_or_default();
            plan.retain(|candidate| candidate.worst_cost <= limit);
            if plan.is_empty() {
                return Err(GatewayError::CostLimitExceeded { limit, needed });
            }
        }
        Ok(plan)
    }

    /// Returns the deadline of a request: the requested one, but no later than the
    /// operator's time-out allows.
    pub(super) fn deadline(&self, requested: Option<Instant>) -> Instant {
        let now = Instant::now();
        let overall = now.checked_add(self.settings.timeout).unwrap_or(now);
        requested.map_or(overall, |requested| requested.min(overall))
    }

    /// Explains how the operator configures a model of this kind; `None` if a provider
    /// offers one.
    pub(super) fn missing_kind(&self, kind: ModelKind) -> Option<String> {
        let all = self.router.all();
        if all.iter().any(|one| one.kind == kind) {
            return None;
        }
        let builtin = self.builtin_problem(kind).map(|why| format!("{why}; also, ")).unwrap_or_default();
        if !self.has_upstream() {
            return Some(format!("{builtin}{}", self.no_provider()));
        }
        let member = if kind == ModelKind::Embedding { ", with `embedding = true`," } else { "" };
        Some(format!(
            "{builtin}no inference provider of this server offers {} models; the operator adds one{member} to `models` of \
             [inference.providers.NAME]",
            kind.as_str()
        ))
    }

    /// Returns whether there is a provider other than the built-in one.
    fn has_upstream(&self) -> bool {
        self.router.all().iter().any(|one| one.provider.builtin.is_none())
    }

    /// Returns the reason why the built-in provider offers no model of this kind, if it
    /// should.
    pub(super) fn builtin_problem(&self, kind: ModelKind) -> Option<String> {
        let builtin = self.provider_statuses.iter().find(|one| one.name == builtin::PROVIDER)?;
        let why = builtin.state.as_ref().err().filter(|_| kind == ModelKind::Embedding)?;
        Some(format!("the built-in embedding model cannot be used: {why}"))
    }

    /// Explains why no provider can be used, and how the operator configures one.
    pub fn no_provider(&self) -> String {
        let variables: Vec<&str> = PRESETS.iter().map(|preset| preset.api_key_env).collect();
        let configured: Vec<String> = self
            .provider_statuses
            .iter()
            .filter(|provider| self.settings.providers.contains_key(&provider.name))
            .filter_map(|provider| Some(format!("{}: {}", provider.name, provider.state.as_ref().err()?)))
            .collect();
        let first = if configured.is_empty() {
            "no inference provider is configured on this server".to_owned()
        } else {
            format!("no configured inference provider can be used ({})", configured.join("; "))
        };
        format!(
            "{first}; the operator sets the key of a built-in provider in the environment ({}), or adds one as \
             [inference.providers.NAME] with base_url and models (`tollbridge config check` lists the live ones)",
            variables.join(", ")
        )
    }
}
