//! A store in memory for the tests of this room: rows, balances and records
//! as the trait promises them, and ways to look at and to break it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};

use super::account::Account;
use super::email::EmailDigestKey;
use super::key::{ApiKey, KeyMode};
use super::signup::{SignUpRequest, sign_up};
use tollbridge_core::config::{Sources, Tiers};
use tollbridge_core::money::Millipence;
use tollbridge_store::{
    Change, Collection, Draft, Expect, Hash, Head, OutboxPosition, OutboxRow, Receipt, Refusal, SealedRecord, Sealer,
    Store, StoreError, StoredAnswer,
};

/// 2023-11-14 22:13:20.
pub(super) const NOW: u64 = 1_700_000_000_000;

pub(super) fn tiers() -> Tiers {
    Sources::default().load().unwrap().config.tiers
}

/// An account of its own, and its first key.
pub(super) fn a_signed_up_account(store: &MemoryStore) -> (Account, ApiKey) {
    let request = SignUpRequest::default();
    let signed_up = sign_up(store, &EmailDigestKey::new([0; 32]), KeyMode::Test, request, NOW, |_| None).unwrap();
    store.apply(signed_up.change).unwrap();
    (signed_up.account, signed_up.key)
}

type Row = (String, String);
type Hook = Box<dyn FnOnce(&MemoryStore) + Send>;

#[derive(Default)]
pub(super) struct MemoryStore {
    state: Mutex<State>,
    reads: AtomicUsize,
    broken: AtomicBool,
    hook: Mutex<Option<(Collection, Hook)>>,
}

#[derive(Clone, Default)]
struct State {
    rows: BTreeMap<Row, Vec<u8>>,
    balances: BTreeMap<String, Millipence>,
    records: Vec<(Hash, SealedRecord)>,
    kv: BTreeMap<(String, String), Vec<u8>>,
}

struct PlainSealer(u64);

impl Sealer for PlainSealer {
    fn seal(&mut self, draft: &Draft) -> SealedRecord {
        let bytes = format!("{} {} {}", self.0, draft.kind, hex::encode(draft.tx)).into_bytes();
        self.0 += 1;
        SealedRecord { seq: self.0 - 1, seal: Sha256::digest(&bytes).into(), bytes, nodes: Vec::new() }
    }
}

impl MemoryStore {
    /// Commits one change.
    pub(super) fn apply(&self, change: Change) -> Result<Receipt, Refusal> {
        let mut sealer = PlainSealer(self.head().unwrap().size);
        self.commit(&[change], &mut sealer).unwrap().remove(0)
    }

    pub(super) fn reads(&self) -> usize {
        self.reads.load(Ordering::SeqCst)
    }

    pub(super) fn break_reads(&self) {
        self.broken.store(true, Ordering::SeqCst);
    }

    /// Lets something happen right after the next read of a collection.
    pub(super) fn after_next_read(&self, collection: Collection, then: impl FnOnce(&Self) + Send + 'static) {
        *self.hook.lock() = Some((collection, Box::new(then)));
    }

    pub(super) fn count(&self, collection: Collection) -> usize {
        self.state.lock().rows.keys().filter(|(name, _)| *name == format!("{collection:?}")).count()
    }

    /// All that is stored, as text.
    pub(super) fn everything(&self) -> String {
        let state = self.state.lock();
        state.rows.iter().map(|((c, k), v)| format!("{c} {k} {}\n", String::from_utf8_lossy(v))).collect()
    }
}

impl State {
    fn apply(&mut self, change: &Change, sealer: &mut dyn Sealer) -> Result<Receipt, Refusal> {
        for put in &change.puts {
            let row = (format!("{:?}", put.collection), put.key.clone());
            let fits = match &put.expect {
                Expect::Any => true,
                Expect::Absent => !self.rows.contains_key(&row),
                Expect::Exactly(bytes) => self.rows.get(&row) == Some(bytes),
            };
            if !fits {
                return Err(Refusal::Unexpected { collection: "test", key: put.key.clone() });
            }
            match &put.value {
                Some(value) => drop(self.rows.insert(row, value.clone())),
                None => drop(self.rows.remove(&row)),
            }
        }
        for write in &change.kv {
            let key = (write.bucket.clone(), write.key.clone());
            match &write.value {
                Some(value) => drop(self.kv.insert(key, value.clone())),
                None => drop(self.kv.remove(&key)),
            }
        }
        let sealed = change.record.as_ref().map(|draft| self.append(draft, sealer)).transpose()?;
        Ok(Receipt { sealed })
    }

