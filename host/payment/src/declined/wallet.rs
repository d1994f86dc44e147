//! Reasons why a payment by wallet is declined.

use tollbridge_core::money::Millipence;
use tollbridge_x402::{Code, Invalid};

/// A reason why a payment by wallet is declined. No money has moved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum WalletDeclined {
    #[error("this server does not accept payments by wallet")]
    NotTaken,
    #[error("`accepted` is not an offer of this server; use an entry of `accepts` unchanged, with its `extra.offer`")]
    UnknownOffer,
    #[error("the offer expired before it was paid")]
    Expired,
    #[error(transparent)]
    Invalid(#[from] Invalid),
    #[error("this offer was paid with another signature; sign each offer only once")]
    OtherSignature,
    #[error("this signature already pays another offer; sign each offer with a new nonce")]
    NonceUsed,
    #[error("the facilitator refused the payment: {0}")]
    Refused(String),
    #[error("the signed amount, {0}, is less than the maximum cost of this request")]
    TooLittle(Millipence),
    #[error("this wallet has not paid for an earlier answer; repeat that request, or pay by `exact`")]
    Unpaid,
    #[error("this server accepts no further payments by `upto` for now; pay by `exact`")]
    UptoExhausted,
}

impl WalletDeclined {
    /// Returns the x402 error code; if the facilitator refused, its reason.
    pub fn code(&self) -> &str {
        match self {
            Self::Invalid(invalid) => invalid.code().as_str(),
            Self::Refused(reason) if !reason.is_empty() => reason,
            Self::Refused(_) => Code::UnexpectedVerifyError.as_str(),
            Self::OtherSignature | Self::NonceUsed => Code::InvalidTransactionState.as_str(),
            Self::TooLittle(_) => Code::InvalidPaymentRequirements.as_str(),
            Self::NotTaken | Self::Unpaid | Self::UptoExhausted => Code::UnsupportedScheme.as_str(),
            Self::UnknownOffer | Self::Expired => Code::InvalidPaymentRequirements.as_str(),
        }
    }
}
