//! The path of a request through the gateway.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use futures_util::FutureExt;
use futures_util::stream::StreamExt;
use tollbridge_core::config::{Billing, InferenceConfig, Millionths};
use tollbridge_core::finish::Finish;
use tollbridge_core::in_flight::InFlight;
use tollbridge_core::limits::{INFERENCE_DRAIN_AT_STOP_MS, INFERENCE_TRANSCRIPT_BYTES_MAX};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::Notary;
use tollbridge_ledger::idempotency::{IdempotencyKey, RequestIdentity};
use tollbridge_payment::CallPayments;
use tollbridge_store::{Db, Hash};
use tracing::Instrument as _;

use super::batches::line_rows::LineRows;
use super::billing::UsageBilling;
use super::charge::{ChargeParams, UsageCharge};
use super::client::{ClientRequest, GatewayResponse};
use super::client_format::{AnswerFormat, ClientFormat, FinishedAnswer, StreamTranslator, completions};
use super::error::GatewayError;
use super::failover::{ProviderResponse, RetryBudget};
use super::message_request;
use super::presets::PRESETS;
use super::provider::{ProviderStatus, load_deployments};
use super::provider_client::ClientError;
use super::recording::RecordingMeter;
use super::request::{InferenceEndpoint, ModelRequest};
use super::request_places::RequestPlaces;
use super::response_request;
use super::response_stream::{LiveStream, PendingCharge, ResponseStream};
use super::router::{ModelRouter, RouteCandidate, RoutingPriority};
use super::stored_response::StoredResponses;
use super::tokens::estimate_usage;
use super::trace;
use super::upstream::Upstream;
use super::usage_meter::UsageMeter;

/// Number of waits, and the length of one, for which a client library's repeat waits
/// until the original request is settled.
const REPEAT_WAITS: u32 = 100;
const REPEAT_WAIT: Duration = Duration::from_millis(20);

/// The gateway that serves the inference routes and the model requests of plugins.
pub struct Gateway {
    pub(super) router: ModelRouter,
    pub(super) upstream: Upstream,
    pub(super) settings: InferenceConfig,
    pub(super) retries: RetryBudget,
    pub(super) meter: Arc<UsageMeter>,
    billing: Arc<UsageBilling>,
    in_flight: InFlight<Hash>,
    provider_statuses: Vec<ProviderStatus>,
    responses: Arc<StoredResponses>,
    places: Arc<RequestPlaces>,
    recordings: RecordingMeter,
}

/// A request whose worst-case cost is reserved.
struct OpenRequest {
    request: ModelRequest,
    format: AnswerFormat,
    candidates: Vec<RouteCandidate>,
    charge: UsageCharge,
    now_ms: u64,
    /// Alive as long as the client is connected.
    client: Weak<()>,
    /// The batch line that this request answers, if any.
    line: Option<LineRows>,
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
            upstream: Upstream::new()?,
            settings,
            retries: RetryBudget::new(),
            meter,
            billing: Arc::new(billing),
            in_flight: InFlight::default(),
            provider_statuses,
            responses: Arc::new(StoredResponses::new(deps.db)),
            places: RequestPlaces::new(),
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

    /// Answers a client's request.
    pub async fn handle(self: &Arc<Self>, client: ClientRequest) -> Result<GatewayResponse, GatewayError> {
        self.answer_client(client, None).await
    }

    /// Answers a line of a batch; the line's result is written in the same change as its
    /// bill.
    pub(crate) async fn answer_line(
        self: &Arc<Self>,
        client: ClientRequest,
        line: LineRows,
    ) -> Result<(), GatewayError> {
        self.answer_client(client, Some(line)).await.map(drop)
    }

