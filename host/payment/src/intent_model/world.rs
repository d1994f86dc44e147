//! The state of the model: disk, memory and processor, and the possible actions.

use std::collections::BTreeMap;

use tollbridge_core::money::Millipence;
use tollbridge_ledger::LedgerAccount;
use tollbridge_store::testing::paper_store::PaperStore;
use tollbridge_store::{Change, Collection, Draft, Expect, Posting};

use crate::intent::IntentRow;
use crate::order_row::{OrderRow, put};
use crate::processor::{LookupError, ProcessorError};
use crate::quote::{IntentHandle, Quote, QuoteTerms};
use crate::refund_row::{RefundKeyRange, RefundRow};

pub(super) const HANDLE: &str = "0123456789abcdef0123456789abcdef";
pub(super) const PRICE: i64 = 1_000;
/// The price of two calls.
pub(super) const CHARGE: i64 = 2_000;
pub(super) const CALLS: u8 = 2;
pub(super) const REFUNDS: u8 = 2;
pub(super) const CREDITS: u8 = 1;
/// Maximum number of concurrent steps.
pub(super) const TASKS: usize = 3;
/// Maximum number of orders: the first, and a second after the first expired.
pub(super) const ATTEMPTS: u64 = 2;
/// Maximum number of faults in one run.
pub(super) const FAULTS: u8 = 2;

/// An injected bug, to prove that the model finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mistake {
    LookUpRefusalIsFinal,
    LostIsFailed,
    FreshKeys,
    HoldsAreNotCounted,
    RefundTakesWhatIsHeld,
    LostLookUpRemovesTheOrder,
    HoldIsNotReleased,
}

/// The state of an order's payment page at the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Page {
    Open,
    Expired,
    Paid,
}

/// The processor's state of one refund; refunds are stored by idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum RefundState {
    Pending,
    Paid,
    Failed,
}

/// A task whose next step waits for the processor or the disk.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Task {
    /// Asks the processor to open the payment page of a stored order.
    OpenPage(Vec<u8>),
    /// Looks up the status of an order.
    LookUpOrder(Vec<u8>, String),
    LookUpRefund(Vec<u8>),
    AskRefund(Vec<u8>),
    /// A running call whose price is held.
    Call,
    /// A sealed call whose hold is not dropped yet.
    Sealed,
    /// A refund that holds the whole remainder, but whose record is not written yet, so
    /// that the balance still contains the money.
    OweRefund(Vec<u8>),
    ToCredit(i64),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct World {
    pub(super) store: PaperStore,
    /// Running steps; in memory, sorted.
    pub(super) tasks: Vec<Task>,
    pub(super) held: i64,
    /// Pages at the processor, by attempt.
    pub(super) pages: BTreeMap<u64, Page>,
    pub(super) refunds: BTreeMap<String, (RefundState, i64)>,
    /// Amount that the processor refunded twice, because the second request used another
    /// key.
    pub(super) extra: i64,
    pub(super) calls: u8,
    pub(super) refunded: u8,
    pub(super) credited: u8,
    pub(super) faults: u8,
    pub(super) moved_unclear: bool,
    pub(super) answered_unpaid: bool,
}

/// The outcome of a request to the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestOutcome {
    Answered,
    /// The processor refuses the request, permanently or for now.
    Refused,
    /// The processor accepts the refund and will carry it out later.
    Pending,
    LostBefore,
    LostAfter,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Place,
    Follow,
    Buy(u64),
    Expire(u64),
    Call,
    Refund,
    FollowRefund(String),
    ToCredit,
    /// Runs the next step of a task with the given outcome at the processor.
    Go(usize, RequestOutcome),
    /// A call fails and its hold is dropped.
    Fail(usize),
    Resolve(String, bool),
    Crash,
}

#[derive(Default)]
pub(super) struct Intents {
    pub(super) mistake: Option<Mistake>,
}

pub(super) fn quote() -> Quote {
    let (price, charge) = (Millipence::new(PRICE), Millipence::new(CHARGE));
    let account = Some("acct_1".to_owned());
    let terms = QuoteTerms { bridge: "echo".to_owned(), price, charge, expires_s: 1, account };
    Quote { handle: handle(), terms }
}

