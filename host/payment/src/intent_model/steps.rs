//! The steps of the host in the model, ordered as in `orders.rs`, `refunds.rs`,
//! `recorder.rs` and `checkout/run.rs`.

use tollbridge_core::money::Millipence;
use tollbridge_ledger::{Entry, Payer, Topup};
use tollbridge_store::{Change, Expect};

use super::world::{CHARGE, HANDLE, Intents, Mistake, PRICE, Page, RefundState, RequestOutcome, Task, World};
use super::world::{draw, no, order, quote, refund, silence};
use crate::balance_holds::taken_with;
use crate::order_row::OrderRow;
use crate::order_step::{OrderStep, after_status};
use crate::processor::{PaymentOrderStatus, PaymentPage, ProcessorError, ProcessorPayment, ProcessorRefund};
use crate::recorder::{PaidBy, paid_change};
use crate::refund_row::{RefundKeyRange, RefundRow, RefundStatus};
use crate::refund_step::{RefundStep, after_look_up, after_request};

impl Intents {
    pub(super) fn hold(&self, world: &mut World, amount: Millipence) -> bool {
        let held = if self.mistake == Some(Mistake::HoldsAreNotCounted) { 0 } else { world.held };
        match taken_with(world.balance(), held, amount) {
            Ok(taken) => world.held += taken - held,
            Err(_) => return false,
        }
        true
    }

    pub(super) fn release(&self, world: &mut World, amount: i64) {
        if self.mistake != Some(Mistake::HoldIsNotReleased) {
            world.held -= amount;
        }
    }

    /// Models `PaymentOrders::open`: stores a new order unless one exists.
    pub(super) fn place(world: &mut World) {
        let attempt = u64::try_from(world.pages.len()).unwrap() + 1;
        let row = OrderRow::placed(&quote(), 1, attempt);
        if world.submit_order(Some(&row), Expect::Absent) {
            world.start(Task::OpenPage(serde_json::to_vec(&row).unwrap()));
        }
    }

    /// Models `PaymentOrders::request_page`: a repeat of an attempt returns the same
    /// page.
    pub(super) fn open_page(world: &mut World, bytes: Vec<u8>, outcome: RequestOutcome) {
        let mut row = order(&bytes);
        if outcome == RequestOutcome::LostBefore || outcome == RequestOutcome::Refused {
            return;
        }
        world.pages.entry(row.opened_ms).or_insert(Page::Open);
        if outcome == RequestOutcome::Answered {
            let session = row.opened_ms.to_string();
            row.open(&PaymentPage { session: session.clone(), url: "u".to_owned() });
            world.submit_order(Some(&row), Expect::Exactly(bytes.clone()));
            world.start(Task::LookUpOrder(bytes, session));
        }
    }

    /// Models `PaymentOrders::reconcile_order`, starting with the look-up.
    pub(super) fn look_up_order(&self, world: &mut World, bytes: Vec<u8>, session: &str, outcome: RequestOutcome) {
        let page = world.pages.get(&session.parse::<u64>().unwrap()).copied();
        let (reference, amount) = (format!("pay_{session}"), Millipence::new(CHARGE));
        let paid = ProcessorPayment { reference, amount, handle: Some(HANDLE.to_owned()) };
        let status = outcome.look_up(match page {
            Some(Page::Paid) => PaymentOrderStatus::Paid(paid),
            Some(Page::Expired) => PaymentOrderStatus::Expired,
            Some(Page::Open) | None => PaymentOrderStatus::Open,
        });
        let step = match (self.mistake, &status) {
            (Some(Mistake::LostLookUpRemovesTheOrder), Err(_)) => Ok(OrderStep::Remove),
            _ => after_status(&quote(), session, status),
        };
        match step {
            Ok(OrderStep::Remove) => drop(world.submit_order(None, Expect::Exactly(bytes))),
            Ok(OrderStep::Book(payment)) => {
                let paid = PaidBy::Processor { reference: Some(payment.reference) };
                let change = paid_change(&quote(), &paid, "stripe", order(&bytes).opened_ms);
                world.submit(&change.unwrap());
            }
            Ok(OrderStep::Wait) | Err(_) => {}
        }
    }

    /// Models `Refunds::refund_remainder`, up to the write of the owed refund.
    pub(super) fn begin_refund(&self, world: &mut World) {
        let Some(paid) = world.intent() else { return };
        let amount = world.balance().min(paid.charge);
        let held = world.held;
        if self.mistake == Some(Mistake::RefundTakesWhatIsHeld) {
            world.held = 0;
        }
        let may = amount > Millipence::ZERO && self.hold(world, amount);
        if self.mistake == Some(Mistake::RefundTakesWhatIsHeld) {
            world.held += held;
        }
        if !may {
            return;
        }
        world.refunded += 1;
        let row = RefundRow {
            id: format!("rf_{}", world.refunded),
            payer: Payer::Intent(HANDLE.to_owned()),
            payment: paid.reference,
            amount,
            reason: "asked".to_owned(),
            created_ms: 1,
            state: RefundStatus::Owed,
            relieved: Millipence::ZERO,
        };
        world.start(Task::OweRefund(serde_json::to_vec(&row).unwrap()));
    }

    pub(super) fn owe_refund(&self, world: &mut World, bytes: Vec<u8>) {
        let row = refund(&bytes);
        let written = world.submit(&row.owed(1).unwrap());
        self.release(world, row.amount.get());
        if written {
            world.start(Task::LookUpRefund(bytes));
        }
    }

