//! The uncommitted changes of one call to its key-value buckets.

use std::collections::BTreeMap;

use tollbridge_store::KvWrite;

use super::counter_locks::CounterLock;

/// A bucket as a guest sees it; its state is in the handle.
#[derive(Debug)]
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct Bucket;

/// The buckets of one call.
#[derive(Debug, Default)]
pub(super) struct Buckets {
    pub(super) written: BTreeMap<(String, String), Option<Vec<u8>>>,
    /// Bytes and keys of each bucket that was written to.
    pub(super) used: BTreeMap<String, (usize, usize)>,
    pub(super) held: Vec<CounterLock>,
    /// Bytes that were written, including overwritten ones.
    pub(super) bytes: usize,
}

impl Buckets {
    /// Returns the writes to commit, and the counters to hold until then.
    pub(super) fn into_writes(self) -> (Vec<KvWrite>, Vec<CounterLock>) {
        let writes = self.written.into_iter();
        (writes.map(|((bucket, key), value)| KvWrite { bucket, key, value }).collect(), self.held)
    }
}
