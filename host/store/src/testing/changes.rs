//! Changes for store tests: hand-written and random ones.

use proptest::prelude::*;
use sha2::{Digest, Sha256};
use tollbridge_core::money::Millipence;

use crate::change::{AnswerPrune, Change, Expect, KvWrite, Put, StoredAnswer};
use crate::collection::Collection;
use crate::engine::{Sealer, Store, StoreError};
use crate::outbox_event::{OutboxEvent, OutboxPrune};
use crate::sealing::{Draft, Hash, Posting, SealedRecord, TreeNode};

/// A sealer that only numbers records, so that stores can be tested without the ledger.
#[derive(Clone, Default)]
pub struct Numbered(
    /// Number of the next record.
    pub u64,
);

impl Sealer for Numbered {
    fn seal(&mut self, draft: &Draft) -> SealedRecord {
        let seq = self.0;
        self.0 += 1;
        let bytes = format!("{seq} {} {}", draft.kind, hex::encode(draft.tx)).into_bytes();
        let hash: Hash = Sha256::digest(&bytes).into();
        SealedRecord { seq, seal: hash, bytes, nodes: vec![TreeNode { level: 1, index: seq, hash }] }
    }

    fn resume_from(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        self.0 = store.head()?.size;
        Ok(())
    }
}

/// Builds a put for one row of a collection.
pub fn put(key: &str, value: Option<&str>, expect: Expect) -> Put {
    let value = value.map(|text| text.as_bytes().to_vec());
    Put { collection: Collection::Accounts, key: key.to_owned(), value, expect }
}

/// Builds a write to the bucket `b`.
pub fn kv(key: &str, value: Option<&str>) -> KvWrite {
    KvWrite { bucket: "b".to_owned(), key: key.to_owned(), value: value.map(|text| text.as_bytes().to_vec()) }
}

/// Builds a record with postings. Balances of accounts whose names begin with `out` may
/// become negative, others may not.
pub fn draft(tx: u8, legs: &[(&str, i64)]) -> Draft {
    let posting = |(account, amount): &(&str, i64)| Posting {
        account: (*account).to_owned(),
        amount: Millipence::new(*amount),
        guarded: !account.starts_with("out"),
    };
    Draft {
        kind: "event",
        tx: [tx; 32],
        time_ms: 0,
        postings: legs.iter().map(posting).collect(),
        body: b"{}".to_vec(),
    }
}

/// Builds a change that contains only the record made by [`draft`].
pub fn record(tx: u8, legs: &[(&str, i64)]) -> Change {
    Change { record: Some(draft(tx, legs)), ..Change::default() }
}

/// Builds an answer to store with a record.
pub fn answer(intent: Option<&str>, expires_ms: u64) -> StoredAnswer {
    StoredAnswer {
        intent: intent.map(str::to_owned),
        fingerprint: [7; 32],
        content_type: "application/json".into(),
        expires_ms,
        body: format!("body until {expires_ms}").into(),
    }
}

/// Builds an event for an account.
pub fn event(account: &str) -> OutboxEvent {
    OutboxEvent {
        account: account.to_owned(),
        event: "billing.split",
        time_ms: 7,
        data: b"{}".to_vec(),
        balance_of: None,
    }
}

/// Generates random changes that use only a few names, so that they affect the same rows
/// and accounts.
pub fn any_change() -> impl Strategy<Value = Change> {
    let name = || prop_oneof![Just("a"), Just("b"), Just("c"), Just("d")];
    let value = || proptest::option::weighted(0.8, prop_oneof![Just("1"), Just("2")]);
    let expect = prop_oneof![
        3 => Just(Expect::Any),
        1 => Just(Expect::Absent),
        1 => Just(Expect::Exactly(b"1".to_vec())),
    ];
    let any_put = (name(), value(), expect).prop_map(|(key, value, expect)| put(key, value, expect));
    let legs = proptest::collection::vec((prop_oneof![name(), Just("out")], -9_i64..10), 0..4);
    // The amount of the last posting usually makes the sum zero; some drafts stay
    // unbalanced.
    let any_draft = (0_u8..60, legs, name(), 0..10).prop_map(|(tx, mut legs, last, spoil)| {
        let sum: i64 = legs.iter().map(|(_, amount)| amount).sum();
        legs.push((last, i64::from(spoil == 0) - sum));
        draft(tx, &legs)
    });
    let any_answer = (proptest::option::of(name()), 0_u64..20).prop_map(|(intent, expires)| answer(intent, expires));
    let any_event = (name(), proptest::option::of(name()))
        .prop_map(|(account, of)| OutboxEvent { balance_of: of.map(str::to_owned), ..event(account) });
    let any_forget = (name(), 0_u64..40, 0_usize..4).prop_map(|(name, below, limit)| OutboxPrune {
        account: name.to_owned(),
        below,
        limit,
    });
    let any_prune = (0_u64..25, 0_usize..5).prop_map(|(now_ms, limit)| AnswerPrune { now_ms, limit });
    (
        proptest::collection::vec(any_put, 0..3),
        proptest::option::weighted(0.8, any_draft),
        proptest::option::of(any_answer),
        proptest::collection::vec((name(), value()).prop_map(|(key, value)| kv(key, value)), 0..3),
        proptest::collection::vec(any_event, 0..3),
        proptest::option::weighted(0.1, any_prune),
        proptest::option::weighted(0.1, any_forget),
    )
        .prop_map(|(puts, record, answer, kv, outbox, prune, forget)| Change {
            puts,
            record,
            answer,
            kv,
            outbox,
            prune,
            forget,
        })
}
