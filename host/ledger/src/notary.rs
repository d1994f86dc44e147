//! The notary: seals changes through the single writer, and gives access to sealed
//! records.
//!
//! Invariants:
//! 1. A [`Sealed`] exists only for a record that is durable. It is the only way to answer
//!    a paid call.
//! 2. The policy in force is itself a record. A ledger never changes its mode.
//! 3. Every checkpoint is also appended to a file outside the database, which reveals a
//!    database that was rolled back.

use std::path::Path;

use bytes::Bytes;
use tollbridge_core::money::{Millipence, SplitPolicy};
use tollbridge_store::{Change, Db, Hash, Put, Receipt, Refusal, StoreError, SubmitError};

use super::bodies::Policy;
use super::chart::LedgerAccount;
use super::checkpoint::SignedCheckpoint;
use super::checkpoint_file::CheckpointFile;
use super::entry::Entry;
use super::entry_error::EntryError;
use super::error::{LedgerError, ProofUnavailable};
use super::ledger::Ledger;
use super::policy::PolicyProblem;
use super::proof::Proof;
use super::stored_checkpoint::Checkpointing;

/// Maximum number of attempts at signing a checkpoint; an attempt fails if another task
/// signs the same size first.
const CHECKPOINT_TRIES: usize = 8;

/// Seals changes, and gives access to sealed records.
pub struct Notary {
    ledger: Ledger,
    /// The database of the data folder.
    db: Db,
    checkpoints: CheckpointFile,
    policy: SplitPolicy,
    policy_seal: Hash,
}

/// A response body that may be sent, because its record is durable. Created only by
/// [`Notary::seal`].
#[derive(Debug)]
pub struct Sealed {
    tx: Hash,
    seal: Hash,
    seq: u64,
    body: Bytes,
}

/// The parts of a record that an account may see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibleRecord {
    /// Seal of the record.
    pub seal: Hash,
    /// Number of the record.
    pub seq: u64,
    /// Bytes of the record; `None` unless the account is a party to the record.
    pub body: Option<Vec<u8>>,
}

