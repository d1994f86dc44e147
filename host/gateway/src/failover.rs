//! Failover: one request is sent to its candidate deployments in turn until one answers.
//!
//! Invariants: another provider is tried only while nothing has been sent to the client;
//! all attempts share one deadline; retries are limited to a share of all requests, so
//! that they do not make an outage worse.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;
use tollbridge_core::config::{InferenceConfig, ProviderKind};
use tracing::Instrument as _;

use super::breaker::{AttemptOutcome, BreakerDecision};
use super::counters;
use super::error::{FailedAttempt, GatewayError};
use super::gateway_response::RoutingReport;
use super::provider::ModelDeployment;
use super::provider_error::ProviderError;
use super::provider_stream::{ProviderStream, StreamOptions};
use super::request::ModelRequest;
use super::router::RouteCandidate;
use super::trace;
use super::upstream::Upstream;
use super::wire::anthropic::AnswerSource;
use super::wire::{CompleteResponse, anthropic_answer, openai};

/// Maximum number of providers that are tried for one request; more would only add
/// waiting time.
const INFERENCE_ATTEMPTS_MAX: usize = 4;

/// A provider's response.
#[derive(Debug)]
pub(super) enum ProviderResponse {
    Complete(CompleteResponse),
    /// A stream, and the bytes up to its first content.
    Stream(Box<ProviderStream>, Bytes),
}

/// The attempt that succeeded, and the failed attempts before it.
#[derive(Debug)]
pub(super) struct SuccessfulAttempt {
    pub deployment: Arc<ModelDeployment>,
    pub response: ProviderResponse,
    pub failed: Vec<FailedAttempt>,
}

impl SuccessfulAttempt {
    /// Reports the provider that answered and the failed attempts before it.
    pub(super) fn report(&self) -> RoutingReport {
        RoutingReport {
            provider: self.deployment.provider.name.clone(),
            model: self.deployment.upstream.clone(),
            failed: self.failed.clone(),
            usage: None,
        }
    }
}

/// The budget of retries: each request adds a fifth of a retry, up to a hundred retries.
#[derive(Debug)]
pub(super) struct RetryBudget(AtomicI64);

const RETRY: i64 = 5;
const RETRIES_MAX: i64 = 100 * RETRY;
/// Delay before the only candidate is retried.
const RETRY_DELAY: Duration = Duration::from_millis(50);

impl RetryBudget {
    pub(super) fn new() -> Self {
        Self(AtomicI64::new(RETRIES_MAX))
    }

