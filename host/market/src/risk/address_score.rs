//! The address rule: a bridge rates the client IP address of a payout request. The call
//! is free and has a short time limit; if the bridge does not answer, the rule does not
//! apply.

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};
use tollbridge_core::fair_limiter::FairShare;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_plugin::{CallContext, PluginInput};

use super::payout::{BlockReason, PayoutRequest, RiskRule};
use super::rules::RiskEngine;

impl RiskEngine {
    pub(super) async fn address_score(&self, payout: &PayoutRequest<'_>) -> Option<BlockReason> {
        let (plugins, client) = (self.plugins.as_ref()?, payout.client?);
        // The score of a loopback address, which is the operator's own machine, is
        // meaningless.
        if client.is_loopback() {
            return None;
        }
        let offer = plugins.catalog.offer(PluginKind::Bridge, &self.settings.signal_bridge).ok()?;
        let context = CallContext {
            request_id: "req_risk".to_owned(),
            caller: None,
            share: FairShare::single("host"),
            is_nested: false,
            now_ms: payout.now_ms,
            resource: None,
            deadline: Some(self.settings.signal_time),
            services: plugins.services.clone(),
        };
        let input = json!({ "ip": client.to_string() }).to_string();
        let called = offer.plugin.call(context, PluginInput::Bridge(Bytes::from(input)));
        // The call's own deadline normally ends it first; this time-out is only a safety
        // net.
        let answer = tokio::time::timeout(self.settings.signal_time + Duration::from_millis(20), called).await;
        let score = score_of(&answer.ok()?.ok()?.body)?;
        let limit = u64::from(self.settings.signal_score);
        let bridge = &self.settings.signal_bridge;
        (score >= limit).then(|| {
            RiskRule::Address.reason(format!("{bridge} scores the address {score}; scores below {limit} pass"))
        })
    }
}

/// Reads the score, 0 to 100, from the answer of a bridge such as `fraud_signal`.
fn score_of(body: &[u8]) -> Option<u64> {
    let answer: Value = serde_json::from_slice(body).ok()?;
    answer.pointer("/result/score").or_else(|| answer.get("score"))?.as_u64()
}
