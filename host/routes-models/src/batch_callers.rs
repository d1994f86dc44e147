//! Applies to batch lines the same caller, rules and error format as to direct calls.

use std::sync::Arc;

use tollbridge_access::{AccessControl, AccessError, InvalidCredential, KeyDigest, KeyState, Scope};
use tollbridge_api::error::ApiError;
use tollbridge_api::error_shape::ErrorShape;
use tollbridge_batches::{BatchEndpoint, BatchHost, LineCaller, LineRefusal};
use tollbridge_gateway::GatewayError;
use tollbridge_web::body::keeps_platform_rules;
use tollbridge_web::error_mapping::access_error;

use crate::billing::billed_caller;
use crate::errors::gateway_error;

/// Applies the checks of a direct call to a batch line before it reaches the gateway.
pub struct BatchCallers {
    access: Arc<AccessControl>,
}

impl BatchCallers {
    /// Creates the checks; `access` has the keys and accounts.
    pub const fn new(access: Arc<AccessControl>) -> Self {
        Self { access }
    }

    fn caller(&self, key: &str, now_ms: u64) -> Result<LineCaller, AccessError> {
        let bad = |reason| AccessError::InvalidCredential { reason };
        let digest: KeyDigest = key.parse().map_err(|_| bad(InvalidCredential::Unknown))?;
        let directory = self.access.directory();
        let principal = directory.look_up(&digest).map_err(AccessError::LookupFailed)?;
        let principal = principal.ok_or(bad(InvalidCredential::Unknown))?;
        match principal.key_state(now_ms) {
            KeyState::Active => {}
            KeyState::Expired => return Err(bad(InvalidCredential::Expired)),
            KeyState::Revoked => return Err(bad(InvalidCredential::Revoked)),
        }
        let principal = directory.effective_at(principal, now_ms);
        if principal.suspended {
            return Err(AccessError::Suspended);
        }
        if !principal.scopes.allow(Scope::Call) {
            return Err(AccessError::MissingScope(Scope::Call));
        }
        Ok(LineCaller { billed: billed_caller(&principal), share: principal.share() })
    }
}

impl BatchHost for BatchCallers {
    fn caller(&self, key: &str, endpoint: BatchEndpoint, now_ms: u64) -> Result<LineCaller, LineRefusal> {
        self.caller(key, now_ms).map_err(|error| refusal(access_error(&error), endpoint))
    }

    fn check(&self, body: &[u8], endpoint: BatchEndpoint) -> Result<(), LineRefusal> {
        keeps_platform_rules(body).map_err(|error| refusal(error, endpoint))
    }

    fn refusal(&self, error: GatewayError, endpoint: BatchEndpoint) -> LineRefusal {
        refusal(gateway_error(error), endpoint)
    }
}

fn refusal(error: ApiError, endpoint: BatchEndpoint) -> LineRefusal {
    let (status, body) = ErrorShape::of_path(endpoint.as_str()).of_error(error);
    LineRefusal { status: status.as_u16(), body }
}

#[cfg(test)]
mod tests {
    use tollbridge_core::money::Millipence;

    use super::*;

    #[test]
    fn a_refused_line_reads_like_a_direct_call() {
        let error = || GatewayError::InsufficientCredit { balance: Millipence::ZERO, needed: Millipence::new(1) };
        let LineRefusal { status, body } = refusal(gateway_error(error()), BatchEndpoint::ChatCompletions);
        assert_eq!((status, &body["error"]["type"]), (402, &"insufficient_quota".into()));
        assert_eq!((&body["error"]["code"], &body["code"]), (&"E003".into(), &"E003".into()));
        let LineRefusal { body, .. } = refusal(gateway_error(error()), BatchEndpoint::Messages);
        assert_eq!((&body["type"], &body["error"]["type"]), (&"error".into(), &"billing_error".into()));
    }
}
