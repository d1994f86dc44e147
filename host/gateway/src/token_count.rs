//! How many tokens a request of the Messages API has.
//!
//! Invariant: counting is free, and never fails because a provider does.

use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;
use tollbridge_core::config::ProviderKind;

use super::error::GatewayError;
use super::gateway::Gateway;
use super::message_request;
use super::request::ModelRequest;
use super::router::{RouteCandidate, RoutingPriority};

/// How long Anthropic may count.
const COUNT_TIME: Duration = Duration::from_secs(10);

/// Tokens of a request's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenCount {
    /// As many as the provider will count, or about so many.
    pub input_tokens: u64,
    /// Whether nobody but this server has counted.
    pub is_estimated: bool,
}

impl Gateway {
    /// Counts the tokens of a request as the provider does that would be asked first, or
    /// estimates them where it offers no count.
    pub async fn count_tokens(&self, body: &Bytes) -> Result<TokenCount, GatewayError> {
        let request = message_request::read_to_count(body)?;
        let plan = self.plan(&request, RoutingPriority::Balanced, request.max_cost)?;
        let estimated = TokenCount { input_tokens: request.estimated_input(), is_estimated: true };
        let Some(first) = plan.first().filter(|first| first.deployment.provider.kind == ProviderKind::Anthropic) else {
            return Ok(estimated);
        };
        let counted = tokio::time::timeout(COUNT_TIME, self.ask_for_count(&request, first)).await;
        Ok(counted.ok().flatten().map_or(estimated, |input_tokens| TokenCount { input_tokens, is_estimated: false }))
    }

    async fn ask_for_count(&self, request: &ModelRequest, first: &RouteCandidate) -> Option<u64> {
        let answer = self.upstream.count_tokens(request, &first.deployment).await.ok()?;
        serde_json::from_slice::<Value>(&answer).ok()?.get("input_tokens")?.as_u64()
    }
}
