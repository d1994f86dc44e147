//! The state of a modelled task, on disk and in memory, and the possible actions.

use tollbridge_core::money::Millipence;
use tollbridge_ledger::{LedgerAccount, task_id};
use tollbridge_market::checkout::{CheckoutError, PaymentSource};
use tollbridge_plugin::Failure;
use tollbridge_store::testing::paper_store::PaperStore;
use tollbridge_store::{Change, Collection, Draft, Hash, Posting, Refusal, SubmitError};

use crate::limits::TASK_AGE_MS_MAX;
use crate::task::{TaskPayment, TaskRow, TaskState};

pub(super) const TX: Hash = [1; 32];
pub(super) const PRICE: i64 = 1_000;
/// The initial balance of the caller's credit, and of the intent.
pub(super) const FUNDS: i64 = 3_000;
pub(super) const ACCOUNT: &str = "acct_1";
pub(super) const HANDLE: &str = "0123456789abcdef0123456789abcdef";
/// Maximum number of faults in a run: crashes, failed writes and busy hosts.
pub(super) const FAULTS: u8 = 2;
pub(super) const CANCELS: u8 = 2;
/// Maximum number of concurrent steps.
pub(super) const STEPS: usize = 3;

/// An injected bug in the service's logic, which the model must detect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mistake {
    /// Bug: the row of a running task is written before the task is marked as detached,
    /// so the task can be canceled in between.
    MarkedAfterTheRow,
    CancelIgnoresTheSeal,
    AttemptIgnoresTheSeal,
    /// Bug: sealing the answer of a queued task does not check the task's row.
    SealWithoutTheRow,
    RetryReplacesAnyRow,
    /// Bug: every attempt has its own transaction id.
    TransactionPerAttempt,
    /// Bug: if a running task cannot be made durable, its caller is refused and does not
    /// wait for the answer.
    UnwrittenIsRefused,
    SlotIsNotGivenBack,
}

/// The outcome of an attempt at a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Answer {
    Good,
    AgentFails,
    HostIsBusy,
    CallerIsWrong,
    /// The store refused to seal the answer because the task's row has changed. `Sealed`
    /// and `Unpaid` are the other reasons for such a refusal.
    Superseded,
    Sealed,
    Unpaid,
}

/// A step that has started and not finished yet.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Step {
    /// An attempt at the queued task; holds the bytes of its row.
    Attempt(Vec<u8>),
    /// The call for which the caller of `invoke` waits.
    Call,
    /// The write of the task's row, which starts when the call takes longer than its
    /// caller may wait.
    Persist,
    /// The registration of the task as detached; a separate step only with the injected
    /// bug `MarkedAfterTheRow`.
    Mark,
    /// The update of the task's row with the outcome of the call.
    Settle(Answer),
    Cancel(Vec<u8>),
    Reclaim(Vec<u8>),
}

/// The state of the caller of `invoke`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Caller {
    #[default]
    Waits,
    HasTheId,
    /// The caller still waits after its maximum wait, because the row could not be
    /// written.
    WaitsOn,
    IsAnswered,
    IsRefused,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct World {
    pub(super) store: PaperStore,
    pub(super) begun: bool,
    /// The pending steps, which are in memory; sorted.
    pub(super) steps: Vec<Step>,
    /// The number of times that the task is in the queue.
    pub(super) queued: u8,
    pub(super) detached: bool,
    pub(super) slots: i8,
    pub(super) caller: Caller,
    pub(super) canceled: bool,
    pub(super) cancels: u8,
    pub(super) attempts: u8,
    pub(super) old: bool,
    pub(super) faults: u8,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Enqueue {
        intent: bool,
    },
    Invoke,
    PatienceEnds,
    Take,
    Cancel,
    Reclaim,
    Ages,
    Go(usize, Answer),
    /// The write of the step at this position fails.
    WriteFails(usize),
    Crash,
}

#[derive(Default)]
pub(super) struct Tasks {
    pub(super) mistake: Option<Mistake>,
}

pub(super) fn id() -> String {
    task_id(&TX)
}

pub(super) fn row(bytes: &[u8]) -> TaskRow {
    serde_json::from_slice(bytes).unwrap()
}

