//! The steps of the modelled service, in the order of `enqueue.rs`, `invoke.rs`,
//! `attempt.rs`, `service.rs` and `clawback.rs`.

use tollbridge_core::money::Millipence;
use tollbridge_market::checkout::PaymentSource;
use tollbridge_store::{Change, Expect};

use super::world::{
    Action, Answer, Caller, HANDLE, Mistake, PRICE, Step, TX, Tasks, World, id, moves, new_row, payer, row,
};
use crate::end::{TaskEnd, end_change};
use crate::enqueue::queued_change;
use crate::retry::{RetryDecision, retry_decision};
use crate::task::{TaskError, TaskPayment, TaskRow, TaskState};
use crate::task_step::{AttemptStep, CancelStep, attempt_step, cancel_step};

fn why() -> TaskError {
    TaskError { kind: "host".to_owned(), message: "no".to_owned(), charged: Millipence::ZERO, input: None }
}

fn only(puts: Vec<tollbridge_store::Put>) -> Change {
    Change { puts, ..Change::default() }
}

impl Tasks {
    fn is(&self, mistake: Mistake) -> bool {
        self.mistake == Some(mistake)
    }

    /// Models `TaskQueue::release_slot` at the end of a task.
    fn ended(&self, world: &mut World) {
        if !self.is(Mistake::SlotIsNotGivenBack) {
            world.slots -= 1;
        }
    }

    pub(super) fn enqueue(world: &mut World, intent: bool) {
        let payment = if intent { TaskPayment::Intent(HANDLE.to_owned()) } else { TaskPayment::Held };
        let row = new_row(payment, PRICE, TaskState::Queued);
        world.store.commit(&queued_change(&id(), &row, &TX).unwrap()).unwrap();
        (world.begun, world.slots, world.queued, world.caller) = (true, 1, 1, Caller::HasTheId);
    }

    pub(super) fn invoke(world: &mut World) {
        (world.begun, world.slots) = (true, 1);
        world.start(Step::Call);
    }

    /// Models `AgentService::persist_running` before its write.
    pub(super) fn patience_ends(&self, world: &mut World) {
        world.detached = !self.is(Mistake::MarkedAfterTheRow);
        world.start(Step::Persist);
    }

    fn persist(world: &mut World, written: bool, refuses: bool) {
        let row = new_row(TaskPayment::Credit, 0, TaskState::Working);
        if written && world.store.commit(&only(row.puts(&id(), None))).is_ok() {
            world.caller = Caller::HasTheId;
            return;
        }
        world.detached = false;
        world.slots -= 1;
        world.caller = if refuses { Caller::IsRefused } else { Caller::WaitsOn };
    }

    /// Models `TaskAttempts::try_once` before its call.
    pub(super) fn take(&self, world: &mut World) {
        world.queued -= 1;
        let Some(bytes) = world.row() else { return };
        let sealed = world.store.is_sealed(&TX) && !self.is(Mistake::AttemptIgnoresTheSeal);
        match attempt_step(&row(&bytes), sealed) {
            AttemptStep::Skip => {}
            AttemptStep::Close => self.close(world, bytes),
            AttemptStep::Run => world.start(Step::Attempt(bytes)),
        }
    }

    fn close(&self, world: &mut World, bytes: Vec<u8>) {
        let completed = row(&bytes).ended(TaskState::Completed, None, world.now_ms());
        if world.store.commit(&only(completed.puts(&id(), Some(bytes)))).is_ok() {
            self.ended(world);
        }
    }

    /// Models `Sealer::seal`: payment, record and rows in one write.
    fn seal(&self, world: &mut World, source: &PaymentSource, before: Option<&[u8]>) -> Answer {
        world.attempts += 1;
        let own_tx = self.is(Mistake::TransactionPerAttempt);
        let tx = if own_tx { [100 + world.attempts; 32] } else { TX };
        let row = before.filter(|_| !self.is(Mistake::SealWithoutTheRow)).map(|bytes| {
            row(bytes).ended(TaskState::Completed, None, world.now_ms()).puts(&id(), Some(bytes.to_vec()))
        });
        let record = Some(moves(tx, payer(source), "earned", PRICE, true));
        let change = Change { puts: row.unwrap_or_default(), record, ..Change::default() };
        world.store.commit(&change).map_or_else(Answer::of, |()| Answer::Good)
    }

    fn attempt(&self, world: &mut World, bytes: Vec<u8>, answer: Answer) {
        let source = row(&bytes).source(&id(), |_| unreachable!("this model has no wallet payments"));
        let answer = if answer == Answer::Good { self.seal(world, &source, Some(&bytes)) } else { answer };
        match answer {
            Answer::Good => {
                if self.is(Mistake::SealWithoutTheRow) {
                    return world.row().map_or((), |now| self.close(world, now));
                }
                self.ended(world);
            }
            answer => self.failed(world, bytes, answer),
        }
    }

