//! The state of the withdrawal model (on disk, in memory and at the processor) and its
//! actions.

use tollbridge_core::money::Millipence;
use tollbridge_ledger::LedgerAccount;
use tollbridge_payment::{LookupError, ProcessorError, ProcessorTransfer};
use tollbridge_store::Collection;
use tollbridge_store::testing::paper_store::PaperStore;

use crate::accounts::withdrawal::{Withdrawal, own_key};
use crate::limits::{TRANSFER_CONFIRM_MS, TRANSFER_REPEAT_MS_MAX};

pub(super) const AMOUNT: i64 = 500_000;
pub(super) const ID: &str = "wd_1";
pub(super) const ACCOUNT: &str = "acct_1";
/// Maximum number of faults in one run: crashes, losses, delays and repeats.
pub(super) const FAULTS: u8 = 5;
pub(super) const RELEASES: u8 = 2;

/// An injected bug in the host's logic, which the model must detect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mistake {
    /// Bug: the host treats a refused look-up as a refused transfer.
    LookUpRefusalIsFinal,
    /// Bug: the host treats a lost answer as a refused transfer.
    LostIsFailed,
    /// Bug: the operator may decide as soon as the host stops repeating the transfer
    /// request, without a further wait.
    OperatorDoesNotWait,
    /// Bug: each request for the same transfer has its own idempotency key.
    FreshKeys,
    /// Bug: the host books the total returned so far, including the part that is already
    /// booked.
    ReturnedSumIsAPart,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Waiting {
    LookUp,
    Transfer,
}

/// The request that is processing the withdrawal; no other request may process it at the
/// same time. Lost in a crash.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PendingRequest {
    pub(super) before: Withdrawal,
    pub(super) waiting: Waiting,
}

/// The result that the processor remembers for the idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Unknown,
    Made,
    Refused,
}

/// Phase of the withdrawal, by the time since the transfer was first due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Age {
    Repeated,
    NotRepeated,
    Decidable,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct World {
    pub(super) store: PaperStore,
    pub(super) pending: Option<PendingRequest>,
    pub(super) age: Age,
    pub(super) key: Key,
    /// Number of requests in transit to the processor.
    pub(super) sent: u8,
    pub(super) made: u8,
    /// Whether look-ups show the transfers that the processor has made.
    pub(super) visible: bool,
    /// Amount that was returned.
    pub(super) returned: i64,
    /// Whether money was returned and the processor has not reported it yet.
    pub(super) unreported: bool,
    pub(super) faults: u8,
    pub(super) releases: u8,
    /// Whether the host moved money because of an unclear answer, which is forbidden.
    pub(super) moved_unclear: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Truth,
    /// The look-up finds no transfer because an existing one is not visible yet.
    Nothing,
    Refused,
    Lost,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Reserve {
        blocked: bool,
    },
    Follow,
    LookUp(Found),
    /// The processor executes the request; its answer arrives or is lost.
    Execute {
        accept: bool,
        arrives: bool,
    },
    /// The host stops waiting; the request is still in transit.
    GiveUp,
    LoseRequest,
    RepeatRequest,
    Crash,
    TimePasses,
    Operator {
        release: bool,
        found: Found,
    },
    /// Half of the transferred amount is returned.
    Return,
    ReportReturn,
}

#[derive(Default)]
pub(super) struct WithdrawalModel {
    pub(super) mistake: Option<Mistake>,
}

impl World {
    pub(super) fn row(&self) -> Option<Withdrawal> {
        let bytes = self.store.get(Collection::Withdrawals, &own_key(ACCOUNT, ID))?;
        Some(serde_json::from_slice(bytes).unwrap())
    }

    pub(super) fn waited_ms(&self) -> u64 {
        match self.age {
            Age::Repeated => 0,
            Age::NotRepeated => TRANSFER_REPEAT_MS_MAX + 1,
            Age::Decidable => TRANSFER_REPEAT_MS_MAX + TRANSFER_CONFIRM_MS + 1,
        }
    }

    pub(super) fn available(&self) -> i64 {
        self.store.balance(&LedgerAccount::DevAvailable(ACCOUNT.to_owned()).to_string())
    }

    /// Returns the money of the account owner: paid out, or still available to withdraw.
    pub(super) fn owners(&self) -> i64 {
        self.available() + AMOUNT * i64::from(self.made) - self.returned
    }

    pub(super) fn found(&self, found: &Found) -> Result<Option<ProcessorTransfer>, LookupError> {
        match found {
            Found::Truth => Ok((self.made > 0).then(|| self.transfer())),
            Found::Nothing => Ok(None),
            Found::Refused => Err(refused().into()),
            Found::Lost => Err(silence().into()),
        }
    }

    pub(super) fn transfer(&self) -> ProcessorTransfer {
        ProcessorTransfer { reference: "tr_1".to_owned(), reversed: Millipence::new(self.returned) }
    }

    pub(super) fn look_ups(&self) -> impl Iterator<Item = Found> {
        let hidden = self.made > 0 && !self.visible;
        let faults = if self.faults > 0 { vec![Found::Refused, Found::Lost] } else { Vec::new() };
        std::iter::once(Found::Truth).chain(hidden.then_some(Found::Nothing)).chain(faults)
    }
}

pub(super) fn refused() -> ProcessorError {
    ProcessorError::Rejected { code: "resource_missing".to_owned(), message: "no".to_owned() }
}

pub(super) fn silence() -> ProcessorError {
    ProcessorError::OutcomeUnknown("silence".to_owned())
}
