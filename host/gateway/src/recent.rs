//! Recent requests, remembered so that a client library that repeats one without an
//! `Idempotency-Key` is not charged twice.

use std::collections::{HashMap, VecDeque};

use tollbridge_store::Hash;

/// Maximum number of answers that are kept for retries by client libraries, which retry
/// within seconds.
const INFERENCE_REPEATS_KEPT: usize = 8_192;
/// Time during which a repeated request gets the answer to the first one.
const INFERENCE_REPEAT_MS: u64 = 10 * 60 * 1000;

/// The transaction ids of recent requests, by fingerprint of the request.
#[derive(Default)]
pub(super) struct RecentRequests {
    by_fingerprint: HashMap<Hash, (Hash, u64)>,
    oldest_first: VecDeque<(Hash, u64)>,
}

impl RecentRequests {
    /// Returns the transaction id of a recent request with this fingerprint, if there is
    /// one.
    pub(super) fn find(&self, fingerprint: &Hash, now_ms: u64) -> Option<Hash> {
        let (tx, at) = self.by_fingerprint.get(fingerprint)?;
        (now_ms.saturating_sub(*at) <= INFERENCE_REPEAT_MS).then_some(*tx)
    }

    pub(super) fn remember(&mut self, fingerprint: Hash, tx: Hash, now_ms: u64) {
        self.by_fingerprint.insert(fingerprint, (tx, now_ms));
        self.oldest_first.push_back((fingerprint, now_ms));
        while let Some((oldest, at)) = self.oldest_first.front() {
            if self.oldest_first.len() <= INFERENCE_REPEATS_KEPT && now_ms.saturating_sub(*at) <= INFERENCE_REPEAT_MS {
                break;
            }
            // A newer request with the same fingerprint stays in the map.
            if self.by_fingerprint.get(oldest).is_some_and(|(_, newest)| newest == at) {
                self.by_fingerprint.remove(oldest);
            }
            self.oldest_first.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_are_forgotten() {
        let mut repeats = RecentRequests::default();
        repeats.remember([1; 32], [2; 32], 1_000);
        assert_eq!(repeats.find(&[1; 32], 1_000 + INFERENCE_REPEAT_MS), Some([2; 32]));
        assert_eq!(repeats.find(&[1; 32], 1_001 + INFERENCE_REPEAT_MS), None);
        for number in 0..2 * INFERENCE_REPEATS_KEPT {
            let mut name = [0; 32];
            name[..8].copy_from_slice(&(number as u64).to_be_bytes());
            repeats.remember(name, name, 2_000);
        }
        assert_eq!(
            (repeats.by_fingerprint.len(), repeats.oldest_first.len()),
            (INFERENCE_REPEATS_KEPT, INFERENCE_REPEATS_KEPT)
        );
        assert_eq!(repeats.find(&[1; 32], 2_000), None);
    }
}