    /// Models `TaskAttempts::handle_failure`.
    fn failed(&self, world: &mut World, bytes: Vec<u8>, answer: Answer) {
        let Some(error) = answer.error() else { return };
        let (before, now_ms) = (row(&bytes), world.now_ms());
        match retry_decision(&error, &before, now_ms) {
            RetryDecision::AlreadyEnded => {}
            RetryDecision::GiveUp { by_agent } => {
                self.end(world, before, bytes, TaskEnd::Failed { error: why(), by_agent });
            }
            RetryDecision::Retry { after_ms, counts } => {
                let next = before.queued_again(why(), after_ms, counts, now_ms);
                let mut puts = next.puts(&id(), Some(bytes));
                if self.is(Mistake::RetryReplacesAnyRow) {
                    puts.iter_mut().for_each(|put| put.expect = Expect::Any);
                }
                world.queued += u8::from(world.store.commit(&only(puts)).is_ok());
            }
        }
    }

    fn end(&self, world: &mut World, row: TaskRow, before: Vec<u8>, end: TaskEnd) -> bool {
        let reserved = if row.payment == TaskPayment::Held { row.price } else { Millipence::ZERO };
        let change = end_change(&id(), row, before, (end, reserved), world.now_ms()).unwrap();
        let written = world.store.commit(&change).is_ok();
        if written {
            self.ended(world);
        }
        written
    }

    /// Models a call: one whose caller is waiting, or one that continues in the
    /// background.
    fn call(&self, world: &mut World, answer: Answer) {
        let answer = if answer == Answer::Good { self.seal(world, &PaymentSource::Credit, None) } else { answer };
        match world.caller {
            Caller::HasTheId => world.start(Step::Settle(answer)),
            _ if world.count(|step| *step == Step::Persist) > 0 => world.start(Step::Settle(answer)),
            Caller::Waits => {
                // The caller was waiting, so the slot is released with the request.
                world.slots -= 1;
                world.caller = Caller::IsAnswered;
            }
            Caller::WaitsOn => world.caller = Caller::IsAnswered,
            Caller::IsAnswered | Caller::IsRefused => {}
        }
    }

    /// Models `TaskAttempts::await_running`.
    fn settle(&self, world: &mut World, answer: Answer) {
        match (world.row(), answer) {
            (Some(bytes), Answer::Good) => self.close(world, bytes),
            (Some(bytes), answer) => self.failed(world, bytes, answer),
            (None, _) if world.caller == Caller::IsRefused => {}
            (None, _) => world.caller = Caller::IsAnswered,
        }
        world.detached = false;
    }

    fn cancel(&self, world: &mut World, bytes: Vec<u8>) {
        let before = row(&bytes);
        let sealed = world.store.is_sealed(&TX) && !self.is(Mistake::CancelIgnoresTheSeal);
        match cancel_step(&before, world.detached, sealed) {
            CancelStep::TooLate | CancelStep::Refuse => {}
            CancelStep::Close => self.close(world, bytes),
            CancelStep::End => world.canceled |= self.end(world, before, bytes, TaskEnd::Canceled),
        }
    }

    pub(super) fn go(&self, world: &mut World, step: Step, answer: Answer) {
        match step {
            Step::Attempt(bytes) => self.attempt(world, bytes, answer),
            Step::Call => self.call(world, answer),
            Step::Persist => {
                Self::persist(world, true, false);
                if self.is(Mistake::MarkedAfterTheRow) {
                    world.start(Step::Mark);
                }
            }
            Step::Mark => world.detached = true,
            Step::Settle(answer) => self.settle(world, answer),
            Step::Cancel(bytes) => self.cancel(world, bytes),
            Step::Reclaim(bytes) => {
                let end = TaskEnd::Failed { error: why(), by_agent: false };
                self.end(world, row(&bytes), bytes, end);
            }
        }
    }

    pub(super) fn write_fails(&self, world: &mut World, step: Step) {
        // If the write of another step fails, the row is unchanged and the next start
        // retries the task.
        if step == Step::Persist {
            Self::persist(world, false, self.is(Mistake::UnwrittenIsRefused));
        }
    }

    /// Models a crash and `TaskAttempts::recover` at the next start: only the rows
    /// survive.
    pub(super) fn crash(world: &mut World) {
        (world.steps, world.detached) = (Vec::new(), false);
        (world.queued, world.slots) = if world.is_open() { (1, 1) } else { (0, 0) };
        if world.caller != Caller::HasTheId && world.row().is_none() {
            world.caller = Caller::IsAnswered;
        }
    }

    /// Returns the possible actions for a pending step.
    pub(super) fn ways(world: &World, place: usize, step: &Step) -> Vec<Action> {
        let answers: &[Answer] = match step {
            Step::Attempt(_) | Step::Call => {
                &[Answer::Good, Answer::AgentFails, Answer::CallerIsWrong, Answer::HostIsBusy]
            }
            // `Settle` must wait until the write of `Persist` has succeeded or failed.
            Step::Settle(_) if world.count(|step| *step == Step::Persist) > 0 => &[],
            _ => &[Answer::Good],
        };
        let possible = answers.iter().filter(|answer| world.faults > 0 || **answer != Answer::HostIsBusy);
        let mut ways: Vec<_> = possible.map(|answer| Action::Go(place, *answer)).collect();
        ways.extend((world.faults > 0 && *step == Step::Persist).then_some(Action::WriteFails(place)));
        ways
    }
}
