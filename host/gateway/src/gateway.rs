//! The path of a request through the gateway.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use futures_util::FutureExt;
use futures_util::stream::StreamExt;
use tokio::sync::Semaphore;
use tollbridge_core::config::{Billing, InferenceConfig, Millionths};
use tollbridge_core::finish::Finish;
use tollbridge_core::in_flight::InFlight;
use tollbridge_core::limits::INFERENCE_OPEN_MAX;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::Notary;
use tollbridge_ledger::idempotency::{IdempotencyKey, RequestIdentity};
use tollbridge_payment::PaymentAuthorizer;
use tollbridge_store::{Db, Hash};

use super::billing::UsageBilling;
use super::charge::ChargeParams;
use super::client::{ClientRequest, GatewayResponse};
use super::error::GatewayError;
use super::failover::{ProviderResponse, RetryBudget};
use super::presets::PRESETS;
use super::provider::{ProviderStatus, load_deployments};
use super::request::{InferenceEndpoint, ModelRequest};
use super::response_stream::{PendingCharge, ResponseStream};
use super::router::{ModelRouter, RouteCandidate, RoutingPriority};
use super::tokens::estimate_usage;
use super::upstream::Upstream;
use super::usage_meter::UsageMeter;

/// How long a repeat by a client library waits for the original to be settled.
const REPEAT_WAITS: u32 = 100;
const REPEAT_WAIT: Duration = Duration::from_millis(20);

/// Everything behind the inference routes and the plugins' import.
pub struct Gateway {
    pub(super) router: ModelRouter,
    pub(super) upstream: Upstream,
    pub(super) settings: InferenceConfig,
    pub(super) retries: RetryBudget,
    pub(super) meter: Arc<UsageMeter>,
    billing: Arc<UsageBilling>,
    in_flight: InFlight<Hash>,
    provider_statuses: Vec<ProviderStatus>,
    /// Places of requests that may be open.
    permits: Arc<Semaphore>,
}

/// What the gateway is built on.
pub struct GatewayDeps {
    /// Authorizes credit.
    pub payments: Arc<PaymentAuthorizer>,
    /// Seals charges.
    pub notary: Arc<Notary>,
    /// The data folder.
    pub db: Db,
}

