//! The payment for a call that is about to run.

use std::sync::Arc;

use tollbridge_core::money::Millipence;
use tollbridge_payment::{PaymentAuthorization, WalletPayment};

/// The payment for a call that is about to run.
pub(super) enum SalePayment {
    /// The price is reserved for the call.
    Held(PaymentAuthorization),
    /// A wallet has signed the payment and has the money, but the money is not collected
    /// yet. Not allowed for calls that may have nested calls, because those must be paid
    /// even if the call fails.
    Promised(Arc<WalletPayment>),
}

impl SalePayment {
    /// Returns the cost of the call.
    pub(super) fn amount(&self) -> Millipence {
        match self {
            Self::Held(payment) => payment.amount,
            Self::Promised(payment) => payment.price(),
        }
    }
}