    /// Models `Refunds::reconcile_refund`.
    pub(super) fn look_up_refund(&self, world: &mut World, bytes: Vec<u8>, outcome: RequestOutcome) {
        let row = refund(&bytes);
        let found = world.refunds.get(&row.id).map(|(state, _)| stated(*state, &row.id));
        let step = match (self.mistake, outcome) {
            (Some(Mistake::LookUpRefusalIsFinal), RequestOutcome::Refused) => after_request(Err(no())),
            _ => after_look_up(outcome.look_up(found)),
        };
        match step {
            Ok(RefundStep::Request) => world.start(Task::AskRefund(bytes)),
            Ok(step) => finish(world, &row, step),
            Err(_) => {}
        }
    }

    pub(super) fn ask_refund(&self, world: &mut World, bytes: &[u8], outcome: RequestOutcome) {
        let row = refund(bytes);
        if outcome != RequestOutcome::LostBefore {
            let state = match outcome {
                RequestOutcome::Refused => RefundState::Failed,
                RequestOutcome::Pending => RefundState::Pending,
                _ => RefundState::Paid,
            };
            let fresh_key = self.mistake == Some(Mistake::FreshKeys);
            let before = world.refunds.get(&row.id).copied();
            if fresh_key || before.is_none() {
                world.extra += before.filter(|(state, _)| *state == RefundState::Paid).map_or(0, |(_, amount)| amount);
                world.refunds.insert(row.id.clone(), (state, row.amount.get()));
            }
        }
        let answer = match (outcome, world.refunds.get(&row.id)) {
            (RequestOutcome::LostBefore | RequestOutcome::LostAfter, _) | (_, None) => Err(silence()),
            (_, Some((RefundState::Failed, _))) => Err(no()),
            (_, Some((state, _))) => Ok(stated(*state, &row.id)),
        };
        let step = match (self.mistake, &answer) {
            (Some(Mistake::LostIsFailed), Err(ProcessorError::OutcomeUnknown(_))) => after_request(Err(no())),
            _ => after_request(answer),
        };
        if let Ok(step) = step {
            finish(world, &row, step);
        }
    }

    pub(super) fn run_step(&self, world: &mut World, task: Task, outcome: RequestOutcome) {
        match task {
            Task::OpenPage(row) => Self::open_page(world, row, outcome),
            Task::LookUpOrder(row, session) => self.look_up_order(world, row, &session, outcome),
            Task::LookUpRefund(row) => self.look_up_refund(world, row, outcome),
            Task::AskRefund(row) => self.ask_refund(world, &row, outcome),
            Task::OweRefund(row) => self.owe_refund(world, row),
            Task::Call => {
                world.calls += 1;
                let number = world.calls;
                world.answered_unpaid |= !world.submit(&draw(number));
                world.start(Task::Sealed);
            }
            Task::Sealed => self.release(world, PRICE),
            Task::ToCredit(amount) => {
                let (intent, account) = (HANDLE.to_owned(), "acct_1".to_owned());
                let entry = Entry::Topup(Topup { intent, account, amount: Millipence::new(amount) });
                world.credited += 1;
                let record = entry.draft([100 + world.credited; 32], 1).unwrap();
                world.submit(&Change { record: Some(record), ..Change::default() });
                self.release(world, amount);
            }
        }
    }
}

pub(super) fn stated(state: RefundState, id: &str) -> ProcessorRefund {
    match state {
        RefundState::Pending => ProcessorRefund::Pending,
        RefundState::Paid => ProcessorRefund::Paid { reference: format!("re_{id}") },
        RefundState::Failed => ProcessorRefund::Failed { reason: "declined".to_owned() },
    }
}

pub(super) fn finish(world: &mut World, row: &RefundRow, step: RefundStep) {
    if let Some(change) = change_of(row, step) {
        world.submit(&change);
    }
}

/// Returns the change that a step of an owed refund writes.
pub(super) fn change_of(row: &RefundRow, step: RefundStep) -> Option<Change> {
    match step {
        RefundStep::Request | RefundStep::Wait => None,
        RefundStep::Pay { reference } => Some(row.paid(RefundKeyRange::Past, reference, 1).unwrap()),
        RefundStep::Fail { reason } => Some(row.failed(None, &reason, 1).unwrap()),
    }
}

pub(super) fn outcomes(task: &Task) -> &'static [RequestOutcome] {
    match task {
        Task::OpenPage(_) => &[RequestOutcome::Answered, RequestOutcome::LostBefore, RequestOutcome::LostAfter],
        Task::LookUpOrder(..) | Task::LookUpRefund(_) => {
            &[RequestOutcome::Answered, RequestOutcome::Refused, RequestOutcome::LostAfter]
        }
        Task::AskRefund(_) => &[
            RequestOutcome::Answered,
            RequestOutcome::Refused,
            RequestOutcome::Pending,
            RequestOutcome::LostBefore,
            RequestOutcome::LostAfter,
        ],
        Task::Call | Task::Sealed | Task::OweRefund(_) | Task::ToCredit(_) => &[RequestOutcome::Answered],
    }
}

/// Returns whether an outcome counts as a fault: for a refund request, a refusal is a
/// normal answer; for a look-up, it is a fault.
pub(super) fn is_fault(task: &Task, outcome: RequestOutcome) -> bool {
    match outcome {
        RequestOutcome::Answered | RequestOutcome::Pending => false,
        RequestOutcome::Refused => !matches!(task, Task::AskRefund(_)),
        RequestOutcome::LostBefore | RequestOutcome::LostAfter => true,
    }
}
