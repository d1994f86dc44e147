//! Defects that the simulation plants on purpose, to show that it finds them.
//!
//! Invariant: without the feature `mutants`, which nothing that ships has, no
//! defect is ever planted: every question is a constant, and the branches behind
//! it are not compiled.

/// A defect, planted at one place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// A refused look-up of a transfer counts as a refused transfer.
    LookupRefusalIsNo,
    /// What was answered below a failed call is paid by nobody.
    NestedCallsUnpaid,
    /// A task begins before its place in the queue is reserved.
    PlaceReservedLate,
    /// What the processor says later than the payment is not heard.
    LateTruthIgnored,
    /// An entry of the journal is not synced.
    SyncDropped,
    /// A change is acknowledged one commit before its entry is synced.
    AcknowledgedEarly,
    /// Recovery forgets the newest entry of the journal.
    NewestEntryForgotten,
    /// What a call holds stays held.
    HoldNotReleased,
    /// A transfer is asked for again under another idempotency key.
    RetryWithNewKey,
    /// A link to a payout account works with any nonce.
    NonceNotChecked,
    /// Two orders that are looked up together get each other's payment.
    OrdersSwapped,
    /// A transaction that was sealed before is sealed again.
    TransactionTwice,
    /// A canceled task keeps its price.
    CanceledTaskKeepsPrice,
    /// No answer from the processor counts as a refusal.
    SilenceIsNo,
    /// A repeat with another body gets the answer of the first.
    KeyReuseUnnoticed,
    /// A refund that is asked for again is another refund.
    RefundWithNewKey,
    /// The place of a webhook is written before the event is delivered.
    DeliveryNotedEarly,
    /// A facilitator is asked to settle an answer by `upto` before its cost is durable.
    UptoSettledEarly,
    /// By `upto` the most that was signed is settled, whatever was sold.
    UptoSettlesMost,
    /// An unclear settlement of a wallet's payment counts as a refused one.
    UnclearSettlementIsNo,
    /// An answer by `upto` that is not paid is at risk no more.
    UnpaidForgotten,
    /// The processor is asked to charge a token before that is durable.
    TokenChargedEarly,
    /// A charge that a look-up does not find is forgotten while it may still come.
    LateChargeForgotten,
    /// What a credential has paid for is not looked at when it comes again.
    TokenPaysTwice,
    /// An entry whose place in the log another host has taken counts as written.
    CollisionUnnoticed,
    /// A host seals on after what it sealed last, whatever others have sealed since.
    OtherSealsUnseen,
}

impl Defect {
    /// Every defect that one host can have.
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

    /// Every defect that only several hosts can have.
    pub const OF_SEVERAL_HOSTS: [Self; 2] = [Self::CollisionUnnoticed, Self::OtherSealsUnseen];
}

#[cfg(not(feature = "mutants"))]
impl Defect {
    /// Never.
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
        /// Whether this thread runs with the defect.
        pub fn is_planted(self) -> bool {
            PLANTED.get() == Some(self)
        }

        /// Plants a defect on this thread, or removes it.
        pub fn plant(defect: Option<Self>) {
            PLANTED.set(defect);
        }
    }
}
