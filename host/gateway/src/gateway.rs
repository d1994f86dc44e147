//! The gateway: providers, their health, and the path of a request.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use futures_util::FutureExt;
use futures_util::stream::{BoxStream, StreamExt};
use tokio::sync::Semaphore;

use super::billing::{BilledCaller, ReplayedResponse, RequestIdentity, SettledCharge, UsageBilling};
use super::error::{FailedAttempt, GatewayError};
use super::failover::{ProviderResponse, RetryBudget, SuccessfulAttempt};
use super::presets::PRESETS;
use super::pricing::TokenUsage;
use super::provider::{ModelDeployment, ProviderStatus, load_deployments};
use super::request::{Endpoint, ModelRequest};
use super::response_stream::{PendingCharge, ResponseStream};
use super::router::{ModelRouter, RouteCandidate, RoutingPriority};
use super::upstream::Upstream;
use super::usage_meter::UsageMeter;
use tollbridge_core::config::{Billing, Inference, Millionths};
use tollbridge_core::finish::Finish;
use tollbridge_core::limits::INFERENCE_OPEN_MAX;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::Notary;
use tollbridge_payment::PaymentAuthorizer;
use tollbridge_store::{Store, Writer};

/// How long a repeat of a client library waits for the first to be settled.
const REPEAT_WAITS: u32 = 100;
const REPEAT_WAIT: Duration = Duration::from_millis(20);

/// Everything behind the inference routes and the plugins' import.
pub struct Gateway {
    pub(super) router: ModelRouter,
    pub(super) upstream: Upstream,
    pub(super) settings: Inference,
    pub(super) retries: RetryBudget,
    pub(super) meter: Arc<UsageMeter>,
    cashier: Arc<UsageBilling>,
    provider_statuses: Vec<ProviderStatus>,
    open: Arc<Semaphore>,
}

/// The rooms that the gateway works with.
pub struct GatewayDeps {
    pub payments: Arc<PaymentAuthorizer>,
    pub notary: Arc<Notary>,
    pub store: Arc<dyn Store>,
    pub writer: Arc<Writer>,
}

/// A request by a key.
#[derive(Clone, Debug)]
pub struct ClientRequest {
    pub caller: BilledCaller,
    pub request_id: String,
    pub now_ms: u64,
    pub endpoint: Endpoint,
    pub body: Bytes,
    pub priority: RoutingPriority,
    pub idempotency_key: Option<String>,
    /// Whether a client library says that it repeats itself.
    pub repeat: bool,
}

/// Who answered, and what came before.
#[derive(Clone, Debug)]
pub struct RoutingReport {
    pub provider: String,
    /// The provider's own name of the model.
    pub model: String,
    /// Providers that were asked before it.
    pub failed: Vec<FailedAttempt>,
    pub usage: Option<TokenUsage>,
}

