//! Applies changes inside one redb write transaction.
//!
//! Every change is checked completely before any part of it is written, so a refused
//! change has no effect on the other changes in the transaction.

use std::cell::RefCell;
use std::collections::HashMap;

use redb::{ReadableTable, Table, WriteTransaction};
use sha2::{Digest, Sha256};
use tollbridge_core::money::Millipence;
use tollbridge_core::planted::Defect;

use super::change::{AnswerPrune, Change, Expect, Put, Receipt, Refusal, StoredAnswer};
use super::collection::Collection;
use super::engine::{Sealer, StoreError, store_error};
use super::journal::RedoRecord;
use super::journaled_table::{self, JournaledTable, Put as _, RedoNote, TableNumber};
use super::outbox::{self, PendingOutboxRows};
use super::outbox_event::{OutboxEvent, OutboxPosition, OutboxRow};
use super::pack::{self, Packer};
use super::recent_index::{MergePlan, NewIndexEntries, RecentIndex};
use super::sealing::{Draft, Hash, TreeNode};
use super::tables::{
    ANSWER_OF, ANSWERS, BALANCES, INDEXED_KEY, KV, NODES, OUTBOX, RECORDS, ROWS, SEALS, TXS, decode_answer,
    decode_record, encode_header,
};

/// The open tables of one transaction and the balances that it has touched.
pub(super) struct Batch<'t> {
    rows: JournaledTable<'t, (u8, &'static str), &'static [u8]>,
    records: JournaledTable<'t, u64, &'static [u8]>,
    nodes: JournaledTable<'t, (u8, u64), &'static [u8; 32]>,
    balances: JournaledTable<'t, &'static str, i64>,
    answers: JournaledTable<'t, u64, &'static [u8]>,
    answer_of: JournaledTable<'t, &'static str, u64>,
    kv: JournaledTable<'t, (&'static str, &'static str), &'static [u8]>,
    outbox: JournaledTable<'t, (&'static str, u64, u16), &'static [u8]>,
    // Not journaled: if a crash loses index entries, the next opening rebuilds them from
    // the records.
    seals: Table<'t, &'static [u8; 32], u64>,
    txs: Table<'t, &'static [u8; 32], u64>,
    /// Index entries of earlier commits that are still only in memory.
    recent: &'t RecentIndex,
    buffers: &'t mut CommitBuffers,
}

/// Buffers for the writes of one transaction, reused by the next one. Without reuse,
/// allocations of this size would be requested from the operating system, and zeroed, for
/// every transaction.
#[derive(Default)]
pub(super) struct CommitBuffers {
    /// Accounts read or changed in this transaction. Popular accounts change
    /// with every call but are written once per transaction.
    touched: HashMap<String, BalanceChange>,
    /// Index entries of this transaction; passed to `RecentIndex::turn` after the commit.
    pub(super) fresh: NewIndexEntries,
    /// Merkle tree nodes completed by this commit; written in key order.
    grown: Vec<TreeNode>,
    records: Packer,
    answers: Packer,
    pending_events: PendingOutboxRows,
    /// The row being encoded.
    row: Vec<u8>,
}

#[derive(Clone, Copy)]
struct BalanceChange {
    before: i64,
    now: i64,
}

/// Returns the error for a journal entry that has a valid checksum but an unknown kind of
/// note.
fn unknown() -> StoreError {
    let source = Box::from("a write to an unknown table; run the Tollbridge version that wrote this entry");
    StoreError { doing: "replaying the journal", source }
}

/// Rows and events written by other hosts' log entries, to be reported to this host's
/// listener.
#[derive(Debug, Default)]
pub(super) struct ForeignWrites {
    pub(super) rows: Vec<(Collection, String)>,
    /// Accounts that received events.
    pub(super) notified: Vec<String>,
}

impl ForeignWrites {
    fn add(&mut self, (number, key, value): RedoNote<'_>) {
        match number {
            TableNumber::Rows => {
                let (tag, key) = <(u8, &str) as redb::Value>::from_bytes(key);
                self.rows.extend(Collection::of_tag(tag).map(|collection| (collection, key.to_owned())));
            }
            TableNumber::Outbox if value.is_some() => {
                let (account, ..) = <(&str, u64, u16) as redb::Value>::from_bytes(key);
                if self.notified.last().is_none_or(|last| last != account) {
                    self.notified.push(account.to_owned());
                }
            }
            _ => {}
        }
    }
}

