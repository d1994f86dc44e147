//! Defects that the simulation plants deliberately, to show that it detects them.
//!
//! Invariant: without the feature `mutants`, which no release enables, no defect is ever
//! planted: every check is a constant, and the branches that depend on it are compiled
//! out.

/// A defect that can be planted at one place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// If the look-up of a transfer is refused, the transfer itself counts as refused.
    LookupRefusalIsNo,
    /// Nested calls that were answered are not paid for if their parent call failed.
    NestedCallsUnpaid,
    /// A task begins before its slot in the queue is reserved.
    PlaceReservedLate,
    /// A failure or reversal that the processor reports after a payout is ignored.
    LateTruthIgnored,
    /// A journal entry is not synced to disk.
    SyncDropped,
    /// A change is acknowledged one commit before its journal entry is synced.
    AcknowledgedEarly,
    /// Recovery ignores the newest journal entry.
    NewestEntryForgotten,
    /// The amount reserved for a call (its hold) is not released.
    HoldNotReleased,
    /// A transfer is requested again under another idempotency key.
    RetryWithNewKey,
    /// A link for connecting a payout account is accepted with any nonce.
    NonceNotChecked,
    /// Two orders that are looked up at the same time get each other's payment.
    OrdersSwapped,
    /// A transaction that is already sealed is sealed again.
    TransactionTwice,
    /// The price reserved for a canceled task is not released.
    CanceledTaskKeepsPrice,
    /// A missing answer from the processor counts as a refusal.
    SilenceIsNo,
    /// A repeated request with a different body gets the answer to the first request.
    KeyReuseUnnoticed,
    /// A repeated request for a refund creates another refund.
    RefundWithNewKey,
    /// The position of a webhook in the outbox is written before the event is delivered.
    DeliveryNotedEarly,
    /// A facilitator is asked to settle an `upto` payment before the cost of the answer
    /// is durable.
    UptoSettledEarly,
    /// An `upto` payment settles the signed maximum instead of the actual cost.
    UptoSettlesMost,
    /// A wallet settlement whose result is unclear counts as refused.
    UnclearSettlementIsNo,
    /// An `upto` answer that is not yet paid no longer counts as at risk.
    UnpaidForgotten,
    /// The processor is asked to charge a payment token before the request is durable.
    TokenChargedEarly,
    /// A charge that a look-up does not find is discarded although it may still arrive.
    LateChargeForgotten,
    /// A repeated payment credential is accepted although it has already paid for another
    /// call.
    TokenPaysTwice,
    /// A log entry counts as written although another host has written its own entry at
    /// that position.
    CollisionUnnoticed,
    /// A host continues sealing after its own last record, ignoring records of other
    /// hosts.
    OtherSealsUnseen,
}

impl Defect {
    /// Every defect that a single host can have.
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

    /// Every defect that requires several hosts.
    pub const OF_SEVERAL_HOSTS: [Self; 2] = [Self::CollisionUnnoticed, Self::OtherSealsUnseen];
}

#[cfg(not(feature = "mutants"))]
impl Defect {
    /// Whether the defect is planted; always false without the feature `mutants`.
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
        /// Whether the defect is planted on this thread.
        pub fn is_planted(self) -> bool {
            PLANTED.get() == Some(self)
        }

        /// Plants a defect on this thread; `None` removes it.
        pub fn plant(defect: Option<Self>) {
            PLANTED.set(defect);
        }
    }
}
