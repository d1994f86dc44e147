//! The path of a client's request, from its identity to its sealed answer.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::StreamExt;
use tokio::time::Instant;
use tollbridge_core::finish::Finish;
use tollbridge_ledger::idempotency::RequestIdentity;
use tollbridge_store::Put;
use tracing::Instrument as _;

use super::charge::{ChargeParams, UsageCharge};
use super::client_format::{AnswerFormat, FinishedAnswer, StreamTranslator};
use super::client_request::ClientRequest;
use super::error::GatewayError;
use super::failover::{ProviderResponse, SuccessfulAttempt};
use super::gateway::Gateway;
use super::gateway_response::GatewayResponse;
use super::request::{InferenceEndpoint, ModelRequest};
use super::response_stream::{LiveStream, PendingCharge, ResponseStream};
use super::trace;
use crate::limits::INFERENCE_TRANSCRIPT_BYTES_MAX;

/// Maximum number of times that a request marked as a retry by the client library waits
/// `REPEAT_WAIT` for the original request to be settled.
const REPEAT_WAITS: u32 = 100;
const REPEAT_WAIT: Duration = Duration::from_millis(20);

/// Builds the rows that store the answer to a batch line.
type LineRows = Box<dyn FnOnce(&[u8]) -> Vec<Put> + Send>;

/// A request whose worst-case cost is reserved.
struct OpenRequest {
    request: ModelRequest,
    format: AnswerFormat,
    charge: UsageCharge,
    deadline: Instant,
    line: Option<LineRows>,
}

impl Gateway {
    /// Answers a client's request.
    pub fn handle(
        self: &Arc<Self>,
        client: ClientRequest,
    ) -> BoxFuture<'static, Result<GatewayResponse, GatewayError>> {
        self.clone().answer(client, None).boxed()
    }

    /// Answers a line of a batch. `rows` builds the rows that store the answer; they are
    /// written in the same change as its bill.
    pub async fn answer_line(
        self: &Arc<Self>,
        client: ClientRequest,
        rows: impl FnOnce(&[u8]) -> Vec<Put> + Send + 'static,
    ) -> Result<(), GatewayError> {
        self.clone().answer(client, Some(Box::new(rows))).boxed().await.map(drop)
    }

    async fn answer(
        self: Arc<Self>,
        client: ClientRequest,
        line: Option<LineRows>,
    ) -> Result<GatewayResponse, GatewayError> {
        // 1. identify: by the idempotency key or the content. With a key, only one copy of
        //    a request may be in flight; without one, several may be.
        let identity = client.identity(line.is_some())?;
        if client.repeat {
            self.wait_for_original(&identity).await;
        }
        let in_flight = match identity.is_repeatable() {
            true => self.in_flight.begin(identity.tx),
            false => Some(self.in_flight.begin_shared(identity.fingerprint)),
        };
        // 2. replay: a repeat gets the stored answer. If the wallet has not paid for that
        //    answer yet, the payment is settled first.
        if let (Some(_), Some(wallet)) = (&in_flight, &client.caller.upto) {
            wallet.resume(client.now_ms).await?;
        }
        if let Some(replay) = self.billing.replay(&identity, client.repeat, client.now_ms)? {
            return Ok(GatewayResponse::Replayed(replay));
        }
        // 3. read: the body in the client's format becomes a request that any provider can
        //    answer.
        let (mut request, format) = client.read(&self.responses)?;
        request.tenant = client.caller.account.as_str().into();
        client.check_stream(&request, line.is_some())?;
        // 4. admit: the account's concurrency limit applies.
        let in_flight = in_flight.ok_or(GatewayError::InProgress)?;
        let slot = match &line {
            None => self.slots.open(&client.caller.account)?,
            Some(_) => self.slots.open_line(&client.caller.account),
        };
        // 5. route: the deployments that can answer the request, in order.
        let mut candidates = self.plan(&request, client.priority, request.max_cost)?;
        // 6. reserve: the worst-case cost, before anything is sent to a provider.
        let ClientRequest { caller, request_id, now_ms, .. } = client;
        let span = trace::model_span(&request);
        let params =
            ChargeParams { caller, request_id, identity, now_ms, span: span.clone(), _in_flight: in_flight, slot };
        let charge = UsageCharge::open(self.billing.clone(), params, &mut candidates).await?;
        let deadline = self.deadline(charge.answer_by());
        let (gateway, connected) = (self.clone(), Arc::new(()));
        let client = Arc::downgrade(&connected);
        let finish = async move {
            // 7. send: to one candidate after another until the first content arrives.
            let success = gateway.failover.run(&request, &candidates, deadline, now_ms, &client).await?;
            // 8. answer: in the client's format; the cost is sealed before the answer, or
            //    the end of a stream, is sent.
            gateway.respond(OpenRequest { request, format, charge, deadline, line }, success).await
        };
        // Steps 7 and 8 are finished even if the client disconnects, because the provider
        // bills the request anyway.
        let finish = AssertUnwindSafe(finish.instrument(span.clone())).catch_unwind();
        let answered = Finish::new(finish).await.map_err(|_| GatewayError::OutcomeUnknown)?;
        trace::model_failed(&span, answered.as_ref().err());
        drop(connected);
        answered
    }

    /// Converts a provider's response for the client, and settles its charge.
    async fn respond(&self, open: OpenRequest, success: SuccessfulAttempt) -> Result<GatewayResponse, GatewayError> {
        let OpenRequest { request, format, charge, deadline, line } = open;
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
                let usage = response.usage.unwrap_or_else(|| request.estimated_usage(&response.body));
                report.usage = Some(usage);
                let FinishedAnswer { body, rows } = format.convert(response.body, response.is_native, &usage)?;
                let content_type = request.content_type();
                let is_large = matches!(request.endpoint, InferenceEndpoint::Speech | InferenceEndpoint::Images);
                let is_short = !is_large || body.len() <= INFERENCE_TRANSCRIPT_BYTES_MAX;
                // A repeated batch line returns its stored result, so the answer need not
                // be stored for repeats.
                let is_replayable = self.is_billed() && is_short && line.is_none();
                let replay = is_replayable.then(|| (content_type, body.clone()));
                let mut rows = rows.take().await?;
                rows.extend(line.into_iter().flat_map(|rows_of| rows_of(&body)));
                let settled = charge.settle(deployment, usage, body, replay, rows).await?;
                Ok(GatewayResponse::Complete { settled, content_type, report })
            }
        }
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
