//! A naive reference implementation of the store: maps in memory, with every change applied
//! to a copy. Tests compare the engine with it.

use std::collections::BTreeMap;

use tollbridge_core::money::Millipence;

use crate::change::{Change, Expect, Receipt, Refusal, StoredAnswer};
use crate::collection::Collection;
use crate::engine::{Sealer, Store};
use crate::outbox_event::{OutboxPosition, OutboxRow};
use crate::sealing::Draft;
use crate::sealing::{Hash, TreeNode};

/// The complete state of a store.
#[expect(missing_docs, reason = "each field is the table of the same name")]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    pub rows: BTreeMap<(&'static str, String), Vec<u8>>,
    pub balances: BTreeMap<String, i64>,
    pub records: Vec<(Hash, Hash, Vec<u8>)>,
    pub nodes: Vec<TreeNode>,
    pub answers: BTreeMap<u64, StoredAnswer>,
    pub answer_of: BTreeMap<String, u64>,
    pub kv: BTreeMap<(String, String), Vec<u8>>,
    pub outbox: BTreeMap<(String, OutboxPosition), OutboxRow>,
}

impl Model {
    /// Applies one change completely or not at all.
    pub fn apply(&mut self, change: &Change, sealer: &mut dyn Sealer) -> Result<Receipt, Refusal> {
        for put in &change.puts {
            let found = self.rows.get(&(put.collection.name(), put.key.clone()));
            let holds = match &put.expect {
                Expect::Any => true,
                Expect::Absent => found.is_none(),
                Expect::AbsentOrSame => found.is_none() || found == put.value.as_ref(),
                Expect::Exactly(bytes) => found == Some(bytes),
            };
            if !holds {
                return Err(Refusal::Unexpected { collection: put.collection.name(), key: put.key.clone() });
            }
        }
        if change.record.is_none() && !change.outbox.is_empty() {
            return Err(Refusal::Unsealed);
        }
        let mut sealed = None;
        if let Some(draft) = &change.record {
            self.balances = self.admit(draft)?;
            let record = sealer.seal(draft);
            self.records.push((draft.tx, record.seal, record.bytes));
            self.nodes.extend(record.nodes);
            if let Some(answer) = &change.answer {
                self.answers.insert(record.seq, answer.clone());
                self.answer_of.extend(answer.intent.clone().map(|handle| (handle, record.seq)));
            }
            self.queue_deliveries(change, draft, record.seq, record.seal);
            sealed = Some((record.seq, record.seal));
        }
        for put in &change.puts {
            set(&mut self.rows, (put.collection.name(), put.key.clone()), put.value.as_ref());
        }
        for write in &change.kv {
            set(&mut self.kv, (write.bucket.clone(), write.key.clone()), write.value.as_ref());
        }
        for _ in 0..change.prune.map_or(0, |prune| prune.limit) {
            let Some((&seq, answer)) = self.answers.iter().next() else { break };
            if change.prune.is_some_and(|prune| answer.expires_ms >= prune.now_ms) {
                break;
            }
            self.answers.remove(&seq);
            self.answer_of.retain(|_, last| *last != seq);
        }
        if let Some(forget) = &change.forget {
            let old =
                |(account, place): &&(String, OutboxPosition)| *account == forget.account && place.seq < forget.below;
            let old: Vec<_> = self.outbox.keys().filter(old).take(forget.limit).cloned().collect();
            self.outbox.retain(|key, _| !old.contains(key));
        }
        Ok(Receipt { sealed })
    }

    fn queue_deliveries(&mut self, change: &Change, draft: &Draft, seq: u64, seal: Hash) {
        for (index, event) in change.outbox.iter().enumerate() {
            let place = OutboxPosition { seq, index: u16::try_from(index).unwrap() };
            let of = |account: &String| Millipence::new(self.balances.get(account).copied().unwrap_or(0));
            let row = OutboxRow {
                place,
                event: event.event.to_owned(),
                time_ms: event.time_ms,
                seal,
                tx: draft.tx,
                balance: event.balance_of.as_ref().map(of),
                data: event.data.clone(),
            };
            self.outbox.insert((event.account.clone(), place), row);
        }
    }

