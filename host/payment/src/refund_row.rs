//! The stored row of a refund, and what its records say.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{Entry, Payer, Refund, RefundStage, events};
use tollbridge_store::{Change, Collection, Db, Draft, Expect, Hash, OutboxEvent, Put};

use super::error::PaymentError;

/// Where the row of a refund is kept, by how far it has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefundShelf {
    /// Not finished.
    Open,
    /// Paid a short while ago, so that it may still fail.
    Paid,
    /// Nothing more is expected.
    Past,
}

/// Row of `Collection::Refunds`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefundRow {
    /// `rf_` and 24 hexadecimal digits.
    pub id: String,
    /// Whose balance the money leaves.
    pub payer: Payer,
    /// The processor's id of the payment; `None` in the sandbox.
    pub payment: Option<String>,
    /// Whole pence.
    pub amount: Millipence,
    /// A short code.
    pub reason: String,
    /// Unix milliseconds.
    pub created_ms: u64,
    /// How far it has come.
    pub state: RefundStatus,
    /// Of a refund that failed, what disputes have taken of it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub relieved: Millipence,
}

/// How far a refund has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefundStatus {
    /// The money has left the payer's balance; the processor is to pay it.
    Owed,
    /// The processor has paid it.
    Paid,
    /// The processor does not pay it, or has it back, and is never asked for it again;
    /// where the money goes is being recorded.
    Failing {
        /// The processor's code.
        reason: String,
    },
    /// The processor does not pay it; the money is back on the balance, but for
    /// what disputes have taken of it.
    Failed {
        /// The processor's code.
        reason: String,
    },
}

impl RefundShelf {
    /// Key prefix.
    pub(crate) const fn prefix(self) -> &'static str {
        match self {
            Self::Open => "open/",
            Self::Paid => "paid/",
            Self::Past => "past/",
        }
    }

    /// The row of a refund, wherever it is.
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
    /// Moves the money off the payer's balance.
    pub(crate) fn owed(&self, now_ms: u64) -> Result<Change, PaymentError> {
        let (key, value) = (RefundShelf::Open.key(&self.id), Some(serde_json::to_vec(self)?));
        let put = Put { collection: Collection::Refunds, key, value, expect: Expect::Absent };
        let record = Some(self.record(RefundStage::Owed, None, now_ms)?);
        Ok(Change { puts: vec![put], record, ..Change::default() })
    }

    /// The processor has paid it.
    pub(crate) fn paid(&self, to: RefundShelf, reference: String, now_ms: u64) -> Result<Change, PaymentError> {
        let paid = Self { state: RefundStatus::Paid, ..self.clone() };
        let puts = self.moved(RefundShelf::Open, to, &paid)?;
        let record = Some(self.record(RefundStage::Paid, Some(reference), now_ms)?);
        Ok(Change { puts, record, ..Change::default() })
    }

    /// What is left of it is the payer's again; `account` is told.
    pub(crate) fn failed(&self, account: Option<&str>, reason: &str, now_ms: u64) -> Result<Change, PaymentError> {
        let failed = Self { state: RefundStatus::Failed { reason: reason.to_owned() }, ..self.clone() };
        let puts = self.moved(RefundShelf::Open, RefundShelf::Past, &failed)?;
        let record = Some(self.record(RefundStage::Failed, None, now_ms)?);
        let outbox = self.failure_events(account, reason, now_ms);
        Ok(Change { puts, record, outbox, ..Change::default() })
    }

    /// Who hears that it failed.
    pub(crate) fn failure_events(&self, account: Option<&str>, reason: &str, now_ms: u64) -> Vec<OutboxEvent> {
        events::refund_failed(account, &self.id, self.amount, self.left(), reason, now_ms)
    }

    /// Changes the row and moves it from one shelf to another. Refused when it is not
    /// what it was.
    pub(crate) fn moved(&self, from: RefundShelf, to: RefundShelf, after: &Self) -> Result<Vec<Put>, PaymentError> {
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

    /// What is still owed of it.
    pub(crate) fn left(&self) -> Millipence {
        self.amount.checked_sub(self.relieved).unwrap_or_default()
    }

    /// The record of a step. A refund is owed once, and then either paid or failed,
    /// once; one that was paid may come back and fail, once.
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

/// The id of a refund; twice in one millisecond is the same refund.
pub(crate) fn refund_id(handle: &str, now_ms: u64) -> String {
    let digest = Sha256::new().chain_update(b"tollbridge refund id v1").chain_update(handle);
    let digest = digest.chain_update(now_ms.to_be_bytes()).finalize();
    format!("rf_{}", hex::encode(digest.split_at(12).0))
}

fn is_zero(amount: &Millipence) -> bool {
    amount.is_zero()
}