/// Calls `take` for every note of an entry, in order; fails if any bytes are left over.
fn each_note(mut notes: &[u8], mut take: impl FnMut(RedoNote<'_>) -> Result<(), StoreError>) -> Result<(), StoreError> {
    while let Some((note, rest)) = journaled_table::split(notes) {
        take(note)?;
        notes = rest;
    }
    if notes.is_empty() { Ok(()) } else { Err(unknown()) }
}

/// Maximum capacity of the row buffer between writes; larger rows are rare, and their
/// memory is released.
const ROW_KEPT_BYTES: usize = 64 << 10;

impl CommitBuffers {
    fn clear(&mut self) {
        let Self { touched, fresh, grown, records, answers, pending_events, row } = self;
        touched.clear();
        fresh.clear();
        grown.clear();
        records.clear();
        answers.clear();
        pending_events.clear();
        row.clear();
        row.shrink_to(ROW_KEPT_BYTES);
    }
}

impl<'t> Batch<'t> {
    /// Opens the tables; every write to them is also appended to the journal entry
    /// `entry`.
    pub(super) fn open(
        txn: &'t WriteTransaction,
        recent: &'t RecentIndex,
        buffers: &'t mut CommitBuffers,
        entry: &'t RefCell<RedoRecord>,
    ) -> Result<Self, StoreError> {
        let doing = "opening the tables";
        buffers.clear();
        entry.borrow_mut().clear();
        Ok(Self {
            rows: JournaledTable::open(txn, TableNumber::Rows, ROWS, entry).map_err(store_error(doing))?,
            records: JournaledTable::open(txn, TableNumber::Records, RECORDS, entry).map_err(store_error(doing))?,
            nodes: JournaledTable::open(txn, TableNumber::Nodes, NODES, entry).map_err(store_error(doing))?,
            balances: JournaledTable::open(txn, TableNumber::Balances, BALANCES, entry).map_err(store_error(doing))?,
            answers: JournaledTable::open(txn, TableNumber::Answers, ANSWERS, entry).map_err(store_error(doing))?,
            answer_of: JournaledTable::open(txn, TableNumber::AnswerOf, ANSWER_OF, entry)
                .map_err(store_error(doing))?,
            kv: JournaledTable::open(txn, TableNumber::Kv, KV, entry).map_err(store_error(doing))?,
            outbox: JournaledTable::open(txn, TableNumber::Outbox, OUTBOX, entry).map_err(store_error(doing))?,
            seals: txn.open_table(SEALS).map_err(store_error(doing))?,
            txs: txn.open_table(TXS).map_err(store_error(doing))?,
            recent,
            buffers,
        })
    }

    /// Applies one change completely, or refuses it and writes nothing.
    pub(super) fn apply(
        &mut self,
        change: &Change,
        sealer: &mut dyn Sealer,
    ) -> Result<Result<Receipt, Refusal>, StoreError> {
        for put in &change.puts {
            if !self.expectation_holds(put)? {
                let refusal = Refusal::Unexpected { collection: put.collection.name(), key: put.key.clone() };
                return Ok(Err(refusal));
            }
        }
        let mut sealed = None;
        if let Some(draft) = &change.record {
            if let Err(refusal) = self.admit(draft)? {
                return Ok(Err(refusal));
            }
            let (seq, seal) = self.seal(draft, change.answer.as_ref(), sealer)?;
            self.queue_deliveries(&change.outbox, draft, seq, seal)?;
            sealed = Some((seq, seal));
        } else if !change.outbox.is_empty() {
            return Ok(Err(Refusal::Unsealed));
        }
        for put in &change.puts {
            self.put(put)?;
        }
        for write in &change.kv {
            let key = (write.bucket.as_str(), write.key.as_str());
            match &write.value {
                Some(value) => self.kv.put(key, value.as_slice()).map_err(store_error("writing a plugin's key"))?,
                None => self.kv.remove(key).map_err(store_error("removing a plugin's key"))?,
            }
        }
        if let Some(prune) = change.prune {
            self.prune(prune)?;
        }
        if let Some(forget) = &change.forget {
            outbox::forget(&mut self.outbox, &mut self.buffers.pending_events, forget)?;
        }
        Ok(Ok(Receipt { sealed }))
    }

    /// Writes the values that were collected from all changes of the transaction. Call
    /// once, before the commit; pass the returned plan to `RecentIndex::turn` after the
    /// commit.
    pub(super) fn flush(&mut self) -> Result<MergePlan, StoreError> {
        self.write_balances()?;
        self.buffers.records.flush(&mut pack::into(&mut self.records))?;
        self.buffers.answers.flush(&mut pack::into(&mut self.answers))?;
        self.buffers.pending_events.flush(&mut self.outbox)?;
        self.buffers.grown.sort_unstable_by_key(|node| (node.level, node.index));
        for node in &self.buffers.grown {
            self.nodes.put((node.level, node.index), &node.hash).map_err(store_error("growing the tree"))?;
        }
        let plan = self.recent.plan(self.buffers.fresh.len());
        for (seal, seq) in self.recent.moving_seals(&plan) {
            self.seals.insert(&seal, seq).map_err(store_error("indexing a seal"))?;
        }
        for (tx, seq) in self.recent.moving_txs(&plan) {
            self.txs.insert(&tx, seq).map_err(store_error("indexing a transaction"))?;
        }
        if let Some(below) = plan.indexed_below {
            let key = (Collection::Meta.tag(), INDEXED_KEY);
            self.rows.mark(key, below.to_string().as_bytes()).map_err(store_error("marking the indexed records"))?;
        }
        Ok(plan)
    }

    /// Stores, in this file's metadata, the position in the journal or the shared log up
    /// to which the tables are current.
    pub(super) fn mark(&mut self, key: &str, mark: &[u8]) -> Result<(), StoreError> {
        self.rows.mark((Collection::Meta.tag(), key), mark).map_err(store_error("marking the position of the tables"))
    }

    /// Applies the writes of a journal entry again.
    pub(super) fn redo(&mut self, notes: &[u8]) -> Result<(), StoreError> {
        each_note(notes, |note| self.redo_note(note))
    }

    /// Applies the writes of another host's log entry and lists them in `foreign`.
    pub(super) fn redo_foreign(&mut self, notes: &[u8], foreign: &mut ForeignWrites) -> Result<(), StoreError> {
        each_note(notes, |note| {
            foreign.add(note);
            if let (TableNumber::Records, key, Some(pack)) = note {
                for (seq, entry) in pack::entries(<u64 as redb::Value>::from_bytes(key), pack) {
                    let (tx, record) = decode_record(entry);
                    self.buffers.fresh.insert(tx, Sha256::digest(record).into(), seq);
                }
            }
            self.redo_note(note)
        })
    }

    /// Imports a copy of the tables, and builds the complete indexes.
    pub(super) fn redo_copy(&mut self, notes: &[u8]) -> Result<(), StoreError> {
        each_note(notes, |note| {
            if let (TableNumber::Records, key, Some(pack)) = note {
                for (seq, entry) in pack::entries(<u64 as redb::Value>::from_bytes(key), pack) {
                    let (tx, record) = decode_record(entry);
                    self.txs.insert(&tx, seq).map_err(store_error("indexing a transaction"))?;
                    let seal: Hash = Sha256::digest(record).into();
                    self.seals.insert(&seal, seq).map_err(store_error("indexing a seal"))?;
                }
            }
            self.redo_note(note)
        })
    }

    fn redo_note(&mut self, (number, key, value): RedoNote<'_>) -> Result<(), StoreError> {
        let done = match number {
            TableNumber::Rows => self.rows.redo(key, value),
            TableNumber::Records => self.records.redo(key, value),
            TableNumber::Nodes => self.nodes.redo(key, value),
            TableNumber::Balances => self.balances.redo(key, value),
            TableNumber::Answers => self.answers.redo(key, value),
            TableNumber::AnswerOf => self.answer_of.redo(key, value),
            TableNumber::Kv => self.kv.redo(key, value),
            TableNumber::Outbox => self.outbox.redo(key, value),
        };
        done.map_err(store_error("replaying a write"))
    }

    /// Number of records in the tables.
    pub(super) fn size(&self) -> Result<u64, StoreError> {
        let doing = "reading the newest record";
        let last = self.records.last().map_err(store_error(doing))?;
        Ok(last
            .and_then(|(first, packed)| pack::last(first.value(), packed.value()).map(|(seq, _)| seq + 1))
            .unwrap_or(0))
    }

    fn write_balances(&mut self) -> Result<(), StoreError> {
        for (account, touched) in &self.buffers.touched {
            if touched.now == touched.before {
                continue;
            }
            if touched.now == 0 {
                self.balances.remove(account.as_str()).map_err(store_error("clearing a balance"))?;
            } else {
                self.balances.put(account.as_str(), touched.now).map_err(store_error("writing a balance"))?;
            }
        }
        Ok(())
    }

    fn expectation_holds(&self, put: &Put) -> Result<bool, StoreError> {
        if put.expect == Expect::Any {
            return Ok(true);
        }
        let existing = self.rows.get((put.collection.tag(), put.key.as_str())).map_err(store_error("reading a row"))?;
        Ok(match &put.expect {
            Expect::Any => true,
            Expect::Absent => existing.is_none(),
            Expect::AbsentOrSame => existing.is_none_or(|row| Some(row.value()) == put.value.as_deref()),
            Expect::Exactly(bytes) => existing.is_some_and(|row| row.value() == bytes.as_slice()),
        })
    }

    fn put(&mut self, put: &Put) -> Result<(), StoreError> {
        let key = (put.collection.tag(), put.key.as_str());
        match &put.value {
            Some(value) => self.rows.put(key, value.as_slice()).map_err(store_error("writing a row")),
            None => self.rows.remove(key).map_err(store_error("removing a row")),
        }
    }

    /// Checks a draft record and updates the balances of its postings. No other function
    /// changes a balance.
    fn admit(&mut self, draft: &Draft) -> Result<Result<(), Refusal>, StoreError> {
        if let Some(seq) = self.seq_of_tx(&draft.tx)?.filter(|_| !Defect::TransactionTwice.is_planted()) {
            return Ok(Err(Refusal::Duplicate { seq }));
        }
        let sum: i128 = draft.postings.iter().map(|posting| i128::from(posting.amount.get())).sum();
        if sum != 0 {
            return Ok(Err(Refusal::Unbalanced));
        }
        // An account may appear in several postings; only its final balance is checked.
        let mut after: Vec<(&str, i64)> = Vec::with_capacity(draft.postings.len());
        for posting in &draft.postings {
            let known = after.iter().position(|(account, _)| *account == posting.account);
            let before = match known.and_then(|index| after.get(index)) {
                Some((_, amount)) => *amount,
                None => self.balance_now(&posting.account)?,
            };
            let Some(now) = Millipence::new(before).checked_add(posting.amount) else {
                return Ok(Err(Refusal::Unbalanced));
            };
            match known.and_then(|index| after.get_mut(index)) {
                Some(slot) => slot.1 = now.get(),
                None => after.push((&posting.account, now.get())),
            }
        }
        let overdrawn = draft.postings.iter().find(|posting| {
            posting.guarded && after.iter().any(|(account, now)| *account == posting.account && *now < 0)
        });
        if let Some(posting) = overdrawn {
            return Ok(Err(Refusal::Insufficient { account: posting.account.clone() }));
        }
        for (account, now) in after {
            if let Some(touched) = self.buffers.touched.get_mut(account) {
                touched.now = now;
            }
        }
        Ok(Ok(()))
    }

    fn seq_of_tx(&self, tx: &Hash) -> Result<Option<u64>, StoreError> {
        if let Some(seq) = self.buffers.fresh.seq_of_tx(tx).or_else(|| self.recent.waiting().seq_of_tx(tx)) {
            return Ok(Some(seq));
        }
        Ok(self.txs.get(tx).map_err(store_error("looking up a transaction"))?.map(|row| row.value()))
    }

    fn balance_now(&mut self, account: &str) -> Result<i64, StoreError> {
        if let Some(touched) = self.buffers.touched.get(account) {
            return Ok(touched.now);
        }
        let before = self.balances.get(account).map_err(store_error("reading a balance"))?.map_or(0, |row| row.value());
        self.buffers.touched.insert(account.to_owned(), BalanceChange { before, now: before });
        Ok(before)
    }

    fn seal(
        &mut self,
        draft: &Draft,
        answer: Option<&StoredAnswer>,
        sealer: &mut dyn Sealer,
    ) -> Result<(u64, Hash), StoreError> {
        let record = sealer.seal(draft);
        let CommitBuffers { fresh, grown, records, answers, row, .. } = &mut *self.buffers;
        let place = OutboxPosition::of(record.seq);
        records.add(place, &[&draft.tx, &record.bytes], &mut pack::into(&mut self.records))?;
        fresh.insert(draft.tx, record.seal, record.seq);
        grown.extend(record.nodes);
        if let Some(answer) = answer {
            encode_header(answer, row).map_err(store_error("encoding an answer"))?;
            answers.add(place, &[row, &answer.body], &mut pack::into(&mut self.answers))?;
            if let Some(handle) = &answer.intent {
                self.answer_of.put(handle.as_str(), record.seq).map_err(store_error("indexing an answer"))?;
            }
        }
        Ok((record.seq, record.seal))
    }

    /// Queues the events of a record under its sequence number.
    fn queue_deliveries(
        &mut self,
        outbox: &[OutboxEvent],
        draft: &Draft,
        seq: u64,
        seal: Hash,
    ) -> Result<(), StoreError> {
        for (index, outgoing) in (0..u16::MAX).zip(outbox) {
            let balance = match &outgoing.balance_of {
                Some(account) => Some(Millipence::new(self.balance_now(account)?)),
                None => None,
            };
            let row = OutboxRow {
                place: OutboxPosition { seq, index },
                event: outgoing.event.to_owned(),
                time_ms: outgoing.time_ms,
                seal,
                tx: draft.tx,
                balance,
                data: outgoing.data.clone(),
            };
            self.buffers.pending_events.add(&outgoing.account, &row);
        }
        Ok(())
    }

    fn prune(&mut self, prune: AnswerPrune) -> Result<(), StoreError> {
        let doing = "deleting old answers";
        self.buffers.answers.flush(&mut pack::into(&mut self.answers))?;
        let (mut old, mut left) = (Vec::new(), Vec::new());
        while old.len() < prune.limit && left.is_empty() {
            let oldest = self.answers.first().map_err(store_error(doing))?;
            let Some((first, pack)) = oldest.map(|(first, pack)| (first.value(), pack.value().to_vec())) else { break };
            self.answers.remove(first).map_err(store_error(doing))?;
            for (seq, bytes) in pack::entries(first, &pack) {
                let answer = decode_answer(bytes);
                // Answers are stored in the order of their records, so the oldest answers
                // come first.
                let young = answer.as_ref().is_some_and(|answer| answer.expires_ms >= prune.now_ms);
                if young || !left.is_empty() || old.len() == prune.limit {
                    left.push((seq, bytes.to_vec()));
                } else {
                    old.push((seq, answer.and_then(|answer| answer.intent)));
                }
            }
        }
        for (seq, bytes) in left {
            self.buffers.answers.add(OutboxPosition::of(seq), &[&bytes], &mut pack::into(&mut self.answers))?;
        }
        self.buffers.answers.flush(&mut pack::into(&mut self.answers))?;
        for (seq, intent) in old {
            let Some(handle) = intent else { continue };
            let newest = self.answer_of.get(handle.as_str()).map_err(store_error(doing))?.map(|row| row.value());
            if newest == Some(seq) {
                self.answer_of.remove(handle.as_str()).map_err(store_error(doing))?;
            }
        }
        Ok(())
    }
}