/// The reason why an entry or a checkpoint could not be sealed.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum NotaryError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Entry(#[from] EntryError),
    #[error("the policy could not be sealed: {0}")]
    Submit(#[from] SubmitError),
    #[error(transparent)]
    Policy(#[from] PolicyProblem),
    #[error("{path}: {source}")]
    File {
        path: String,
        #[source]
        source: std::io::Error,
    },
    #[error("no randomness is available")]
    NoRandomness,
}

impl Notary {
    /// Opens the notary: checks the ledger against the checkpoints in the file outside
    /// the database, and seals the configured policy if it is new. Blocks.
    pub fn open(ledger: Ledger, db: Db, checkpoints: &Path, policy: Policy, now_ms: u64) -> Result<Self, NotaryError> {
        Self::check_outside(&ledger, checkpoints)?;
        let checkpoints = CheckpointFile::at(checkpoints);
        if let Some(change) = ledger.policy_change(&policy, now_ms)? {
            db.submit_blocking(change)?;
        }
        let sealed = ledger.policy()?.ok_or(PolicyProblem::Lost)?;
        let (policy, policy_seal) = (sealed.policy.split, sealed.seal);
        Ok(Self { ledger, db, checkpoints, policy, policy_seal })
    }

    /// Checks a ledger against the checkpoints in the file outside the database. Blocks.
    pub fn check_outside(ledger: &Ledger, checkpoints: &Path) -> Result<(), NotaryError> {
        let checkpoints = CheckpointFile::at(checkpoints);
        match checkpoints.largest().map_err(|source| file_error(&checkpoints, source))? {
            Some(outside) => Ok(ledger.check_grown_from(&outside)?),
            None => Ok(()),
        }
    }

    /// Returns the ledger for reading.
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Returns the split in force.
    pub const fn policy(&self) -> &SplitPolicy {
        &self.policy
    }

    /// Returns the seal of the record of the policy in force.
    pub const fn policy_seal(&self) -> &Hash {
        &self.policy_seal
    }

    /// Returns the balance of an account.
    pub fn balance(&self, account: &LedgerAccount) -> Result<Millipence, StoreError> {
        self.db.balance(&account.to_string())
    }

    /// Makes a change with a record durable, and then releases the response body. A
    /// change without a record is refused as unbalanced, because it has no entry to seal.
    pub async fn seal(&self, change: Change, body: Bytes) -> Result<Sealed, SubmitError> {
        let Some(tx) = change.record.as_ref().map(|draft| draft.tx) else {
            return Err(SubmitError::Refused(Refusal::Unbalanced));
        };
        match self.db.submit(change).await?.sealed {
            Some((seq, seal)) => Ok(Sealed { tx, seal, seq, body }),
            None => Err(SubmitError::Failed),
        }
    }

    /// Seals a record and writes further rows with it. Use this if no response body has
    /// to wait for the record.
    pub async fn note(&self, entry: &Entry, puts: Vec<Put>, now_ms: u64) -> Result<Receipt, NotaryError> {
        let draft = entry.draft(random_tx()?, now_ms)?;
        Ok(self.db.submit(Change { puts, record: Some(draft), ..Change::default() }).await?)
    }

    /// Returns the transaction id and the seal of a record.
    pub fn names_of(&self, seq: u64) -> Result<(Hash, Hash), LedgerError> {
        let (bytes, record) = self.ledger.record(seq)?.ok_or(LedgerError::MissingRecord { seq })?;
        Ok((record.tx, super::record::seal_of(&bytes)))
    }

    /// Returns the number and bytes of a record by its seal, if `account` is a party to it.
    pub fn record_for(&self, seal: &Hash, account: &str) -> Result<Option<(u64, Vec<u8>)>, LedgerError> {
        let Some(seq) = self.db.seq_of_seal(seal)? else { return Ok(None) };
        let Some((bytes, record)) = self.ledger.record(seq)? else { return Ok(None) };
        Ok(record.parties().contains(account).then_some((seq, bytes)))
    }

    /// Finds a record by its seal; returns the parts that an account may see.
    pub fn by_seal(&self, seal: &Hash, account: Option<&str>) -> Result<Option<VisibleRecord>, LedgerError> {
        self.seen(self.db.seq_of_seal(seal)?, account)
    }

    /// Finds a record by its transaction id; returns the parts that an account may see.
    pub fn by_tx(&self, tx: &Hash, account: Option<&str>) -> Result<Option<VisibleRecord>, LedgerError> {
        self.seen(self.db.seq_of_tx(tx)?, account)
    }

    fn seen(&self, seq: Option<u64>, account: Option<&str>) -> Result<Option<VisibleRecord>, LedgerError> {
        let Some(seq) = seq else { return Ok(None) };
        let Some((bytes, record)) = self.ledger.record(seq)? else { return Ok(None) };
        let is_party = account.is_some_and(|account| record.parties().contains(account));
        Ok(Some(VisibleRecord { seal: super::record::seal_of(&bytes), seq, body: is_party.then_some(bytes) }))
    }

    /// Returns a signed checkpoint that covers all records that are durable now.
    pub async fn checkpoint(&self, now_ms: u64) -> Result<SignedCheckpoint, NotaryError> {
        for _ in 0..CHECKPOINT_TRIES {
            match self.ledger.checkpoint(now_ms)? {
                Checkpointing::Unchanged(stored) => return Ok(stored.signed),
                Checkpointing::New { checkpoint, change } => match self.db.submit(*change).await {
                    Ok(_) => {
                        self.append_outside(&checkpoint.signed)?;
                        return Ok(checkpoint.signed);
                    }
                    // Another task signed this size first; try again.
                    Err(SubmitError::Refused(_)) => {}
                    Err(error) => return Err(error.into()),
                },
            }
        }
        Err(SubmitError::Busy.into())
    }

    /// Proves that the record with this seal is in the ledger, after signing a new
    /// checkpoint if none covers the record yet.
    pub async fn proof(&self, seal: &Hash, from: Option<u64>, now_ms: u64) -> Result<Proof, ProofFailure> {
        for _ in 0..CHECKPOINT_TRIES {
            match self.ledger.proof(seal, from) {
                Ok(proof) => return Ok(proof),
                Err(ProofUnavailable::NotCovered { .. }) => {
                    self.checkpoint(now_ms).await?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(NotaryError::Submit(SubmitError::Busy).into())
    }

    fn append_outside(&self, signed: &SignedCheckpoint) -> Result<(), NotaryError> {
        self.checkpoints.append(signed).map_err(|source| file_error(&self.checkpoints, source))
    }
}

fn file_error(file: &CheckpointFile, source: std::io::Error) -> NotaryError {
    NotaryError::File { path: file.path().display().to_string(), source }
}

/// The reason why no proof can be made.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum ProofFailure {
    #[error(transparent)]
    None(#[from] ProofUnavailable),
    #[error(transparent)]
    Notary(#[from] NotaryError),
}

impl Sealed {
    /// Returns the transaction id.
    pub const fn tx(&self) -> &Hash {
        &self.tx
    }

    /// Returns the SHA-256 of the record.
    pub const fn seal(&self) -> &Hash {
        &self.seal
    }

    /// Returns the number of the record.
    pub const fn seq(&self) -> u64 {
        self.seq
    }

    /// Releases the response body, whose record is now sealed.
    pub fn into_body(self) -> Bytes {
        self.body
    }
}

/// Returns a random transaction id, long enough to be unique.
pub fn random_tx() -> Result<Hash, NotaryError> {
    let mut tx = [0; 32];
    getrandom::fill(&mut tx).map_err(|_| NotaryError::NoRandomness)?;
    Ok(tx)
}