    fn admit(&self, draft: &Draft) -> Result<BTreeMap<String, i64>, Refusal> {
        if let Some(seq) = self.records.iter().position(|(tx, _, _)| *tx == draft.tx) {
            return Err(Refusal::Duplicate { seq: seq as u64 });
        }
        if draft.postings.iter().map(|posting| i128::from(posting.amount.get())).sum::<i128>() != 0 {
            return Err(Refusal::Unbalanced);
        }
        let mut after = self.balances.clone();
        for posting in &draft.postings {
            let slot = after.entry(posting.account.clone()).or_default();
            *slot = slot.checked_add(posting.amount.get()).ok_or(Refusal::Unbalanced)?;
        }
        match draft.postings.iter().find(|posting| posting.guarded && after[&posting.account] < 0) {
            Some(posting) => Err(Refusal::Insufficient { account: posting.account.clone() }),
            None => {
                after.retain(|_, amount| *amount != 0);
                Ok(after)
            }
        }
    }

    /// Compares the model with a store; an `Err` describes the first difference.
    pub fn diff(&self, store: &dyn Store) -> Result<(), String> {
        let gone = |error: crate::engine::StoreError| format!("{error}");
        // Skip `Meta`: it also contains rows that the engine writes for itself.
        for collection in Collection::ALL.iter().copied().filter(|collection| *collection != Collection::Meta) {
            let rows = store.list(collection, "", usize::MAX).map_err(gone)?;
            let remaining = self.rows.iter().filter(|((name, _), _)| *name == collection.name());
            let remaining: Vec<_> = remaining.map(|((_, key), value)| (key.clone(), value.clone())).collect();
            same(&format!("rows of {}", collection.name()), &remaining, &rows)?;
        }
        let meta = self.rows.iter().filter(|((name, _), _)| *name == Collection::Meta.name());
        for ((_, key), value) in meta {
            same(&format!("meta {key}"), &Some(value.clone()), &store.get(Collection::Meta, key).map_err(gone)?)?;
        }
        let balances: Vec<_> = self.balances.iter().map(|(name, now)| (name.clone(), Millipence::new(*now))).collect();
        same("balances", &balances, &store.balances().map_err(gone)?)?;
        self.diff_records(store)?;
        self.diff_outbox(store)?;
        self.diff_kv(store)
    }

    /// Checks that the store cannot find entries by id that are in `other` but not in
    /// this model.
    pub fn diff_beyond(&self, other: &Self, store: &dyn Store) -> Result<(), String> {
        let gone = |error: crate::engine::StoreError| format!("{error}");
        for (tx, seal, _) in other.records.iter().filter(|(tx, _, _)| !self.records.iter().any(|(own, _, _)| own == tx))
        {
            same("a transaction that did not happen", &None, &store.seq_of_tx(tx).map_err(gone)?)?;
            same("a seal that was not issued", &None, &store.seq_of_seal(seal).map_err(gone)?)?;
        }
        for handle in other.answer_of.keys().filter(|handle| !self.answer_of.contains_key(*handle)) {
            same(&format!("answer of {handle}"), &None, &store.answer_of_intent(handle).map_err(gone)?)?;
        }
        for (bucket, key) in other.kv.keys().filter(|place| !self.kv.contains_key(*place)) {
            same(&format!("kv {bucket}/{key}"), &None, &store.kv_get(bucket, key).map_err(gone)?)?;
        }
        Ok(())
    }

