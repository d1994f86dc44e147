//! Defects that the simulation plants deliberately, to show that it detects
//! them.
//!
//! Invariant: without the feature `mutants`, which no release enables, no
//! defect is ever planted: every check is a constant, and the branches behind
//! it are compiled out.

/// A defect, planted at one place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// A refused look-up of a transfer counts as a refused transfer.
    LookupRefusalIsNo,
    /// Answered calls below a failed call are not paid for.
    NestedCallsUnpaid,
    /// A task begins before its place in the queue is reserved.
    PlaceReservedLate,
    /// A status from the processor that arrives after the payment is ignored.
    LateTruthIgnored,
    /// An entry of the journal is not synced.
    SyncDropped,
    /// A change is acknowledged one commit before its entry is synced.
    AcknowledgedEarly,
    /// Recovery forgets the newest entry of the journal.
    NewestEntryForgotten,
    /// The hold of a call is not released.
    HoldNotReleased,
    /// A transfer is requested again under another idempotency key.
    RetryWithNewKey,
    /// A link to a payout account works with any nonce.
    NonceNotChecked,
    /// Two orders that are looked up together get each other's payment.
    OrdersSwapped,
    /// A transaction that was sealed before is sealed again.
    TransactionTwice,
    /// A canceled task keeps its price.
    CanceledTaskKeepsPrice,
    /// A missing answer from the processor counts as a refusal.
    SilenceIsNo,
    /// A repeat with a different body gets the first answer.
    KeyReuseUnnoticed,
    /// A repeated request for a refund creates another refund.
    RefundWithNewKey,
    /// The position of a webhook is written before the event is delivered.
    DeliveryNotedEarly,
    /// A facilitator is asked to settle an answer by `upto` before its cost is
    /// durable.
    UptoSettledEarly,
    /// A sale by `upto` settles the signed maximum instead of its cost.
    UptoSettlesMost,
    /// An unclear settlement of a wallet's payment counts as a refused one.
    UnclearSettlementIsNo,
    /// An unpaid answer by `upto` no longer counts as at risk.
    UnpaidForgotten,
    /// The processor is asked to charge a token before the request is durable.
    TokenChargedEarly,
    /// A charge that a look-up does not find is forgotten while it may still
    /// arrive.
    LateChargeForgotten,
    /// A repeated credential is not checked for what it has already paid for.
    TokenPaysTwice,
    /// An entry counts as written although another host has taken its position in
    /// the log.
    CollisionUnnoticed,
    /// A host continues sealing after its own last record, ignoring records of
    /// other hosts.
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
    /// Whether the defect is planted: never without the feature `mutants`.
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

        /// Plants a defect on this thread, or removes it.
        pub fn plant(defect: Option<Self>) {
            PLANTED.set(defect);
        }
    }
}
