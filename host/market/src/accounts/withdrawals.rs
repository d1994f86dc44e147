//! Withdrawals: reserve the amount, request the transfer, then settle or restore the balance.
//!
//! Invariants:
//! 1. The amount is reserved in a durable record under the withdrawal's id before the processor is
//!    asked, and the processor is asked only under that id.
//! 2. If the outcome is unclear, it is looked up, and the amount stays reserved. After
//!    [`TRANSFER_REPEAT_MS_MAX`](crate::limits::TRANSFER_REPEAT_MS_MAX) the transfer is
//!    not requested again: the operator decides.
//! 3. A finished withdrawal is final: settled, failed and rejected share one transaction id. If
//!    money of a settled withdrawal is returned later, it is booked in parts (`reversals.rs`).

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tollbridge_access::{AccountError, load_account};
use tollbridge_core::in_flight::{InFlight, InFlightGuard};
use tollbridge_core::money::{Millipence, Share, SplitPolicy};
use tollbridge_ledger::events;
use tollbridge_ledger::idempotency::{IdempotencyError, RequestIdentity, find_sealed};
use tollbridge_ledger::{EntryError, LedgerAccount, WithdrawStage};
use tollbridge_payment::{LookupError, ProcessorError, ProcessorTransfer, ReviewSchedule};
use tollbridge_store::{Change, Collection, Draft, OutboxEvent, Put, Refusal, Rows, StoreError, SubmitError};

use super::payouts::{ConnectError, Payouts};
use super::transfer_step::{OperatorTurn, TransferStep, after_look_up, after_request, operator_turn};
use super::withdrawal::{
    SettledRow, Withdrawal, WithdrawalState, new_id, open_key, open_prefix, own_key, settled_prefix, settled_put,
};
use crate::limits::WITHDRAWAL_PENCE_MIN;
use crate::risk::{BlockReason, PayoutBlock, PayoutRequest, RiskDecision, RiskEngine};

/// Maximum number of earlier payouts passed to the risk rules; no account has more in a day.
const EARLIER_PAYOUTS: usize = 1_000;

/// Interval between attempts to lock a withdrawal; `TURN_WAITS_MAX` intervals outlast a request to the processor.
const TURN_WAIT: Duration = Duration::from_millis(20);
const TURN_WAITS_MAX: u32 = 1_000;

/// The service that pays earnings out.
pub struct Withdrawals {
    /// Payout accounts.
    pub payouts: Arc<Payouts>,
    /// Risk rules for payouts; `None` lets every payout pass.
    pub rules: Option<Arc<RiskEngine>>,
    /// The current split policy, which determines the treasury's share of a withdrawn amount.
    policy: SplitPolicy,
    /// Withdrawals that are currently being processed.
    in_flight: InFlight<String>,
    /// Schedule for reviewing settled withdrawals.
    pub(super) reviews: ReviewSchedule,
}

/// A withdrawal, and whether an earlier request created it.
#[derive(Clone, Debug)]
pub struct WithdrawalOutcome {
    /// The withdrawal.
    pub withdrawal: Withdrawal,
    /// Whether an earlier request with the same idempotency key created it.
    pub replayed: bool,
}

