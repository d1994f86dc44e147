//! The token count of a Messages API request.
//!
//! Invariant: counting is free of charge, and a provider's failure does not make it fail.

use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;
use tollbridge_core::config::ProviderKind;

use super::error::GatewayError;
use super::gateway::Gateway;
use super::message_request;
use super::request::ModelRequest;
use super::router::{RouteCandidate, RoutingPriority};

/// Time-out of Anthropic's token count.
const COUNT_TIMEOUT: Duration = Duration::from_secs(10);

/// The number of a request's input tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenCount {
    /// The provider's count, or an estimate.
    pub input_tokens: u64,
    /// Whether this server estimated the count.
    pub is_estimated: bool,
}

impl Gateway {
    /// Returns the preferred provider's count of a request's tokens, or an estimate if
    /// that provider offers no count.
    pub async fn count_tokens(&self, body: &Bytes) -> Result<TokenCount, GatewayError> {
        let request = message_request::read_to_count(body)?;
        let plan = self.plan(&request, RoutingPriority::Balanced, request.max_cost)?;
        let estimated = TokenCount { input_tokens: request.estimated_input(), is_estimated: true };
        let Some(first) = plan.first().filter(|first| first.deployment.provider.kind == ProviderKind::Anthropic) else {
            return Ok(estimated);
        };
        let counted = tokio::time::timeout(COUNT_TIMEOUT, self.provider_count(&request, first)).await;
        Ok(counted.ok().flatten().map_or(estimated, |input_tokens| TokenCount { input_tokens, is_estimated: false }))
    }

    async fn provider_count(&self, request: &ModelRequest, first: &RouteCandidate) -> Option<u64> {
        let answer = self.upstream.count_tokens(request, &first.deployment).await.ok()?;
        serde_json::from_slice::<Value>(&answer).ok()?.get("input_tokens")?.as_u64()
    }
}
