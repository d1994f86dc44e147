//! Memory for large request bodies, shared among tenants.
//!
//! Invariants: a tenant holds at most its share, and all tenants together at
//! most the total; the memory of a body is released when the last of its bytes
//! is dropped, wherever they were passed.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use crate::error::{ApiError, Code};
use bytes::Bytes;
use parking_lot::Mutex;
use tollbridge_core::fair_limiter::{FairShare, TenantName};

/// Maximum body memory of one tenant's requests in progress, multiplied by the weight of
/// the tenant's tier. The largest body that any route accepts fits; parsing a body takes
/// several times as much memory.
const BODY_MEMORY_PER_TENANT_BYTES: usize = 48 << 20;
/// Maximum body memory of all tenants together.
const BODY_MEMORY_BYTES_MAX: usize = 1 << 30;
/// Number of bytes by which the reserved memory of an incoming body grows.
const BODY_MEMORY_STEP_BYTES: usize = 64 << 10;

/// The body memory of this process.
pub static BODY_MEMORY: LazyLock<Arc<BodyMemory>> =
    LazyLock::new(|| BodyMemory::new(BODY_MEMORY_BYTES_MAX, BODY_MEMORY_PER_TENANT_BYTES));

/// A budget of memory for request bodies; see the module.
#[derive(Debug)]
pub struct BodyMemory {
    total: usize,
    /// The share of a tenant of weight 1.
    per_tenant: usize,
    taken: Mutex<ReservedBodies>,
}

#[derive(Debug, Default)]
struct ReservedBodies {
    total: usize,
    by_tenant: HashMap<TenantName, usize>,
}

/// The memory reserved for one body.
#[derive(Debug)]
pub struct BodyReservation {
    memory: Arc<BodyMemory>,
    share: FairShare,
    bytes: usize,
}

/// The bytes of a body, with their reservation.
struct ReservedBytes {
    bytes: Bytes,
    _reservation: BodyReservation,
}

impl AsRef<[u8]> for ReservedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl BodyMemory {
    fn new(total: usize, per_tenant: usize) -> Arc<Self> {
        Arc::new(Self { total, per_tenant, taken: Mutex::default() })
    }

    /// Creates an empty reservation for a tenant's body.
    pub fn reservation(self: &Arc<Self>, share: FairShare) -> BodyReservation {
        BodyReservation { memory: self.clone(), share, bytes: 0 }
    }
}

impl BodyReservation {
    /// Grows the reservation for a body of which `received` bytes have arrived.
    ///
    /// # Errors
    /// The tenant's share or the total is used up.
    pub fn grow_to(&mut self, received: usize) -> Result<(), ApiError> {
        if received <= self.bytes {
            return Ok(());
        }
        let more = received.next_multiple_of(BODY_MEMORY_STEP_BYTES) - self.bytes;
        let weight = usize::try_from(self.share.weight.get()).unwrap_or(usize::MAX);
        let most = self.memory.per_tenant.saturating_mul(weight).min(self.memory.total);
        let mut taken = self.memory.taken.lock();
        let own = taken.by_tenant.get(&self.share.tenant).copied().unwrap_or_default();
        if own.saturating_add(more) > most {
            let text = format!(
                "your requests in progress already hold {} MiB of request bodies, the limit of your tier; retry \
                 when one of them has ended",
                most >> 20
            );
            return Err(ApiError::new(Code::RateLimited, text).retry_after(1));
        }
        if taken.total.saturating_add(more) > self.memory.total {
            let text = "the server holds as many large request bodies as it can; nothing was charged";
            return Err(ApiError::new(Code::Overloaded, text).retry_after(1));
        }
        taken.total += more;
        *taken.by_tenant.entry(self.share.tenant.clone()).or_default() += more;
        self.bytes += more;
        Ok(())
    }

    /// Ties the reservation to the whole body, so that it is released when the last
    /// of the bytes is dropped.
    pub fn hold(self, bytes: Bytes) -> Bytes {
        Bytes::from_owner(ReservedBytes { bytes, _reservation: self })
    }
}

impl Drop for BodyReservation {
    fn drop(&mut self) {
        let mut taken = self.memory.taken.lock();
        taken.total -= self.bytes;
        if let Some(own) = taken.by_tenant.get_mut(&self.share.tenant) {
            *own -= self.bytes;
            if *own == 0 {
                taken.by_tenant.remove(&self.share.tenant);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use axum::http::StatusCode;
    use axum::response::IntoResponse;
    use proptest::prelude::*;

    use super::*;

    const MIB: usize = 1 << 20;

    fn share(tenant: &str, weight: u32) -> FairShare {
        FairShare { tenant: tenant.into(), weight: NonZeroU32::new(weight).unwrap() }
    }

    fn status(refused: Result<(), ApiError>) -> StatusCode {
        refused.unwrap_err().into_response().status()
    }

    #[test]
    fn a_tenant_has_its_share_until_the_last_byte_is_dropped() {
        let memory = BodyMemory::new(100 * MIB, 4 * MIB);
        let mut first = memory.reservation(share("a", 1));
        first.grow_to(3 * MIB).unwrap();
        let mut second = memory.reservation(share("a", 1));
        assert_eq!(status(second.grow_to(2 * MIB)), StatusCode::TOO_MANY_REQUESTS);
        // Other tenants are not affected, and a higher tier has more.
        memory.reservation(share("b", 1)).grow_to(4 * MIB).unwrap();
        memory.reservation(share("c", 4)).grow_to(16 * MIB).unwrap();
        let bytes = first.hold(Bytes::from(vec![1; 3 * MIB]));
        let part = bytes.slice(5..9);
        drop(bytes);
        assert!(second.grow_to(2 * MIB).is_err(), "a part of the first body is still in memory");
        assert_eq!(part, Bytes::from_static(&[1; 4]));
        drop(part);
        second.grow_to(2 * MIB).unwrap();
    }

    #[test]
    fn all_tenants_together_stay_within_the_total() {
        let memory = BodyMemory::new(6 * MIB, 4 * MIB);
        let mut first = memory.reservation(share("a", 1));
        first.grow_to(4 * MIB).unwrap();
        let mut second = memory.reservation(share("b", 1));
        assert_eq!(status(second.grow_to(3 * MIB)), StatusCode::SERVICE_UNAVAILABLE);
        drop(first);
        second.grow_to(3 * MIB).unwrap();
    }

    proptest! {
        #[test]
        fn everything_comes_back(steps in prop::collection::vec((0_usize..4, 0_usize..3, 0_usize..6 * MIB), 1..60)) {
            let memory = BodyMemory::new(10 * MIB, 4 * MIB);
            let mut open: Vec<BodyReservation> = Vec::new();
            for (what, tenant, bytes) in steps {
                match what {
                    0 => open.push(memory.reservation(share(["a", "b", "c"][tenant], 1))),
                    1 => drop(open.pop()),
                    _ => { let _ = open.last_mut().map(|reservation| reservation.grow_to(bytes)); }
                }
                let taken = memory.taken.lock();
                prop_assert_eq!(taken.total, open.iter().map(|reservation| reservation.bytes).sum::<usize>());
                prop_assert!(taken.total <= 10 * MIB && taken.by_tenant.values().all(|own| *own <= 4 * MIB));
            }
            drop(open);
            prop_assert!(memory.taken.lock().by_tenant.is_empty());
        }
    }
}
