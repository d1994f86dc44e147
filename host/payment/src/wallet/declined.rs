//! Why what a wallet signed does not pay.

use tollbridge_core::money::Millipence;
use tollbridge_x402::{Code, Invalid};

/// A payment by wallet that does not pay for a call. No money moved by it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says what is wrong")]
pub enum WalletDeclined {
    #[error("this server takes no payments by wallet")]
    NotTaken,
    #[error(
        "`accepted` is no offer of this server; take an entry of `accepts` of this answer unchanged, with `extra.offer`"
    )]
    UnknownOffer,
    #[error("the offer expired before it was paid")]
    Expired,
    #[error(transparent)]
    Invalid(#[from] Invalid),
    #[error("another signature pays this offer; sign each offer once")]
    OtherSignature,
    #[error("this signature pays another offer; sign each offer with a nonce of its own")]
    NonceUsed,
    #[error("the facilitator does not take the payment: {0}")]
    Refused(String),
    #[error("what was signed, {0}, is less than the most that this request can cost")]
    TooLittle(Millipence),
    #[error("this wallet has an answer that it has not paid: repeat that request, or pay by `exact`")]
    Unpaid,
    #[error("this server takes no more payments by `upto` for now; pay by `exact`")]
    UptoExhausted,
}

impl WalletDeclined {
    /// What x402 calls it, or the facilitator.
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
