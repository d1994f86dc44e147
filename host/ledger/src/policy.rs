//! The policy in force: finds it, and changes it with a new record.
//!
//! Invariants: the first record of a ledger is a policy; the mode of a ledger never
//! changes; the same policy is never sealed twice in a row.

use serde_json::Value;
use sha2::{Digest, Sha256};
use tollbridge_store::{Change, Collection, Expect, Hash, Put};

use super::bodies::{Mode, Policy};
use super::canonical_json;
use super::entry::Entry;
use super::entry_error::EntryError;
use super::error::LedgerError;
use super::ledger::Ledger;
use super::record::seal_of;

/// Row of `Collection::Meta` that holds the transaction id of the newest policy record.
/// The row cannot hold the seal, which is not known yet when the row is written.
const POLICY_ROW: &str = "ledger_policy_tx";

/// A policy and the seal that calls use to refer to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyInForce {
    /// The policy.
    pub policy: Policy,
    /// Seal of the policy's record.
    pub seal: Hash,
    /// Number of the policy's record.
    pub seq: u64,
}

/// The reason why the policy cannot be read or changed.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum PolicyProblem {
    #[error(
        "this data folder was made in {sealed:?} mode, which cannot change; use another folder for {configured:?} mode"
    )]
    OtherMode { sealed: Mode, configured: Mode },
    #[error("the newest policy record cannot be found; restore the data folder from a backup")]
    Lost,
    #[error(transparent)]
    Entry(#[from] EntryError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

impl Ledger {
    /// Returns the policy in force; `None` before the first record.
    pub fn policy(&self) -> Result<Option<PolicyInForce>, PolicyProblem> {
        let Some(tx) = self.policy_tx()? else {
            return if self.head()?.size == 0 { Ok(None) } else { Err(PolicyProblem::Lost) };
        };
        let seq = self.store.seq_of_tx(&tx).map_err(LedgerError::from)?.ok_or(PolicyProblem::Lost)?;
        let (bytes, record) = self.record(seq)?.ok_or(PolicyProblem::Lost)?;
        match Entry::read(&record.kind, &record.body)? {
            Entry::Policy(policy) => Ok(Some(PolicyInForce { policy, seal: seal_of(&bytes), seq })),
            _ => Err(PolicyProblem::Lost),
        }
    }

    /// Returns the change that puts a policy in force, or `None` if it is already in
    /// force. The change must be durable before any other record is sealed under that
    /// policy.
    pub fn policy_change(&self, configured: &Policy, now_ms: u64) -> Result<Option<Change>, PolicyProblem> {
        let before = self.policy()?;
        if let Some(PolicyInForce { policy, .. }) = &before {
            if policy.mode != configured.mode {
                return Err(PolicyProblem::OtherMode { sealed: policy.mode, configured: configured.mode });
            }
            if policy == configured {
                return Ok(None);
            }
        }
        let old_tx = self.policy_tx()?;
        let entry = Entry::Policy(configured.clone());
        let mut body = Vec::new();
        canonical_json::value(&mut body, &Value::Object(entry.body()?));
        // The id covers the id of the previous policy, so returning to an old policy is a
        // new transaction.
        let digest = Sha256::new().chain_update("policy\n").chain_update(old_tx.unwrap_or_default()).chain_update(body);
        let tx: Hash = digest.finalize().into();
        let put = Put {
            collection: Collection::Meta,
            key: POLICY_ROW.to_owned(),
            value: Some(hex::encode(tx).into_bytes()),
            expect: old_tx.map_or(Expect::Absent, |old| Expect::Exactly(hex::encode(old).into_bytes())),
        };
        Ok(Some(Change { puts: vec![put], record: Some(entry.draft(tx, now_ms)?), ..Change::default() }))
    }

    fn policy_tx(&self) -> Result<Option<Hash>, PolicyProblem> {
        let row = self.store.get(Collection::Meta, POLICY_ROW).map_err(LedgerError::from)?;
        let Some(digits) = row else { return Ok(None) };
        let mut tx = Hash::default();
        hex::decode_to_slice(digits, &mut tx).map_err(|_| PolicyProblem::Lost)?;
        Ok(Some(tx))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Book, split};
    use super::*;

    #[test]
    fn a_policy_is_sealed_when_it_changes() {
        let mut book = Book::new();
        let policy = |name: &str| Policy { mode: Mode::Sandbox, display_name: name.to_owned(), split: split() };
        assert_eq!(book.ledger.policy().unwrap(), None);
        for (round, name) in ["a", "b", "a", "b"].into_iter().enumerate() {
            let change = book.ledger.policy_change(&policy(name), 1).unwrap().unwrap();
            let (seq, seal) = book.commit(change.clone()).unwrap().sealed.unwrap();
            assert!(book.commit(change).is_err(), "the store accepted the same change twice");
            assert_eq!(seq, round as u64);
            let found = book.ledger.policy().unwrap().unwrap();
            assert_eq!(found, PolicyInForce { policy: policy(name), seal, seq });
            assert!(book.ledger.policy_change(&policy(name), 2).unwrap().is_none());
        }
        let live = Policy { mode: Mode::Live, ..policy("a") };
        assert!(matches!(book.ledger.policy_change(&live, 3), Err(PolicyProblem::OtherMode { .. })));
        book.store.damage(|tables| tables.replace_row(Collection::Meta, POLICY_ROW, None));
        assert!(matches!(book.ledger.policy(), Err(PolicyProblem::Lost)));
    }
}
