//! The in-memory store for the tests of this crate, which can count reads and make them
//! fail.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};
use tollbridge_core::config::{Sources, TiersConfig};
use tollbridge_store::testing::watched::{Watch, Watched};
use tollbridge_store::{
    Change, Collection, Draft, Receipt, RedbStore, Refusal, Rows, SealedRecord, Sealer, Store, StoreError,
};

use super::account::Account;
use super::email::EmailDigestKey;
use super::key::{ApiKey, KeyMode};
use super::signup::{SignUpRequest, sign_up};

/// 2023-11-14 22:13:20 UTC in Unix milliseconds.
pub(super) const NOW: u64 = 1_700_000_000_000;

pub(super) fn tiers() -> TiersConfig {
    Sources::default().load().unwrap().config.tiers
}

/// Creates an account with its first key.
pub(super) fn a_signed_up_account(store: &MemoryStore) -> (Account, ApiKey) {
    let request = SignUpRequest::default();
    let signed_up = sign_up(store, &EmailDigestKey::new([0; 32]), KeyMode::Test, request, NOW, |_| None).unwrap();
    store.apply(signed_up.change).unwrap();
    (signed_up.account, signed_up.key)
}

type Hook = Box<dyn FnOnce(&RedbStore) + Send>;

/// The in-memory store, whose reads pass through [`Reads`].
pub(super) type MemoryStore = Watched<Reads>;

/// Counts reads, makes them fail on request, and runs a hook after the next read.
#[derive(Default)]
pub(super) struct Reads {
    count: AtomicUsize,
    broken: AtomicBool,
    hook: Mutex<Option<(Collection, Hook)>>,
}

struct PlainSealer(u64);

impl Sealer for PlainSealer {
    fn seal(&mut self, draft: &Draft) -> SealedRecord {
        let bytes = format!("{} {} {}", self.0, draft.kind, hex::encode(draft.tx)).into_bytes();
        self.0 += 1;
        SealedRecord { seq: self.0 - 1, seal: Sha256::digest(&bytes).into(), bytes, nodes: Vec::new() }
    }

    fn resume_from(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        self.0 = store.head()?.size;
        Ok(())
    }
}

/// Test helpers for a store.
pub(super) trait TestStore: Store + Sized {
    /// Commits one change.
    fn apply(&self, change: Change) -> Result<Receipt, Refusal> {
        let mut sealer = PlainSealer(self.head().unwrap().size);
        self.commit(&[change], &mut sealer).unwrap().remove(0)
    }

    /// Counts the rows of a collection.
    fn count(&self, collection: Collection) -> usize {
        Rows::of(self, collection).count()
    }

    /// Formats the rows of collections as text.
    fn text_of(&self, collections: &[Collection]) -> String {
        let rows = collections.iter().flat_map(|collection| Rows::of(self, *collection));
        rows.map(|row| row.unwrap())
            .map(|(key, value)| format!("{key} {}\n", String::from_utf8_lossy(&value)))
            .collect()
    }
}

impl<S: Store + Sized> TestStore for S {}

impl Reads {
    pub(super) fn reads(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }

    pub(super) fn break_reads(&self) {
        self.broken.store(true, Ordering::SeqCst);
    }

    /// Runs `then` directly after the next read of a collection.
    pub(super) fn after_next_read(&self, collection: Collection, then: impl FnOnce(&RedbStore) + Send + 'static) {
        *self.hook.lock() = Some((collection, Box::new(then)));
    }
}

impl Watch for Reads {
    fn before_get(&self) -> Result<(), StoreError> {
        if self.broken.load(Ordering::SeqCst) {
            return Err(StoreError { doing: "reading", source: "the test made this read fail".into() });
        }
        self.count.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    fn after_get(&self, engine: &RedbStore, collection: Collection) {
        let hook = self.hook.lock().take_if(|(awaited, _)| *awaited == collection);
        if let Some((_, then)) = hook {
            then(engine);
        }
    }
}