    async fn answer_client(
        self: &Arc<Self>,
        client: ClientRequest,
        line: Option<LineRows>,
    ) -> Result<GatewayResponse, GatewayError> {
        let route = route_of(&client, line.is_some());
        let key = client.idempotency_key.as_deref().map(IdempotencyKey::parse).transpose()?;
        let identity = RequestIdentity::of_inference(&client.caller.account, route, key, &client.body)?;
        if client.repeat {
            self.wait_for_original(&identity).await;
        }
        if let Some(replay) = self.billing.replay(&identity, client.repeat, client.now_ms)? {
            return Ok(GatewayResponse::Replayed(replay));
        }
        let (request, format) = self.read(&client)?;
        if line.is_some() && request.stream {
            let message = "stream: a line of a batch cannot be streamed; leave it out".to_owned();
            return Err(GatewayError::Invalid { field: "/stream".to_owned(), message });
        }
        if request.stream && client.caller.upto.is_some() {
            let message = "stream: a request paid with `upto` cannot be streamed, since its price is known only at the end; leave \
                           it out, or pay with `exact`";
            return Err(GatewayError::Invalid { field: "/stream".to_owned(), message: message.to_owned() });
        }
        // With an idempotency key, only one copy of a request may be in flight; without a
        // key, several requests with the same content may be.
        let in_flight = if identity.is_repeatable() {
            self.in_flight.begin(identity.tx).ok_or(GatewayError::InProgress)?
        } else {
            self.in_flight.begin_shared(identity.fingerprint)
        };
        // If the wallet has not yet paid for an earlier answer to this request, settle
        // that payment now and replay the answer.
        if let Some(wallet) = &client.caller.upto
            && wallet.resume(client.now_ms).await?
            && let Some(replay) = self.billing.replay(&identity, client.repeat, client.now_ms)?
        {
            return Ok(GatewayResponse::Replayed(replay));
        }
        let place = match &line {
            None => self.places.open(&client.caller.account)?,
            Some(_) => self.places.open_line(&client.caller.account),
        };
        let mut candidates = self.plan(&request, client.priority, request.max_cost)?;
        let ClientRequest { caller, request_id, now_ms, .. } = client;
        let span = trace::model_span(&request);
        let params =
            ChargeParams { caller, request_id, identity, now_ms, span: span.clone(), _in_flight: in_flight, place };
        let charge = self.billing.open(params, &mut candidates).await?;
        let waiting = Arc::new(());
        let open = OpenRequest { request, format, candidates, charge, now_ms, client: Arc::downgrade(&waiting), line };
        let this = self.clone();
        // Finish and settle the request even if the client disconnects, because the
        // provider bills it anyway.
        let answering = async move { this.answer_open(open).await }.instrument(span.clone());
        let answering = AssertUnwindSafe(answering).catch_unwind();
        let answered = Finish::new(answering).await.map_err(|_| GatewayError::OutcomeUnknown)?;
        trace::model_failed(&span, answered.as_ref().err());
        drop(waiting);
        answered
    }

    /// Reads the request and determines the format of its answer.
    fn read(&self, client: &ClientRequest) -> Result<(ModelRequest, AnswerFormat), GatewayError> {
        match (client.format, client.endpoint) {
            (ClientFormat::Responses, _) => {
                response_request::read(&self.responses, &client.caller.account, &client.body, client.now_ms)
            }
            (ClientFormat::Messages, _) => message_request::read(&client.body),
            (ClientFormat::Completions, _) => {
                let members = completions::chat_members(&client.body)?;
                Ok((ModelRequest::from_chat(members, client.body.len())?, AnswerFormat::Completions))
            }
            (ClientFormat::Chat, InferenceEndpoint::Chat) => {
                Ok((ModelRequest::chat(&client.body)?, AnswerFormat::Chat))
            }
            (ClientFormat::Chat, InferenceEndpoint::Embeddings) => {
                Ok((ModelRequest::embeddings(&client.body)?, AnswerFormat::Chat))
            }
            (ClientFormat::Chat, InferenceEndpoint::Speech) => {
                Ok((ModelRequest::speech(&client.body)?, AnswerFormat::Chat))
            }
            (ClientFormat::Chat, InferenceEndpoint::Images) => {
                Ok((ModelRequest::images(&client.body)?, AnswerFormat::Chat))
            }
            (ClientFormat::Chat, InferenceEndpoint::Transcription) => {
                let lacking =
                    || GatewayError::Invalid { field: "/file".to_owned(), message: "file is required".to_owned() };
                let recording = client.recording.clone().ok_or_else(lacking)?;
                Ok((ModelRequest::transcription(&client.body, recording)?, AnswerFormat::Chat))
            }
        }
    }