/// The answer to a request.
pub enum GatewayResponse {
    Complete { settled: SettledCharge, report: RoutingReport },
    Stream { bytes: BoxStream<'static, Bytes>, report: RoutingReport },
    Replayed(ReplayedResponse),
}

impl Gateway {
    /// `environment` gives the value of a variable.
    pub fn new(
        settings: Inference,
        rooms: GatewayDeps,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, reqwest::Error> {
        let (found, provider_statuses) = load_deployments(&settings, environment);
        let meter = Arc::new(UsageMeter::new(rooms.store.clone(), rooms.writer));
        let cashier = UsageBilling::new(
            rooms.payments,
            rooms.notary,
            rooms.store,
            meter.clone(),
            settings.billing,
            settings.usd_gbp,
        );
        Ok(Self {
            router: ModelRouter::new(found),
            upstream: Upstream::new()?,
            settings,
            retries: RetryBudget::new(),
            meter,
            cashier: Arc::new(cashier),
            provider_statuses,
            open: Arc::new(Semaphore::new(INFERENCE_OPEN_MAX)),
        })
    }

    pub const fn router(&self) -> &ModelRouter {
        &self.router
    }

    pub fn meter(&self) -> &UsageMeter {
        &self.meter
    }

    pub fn provider_statuses(&self) -> &[ProviderStatus] {
        &self.provider_statuses
    }

    pub const fn usd_gbp(&self) -> Millionths {
        self.settings.usd_gbp
    }

    pub fn is_billed(&self) -> bool {
        self.settings.billing == Billing::Credit
    }

    /// Answers a request of a client.
    pub async fn handle(&self, client: ClientRequest) -> Result<GatewayResponse, GatewayError> {
        let request = match client.endpoint {
            Endpoint::Chat => ModelRequest::chat(&client.body)?,
            Endpoint::Embeddings => ModelRequest::embeddings(&client.body)?,
        };
        let route = if client.endpoint == Endpoint::Chat { "POST /v1/chat/completions" } else { "POST /v1/embeddings" };
        let identity =
            RequestIdentity::new(&client.caller.account, route, &client.body, client.idempotency_key.as_deref())?;
        if client.repeat {
            self.wait_for_original(&identity).await;
        }
        if let Some(replay) = self.cashier.replay(&identity, client.repeat, client.now_ms)? {
            return Ok(GatewayResponse::Replayed(replay));
        }
        let turn = self.cashier.enter(&identity)?;
        let place = self.open.clone().try_acquire_owned().map_err(|_| GatewayError::Busy)?;
        let mut plan = self.plan(&request, client.priority, request.max_cost)?;
        let caller = (client.caller, client.request_id, client.now_ms);
        let tab = self.cashier.open(caller, identity, (turn, place), &mut plan)?;
        let deadline = self.deadline(None);
        let success = self.run_candidates(&request, &plan, deadline, client.now_ms).await?;
        let (deployment, mut report) = (success.deployment.clone(), report(&success));
        match success.got {
            ProviderResponse::Stream(live, first) => {
                let bill = PendingCharge { tab, deployment, estimated_input: request.estimated_input() };
                let transcript = self.is_billed().then(BytesMut::new);
                let serving =
                    ResponseStream { live, first: Some(first), bill: Some(bill), deadline, transcript, ended: false };
                Ok(GatewayResponse::Stream { bytes: serving.into_stream().boxed(), report })
            }
            ProviderResponse::Complete(whole) => {
                let usage = whole.usage.unwrap_or_else(|| guess(&request, &whole.body));
                report.usage = Some(usage);
                let kept = self.is_billed().then(|| ("application/json", whole.body.clone()));
                // A client that leaves now changes nothing.
                let settling = AssertUnwindSafe(tab.settle(deployment, usage, whole.body, kept)).catch_unwind();
                let settled = Finish::new(settling).await.map_err(|_| GatewayError::OutcomeUnknown)??;
                Ok(GatewayResponse::Complete { settled, report })
            }
        }
    }

    /// Who would be asked, in order, within what the request may cost.
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
            let needed = plan.iter().map(|one| one.worst_cost).min().unwrap_or_default();
            plan.retain(|one| one.worst_cost <= limit);
            if plan.is_empty() {
                return Err(GatewayError::CostLimitExceeded { limit, needed });
            }
        }
        Ok(plan)
    }

    /// When a request must be over: its own wish, within the operator's.
    pub(super) fn deadline(&self, wish: Option<Instant>) -> Instant {
        let now = Instant::now();
        let own = now.checked_add(self.settings.timeout).unwrap_or(now);
        wish.map_or(own, |wish| wish.min(own))
    }

    /// What to tell when nobody is configured.
    pub fn no_provider(&self) -> String {
        let variables: Vec<&str> = PRESETS.iter().map(|preset| preset.api_key_env).collect();
        let configured: Vec<String> = self
            .provider_statuses
            .iter()
            .filter(|one| self.settings.providers.contains_key(&one.name))
            .filter_map(|one| Some(format!("{}: {}", one.name, one.state.as_ref().err()?)))
            .collect();
        let first = if configured.is_empty() {
            "no inference provider is configured on this server".to_owned()
        } else {
            format!("no configured inference provider can be used ({})", configured.join("; "))
        };
        format!(
            "{first}; the operator sets the key of a built-in one in the environment ({}), or adds one as \
             [inference.providers.NAME] with base_url and models (`tollbridge config check` tells which are live)",
            variables.join(", ")
        )
    }

    async fn wait_for_original(&self, identity: &RequestIdentity) {
        for _ in 0..REPEAT_WAITS {
            if !self.cashier.is_in_flight(identity) {
                return;
            }
            tokio::time::sleep(REPEAT_WAIT).await;
        }
    }
}

pub(super) fn report(success: &SuccessfulAttempt) -> RoutingReport {
    RoutingReport {
        provider: success.deployment.provider.name.clone(),
        model: success.deployment.upstream.clone(),
        failed: success.failed.clone(),
        usage: None,
    }
}

/// Tokens as they may have been, for a provider that does not say.
pub(super) fn guess(request: &ModelRequest, body: &[u8]) -> TokenUsage {
    let output = if request.endpoint == Endpoint::Chat { text_bytes(body).div_ceil(4) } else { 0 };
    TokenUsage {
        input: request.estimated_input(),
        output: u64::try_from(output).unwrap_or(u64::MAX),
        estimated: true,
        ..TokenUsage::default()
    }
}

/// Bytes that the model wrote in a whole answer.
fn text_bytes(body: &[u8]) -> usize {
    let answer: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    let choices = answer.get("choices").and_then(serde_json::Value::as_array).into_iter().flatten();
    let message = choices.filter_map(|choice| choice.get("message"));
    message.map(super::token_bound::text_bytes_in).sum()
}

impl ModelDeployment {
    /// Whether it can be asked now.
    pub fn is_up(&self) -> bool {
        self.health.paused_until(Instant::now()).is_none()
    }
}
