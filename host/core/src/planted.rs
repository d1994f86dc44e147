//! Bugs that the simulation injects ("plants") deliberately, to show that its checks
//! detect them.
//!
//! Invariant: without the feature `mutants`, which no release enables, no bug is ever
//! injected: every check is a constant, and the branches that depend on it are compiled
//! out.

/// A bug that can be injected at one place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// Injected bug: if the look-up of a transfer is refused, the transfer itself counts
    /// as refused.
    LookupRefusalIsNo,
    /// Injected bug: if a call fails, its answered nested calls are not paid.
    NestedCallsUnpaid,
    /// Injected bug: a task begins before its slot in the queue is reserved.
    PlaceReservedLate,
    /// Injected bug: if the processor reports a failure or reversal after a payout, the
    /// report is ignored.
    LateTruthIgnored,
    /// Injected bug: a journal entry is not synced to disk.
    SyncDropped,
    /// Injected bug: a change is acknowledged one commit before its journal entry is
    /// synced.
    AcknowledgedEarly,
    /// Injected bug: recovery ignores the newest journal entry.
    NewestEntryForgotten,
    /// Injected bug: the amount reserved for a call (its hold) is not released.
    HoldNotReleased,
    /// Injected bug: a transfer is requested again under another idempotency key.
    RetryWithNewKey,
    /// Injected bug: a link for connecting a payout account is accepted with any nonce.
    NonceNotChecked,
    /// Injected bug: two orders that are looked up at the same time get each other's
    /// payment.
    OrdersSwapped,
    /// Injected bug: a transaction that is already sealed is sealed again.
    TransactionTwice,
    /// Injected bug: the price reserved for a canceled task is not released.
    CanceledTaskKeepsPrice,
    /// Injected bug: a missing answer from the processor counts as a refusal.
    SilenceIsNo,
    /// Injected bug: a request that reuses an idempotency key with a different body gets
    /// the answer to the first request.
    KeyReuseUnnoticed,
    /// Injected bug: a repeated request for a refund creates another refund.
    RefundWithNewKey,
    /// Injected bug: the position of a webhook in the outbox is written before the event
    /// is delivered.
    DeliveryNotedEarly,
    /// Injected bug: a facilitator is asked to settle an `upto` payment before the cost
    /// of the answer is durable.
    UptoSettledEarly,
    /// Injected bug: an `upto` payment settles the signed maximum instead of the actual
    /// cost.
    UptoSettlesMost,
    /// Injected bug: a wallet settlement whose result is unclear counts as refused.
    UnclearSettlementIsNo,
    /// Injected bug: an unpaid `upto` answer no longer counts towards the amount at risk.
    UnpaidForgotten,
    /// Injected bug: the processor is asked to charge a payment token before the request
    /// is durable.
    TokenChargedEarly,
    /// Injected bug: a charge that a look-up does not find is discarded although it may
    /// still arrive.
    LateChargeForgotten,
    /// Injected bug: a repeated payment credential is accepted although it has already
    /// paid for another call.
    TokenPaysTwice,
    /// Injected bug: a log entry counts as written although another host has written its
    /// own entry at that position.
    CollisionUnnoticed,
    /// Injected bug: a host continues sealing after its own last record, ignoring records
    /// of other hosts.
    OtherSealsUnseen,
}

impl Defect {
    /// Every bug that a single host can have.
    pub const OF_A_HOST: [Self; 24] = [
        Self::LookupRefusalIsNo,
        Self::NestedCallsUnpaid,
        Self::PlaceReservedLate,
        Self::LateTruthIgnored,
        Self::SyncDropped,
        Self::AcknowledgedEarly,
        Self::NewestEntryForgotten,
        Self::HoldNotReleased,
        Self::RetryWithNewKey,
        Self::NonceNotChecked,
        Self::OrdersSwapped,
        Self::TransactionTwice,
        Self::CanceledTaskKeepsPrice,
        Self::SilenceIsNo,
        Self::KeyReuseUnnoticed,
        Self::RefundWithNewKey,
        Self::DeliveryNotedEarly,
        Self::UptoSettledEarly,
        Self::UptoSettlesMost,
        Self::UnclearSettlementIsNo,
        Self::UnpaidForgotten,
        Self::TokenChargedEarly,
        Self::LateChargeForgotten,
        Self::TokenPaysTwice,
    ];

    /// Every bug that requires several hosts.
    pub const OF_SEVERAL_HOSTS: [Self; 2] = [Self::CollisionUnnoticed, Self::OtherSealsUnseen];
}

#[cfg(not(feature = "mutants"))]
impl Defect {
    /// Whether the bug is injected; always false without the feature `mutants`.
    #[inline(always)]
    pub const fn is_planted(self) -> bool {
        false
    }
}

#[cfg(feature = "mutants")]
mod switchboard {
    use std::cell::Cell;

    use super::Defect;

    thread_local! {
        static PLANTED: Cell<Option<Defect>> = const { Cell::new(None) };
    }

    impl Defect {
        /// Whether the bug is injected on this thread.
        pub fn is_planted(self) -> bool {
            PLANTED.get() == Some(self)
        }

        /// Injects a bug on this thread; `None` removes it.
        pub fn plant(defect: Option<Self>) {
            PLANTED.set(defect);
        }
    }
}