    async fn answer_open(&self, open: OpenRequest) -> Result<GatewayResponse, GatewayError> {
        let OpenRequest { request, format, candidates, charge, now_ms, client, line } = open;
        let deadline = self.deadline(charge.answer_by());
        let success = self.run_candidates(&request, &candidates, deadline, now_ms, &client).await?;
        let (deployment, mut report) = (success.deployment.clone(), success.report());
        match success.response {
            ProviderResponse::Stream(stream, first) => {
                let translator = StreamTranslator::new(format, stream.is_native());
                let worst = request.worst_usage(&deployment);
                let estimated_input = request.estimated_input();
                let response = ResponseStream::new(LiveStream {
                    provider_stream: stream,
                    translator,
                    first: Some(first),
                    charge: Some(PendingCharge { charge, deployment, estimated_input, worst }),
                    deadline,
                    transcript: self.is_billed().then(BytesMut::new),
                    ended: false,
                });
                Ok(GatewayResponse::Stream { bytes: response.into_stream().boxed(), report })
            }
            ProviderResponse::Complete(response) => {
                let usage = response.usage.unwrap_or_else(|| estimate_usage(&request, &response.body));
                report.usage = Some(usage);
                let FinishedAnswer { body, kept } = format.whole(response.body, response.is_native, &usage)?;
                let content_type = request.content_type();
                let is_large = matches!(request.endpoint, InferenceEndpoint::Speech | InferenceEndpoint::Images);
                let is_short = !is_large || body.len() <= INFERENCE_TRANSCRIPT_BYTES_MAX;
                // A repeated batch line returns its stored result, so the answer need not
                // be stored for repeats.
                let is_kept = self.is_billed() && is_short && line.is_none();
                let replay = is_kept.then(|| (content_type, body.clone()));
                let mut rows = kept.take().await?;
                rows.extend(line.into_iter().flat_map(|line| line.answered(&body)));
                let settled = charge.settle(deployment, usage, body, replay, rows).await?;
                Ok(GatewayResponse::Complete { settled, content_type, report })
            }
        }
    }

    /// Waits until every request is settled, including those whose clients have disconnected.
    /// Requests that are still running after a bounded time are abandoned.
    pub async fn close(&self) {
        self.places.close(Duration::from_millis(INFERENCE_DRAIN_AT_STOP_MS)).await;
    }

    /// Returns the deployments that a request would be sent to, in order, within the cost
    /// limit.
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

    /// Returns the deadline of a request: the requested one, but no later than the
    /// operator's time-out allows.
    pub(super) fn deadline(&self, requested: Option<Instant>) -> Instant {
        let now = Instant::now();
        let overall = now.checked_add(self.settings.timeout).unwrap_or(now);
        requested.map_or(overall, |requested| requested.min(overall))
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

    async fn wait_for_original(&self, identity: &RequestIdentity) {
        for _ in 0..REPEAT_WAITS {
            if !self.in_flight.contains(&identity.fingerprint) {
                return;
            }
            tokio::time::sleep(REPEAT_WAIT).await;
        }
    }
}

/// Returns the route that is part of a request's identity. Identities are stored on disk,
/// so routes must not change.
const fn route_of(client: &ClientRequest, is_line: bool) -> &'static str {
    match (client.format, client.endpoint) {
        _ if is_line => "POST /v1/batches",
        (ClientFormat::Responses, _) => "POST /v1/responses",
        (ClientFormat::Messages, _) => "POST /v1/messages",
        (ClientFormat::Completions, _) => "POST /v1/completions",
        (ClientFormat::Chat, InferenceEndpoint::Chat) => "POST /v1/chat/completions",
        (ClientFormat::Chat, InferenceEndpoint::Embeddings) => "POST /v1/embeddings",
        (ClientFormat::Chat, InferenceEndpoint::Speech) => "POST /v1/audio/speech",
        (ClientFormat::Chat, InferenceEndpoint::Transcription) => "POST /v1/audio/transcriptions",
        (ClientFormat::Chat, InferenceEndpoint::Images) => "POST /v1/images/generations",
    }
}
