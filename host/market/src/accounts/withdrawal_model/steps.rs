//! The host's steps in the withdrawal model, in the order of `withdrawals.rs`.

use tollbridge_payment::{ProcessorError, ProcessorTransfer};
use tollbridge_store::{Change, Draft};

use super::world::{Age, Found, Key, Mistake, PendingRequest, Waiting, WithdrawalModel, World, refused, silence};
use crate::accounts::transfer_step::{
    OperatorTurn, ReturnStep, TransferStep, after_look_up, after_request, after_return, operator_turn,
};
use crate::accounts::withdrawal::{Withdrawal, WithdrawalState};
use crate::limits::TRANSFER_CONFIRM_MS;

impl WithdrawalModel {
    pub(super) fn commit(
        world: &mut World,
        before: Option<&Withdrawal>,
        after: &Withdrawal,
        record: Option<Draft>,
    ) -> bool {
        let puts = after.puts(before).unwrap();
        world.store.commit(&Change { puts, record, ..Change::default() }).is_ok()
    }

    fn end(
        world: &mut World,
        before: &Withdrawal,
        state: WithdrawalState,
        reference: Option<String>,
    ) -> Option<Withdrawal> {
        let (after, record) = before.ended(state, reference, 1).unwrap();
        Self::commit(world, Some(before), &after, Some(record)).then_some(after)
    }

    /// Models `Withdrawals::record_return`; returns true once all returned money is
    /// recorded in the ledger.
    fn record_return(&self, world: &mut World, row: &Withdrawal, transfer: &ProcessorTransfer) -> bool {
        match after_return(row, transfer) {
            ReturnStep::Restore(part) => {
                let mistaken = self.mistake == Some(Mistake::ReturnedSumIsAPart);
                let part = if mistaken { transfer.reversed } else { part };
                let (after, record) = row.restored(part, 1).unwrap();
                Self::commit(world, Some(row), &after, Some(record))
            }
            ReturnStep::LookUp => false,
            ReturnStep::Ignore => true,
        }
    }

    /// Models the part of `Withdrawals::send` that follows an answer of the processor.
    pub(super) fn take(&self, world: &mut World, before: &Withdrawal, step: TransferStep) {
        match step {
            TransferStep::Request => {
                world.sent += 1;
                if self.mistake == Some(Mistake::FreshKeys) {
                    world.key = Key::Unknown;
                }
                world.pending = Some(PendingRequest { before: before.clone(), waiting: Waiting::Transfer });
            }
            TransferStep::Settle(transfer) => {
                let reference = Some(transfer.reference.clone());
                if let Some(settled) = Self::end(world, before, WithdrawalState::Settled, reference) {
                    self.record_return(world, &settled, &transfer);
                }
            }
            TransferStep::Fail { reason } => drop(Self::end(world, before, WithdrawalState::Failed { reason }, None)),
            TransferStep::Unclear if before.state != WithdrawalState::Unclear => {
                let after = Withdrawal { state: WithdrawalState::Unclear, ..before.clone() };
                Self::commit(world, Some(before), &after, None);
            }
            TransferStep::Unclear | TransferStep::AwaitOperator => {}
        }
    }

    pub(super) fn looked_up(&self, world: &mut World, found: &Found) {
        let Some(PendingRequest { before, .. }) = world.pending.take() else { return };
        let step = match (self.mistake, found) {
            (Some(Mistake::LookUpRefusalIsFinal), Found::Refused) => after_request(Err(refused())),
            _ => after_look_up(world.found(found), world.waited_ms()),
        };
        self.take(world, &before, step);
    }

    pub(super) fn answered(&self, world: &mut World, answer: Result<String, ProcessorError>) {
        if !world.pending.as_ref().is_some_and(|pending| pending.waiting == Waiting::Transfer) {
            return;
        }
        let Some(PendingRequest { before, .. }) = world.pending.take() else { return };
        let step = match (self.mistake, &answer) {
            (Some(Mistake::LostIsFailed), Err(ProcessorError::OutcomeUnknown(_))) => after_request(Err(refused())),
            _ => after_request(answer),
        };
        self.take(world, &before, step);
    }

    pub(super) fn operator_turn(&self, world: &World, row: &Withdrawal) -> OperatorTurn {
        let early = if self.mistake == Some(Mistake::OperatorDoesNotWait) { TRANSFER_CONFIRM_MS } else { 0 };
        operator_turn(&row.state, world.waited_ms() + early)
    }

    /// Models `Withdrawals::release` and `Withdrawals::reject`, which have the exclusive
    /// right to process the withdrawal while they run.
    pub(super) fn decide(&self, world: &mut World, release: bool, found: &Found) {
        let Some(row) = world.row() else { return };
        if self.operator_turn(world, &row) == OperatorTurn::AfterLookUp {
            match world.found(found) {
                Ok(None) => {}
                Ok(Some(transfer)) => return self.take(world, &row, TransferStep::Settle(transfer)),
                Err(_) => return,
            }
        }
        if release {
            let after = row.released(1);
            if Self::commit(world, Some(&row), &after, None) {
                (world.age, world.releases) = (Age::Repeated, world.releases - 1);
                self.take(world, &after, TransferStep::Request);
            }
        } else {
            let state = WithdrawalState::Rejected { reason: "no".to_owned() };
            Self::end(world, &row, state, None);
        }
    }

    pub(super) fn notice_return(&self, world: &mut World) {
        let Some(row) = world.row() else { return };
        let transfer = world.transfer();
        world.unreported = !self.record_return(world, &row, &transfer);
    }

    pub(super) fn execute(&self, world: &mut World, accept: bool, arrives: bool) {
        world.sent -= 1;
        if world.key == Key::Unknown {
            world.key = if accept { Key::Made } else { Key::Refused };
            world.made += u8::from(accept);
            world.visible = false;
        }
        let answer = match (arrives, world.key) {
            (false, _) => Err(silence()),
            (true, Key::Made) => Ok("tr_1".to_owned()),
            (true, _) => Err(refused()),
        };
        // An answer for which no request is waiting is dropped.
        self.answered(world, answer);
    }
}