pub(super) fn new_row(payment: TaskPayment, price: i64, state: TaskState) -> TaskRow {
    TaskRow {
        account: ACCOUNT.to_owned(),
        weight: None,
        agent: "echo".to_owned(),
        body: "{}".to_owned(),
        fingerprint: [0; 32],
        request_id: "r".to_owned(),
        payment,
        price: Millipence::new(price),
        spend: None,
        counted: None,
        state,
        failed_attempts: 0,
        not_before_ms: 1,
        created_ms: 1,
        updated_ms: 1,
        error: None,
    }
}

/// Builds a record that moves an amount from one account to another; `guarded` says
/// whether it is refused if `from` would become negative.
pub(super) fn moves(tx: Hash, from: String, to: &str, amount: i64, guarded: bool) -> Draft {
    let leg = |account: String, amount, guarded| Posting { account, amount: Millipence::new(amount), guarded };
    let postings = vec![leg(from, -amount, guarded), leg(to.to_owned(), amount, true)];
    Draft { kind: "route", tx, time_ms: 1, postings, body: b"{}".to_vec() }
}

pub(super) fn credit() -> String {
    LedgerAccount::Credit(ACCOUNT.to_owned()).to_string()
}

pub(super) fn unearned() -> String {
    LedgerAccount::Unearned(HANDLE.to_owned()).to_string()
}

pub(super) fn held() -> String {
    LedgerAccount::Held(id()).to_string()
}

/// Returns the ledger account that is debited for a payment source, as in `checkout`.
pub(super) fn payer(source: &PaymentSource) -> String {
    match source {
        PaymentSource::Held { .. } => held(),
        PaymentSource::Credit | PaymentSource::Nothing => credit(),
        PaymentSource::Intent(_) => unearned(),
        other => unreachable!("{other:?} never pays for a task in this model"),
    }
}

impl Answer {
    pub(super) fn of(refusal: Refusal) -> Self {
        match CheckoutError::from(SubmitError::Refused(refusal)) {
            CheckoutError::Superseded => Self::Superseded,
            CheckoutError::AlreadySealed { .. } => Self::Sealed,
            _ => Self::Unpaid,
        }
    }

    /// Returns the error that the service gets for this outcome; `None` for success.
    pub(super) fn error(self) -> Option<CheckoutError> {
        Some(match self {
            Self::Good => return None,
            Self::AgentFails => CheckoutError::Plugin(Failure::Upstream("down".to_owned())),
            Self::HostIsBusy => CheckoutError::Busy,
            Self::CallerIsWrong => CheckoutError::CreditNeedsKey,
            Self::Superseded => CheckoutError::Superseded,
            Self::Sealed => CheckoutError::AlreadySealed { message: String::new(), answer: None },
            Self::Unpaid => CheckoutError::InProgress,
        })
    }
}

impl World {
    pub(super) fn funded() -> Self {
        let mut world = Self { faults: FAULTS, ..Self::default() };
        for (tx, account) in [([8; 32], credit()), ([9; 32], unearned())] {
            let record = moves(tx, "out".to_owned(), &account, FUNDS, false);
            world.store.commit(&Change { record: Some(record), ..Change::default() }).unwrap();
        }
        world
    }

    pub(super) fn row(&self) -> Option<Vec<u8>> {
        self.store.get(Collection::Tasks, &id()).map(<[u8]>::to_vec)
    }

    pub(super) fn is_open(&self) -> bool {
        self.store.get(Collection::OpenTasks, &id()).is_some()
    }

    pub(super) fn state(&self) -> Option<TaskState> {
        self.row().map(|bytes| row(&bytes).state)
    }

    pub(super) fn earned(&self) -> i64 {
        self.store.balance("earned")
    }

    pub(super) fn start(&mut self, step: Step) {
        self.steps.push(step);
        self.steps.sort();
    }

    pub(super) fn count(&self, wanted: fn(&Step) -> bool) -> usize {
        self.steps.iter().filter(|step| wanted(step)).count()
    }

    pub(super) fn now_ms(&self) -> u64 {
        if self.old { TASK_AGE_MS_MAX + 2 } else { 1 }
    }

    pub(super) fn at_rest(&self) -> bool {
        self.begun && self.steps.is_empty() && self.queued == 0 && !self.is_open()
    }
}
