//! What the calling account asked before: calls of the last day, by address and by its customer's account.
//!
//! Invariants: entries live for a day; a bucket has at most 2 × `SLOTS` keys, and a slot at most `PER_SLOT` entries, the
//! oldest of which give way. Addresses and accounts are kept as 64-bit digests only.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Error, kv::Bucket};

/// Keys for each of the two views.
const SLOTS: u64 = 400;
/// Calls that one key remembers.
const PER_SLOT: usize = 200;
const HOUR_MS: u64 = 3_600_000;
const DAY_MS: u64 = 86_400_000;

/// One call: moment, address, account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Visit(u64, u64, u64);

/// How often this address and account came in calls of the same caller, this call included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Velocity {
    /// Calls with this address (IPv6: its /64) in the last hour.
    pub calls_hour: usize,
    /// … in the last 24 hours.
    pub calls_day: usize,
    /// Different accounts with this address in 24 hours; null without `account`.
    pub accounts_of_address: Option<usize>,
    /// Different addresses (IPv4, or IPv6 /64) of this account in 24 hours; null without `account`.
    pub addresses_of_account: Option<usize>,
}

/// Counts, and remembers this call.
pub fn visit(now_ms: u64, address: &str, account: Option<&str>) -> Result<Velocity, Error> {
    let bucket = Bucket::caller()?;
    let call = Visit(now_ms, digest(address), account.map_or(0, |text| digest(text).max(1)));
    let by_address = add(&bucket, "address", call.1, call)?;
    let here: Vec<Visit> = by_address.into_iter().filter(|seen| seen.1 == call.1).collect();
    let mut velocity = Velocity {
        calls_hour: here.iter().filter(|seen| seen.0.saturating_add(HOUR_MS) > now_ms).count(),
        calls_day: here.len(),
        ..Velocity::default()
    };
    if account.is_some() {
        let by_account = add(&bucket, "account", call.2, call)?;
        let addresses = by_account.into_iter().filter(|seen| seen.2 == call.2).map(|seen| seen.1);
        velocity.addresses_of_account = Some(different(addresses));
        velocity.accounts_of_address = Some(different(here.iter().map(|seen| seen.2).filter(|account| *account != 0)));
    }
    Ok(velocity)
}

/// Adds a call to a slot and gives back what the slot remembers.
fn add(bucket: &Bucket, view: &str, digest: u64, call: Visit) -> Result<Vec<Visit>, Error> {
    let key = format!("{view}/{}", digest % SLOTS);
    let mut entries: Vec<Visit> = bucket.get_json(&key)?.unwrap_or_default();
    entries.retain(|entry| entry.0.saturating_add(DAY_MS) > call.0);
    entries.push(call);
    let too_many = entries.len().saturating_sub(PER_SLOT);
    entries.drain(..too_many);
    bucket.set_json(&key, &entries)?;
    Ok(entries)
}

fn different(values: impl Iterator<Item = u64>) -> usize {
    let mut values: Vec<u64> = values.collect();
    values.sort_unstable();
    values.dedup();
    values.len()
}

/// FNV-1a, 64 bits (draft-eastlake-fnv), mixed once more so that its low bits are even.
fn digest(text: &str) -> u64 {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    hash ^ hash >> 32
}

#[cfg(test)]
mod tests {
    use tollbridge_sdk::testing::Doubles;

    use super::*;

    #[test]
    fn counts_by_hour_and_day() {
        let (done, recorded) = Doubles::new().run(|| {
            let start = 10 * DAY_MS;
            for step in 0..5 {
                visit(start + step * HOUR_MS / 2, "a", Some(&format!("user{step}")))?;
            }
            visit(start, "b", Some("user0"))?;
            let now = visit(start + 2 * HOUR_MS, "a", Some("user0"))?;
            assert_eq!((now.calls_hour, now.calls_day), (3, 6));
            assert_eq!((now.accounts_of_address, now.addresses_of_account), (Some(5), Some(2)));
            let later = visit(start + 3 * DAY_MS, "a", None)?;
            assert_eq!(later, Velocity { calls_hour: 1, calls_day: 1, ..Velocity::default() });
            Ok::<_, Error>(())
        });
        assert_eq!(done, Ok(()));
        assert!(recorded.buckets["caller"].values().all(|bytes| bytes.len() < 1_000));
    }

    #[test]
    fn memory_is_bounded() {
        let (done, recorded) = Doubles::new().run(|| {
            for step in 0..3_000u64 {
                visit(DAY_MS + step, &format!("a{}", step % 1_500), Some("one"))?;
            }
            Ok::<_, Error>(())
        });
        assert_eq!(done, Ok(()));
        let bucket = &recorded.buckets["caller"];
        assert!(bucket.len() <= 800 && bucket.values().all(|bytes| bytes.len() < 64 << 10));
    }
}