    fn deposit(&self) {
        if self.0.load(Ordering::Relaxed) < RETRIES_MAX {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn withdraw(&self) -> bool {
        if self.0.fetch_sub(RETRY, Ordering::Relaxed) >= RETRY {
            return true;
        }
        self.0.fetch_add(RETRY, Ordering::Relaxed);
        false
    }
}

/// Sends requests to their candidate deployments.
pub(super) struct Failover {
    upstream: Upstream,
    retries: RetryBudget,
    attempt_timeout: Duration,
    first_content_timeout: Duration,
    idle_timeout: Duration,
}

impl Failover {
    pub(super) fn new(upstream: Upstream, settings: &InferenceConfig) -> Self {
        Self {
            upstream,
            retries: RetryBudget::new(),
            attempt_timeout: settings.attempt_timeout,
            first_content_timeout: settings.first_content_timeout,
            idle_timeout: settings.idle_timeout,
        }
    }

    /// Sends the request to the candidates in turn, as long as the client is connected.
    /// Expects at least one candidate.
    pub(super) async fn run(
        &self,
        request: &ModelRequest,
        candidates: &[RouteCandidate],
        deadline: Instant,
        now_ms: u64,
        client: &Weak<()>,
    ) -> Result<SuccessfulAttempt, GatewayError> {
        self.retries.deposit();
        // If all candidates are paused, the one whose pause ends first is tried anyway.
        let force = candidates.iter().all(|candidate| candidate.paused_until.is_some());
        let mut failed: Vec<FailedAttempt> = Vec::new();
        let (mut possibly_billed, mut limited) = (0, 0);
        // A sole candidate is tried a second time if a retry may help.
        let order = candidates.iter().chain(candidates.first().filter(|_| candidates.len() == 1));
        for (number, candidate) in order.take(INFERENCE_ATTEMPTS_MAX).enumerate() {
            let began = Instant::now();
            let left = deadline.saturating_duration_since(began);
            let has_left = number > 0 && client.strong_count() == 0;
            if left.is_zero() || has_left || possibly_billed > 1 || (!failed.is_empty() && !self.retries.withdraw()) {
                break;
            }
            if number > 0 && candidates.len() == 1 {
                tokio::time::sleep(RETRY_DELAY).await;
            }
            let BreakerDecision::Allow(permit) = candidate.deployment.health.admit(began, force && number == 0) else {
                continue;
            };
            let span = trace::attempt(&candidate.deployment);
            let outcome = self.attempt(request, &candidate.deployment, left, now_ms).instrument(span.clone()).await;
            let now = Instant::now();
            let took = now.saturating_duration_since(began);
            let failure = match outcome {
                Ok(response) => {
                    permit.report(AttemptOutcome::Success, took, now);
                    candidate.deployment.counters.count_success();
                    return Ok(SuccessfulAttempt { deployment: candidate.deployment.clone(), response, failed });
                }
                Err(failure) => failure,
            };
            trace::attempt_failed(&span, failure.metric_label());
            permit.report(failure.outcome(), took, now);
            count(&candidate.deployment, failure.metric_label());
            log_failure(&candidate.deployment, &failure);
            if let ProviderError::InvalidRequest { status, message } = failure {
                return Err(GatewayError::ProviderRejected {
                    provider: candidate.deployment.provider.name.clone(),
                    status,
                    message,
                });
            }
            possibly_billed += usize::from(failure.may_be_billed());
            limited += usize::from(matches!(failure, ProviderError::RateLimited(_) | ProviderError::Overloaded));
            failed.push(failed_attempt(&candidate.deployment, &failure, took));
            if candidates.len() == 1 && !failure.is_transient() {
                break;
            }
        }
        let (model, now) = (request.model.clone(), Instant::now());
        let (are_paused, retry_after_s) = (are_paused(candidates, now), retry_after_s(candidates, now));
        if limited > 0 && limited == failed.len() {
            return Err(GatewayError::ProvidersRateLimited { model, attempts: failed, retry_after_s });
        }
        Err(GatewayError::ProvidersUnavailable { model, attempts: failed, are_paused, retry_after_s })
    }

    async fn attempt(
        &self,
        request: &ModelRequest,
        deployment: &ModelDeployment,
        left: Duration,
        now_ms: u64,
    ) -> Result<ProviderResponse, ProviderError> {
        let (kind, created) = (deployment.provider.kind, now_ms / 1000);
        let native = request.native_at(deployment).map(|native| native.head.clone());
        let source = if kind == ProviderKind::Anthropic { AnswerSource::of(request) } else { AnswerSource::Text };
        if request.stream {
            let options = StreamOptions {
                kind,
                native,
                wants_usage: request.wants_usage,
                source,
                idle: self.idle_timeout,
                created,
            };
            let begin = async { ProviderStream::begin(self.upstream.send(request, deployment).await?, options).await };
            let time = self.first_content_timeout.min(left);
            let (live, first) = tokio::time::timeout(time, begin).await.map_err(|_| ProviderError::TimedOut)??;
            return Ok(ProviderResponse::Stream(Box::new(live), first));
        }
        let time = self.attempt_timeout.min(left);
        let body = match &deployment.provider.builtin {
            Some(builtin) => builtin.answer(request.members.parsed(), &request.tenant, time).await?,
            None => {
                let body = tokio::time::timeout(time, self.upstream.send_and_read(request, deployment)).await;
                body.map_err(|_| ProviderError::TimedOut)??
            }
        };
        if let Some(head) = native {
            let (body, usage) = head.read_complete(&body)?;
            return Ok(ProviderResponse::Complete(CompleteResponse { body, usage, is_native: true }));
        }
        match kind {
            ProviderKind::OpenAi => openai::read_complete(request, deployment, body).map(ProviderResponse::Complete),
            ProviderKind::Anthropic => {
                anthropic_answer::read_complete(&body, source, created).map(ProviderResponse::Complete)
            }
        }
    }
}

fn count(deployment: &ModelDeployment, outcome: &'static str) {
    counters::attempts(deployment.provider.name.clone(), deployment.name.clone(), outcome).increment(1);
}

fn log_failure(deployment: &ModelDeployment, failure: &ProviderError) {
    let (place, what) = (deployment.label(), failure.describe());
    match failure {
        ProviderError::InvalidRequest { .. } => tracing::debug!(place, "{what}"),
        ProviderError::Auth(_) | ProviderError::UnknownModel | ProviderError::Broken(_) => {
            tracing::error!(place, "{what}; the operator has to correct this")
        }
        _ => tracing::warn!(place, "{what}"),
    }
}

fn failed_attempt(deployment: &ModelDeployment, failure: &ProviderError, took: Duration) -> FailedAttempt {
    FailedAttempt {
        provider: deployment.provider.name.clone(),
        model: deployment.upstream.clone(),
        reason: failure.describe(),
        elapsed_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        may_be_billed: failure.may_be_billed(),
    }
}

fn are_paused(candidates: &[RouteCandidate], now: Instant) -> bool {
    candidates.iter().all(|candidate| candidate.deployment.health.paused_until(now).is_some())
}

/// Returns the seconds until a candidate may be tried again, at least one.
fn retry_after_s(candidates: &[RouteCandidate], now: Instant) -> u64 {
    let until = candidates.iter().map(|candidate| candidate.deployment.health.paused_until(now).unwrap_or(now)).min();
    until.map_or(1, |until| until.saturating_duration_since(now).as_secs().saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_are_a_share_of_requests() {
        let retries = RetryBudget::new();
        let burst = (0..1_000).filter(|_| retries.withdraw()).count();
        assert_eq!(burst, 100);
        for _ in 0..50 {
            retries.deposit();
        }
        assert_eq!((0..1_000).filter(|_| retries.withdraw()).count(), 10);
    }
}
