//! The requests that are in flight.
//!
//! In memory only: after a restart nothing is in flight.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::error::GatewayError;
use super::identity::RequestIdentity;
use tollbridge_store::Hash;

/// Counts of requests in flight, by transaction or fingerprint.
#[derive(Clone, Debug, Default)]
pub(super) struct InFlight(Arc<Mutex<HashMap<Hash, u32>>>);

/// One request in flight, until this is dropped.
#[derive(Debug)]
pub(super) struct InFlightGuard {
    in_flight: InFlight,
    key: Hash,
}

impl InFlight {
    /// Counts a request. One with an `Idempotency-Key` is in flight once; others
    /// with the same content may be several.
    pub(super) fn begin(&self, identity: &RequestIdentity) -> Result<InFlightGuard, GatewayError> {
        let key = if identity.keyed { identity.tx } else { identity.fingerprint };
        let mut counts = self.0.lock();
        let count = counts.entry(key).or_insert(0);
        if *count > 0 && identity.keyed {
            return Err(GatewayError::InProgress);
        }
        *count += 1;
        Ok(InFlightGuard { in_flight: self.clone(), key })
    }

    /// Whether a request with the same content and no key is in flight.
    pub(super) fn contains(&self, identity: &RequestIdentity) -> bool {
        self.0.lock().contains_key(&identity.fingerprint)
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        let mut counts = self.in_flight.0.lock();
        if let Some(count) = counts.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.key);
            }
        }
    }
}