impl Gateway {
    /// `environment` gives the value of a variable.
    pub fn new(
        settings: InferenceConfig,
        deps: GatewayDeps,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, reqwest::Error> {
        let (deployments, provider_statuses) = load_deployments(&settings, environment);
        let meter = Arc::new(UsageMeter::new(deps.db.clone()));
        let billing = UsageBilling::new(
            deps.payments,
            deps.notary,
            deps.db.shared_store(),
            meter.clone(),
            settings.billing,
            settings.usd_gbp,
        );
        Ok(Self {
            router: ModelRouter::new(deployments),
            upstream: Upstream::new()?,
            settings,
            retries: RetryBudget::new(),
            meter,
            billing: Arc::new(billing),
            in_flight: InFlight::default(),
            provider_statuses,
            permits: Arc::new(Semaphore::new(INFERENCE_OPEN_MAX)),
        })
    }

    /// The models that can be asked.
    pub const fn router(&self) -> &ModelRouter {
        &self.router
    }

    /// Usage by key and plugin.
    pub fn meter(&self) -> &UsageMeter {
        &self.meter
    }

    /// Every built-in or configured provider, usable or not.
    pub fn provider_statuses(&self) -> &[ProviderStatus] {
        &self.provider_statuses
    }

    /// Pounds per dollar, in millionths.
    pub const fn usd_gbp(&self) -> Millionths {
        self.settings.usd_gbp
    }

    /// Whether callers pay for models.
    pub fn is_billed(&self) -> bool {
        self.settings.billing == Billing::Credit
    }

    /// Answers a request of a client.
    pub async fn handle(&self, client: ClientRequest) -> Result<GatewayResponse, GatewayError> {
        let request = match client.endpoint {
            InferenceEndpoint::Chat => ModelRequest::chat(&client.body)?,
            InferenceEndpoint::Embeddings => ModelRequest::embeddings(&client.body)?,
        };
        let route = if client.endpoint == InferenceEndpoint::Chat {
            "POST /v1/chat/completions"
        } else {
            "POST /v1/embeddings"
        };
        let key = client.idempotency_key.as_deref().map(IdempotencyKey::parse).transpose()?;
        let identity = RequestIdentity::of_inference(&client.caller.account, route, key, &client.body)?;
        if client.repeat {
            self.wait_for_original(&identity).await;
        }
        if let Some(replay) = self.billing.replay(&identity, client.repeat, client.now_ms)? {
            return Ok(GatewayResponse::Replayed(replay));
        }
        // With a key a request is in flight once; others with the same content may be several.
        let in_flight = if identity.is_repeatable() {
            self.in_flight.begin(identity.tx).ok_or(GatewayError::InProgress)?
        } else {
            self.in_flight.begin_shared(identity.fingerprint)
        };
        let permit = self.permits.clone().try_acquire_owned().map_err(|_| GatewayError::Busy)?;
        let mut candidates = self.plan(&request, client.priority, request.max_cost)?;
        let ClientRequest { caller, request_id, now_ms, .. } = client;
        let params = ChargeParams { caller, request_id, identity, now_ms, _in_flight: in_flight, _permit: permit };
        let charge = self.billing.open(params, &mut candidates)?;
        let deadline = self.deadline(None);
        let success = self.run_candidates(&request, &candidates, deadline, now_ms).await?;
        let (deployment, mut report) = (success.deployment.clone(), success.report());
        match success.response {
            ProviderResponse::Stream(stream, first) => {
                let charge = PendingCharge { charge, deployment, estimated_input: request.estimated_input() };
                let transcript = self.is_billed().then(BytesMut::new);
                let response = ResponseStream {
                    provider_stream: stream,
                    first: Some(first),
                    charge: Some(charge),
                    deadline,
                    transcript,
                    ended: false,
                };
                Ok(GatewayResponse::Stream { bytes: response.into_stream().boxed(), report })
            }
            ProviderResponse::Complete(response) => {
                let usage = response.usage.unwrap_or_else(|| estimate_usage(&request, &response.body));
                report.usage = Some(usage);
                let replay = self.is_billed().then(|| ("application/json", response.body.clone()));
                // Settled even if the client disconnects now.
                let settling = AssertUnwindSafe(charge.settle(deployment, usage, response.body, replay)).catch_unwind();
                let settled = Finish::new(settling).await.map_err(|_| GatewayError::OutcomeUnknown)??;
                Ok(GatewayResponse::Complete { settled, report })
            }
        }
    }

    /// The deployments that would be asked, in order, within the cost limit.
    pub fn plan(
        &self,
        request: &ModelRequest,
        priority: RoutingPriority,
        limit: Option<Millipence>,
    ) -> Result<Vec<RouteCandidate>, GatewayError> {
        if self.router.all().is_empty() {
            return Err(GatewayError::NotConfigured(self.no_provider()));
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

    /// When a request must be over: its own deadline, at most the operator's.
    pub(super) fn deadline(&self, requested: Option<Instant>) -> Instant {
        let now = Instant::now();
        let overall = now.checked_add(self.settings.timeout).unwrap_or(now);
        requested.map_or(overall, |requested| requested.min(overall))
    }

    /// Why no provider can be used, and how the operator configures one.
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
            "{first}; the operator sets the key of a built-in one in the environment ({}), or adds one as \
             [inference.providers.NAME] with base_url and models (`tollbridge config check` lists the live ones)",
            variables.join(", ")
        )
    }

    async fn wait_for_original(&self, identity: &RequestIdentity) {
        for _ in 0..REPEAT_WAITS {
            if !self.in_flight.contains(&identity.fingerprint) {
                return;
            }
            tokio::time::sleep(REPEAT_WAIT).await;
        }
    }
}