    fn diff_records(&self, store: &dyn Store) -> Result<(), String> {
        let gone = |error: crate::engine::StoreError| format!("{error}");
        let head = store.head().map_err(gone)?;
        same("size", &(self.records.len() as u64), &head.size)?;
        same("newest seal", &self.records.last().map_or([0; 32], |(_, seal, _)| *seal), &head.seal)?;
        for (position, (tx, seal, bytes)) in self.records.iter().enumerate() {
            let seq = position as u64;
            same(&format!("record {seq}"), &Some(bytes.clone()), &store.record(seq).map_err(gone)?)?;
            same(&format!("tx of {seq}"), &Some(seq), &store.seq_of_tx(tx).map_err(gone)?)?;
            same(&format!("seal of {seq}"), &Some(seq), &store.seq_of_seal(seal).map_err(gone)?)?;
            let answer = self.answers.get(&seq).cloned();
            same(&format!("answer of {seq}"), &answer, &store.answer(seq).map_err(gone)?)?;
        }
        let all: Vec<Vec<u8>> = self.records.iter().map(|(_, _, bytes)| bytes.clone()).collect();
        same("all records", &all, &store.records(0, all.len() + 1).map_err(gone)?)?;
        let beyond = self.records.len() as u64;
        same("record beyond the end", &None, &store.record(beyond).map_err(gone)?)?;
        same("answer beyond the end", &None, &store.answer(beyond).map_err(gone)?)?;
        for node in &self.nodes {
            let found = store.node(node.level, node.index).map_err(gone)?;
            same(&format!("node {}/{}", node.level, node.index), &Some(node.hash), &found)?;
        }
        for (handle, seq) in &self.answer_of {
            let found = store.answer_of_intent(handle).map_err(gone)?;
            same(&format!("answer of intent {handle}"), &Some(*seq), &found)?;
        }
        Ok(())
    }

    fn diff_outbox(&self, store: &dyn Store) -> Result<(), String> {
        let gone = |error: crate::engine::StoreError| format!("{error}");
        let mut expected = BTreeMap::new();
        let mut account = String::new();
        while let Some(next) = store.outbox_account(&account).map_err(gone)? {
            account = next;
            for row in store.outbox(&account, None, usize::MAX).map_err(gone)? {
                expected.insert((account.clone(), row.place), row);
            }
        }
        same("outbox", &self.outbox, &expected)?;
        for (account, place) in self.outbox.keys() {
            let after = self.outbox.iter().find(|((of, other), _)| of == account && other > place);
            let after: Vec<_> = after.map(|(_, row)| row.clone()).into_iter().collect();
            same("the next event", &after, &store.outbox(account, Some(*place), 1).map_err(gone)?)?;
            let one = self.outbox.get(&(account.clone(), *place)).cloned();
            same("one event", &one, &store.outgoing(account, *place).map_err(gone)?)?;
        }
        Ok(())
    }

    fn diff_kv(&self, store: &dyn Store) -> Result<(), String> {
        let gone = |error: crate::engine::StoreError| format!("{error}");
        for ((bucket, key), value) in &self.kv {
            let remaining = store.kv_get(bucket, key).map_err(gone)?;
            same(&format!("kv {bucket}/{key}"), &Some(value.clone()), &remaining)?;
            let keys = self.kv.iter().filter(|((of, _), _)| of == bucket);
            let keys: Vec<_> = keys.map(|((_, key), value)| (key.clone(), value.len())).collect();
            same(&format!("bucket {bucket}"), &keys, &store.kv_list(bucket, "", usize::MAX).map_err(gone)?)?;
        }
        Ok(())
    }
}

fn set<K: Ord>(map: &mut BTreeMap<K, Vec<u8>>, key: K, value: Option<&Vec<u8>>) {
    match value {
        Some(value) => map.insert(key, value.clone()),
        None => map.remove(&key),
    };
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, model: &T, store: &T) -> Result<(), String> {
    if model == store {
        return Ok(());
    }
    let shown = |value: &T| format!("{value:?}").chars().take(300).collect::<String>();
    Err(format!("{what}: the model has {}, the store {}", shown(model), shown(store)))
}