pub(super) fn handle() -> IntentHandle {
    IntentHandle::from_row_key(HANDLE.to_owned())
}

pub(super) fn unearned() -> String {
    LedgerAccount::Unearned(HANDLE.to_owned()).to_string()
}

pub(super) fn no() -> ProcessorError {
    ProcessorError::Rejected { code: "resource_missing".to_owned(), message: "no".to_owned() }
}

pub(super) fn silence() -> ProcessorError {
    ProcessorError::OutcomeUnknown("silence".to_owned())
}

impl RequestOutcome {
    /// Returns what a look-up returns under this outcome: `truth`, or an error.
    pub(super) fn look_up<T>(self, truth: T) -> Result<T, LookupError> {
        match self {
            Self::Answered | Self::Pending => Ok(truth),
            Self::Refused => Err(no().into()),
            Self::LostBefore | Self::LostAfter => Err(silence().into()),
        }
    }
}

pub(super) fn order(bytes: &[u8]) -> OrderRow {
    serde_json::from_slice(bytes).unwrap()
}

pub(super) fn refund(bytes: &[u8]) -> RefundRow {
    serde_json::from_slice(bytes).unwrap()
}

/// Returns the change of a call's record: it moves the price from `unearned` to one
/// account that represents all earners.
pub(super) fn draw(number: u8) -> Change {
    let leg = |account: String, amount, guarded| Posting { account, amount: Millipence::new(amount), guarded };
    let postings = vec![leg(unearned(), -PRICE, true), leg("earned".to_owned(), PRICE, true)];
    let record = Draft { kind: "route", tx: [number; 32], time_ms: 1, postings, body: b"{}".to_vec() };
    Change { record: Some(record), ..Change::default() }
}

impl World {
    pub(super) fn balance(&self) -> Millipence {
        Millipence::new(self.store.balance(&unearned()))
    }

    pub(super) fn order(&self) -> Option<Vec<u8>> {
        self.store.get(Collection::Orders, HANDLE).map(<[u8]>::to_vec)
    }

    pub(super) fn is_paid(&self) -> bool {
        self.intent().is_some()
    }

    pub(super) fn intent(&self) -> Option<IntentRow> {
        self.store.get(Collection::Intents, HANDLE).map(|bytes| serde_json::from_slice(bytes).unwrap())
    }

    pub(super) fn open_refund(&self, id: &str) -> Option<Vec<u8>> {
        self.store.get(Collection::Refunds, &format!("{}{id}", RefundKeyRange::Open.prefix())).map(<[u8]>::to_vec)
    }

    pub(super) fn open_refunds(&self) -> impl Iterator<Item = String> {
        (1..=REFUNDS).map(|number| format!("rf_{number}")).filter(|id| self.open_refund(id).is_some())
    }

    pub(super) fn start(&mut self, task: Task) {
        self.tasks.push(task);
        self.tasks.sort();
    }

    pub(super) fn submit(&mut self, change: &Change) -> bool {
        self.store.commit(change).is_ok()
    }

    pub(super) fn submit_order(&mut self, row: Option<&OrderRow>, expect: Expect) -> bool {
        let put = put(&handle(), row, expect).unwrap();
        self.submit(&Change { puts: vec![put], ..Change::default() })
    }

    /// Returns the buyer's money held by the processor.
    pub(super) fn at_processor(&self) -> i64 {
        let paid = self.pages.values().filter(|page| **page == Page::Paid).count();
        let back: i64 =
            self.refunds.values().filter(|(state, _)| *state == RefundState::Paid).map(|(_, amount)| amount).sum();
        CHARGE * i64::try_from(paid).unwrap() - back - self.extra
    }

    /// Returns the amount that became earnings or credit.
    pub(super) fn spent(&self) -> i64 {
        let credit = LedgerAccount::Credit("acct_1".to_owned()).to_string();
        self.store.balance("earned") + self.store.balance(&credit)
    }

    pub(super) fn at_rest(&self) -> bool {
        let pending = self.refunds.values().any(|(state, _)| *state == RefundState::Pending);
        self.tasks.is_empty() && self.order().is_none() && self.open_refunds().next().is_none() && !pending
    }
}
