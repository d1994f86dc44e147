//! The error codes of x402.

use std::fmt;

/// An error code of section 9 of the specification, or of scheme `upto` on EVM.
///
/// Source of the `upto` codes: `x402` 2.25.0 (PyPI), `mechanisms/evm/constants.py`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each variant is documented by its text on the wire")]
pub enum Code {
    InsufficientFunds,
    ValidAfter,
    ValidBefore,
    ValueMismatch,
    Signature,
    RecipientMismatch,
    InvalidNetwork,
    InvalidPayload,
    InvalidPaymentRequirements,
    InvalidScheme,
    UnsupportedScheme,
    InvalidX402Version,
    InvalidTransactionState,
    UnexpectedVerifyError,
    UnexpectedSettleError,
    PermitSpender,
    PermitToken,
    PermitFacilitator,
    PermitAmount,
    PermitRecipient,
    PermitNotYetValid,
    PermitDeadline,
    PermitSignature,
}

impl Code {
    /// All codes.
    pub const ALL: [Self; 23] = [
        Self::InsufficientFunds,
        Self::ValidAfter,
        Self::ValidBefore,
        Self::ValueMismatch,
        Self::Signature,
        Self::RecipientMismatch,
        Self::InvalidNetwork,
        Self::InvalidPayload,
        Self::InvalidPaymentRequirements,
        Self::InvalidScheme,
        Self::UnsupportedScheme,
        Self::InvalidX402Version,
        Self::InvalidTransactionState,
        Self::UnexpectedVerifyError,
        Self::UnexpectedSettleError,
        Self::PermitSpender,
        Self::PermitToken,
        Self::PermitFacilitator,
        Self::PermitAmount,
        Self::PermitRecipient,
        Self::PermitNotYetValid,
        Self::PermitDeadline,
        Self::PermitSignature,
    ];

    /// Returns the code as written in protocol messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InsufficientFunds => "insufficient_funds",
            Self::ValidAfter => "invalid_exact_evm_payload_authorization_valid_after",
            Self::ValidBefore => "invalid_exact_evm_payload_authorization_valid_before",
            Self::ValueMismatch => "invalid_exact_evm_payload_authorization_value_mismatch",
            Self::Signature => "invalid_exact_evm_payload_signature",
            Self::RecipientMismatch => "invalid_exact_evm_payload_recipient_mismatch",
            Self::InvalidNetwork => "invalid_network",
            Self::InvalidPayload => "invalid_payload",
            Self::InvalidPaymentRequirements => "invalid_payment_requirements",
            Self::InvalidScheme => "invalid_scheme",
            Self::UnsupportedScheme => "unsupported_scheme",
            Self::InvalidX402Version => "invalid_x402_version",
            Self::InvalidTransactionState => "invalid_transaction_state",
            Self::UnexpectedVerifyError => "unexpected_verify_error",
            Self::UnexpectedSettleError => "unexpected_settle_error",
            Self::PermitSpender => "invalid_permit2_spender",
            Self::PermitToken => "permit2_token_mismatch",
            Self::PermitFacilitator => "upto_facilitator_mismatch",
            Self::PermitAmount => "permit2_amount_mismatch",
            Self::PermitRecipient => "invalid_permit2_recipient_mismatch",
            Self::PermitNotYetValid => "permit2_not_yet_valid",
            Self::PermitDeadline => "permit2_deadline_expired",
            Self::PermitSignature => "invalid_permit2_signature",
        }
    }

    /// Finds the code with this text; `None` if it is unknown. Facilitators also use
    /// codes that are not listed here.
    pub fn find(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.as_str() == text)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
