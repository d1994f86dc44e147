//! `WriteBudget`: limits the bytes that plugins may write, by caller and by owner.
//!
//! Invariant: in any period, a tenant writes at most its burst plus its rate times the period,
//! whatever plugins, calls and keys it uses, and whether or not the calls are sealed.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;
use tollbridge_core::fair_limiter::TenantName;

use crate::limits::{KV_WRITE_BURST_BYTES, KV_WRITE_BYTES_PER_S};

/// Maximum number of tenants whose written bytes are remembered; each takes about a
/// hundred bytes.
const WRITERS_REMEMBERED_MAX: usize = 1 << 14;

/// The write budgets of all tenants, shared by all plugins.
#[derive(Debug, Default)]
pub(crate) struct WriteBudget {
    spent: Mutex<HashMap<TenantName, Spent>>,
}

/// The bytes that a tenant wrote, less those recovered over time.
#[derive(Clone, Copy, Debug)]
struct Spent {
    bytes: u64,
    at: Instant,
}

/// The error for a tenant whose budget is used up, with the time until the budget has
/// recovered enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BudgetUsedUp(pub(crate) Duration);

impl WriteBudget {
    /// Deducts bytes from the budget of a tenant.
    pub(crate) fn take(&self, tenant: &TenantName, bytes: usize, now: Instant) -> Result<(), BudgetUsedUp> {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let mut spent = self.spent.lock();
        if spent.len() >= WRITERS_REMEMBERED_MAX && !spent.contains_key(tenant) {
            spent.retain(|_, tenant| tenant.owing(now) > 0);
            // The map is full: this many concurrent writers are more likely an attack
            // than real tenants. Reset all budgets.
            if spent.len() >= WRITERS_REMEMBERED_MAX {
                spent.clear();
            }
        }
        let entry = spent.entry(tenant.clone()).or_insert(Spent { bytes: 0, at: now });
        let owing = entry.owing(now);
        let after = owing.saturating_add(bytes);
        if after > KV_WRITE_BURST_BYTES {
            let excess = after - KV_WRITE_BURST_BYTES;
            return Err(BudgetUsedUp(Duration::from_secs(excess.div_ceil(KV_WRITE_BYTES_PER_S))));
        }
        *entry = Spent { bytes: after, at: now };
        Ok(())
    }
}

impl Spent {
    fn owing(&self, now: Instant) -> u64 {
        let millis = u64::try_from(now.saturating_duration_since(self.at).as_millis()).unwrap_or(u64::MAX);
        self.bytes.saturating_sub(millis.saturating_mul(KV_WRITE_BYTES_PER_S) / 1_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    /// Writes a mebibyte as often as the budget allows; returns the total in bytes.
    fn drain(budget: &WriteBudget, tenant: &str, now: Instant) -> u64 {
        let tenant = TenantName::from(tenant);
        let times = std::iter::from_fn(|| budget.take(&tenant, MIB, now).ok()).count();
        u64::try_from(times * MIB).unwrap()
    }

    #[test]
    fn a_burst_and_then_the_rate() {
        let (budget, start) = (WriteBudget::default(), Instant::now());
        assert_eq!(drain(&budget, "a", start), KV_WRITE_BURST_BYTES);
        let BudgetUsedUp(wait) = budget.take(&"a".into(), MIB, start).unwrap_err();
        assert_eq!(wait.as_secs(), (MIB as u64).div_ceil(KV_WRITE_BYTES_PER_S));
        assert!(
            budget.take(&"a".into(), MIB, start + wait).is_ok(),
            "after the reported wait, the tenant must be able to write again"
        );
        assert_eq!(drain(&budget, "b", start), KV_WRITE_BURST_BYTES, "other tenants must have their own budgets");
        let minute = drain(&budget, "a", start + wait + Duration::from_secs(60));
        assert!(minute <= KV_WRITE_BYTES_PER_S * 60, "{minute}");
    }

    #[test]
    fn who_rested_has_the_burst_and_no_more() {
        let (budget, start) = (WriteBudget::default(), Instant::now());
        drain(&budget, "a", start);
        assert_eq!(drain(&budget, "a", start + Duration::from_secs(100_000)), KV_WRITE_BURST_BYTES);
    }

    #[test]
    fn memory_is_bounded() {
        let (budget, start) = (WriteBudget::default(), Instant::now());
        for number in 0..WRITERS_REMEMBERED_MAX * 2 {
            budget.take(&number.to_string().into(), 1, start).unwrap();
        }
        assert!(budget.spent.lock().len() <= WRITERS_REMEMBERED_MAX);
    }
}
