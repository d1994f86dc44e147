//! `Invalid`: the defects of a payment.

use crate::address::Address;
use crate::amount::Amount;
use crate::code::Code;
use crate::header::HeaderError;
use crate::moment::moment;
use crate::signature::SignatureError;

/// A defect of a payment. [`Self::code`] is its x402 error code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum Invalid {
    #[error("the payment uses scheme `{given}`, but `{asked}` is required")]
    Scheme { given: String, asked: &'static str },
    #[error("the payment is on {given}, but {asked} is required")]
    Network { given: String, asked: String },
    #[error("`accepted.{member}` does not match the requirement {asked}")]
    Accepted { member: &'static str, asked: String },
    #[error("`payload` is not an authorization of scheme `{scheme}`: {problem}")]
    Payload { scheme: &'static str, problem: HeaderError },
    #[error("`{member}` of the signed permit is {given}, but {asked} is required")]
    Permit { member: &'static str, given: Address, asked: Address },
    #[error("the authorization is for {given}, but {asked} is required")]
    Value { given: Amount, asked: Amount },
    #[error("the authorization is to {given}, but {asked} is required")]
    Recipient { given: Address, asked: Address },
    #[error("the payer and the payee of the authorization are the same")]
    ToItself,
    #[error("the authorization is valid only after {}; the time is {}", moment(.valid_after.get()), moment((*.now_s).into()))]
    NotYetValid { valid_after: Amount, now_s: u64 },
    #[error("the authorization was valid before {}; the time is {}", moment(.valid_before.get()), moment((*.now_s).into()))]
    Expired { valid_before: Amount, now_s: u64 },
    #[error(
        "the authorization is valid before {}, which is more than {timeout_s} s ahead of {}",
        moment(.valid_before.get()),
        moment((*.now_s).into())
    )]
    TooLong { valid_before: Amount, timeout_s: u64, now_s: u64 },
    #[error(transparent)]
    Signature(#[from] SignatureError),
    #[error("the authorization is from {from}, but {signer} signed it, or `extra` has another name or version")]
    OtherSigner { from: Address, signer: Address },
    /// A defect that only `upto` payments can have; these have their own error codes.
    #[error(transparent)]
    Upto(Box<Self>),
}

impl Invalid {
    /// Returns the x402 error code.
    pub fn code(&self) -> Code {
        match self {
            Self::Scheme { .. } => Code::InvalidScheme,
            Self::Network { .. } => Code::InvalidNetwork,
            Self::Accepted { .. } => Code::InvalidPaymentRequirements,
            Self::Payload { .. } => Code::InvalidPayload,
            Self::Permit { member: "spender", .. } => Code::PermitSpender,
            Self::Permit { member: "permitted.token", .. } => Code::PermitToken,
            Self::Permit { .. } => Code::PermitFacilitator,
            Self::Value { .. } => Code::ValueMismatch,
            Self::Recipient { .. } | Self::ToItself => Code::RecipientMismatch,
            Self::NotYetValid { .. } => Code::ValidAfter,
            Self::Expired { .. } | Self::TooLong { .. } => Code::ValidBefore,
            Self::Signature(_) | Self::OtherSigner { .. } => Code::Signature,
            Self::Upto(problem) => match problem.code() {
                Code::ValueMismatch => Code::PermitAmount,
                Code::RecipientMismatch => Code::PermitRecipient,
                Code::ValidAfter => Code::PermitNotYetValid,
                Code::ValidBefore => Code::PermitDeadline,
                Code::Signature => Code::PermitSignature,
                code => code,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_messages_are_dates() {
        let (at, now_s) = (Amount::new(1_700_000_000), 1_700_000_060);
        let expired = Invalid::Expired { valid_before: at, now_s };
        let text = "the authorization was valid before 2023-11-14T22:13:20Z; the time is 2023-11-14T22:14:20Z";
        assert_eq!(expired.to_string(), text);
        let too_long = Invalid::TooLong { valid_before: Amount::new(u128::MAX), timeout_s: 60, now_s };
        assert!(too_long.to_string().ends_with(" s, which is more than 60 s ahead of 2023-11-14T22:14:20Z"));
    }
}