    fn append(&mut self, draft: &Draft, sealer: &mut dyn Sealer) -> Result<(u64, Hash), Refusal> {
        if let Some(seq) = self.records.iter().position(|(tx, _)| *tx == draft.tx) {
            return Err(Refusal::Duplicate { seq: seq as u64 });
        }
        if draft.postings.iter().map(|p| p.amount.get()).sum::<i64>() != 0 {
            return Err(Refusal::Unbalanced);
        }
        for posting in &draft.postings {
            let balance = self.balances.entry(posting.account.clone()).or_default();
            *balance = balance.checked_add(posting.amount).unwrap();
            if posting.guarded && balance.is_negative() {
                return Err(Refusal::Insufficient { account: posting.account.clone() });
            }
        }
        let record = sealer.seal(draft);
        let place = (record.seq, record.seal);
        self.records.push((draft.tx, record));
        Ok(place)
    }
}

impl Store for MemoryStore {
    fn commit(&self, changes: &[Change], sealer: &mut dyn Sealer) -> Result<Vec<Result<Receipt, Refusal>>, StoreError> {
        let mut state = self.state.lock();
        let apply = |change: &Change| {
            let mut next = state.clone();
            let receipt = next.apply(change, sealer)?;
            *state = next;
            Ok(receipt)
        };
        Ok(changes.iter().map(apply).collect())
    }

    fn get(&self, collection: Collection, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        if self.broken.load(Ordering::SeqCst) {
            return Err(StoreError { doing: "reading", source: "broken by the test".into() });
        }
        self.reads.fetch_add(1, Ordering::SeqCst);
        let found = self.state.lock().rows.get(&(format!("{collection:?}"), key.to_owned())).cloned();
        let hook = self.hook.lock().take_if(|(wanted, _)| *wanted == collection);
        if let Some((_, then)) = hook {
            then(self);
        }
        Ok(found)
    }

    fn list(&self, collection: Collection, after: &str, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let name = format!("{collection:?}");
        let state = self.state.lock();
        let rows = state.rows.iter().filter(|((c, k), _)| *c == name && k.as_str() > after);
        Ok(rows.take(limit).map(|((_, k), v)| (k.clone(), v.clone())).collect())
    }

    fn balance(&self, account: &str) -> Result<Millipence, StoreError> {
        Ok(self.state.lock().balances.get(account).copied().unwrap_or_default())
    }

    fn balances(&self) -> Result<Vec<(String, Millipence)>, StoreError> {
        let state = self.state.lock();
        Ok(state.balances.iter().filter(|(_, b)| !b.is_zero()).map(|(a, b)| (a.clone(), *b)).collect())
    }

    fn head(&self) -> Result<Head, StoreError> {
        let state = self.state.lock();
        let seal = state.records.last().map_or([0; 32], |(_, record)| record.seal);
        Ok(Head { size: state.records.len() as u64, seal })
    }

    fn record(&self, seq: u64) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.state.lock().records.iter().find(|(_, r)| r.seq == seq).map(|(_, r)| r.bytes.clone()))
    }

    fn records(&self, from: u64, most: usize) -> Result<Vec<Vec<u8>>, StoreError> {
        (from..).take(most).map_while(|seq| self.record(seq).transpose()).collect()
    }

    fn seq_of_seal(&self, seal: &Hash) -> Result<Option<u64>, StoreError> {
        Ok(self.state.lock().records.iter().find(|(_, r)| r.seal == *seal).map(|(_, r)| r.seq))
    }

    fn seq_of_tx(&self, tx: &Hash) -> Result<Option<u64>, StoreError> {
        Ok(self.state.lock().records.iter().find(|(t, _)| t == tx).map(|(_, r)| r.seq))
    }

    fn node(&self, level: u8, index: u64) -> Result<Option<Hash>, StoreError> {
        let state = self.state.lock();
        let mut nodes = state.records.iter().flat_map(|(_, record)| &record.nodes);
        Ok(nodes.find(|node| (node.level, node.index) == (level, index)).map(|node| node.hash))
    }

    /// Answers are not this room's; none are kept.
    fn answer(&self, _seq: u64) -> Result<Option<StoredAnswer>, StoreError> {
        Ok(None)
    }

    fn answer_of_intent(&self, _handle: &str) -> Result<Option<u64>, StoreError> {
        Ok(None)
    }

    fn outbox(&self, _: &str, _: Option<OutboxPosition>, _: usize) -> Result<Vec<OutboxRow>, StoreError> {
        Ok(Vec::new())
    }

    fn outgoing(&self, _: &str, _: OutboxPosition) -> Result<Option<OutboxRow>, StoreError> {
        Ok(None)
    }

    fn outbox_account(&self, _: &str) -> Result<Option<String>, StoreError> {
        Ok(None)
    }

    fn kv_get(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.state.lock().kv.get(&(bucket.to_owned(), key.to_owned())).cloned())
    }

    fn kv_list(&self, bucket: &str, after: &str, limit: usize) -> Result<Vec<(String, usize)>, StoreError> {
        let state = self.state.lock();
        let keys = state.kv.iter().filter(|((b, k), _)| b == bucket && k.as_str() > after);
        Ok(keys.take(limit).map(|((_, k), v)| (k.clone(), v.len())).collect())
    }
}
