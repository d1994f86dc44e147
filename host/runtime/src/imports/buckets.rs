//! The uncommitted changes of one call to its key-value buckets.

use std::collections::BTreeMap;

use tollbridge_plugin::WriteLocks;
use tollbridge_store::KvWrite;

use super::counter_locks::CounterLock;

/// A bucket as a guest sees it. The type is empty: the resource handle identifies the bucket.
#[derive(Debug)]
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct Bucket;

/// The pending changes of one call to its key-value buckets.
#[derive(Debug, Default)]
pub(crate) struct Buckets {
    pub(crate) written: BTreeMap<(String, String), Option<Vec<u8>>>,
    /// Size in bytes and number of keys of each bucket that was written to.
    pub(crate) used: BTreeMap<String, (usize, usize)>,
    pub(crate) held: Vec<CounterLock>,
    /// Total bytes that the call wrote, including values overwritten later.
    pub(crate) bytes: usize,
}

impl Buckets {
    /// Returns the writes to commit, and the counter locks to hold until the commit.
    pub(crate) fn into_writes(self) -> (Vec<KvWrite>, WriteLocks) {
        let writes = self.written.into_iter().map(|((bucket, key), value)| KvWrite { bucket, key, value });
        (writes.collect(), WriteLocks::of(self.held))
    }
}
