//! `Scheme`: a payment scheme of x402, `exact` or `upto`.

use crate::address::Address;

/// The payment scheme, which defines what part of the signed amount is moved, and by what
/// transfer method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Moves exactly the signed amount, with EIP-3009.
    Exact,
    /// Moves at most the signed amount, with Permit2; the actual amount is chosen at
    /// settlement.
    Upto {
        /// The only account that may settle the payment.
        facilitator: Address,
    },
}

impl Scheme {
    /// Name of scheme `exact`.
    pub const EXACT: &str = "exact";
    /// Name of scheme `upto`.
    pub const UPTO: &str = "upto";
    /// Name of the member of `extra` that names the token's transfer method.
    pub(crate) const TRANSFER_METHOD: &str = "assetTransferMethod";
    /// Name of the member of `extra` that contains the facilitator's address.
    pub(crate) const FACILITATOR: &str = "facilitatorAddress";

    /// Returns the name of the scheme.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => Self::EXACT,
            Self::Upto { .. } => Self::UPTO,
        }
    }

    /// Returns the name of the transfer method that the scheme uses.
    pub(crate) const fn transfer_method(self) -> &'static str {
        match self {
            Self::Exact => "eip3009",
            Self::Upto { .. } => "permit2",
        }
    }
}
