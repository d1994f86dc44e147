//! The stored row of a refund, and the content of its records.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{Entry, Payer, Refund, RefundStage, events};
use tollbridge_store::{Change, Collection, Db, Draft, Expect, Hash, OutboxEvent, Put};

use super::error::PaymentError;

/// The key range of a refund's row, which depends on the progress of the refund.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefundKeyRange {
    /// Not finished.
    Open,
    /// Paid recently, so that it may still fail.
    Paid,
    /// Final: no further change is expected.
    Past,
}

/// Row of `Collection::Refunds`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefundRow {
    /// `rf_` and 24 hexadecimal digits.
    pub id: String,
    /// The payer whose balance is debited for the refund.
    pub payer: Payer,
    /// The processor's id of the payment; `None` in the sandbox.
    pub payment: Option<String>,
    /// Amount in whole pence.
    pub amount: Millipence,
    /// A short reason code.
    pub reason: String,
    /// Time of the request, Unix milliseconds.
    pub created_ms: u64,
    /// Current status.
    pub state: RefundStatus,
    /// If the refund failed, the amount that disputes claimed from its money.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub relieved: Millipence,
}

/// The status of a refund.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefundStatus {
    /// The money has left the payer's balance, and the processor has yet to pay it.
    Owed,
    /// The processor has paid the refund.
    Paid,
    /// The processor refused or reversed the refund and is never asked for it again; the
    /// return of the money is being recorded.
    Failing {
        /// The processor's reason code.
        reason: String,
    },
    /// The processor refused or reversed the refund; the money is back on the balance,
    /// except for the part that disputes claimed.
    Failed {
        /// The processor's reason code.
        reason: String,
    },
}

impl RefundKeyRange {
    /// Returns the prefix of the row keys in this range.
    pub(crate) const fn prefix(self) -> &'static str {
        match self {
            Self::Open => "open/",
            Self::Paid => "paid/",
            Self::Past => "past/",
        }
    }

    /// Finds the row of a refund in any key range.
    pub(crate) fn find(db: &Db, id: &str) -> Result<Option<(Self, RefundRow)>, PaymentError> {
        for shelf in [Self::Past, Self::Paid, Self::Open] {
            if let Some(bytes) = db.get(Collection::Refunds, &shelf.key(id))? {
                return Ok(Some((shelf, serde_json::from_slice(&bytes)?)));
            }
        }
        Ok(None)
    }

    fn key(self, id: &str) -> String {
        format!("{}{id}", self.prefix())
    }
}

impl RefundRow {
    /// Returns the change that debits the payer's balance.
    pub(crate) fn owed(&self, now_ms: u64) -> Result<Change, PaymentError> {
        let (key, value) = (RefundKeyRange::Open.key(&self.id), Some(serde_json::to_vec(self)?));
        let put = Put { collection: Collection::Refunds, key, value, expect: Expect::Absent };
        let record = Some(self.record(RefundStage::Owed, None, now_ms)?);
        Ok(Change { puts: vec![put], record, ..Change::default() })
    }

    /// Returns the change that marks the refund as paid.
    pub(crate) fn paid(&self, to: RefundKeyRange, reference: String, now_ms: u64) -> Result<Change, PaymentError> {
        let paid = Self { state: RefundStatus::Paid, ..self.clone() };
        let puts = self.moved(RefundKeyRange::Open, to, &paid)?;
        let record = Some(self.record(RefundStage::Paid, Some(reference), now_ms)?);
        Ok(Change { puts, record, ..Change::default() })
    }

    /// Returns the change that returns to the payer the part that disputes have not
    /// claimed, and that notifies `account`.
    pub(crate) fn failed(&self, account: Option<&str>, reason: &str, now_ms: u64) -> Result<Change, PaymentError> {
        let failed = Self { state: RefundStatus::Failed { reason: reason.to_owned() }, ..self.clone() };
        let puts = self.moved(RefundKeyRange::Open, RefundKeyRange::Past, &failed)?;
        let record = Some(self.record(RefundStage::Failed, None, now_ms)?);
        let outbox = self.failure_events(account, reason, now_ms);
        Ok(Change { puts, record, outbox, ..Change::default() })
    }

    /// Returns the notifications of the failure.
    pub(crate) fn failure_events(&self, account: Option<&str>, reason: &str, now_ms: u64) -> Vec<OutboxEvent> {
        events::refund_failed(account, &self.id, self.amount, self.left(), reason, now_ms)
    }

    /// Returns writes that change the row and move it to another key range. They are
    /// refused if the row has changed since it was read.
    pub(crate) fn moved(
        &self,
        from: RefundKeyRange,
        to: RefundKeyRange,
        after: &Self,
    ) -> Result<Vec<Put>, PaymentError> {
        let put = |key, value, expect| Put { collection: Collection::Refunds, key, value, expect };
        let (before, after) = (serde_json::to_vec(self)?, serde_json::to_vec(after)?);
        if from == to {
            return Ok(vec![put(from.key(&self.id), Some(after), Expect::Exactly(before))]);
        }
        Ok(vec![
            put(from.key(&self.id), None, Expect::Exactly(before)),
            put(to.key(&self.id), Some(after), Expect::Absent),
        ])
    }

    /// Returns the part of the refund that disputes have not claimed.
    pub(crate) fn left(&self) -> Millipence {
        self.amount.checked_sub(self.relieved).unwrap_or_default()
    }

    /// Returns the record of a step. The transaction ids allow each refund to be owed
    /// once, and then to be paid or to fail once; a paid refund may come back and fail,
    /// once.
    pub(crate) fn record(
        &self,
        stage: RefundStage,
        reference: Option<String>,
        now_ms: u64,
    ) -> Result<Draft, PaymentError> {
        let entry = Entry::Refund(Refund {
            payer: self.payer.clone(),
            stage,
            reason: self.reason.clone(),
            reference: reference.or_else(|| Some(self.id.clone())),
            amount: self.left(),
        });
        Ok(entry.draft(self.tx(stage), now_ms)?)
    }

    fn tx(&self, stage: RefundStage) -> Hash {
        let step: &[u8] = match (stage, &self.state) {
            (RefundStage::Owed, _) => b"owed",
            (RefundStage::Returned, _) => b"returned",
            (RefundStage::Failed, RefundStatus::Failing { .. }) => b"failed",
            (RefundStage::Paid | RefundStage::Failed, _) => b"over",
        };
        let digest = Sha256::new().chain_update(b"tollbridge refund v1").chain_update(step);
        digest.chain_update(&self.id).finalize().into()
    }
}

/// Returns the id of a refund. It depends on the intent and the time: two requests within
/// one millisecond are the same refund.
pub(crate) fn refund_id(handle: &str, now_ms: u64) -> String {
    let digest = Sha256::new().chain_update(b"tollbridge refund id v1").chain_update(handle);
    let digest = digest.chain_update(now_ms.to_be_bytes()).finalize();
    format!("rf_{}", hex::encode(digest.split_at(12).0))
}

fn is_zero(amount: &Millipence) -> bool {
    amount.is_zero()
}
