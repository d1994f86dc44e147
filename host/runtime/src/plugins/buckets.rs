//! What one call changes in its key-value buckets, until it is committed.

use std::collections::BTreeMap;

use tollbridge_store::KvWrite;

use super::counter_locks::CounterLock;

/// A bucket as a guest holds it: the handle says all there is to say.
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
    /// Bytes that were written, those that were written over included.
    pub(super) bytes: usize,
}

impl Buckets {
    /// What is to be committed, and the counters to be held until it is.
    pub(super) fn into_writes(self) -> (Vec<KvWrite>, Vec<CounterLock>) {
        let writes = self.written.into_iter();
        (writes.map(|((bucket, key), value)| KvWrite { bucket, key, value }).collect(), self.held)
    }
}