/// The reason a withdrawal is refused.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum WithdrawError {
    #[error("the minimum withdrawal is £5.00; {} is available", .0.display_gbp())]
    BelowMinimum(Millipence),
    #[error("no payout account is connected; open /account/connect first")]
    NotConnected,
    #[error("the payout account was changed; it can receive withdrawals from {}", .0 / 1000)]
    Waiting(u64),
    #[error("a key of this account was created after a sign-in by e-mail; withdrawals resume at {}", .0 / 1000)]
    Recovered(u64),
    #[error("another withdrawal is in progress")]
    InProgress,
    #[error("this Idempotency-Key was used for another request; use a new one")]
    KeyReused,
    #[error("this withdrawal was already made; GET /v1/withdrawals lists it")]
    AlreadySealed,
    #[error("no such withdrawal: {0}")]
    Unknown(String),
    #[error("the withdrawal is {0}; {1}")]
    WrongState(&'static str, &'static str),
    #[error(transparent)]
    Processor(#[from] ProcessorError),
    #[error(transparent)]
    Account(#[from] AccountError),
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error("no randomness is available")]
    NoRandomness,
    #[error(transparent)]
    Idempotency(IdempotencyError),
    #[error(transparent)]
    Write(SubmitError),
    #[error(transparent)]
    Entry(#[from] EntryError),
    #[error("a row cannot be read: {0}")]
    Row(#[from] serde_json::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<LookupError> for WithdrawError {
    fn from(error: LookupError) -> Self {
        Self::Processor(error.into())
    }
}

impl From<IdempotencyError> for WithdrawError {
    fn from(error: IdempotencyError) -> Self {
        match error {
            IdempotencyError::KeyReused => Self::KeyReused,
            IdempotencyError::AlreadySealed => Self::AlreadySealed,
            error => Self::Idempotency(error),
        }
    }
}

impl Withdrawals {
    /// Creates the service; `rules` evaluate each withdrawal, and without rules every withdrawal passes.
    pub fn new(payouts: Arc<Payouts>, policy: SplitPolicy, rules: Option<Arc<RiskEngine>>) -> Self {
        Self {
            payouts,
            rules,
            policy,
            in_flight: InFlight::default(),
            reviews: ReviewSchedule::of(Collection::Withdrawals, settled_prefix()),
        }
    }

    /// Withdraws all available earnings, in whole pence. The transfer may still be unconfirmed afterwards.
    pub async fn withdraw(
        self: &Arc<Self>,
        account: &str,
        client: Option<IpAddr>,
        identity: Option<RequestIdentity>,
        now_ms: u64,
    ) -> Result<WithdrawalOutcome, WithdrawError> {
        if let Some(withdrawal) = self.find_replay(account, identity)? {
            return Ok(WithdrawalOutcome { withdrawal, replayed: true });
        }
        let reserved = self.reserve(account, client, identity, now_ms).await?;
        if reserved.state != WithdrawalState::Sending {
            return Ok(WithdrawalOutcome { withdrawal: reserved, replayed: false });
        }
        // Run in a separate task, so that a client that disconnects does not interrupt the withdrawal.
        let this = self.clone();
        let sending = tokio::spawn(async move { this.send(reserved, true, now_ms).await });
        let sent = sending.await.map_err(|_| WithdrawError::Write(SubmitError::Failed))??;
        Ok(WithdrawalOutcome { withdrawal: sent, replayed: false })
    }

    /// Returns withdrawals of an account, newest first; with `after`, those that follow this id.
    pub fn list(&self, account: &str, after: Option<&str>, limit: usize) -> Result<Vec<Withdrawal>, WithdrawError> {
        let prefix = own_key(account, "");
        let from = own_key(account, after.unwrap_or_default());
        let rows = self.payouts.db.list(Collection::Withdrawals, &from, limit)?;
        let of_account = rows.into_iter().take_while(|(key, _)| key.starts_with(&prefix));
        of_account.map(|(_, value)| Ok(serde_json::from_slice(&value)?)).collect()
    }

    /// Returns the pending withdrawals of all accounts.
    pub fn open(&self) -> Result<Vec<Withdrawal>, WithdrawError> {
        let prefix = open_prefix();
        let mut open = Vec::new();
        for row in Rows::of(self.payouts.db.store(), Collection::Withdrawals).with_prefix(prefix) {
            let (key, account) = row?;
            let id = key.strip_prefix(prefix).unwrap_or_default();
            open.extend(self.row(&String::from_utf8_lossy(&account), id)?);
        }
        Ok(open)
    }

    /// Advances all pending withdrawals and reviews some settled ones; returns the number of pending
    /// withdrawals that remain.
    pub async fn follow(self: &Arc<Self>, now_ms: u64) -> Result<usize, WithdrawError> {
        let (mut left, begun) = (0, Instant::now());
        for withdrawal in self.open()? {
            // The permitted steps depend on the time, and a round may take hours.
            let now_ms = now_ms.saturating_add(u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX));
            if matches!(withdrawal.state, WithdrawalState::Blocked { .. }) {
                left += 1;
                continue;
            }
            match self.send(withdrawal, false, now_ms).await {
                Ok(after) => left += usize::from(!after.is_over()),
                // `InProgress` means that a concurrent request is advancing this withdrawal.
                Err(WithdrawError::InProgress) => left += 1,
                Err(error) => return Err(error),
            }
        }
        self.review_settled(now_ms).await?;
        Ok(left)
    }

    /// Releases a withdrawal on behalf of the operator. It must have been blocked, or unconfirmed for a day and
    /// unknown to the processor.
    pub async fn release(self: &Arc<Self>, id: &str, now_ms: u64) -> Result<Withdrawal, WithdrawError> {
        let turn = self.wait_for_turn(id, 0).await.ok_or(WithdrawError::InProgress)?;
        let before = self.undecided(id, now_ms).await?;
        let after = before.released(now_ms);
        self.change(after.puts(Some(&before))?, None, Vec::new()).await?;
        drop(turn);
        // No transfer exists: either none was ever requested, or `undecided` has just looked and found none.
        self.send(after, true, now_ms).await
    }

    /// Rejects a withdrawal on behalf of the operator and restores the balance. It must have been blocked, or
    /// unconfirmed for a day and unknown to the processor.
    pub async fn reject(&self, id: &str, reason: &str, now_ms: u64) -> Result<Withdrawal, WithdrawError> {
        let _turn = self.wait_for_turn(id, 0).await.ok_or(WithdrawError::InProgress)?;
        let before = self.undecided(id, now_ms).await?;
        let state = WithdrawalState::Rejected { reason: reason.to_owned() };
        self.end(&before, state, None, now_ms).await
    }

    /// Returns the withdrawal that an earlier request with the same idempotency key created.
    fn find_replay(
        &self,
        account: &str,
        identity: Option<RequestIdentity>,
    ) -> Result<Option<Withdrawal>, WithdrawError> {
        let store = self.payouts.db.store();
        let Some(identity) = identity else { return Ok(None) };
        let Some((_, stored_answer)) = find_sealed(store, &identity)? else { return Ok(None) };
        self.row(account, &String::from_utf8_lossy(&stored_answer.body))?.map(Some).ok_or(WithdrawError::AlreadySealed)
    }

    /// Returns the time until which the account's withdrawals are suspended because a key was created after a
    /// sign-in by e-mail. The operator's internal accounts have no row and are never suspended.
    fn held_until_ms(&self, account: &str) -> Result<Option<u64>, WithdrawError> {
        match load_account(self.payouts.db.store(), account) {
            Ok(account) => Ok(account.withdrawals_from_ms),
            Err(AccountError::UnknownAccount(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Reserves the amount of a withdrawal.
    async fn reserve(
        &self,
        account: &str,
        client: Option<IpAddr>,
        identity: Option<RequestIdentity>,
        now_ms: u64,
    ) -> Result<Withdrawal, WithdrawError> {
        self.payouts.processor.ensure_configured()?;
        let available = LedgerAccount::DevAvailable(account.to_owned()).to_string();
        let available = self.payouts.db.balance(&available)?;
        let pence = available.pence_floor();
        if pence < WITHDRAWAL_PENCE_MIN {
            return Err(WithdrawError::BelowMinimum(available));
        }
        let payout = self.payouts.of(account)?.ok_or(WithdrawError::NotConnected)?;
        if let Some(from_ms) = self.held_until_ms(account)?.filter(|from_ms| now_ms < *from_ms) {
            return Err(WithdrawError::Recovered(from_ms));
        }
        if now_ms < payout.usable_ms {
            return Err(WithdrawError::Waiting(payout.usable_ms));
        }
        let amount = Millipence::from_pence(pence).ok_or(WithdrawError::BelowMinimum(available))?;
        let block = self.assess_risk(account, amount, client, now_ms).await?;
        let (state, outgoing_events) = match &block {
            Some(block) => {
                let reason = |reason: &BlockReason| format!("{}: {}", reason.rule.as_str(), reason.found);
                let reason = block.reasons.iter().map(reason).collect::<Vec<_>>().join("; ");
                (WithdrawalState::Blocked { reason }, block.events(account, client, now_ms))
            }
            None => (WithdrawalState::Sending, Vec::new()),
        };
        let mut random = [0; 10];
        getrandom::fill(&mut random).map_err(|_| WithdrawError::NoRandomness)?;
        let withdrawal = Withdrawal {
            id: new_id(random, now_ms),
            account: account.to_owned(),
            amount,
            destination: payout.destination,
            created_ms: now_ms,
            due_ms: now_ms,
            state,
            reference: None,
            ended_ms: None,
            returned: Millipence::ZERO,
        };
        self.submit_reserved(&withdrawal, identity, outgoing_events, now_ms).await?;
        Ok(withdrawal)
    }

    /// Evaluates the risk rules for a payout. If the rules cannot be evaluated, the payout passes.
    async fn assess_risk(
        &self,
        account: &str,
        amount: Millipence,
        client: Option<IpAddr>,
        now_ms: u64,
    ) -> Result<Option<PayoutBlock>, WithdrawError> {
        let Some(rules) = &self.rules else { return Ok(None) };
        let before = self.list(account, None, EARLIER_PAYOUTS)?;
        let counts = |one: &Withdrawal| !matches!(one.state.name(), "failed" | "rejected" | "returned");
        let earlier: Vec<_> = before.into_iter().filter(counts).map(|one| (one.created_ms, one.kept())).collect();
        match rules.evaluate_payout(&PayoutRequest { account, amount, earlier: &earlier, client, now_ms }).await {
            Ok(RiskDecision::Block(block)) => Ok(Some(block)),
            Ok(RiskDecision::Pass) => Ok(None),
            Err(error) => {
                tracing::warn!(account, %error, "could not evaluate the rules for payouts");
                Ok(None)
            }
        }
    }

    async fn submit_reserved(
        &self,
        withdrawal: &Withdrawal,
        identity: Option<RequestIdentity>,
        outbox: Vec<OutboxEvent>,
        now_ms: u64,
    ) -> Result<(), WithdrawError> {
        let stage = WithdrawStage::Reserved;
        let record = match identity {
            Some(identity) => withdrawal.entry(stage, None).draft(identity.tx, now_ms)?,
            None => withdrawal.record(stage, None, now_ms)?,
        };
        // A repeated request finds this withdrawal through the stored answer.
        let answer =
            identity.map(|identity| identity.stored_answer(None, "text/plain", withdrawal.id.clone().into(), now_ms));
        let puts = withdrawal.puts(None)?;
        let change = Change { puts, record: Some(record), answer, outbox, ..Change::default() };
        match self.payouts.db.submit(change).await {
            Ok(_) => Ok(()),
            Err(SubmitError::Refused(Refusal::Insufficient { .. } | Refusal::Duplicate { .. })) => {
                Err(WithdrawError::InProgress)
            }
            Err(error) => Err(WithdrawError::Write(error)),
        }
    }

    /// Requests the transfer of a withdrawal, or looks up its outcome. `first` means that the processor has no
    /// transfer of this withdrawal yet.
    pub(super) async fn send(&self, before: Withdrawal, first: bool, now_ms: u64) -> Result<Withdrawal, WithdrawError> {
        // Only a first attempt waits while a concurrent task processes the withdrawal.
        let patience = if first { TURN_WAITS_MAX } else { 0 };
        let Some(_guard) = self.wait_for_turn(&before.id, patience).await else { return Ok(before) };
        // The row may have changed while this request waited; a finished withdrawal is never requested again.
        match self.row(&before.account, &before.id)? {
            Some(now) if now == before => {}
            now => return Ok(now.unwrap_or(before)),
        }
        match self.ask(&before, first, now_ms).await {
            TransferStep::Settle(transfer) => self.settle(&before, transfer, now_ms).await,
            TransferStep::Fail { reason } => self.end(&before, WithdrawalState::Failed { reason }, None, now_ms).await,
            TransferStep::AwaitOperator => {
                tracing::error!(
                    withdrawal = before.id,
                    "withdrawal unconfirmed for a day; see `tollbridge withdrawal list`"
                );
                Ok(before)
            }
            TransferStep::Unclear | TransferStep::Request => self.mark_unclear(before).await,
        }
    }

    /// Requests the transfer. If `first` is false, looks the transfer up first, and requests it only if the outcome
    /// of the look-up allows that.
    async fn ask(&self, row: &Withdrawal, first: bool, now_ms: u64) -> TransferStep {
        let processor = &self.payouts.processor;
        if !first {
            let found = processor.find_transfer(&row.id).await;
            if let Err(error) = &found {
                tracing::warn!(withdrawal = row.id, %error, "a look-up failed; it will be repeated");
            }
            let step = after_look_up(found, now_ms.saturating_sub(row.due_ms));
            if step != TransferStep::Request {
                return step;
            }
        }
        let answer = processor.transfer(&row.id, &row.destination, row.amount).await;
        if let Err(error) = &answer {
            tracing::warn!(withdrawal = row.id, %error, "a transfer was refused, or its outcome is unknown");
        }
        after_request(answer)
    }

    /// Marks a withdrawal as settled; a part of its transfer may already have been returned.
    async fn settle(
        &self,
        before: &Withdrawal,
        transfer: ProcessorTransfer,
        now_ms: u64,
    ) -> Result<Withdrawal, WithdrawError> {
        let reference = Some(transfer.reference.clone());
        let settled = self.end(before, WithdrawalState::Settled, reference, now_ms).await?;
        self.record_return(settled, &transfer, now_ms).await
    }

    async fn mark_unclear(&self, before: Withdrawal) -> Result<Withdrawal, WithdrawError> {
        if before.state == WithdrawalState::Unclear {
            return Ok(before);
        }
        let after = Withdrawal { state: WithdrawalState::Unclear, ..before.clone() };
        self.change(after.puts(Some(&before))?, None, Vec::new()).await?;
        Ok(after)
    }

    async fn end(
        &self,
        before: &Withdrawal,
        state: WithdrawalState,
        reference: Option<String>,
        now_ms: u64,
    ) -> Result<Withdrawal, WithdrawError> {
        let (after, record) = before.ended(state, reference, now_ms)?;
        let outgoing_events = self.events(&after, now_ms);
        let mut puts = after.puts(Some(before))?;
        // Sandbox transfers are never returned.
        if after.state == WithdrawalState::Settled && !self.payouts.processor.is_sandbox() {
            let settled = SettledRow { account: after.account.clone(), settled_ms: now_ms };
            puts.push(settled_put(&after.id, Some(&settled))?);
        }
        self.change(puts, Some(record), outgoing_events).await?;
        Ok(after)
    }

    /// Builds the events that report a finished withdrawal to the account owner.
    fn events(&self, over: &Withdrawal, now_ms: u64) -> Vec<OutboxEvent> {
        let Withdrawal { id, account, amount, .. } = over;
        match (&over.state, &over.reference) {
            (WithdrawalState::Settled, Some(transfer)) => {
                // The amount is the developer's share; derive the treasury's share of the same sales.
                let [developer, treasury] =
                    [Share::Developer, Share::Treasury].map(|share| i64::from(self.policy.tenths(share)));
                let part = amount.get().saturating_mul(treasury).checked_div(developer).unwrap_or(0);
                let part = Millipence::new(part);
                vec![
                    events::withdrawal_initiated(account, *amount, transfer, now_ms),
                    events::payout_completed(account, id, *amount, part, &self.policy, now_ms),
                ]
            }
            (state, _) => vec![events::withdrawal_failed(account, state.reason().unwrap_or_default(), now_ms)],
        }
    }

    /// Returns a withdrawal that needs the operator's decision: it is blocked, or it has been unconfirmed for so long
    /// that its transfer is no longer requested, and the processor has not made the transfer.
    async fn undecided(&self, id: &str, now_ms: u64) -> Result<Withdrawal, WithdrawError> {
        let account = self.payouts.db.get(Collection::Withdrawals, &open_key(id))?;
        let account = account.ok_or_else(|| WithdrawError::Unknown(id.to_owned()))?;
        let row = self.row(&String::from_utf8_lossy(&account), id)?;
        let row = row.ok_or_else(|| WithdrawError::Unknown(id.to_owned()))?;
        match operator_turn(&row.state, now_ms.saturating_sub(row.due_ms)) {
            OperatorTurn::Now => return Ok(row),
            OperatorTurn::AfterLookUp => {}
            OperatorTurn::NotYet => {
                return Err(WithdrawError::WrongState(row.state.name(), "the processor may still make the transfer"));
            }
        }
        match self.payouts.processor.find_transfer(id).await? {
            Some(transfer) => {
                self.settle(&row, transfer, now_ms).await?;
                Err(WithdrawError::WrongState("settled", "the processor has made the transfer"))
            }
            None => Ok(row),
        }
    }

    pub(super) fn row(&self, account: &str, id: &str) -> Result<Option<Withdrawal>, WithdrawError> {
        let row = self.payouts.db.get(Collection::Withdrawals, &own_key(account, id))?;
        Ok(row.map(|bytes| serde_json::from_slice(&bytes)).transpose()?)
    }

    /// Writes a change; a refusal means that a concurrent request changed the withdrawal first.
    pub(super) async fn change(
        &self,
        puts: Vec<Put>,
        record: Option<Draft>,
        outbox: Vec<OutboxEvent>,
    ) -> Result<(), WithdrawError> {
        match self.payouts.db.submit(Change { puts, record, outbox, ..Change::default() }).await {
            Ok(_) => Ok(()),
            Err(SubmitError::Refused(_)) => Err(WithdrawError::InProgress),
            Err(error) => Err(WithdrawError::Write(error)),
        }
    }
}

impl Withdrawals {
    /// Acquires the exclusive right to process a withdrawal; tries again at most `retries` times.
    async fn wait_for_turn(&self, id: &str, mut retries: u32) -> Option<InFlightGuard<String>> {
        loop {
            match self.in_flight.begin(id.to_owned()) {
                Some(guard) => return Some(guard),
                None if retries == 0 => return None,
                None => retries -= 1,
            }
            tokio::time::sleep(TURN_WAIT).await;
        }
    }
}
