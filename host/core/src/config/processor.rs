//! `payments.processor`: the payment processor.

use super::raw::Raw;
use super::setting::{Setting, one_of};
use crate::money::Millipence;

/// The payment processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Processor {
    /// A built-in processor without real money.
    Sandbox,
    /// Payments through Stripe.
    Stripe,
}

impl Processor {
    /// The name of the processor, as the API shows it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sandbox => "sandbox",
            Self::Stripe => "stripe",
        }
    }

    /// The defaults of `minimum_charge` and `hold_days`. Cards cost a fixed fee per
    /// payment and can be disputed; the sandbox has neither fees nor disputes.
    pub(super) const fn defaults(self) -> (Millipence, u32) {
        match self {
            Self::Sandbox => (Millipence::ZERO, 0),
            Self::Stripe => (Millipence::new(500_000), 7),
        }
    }
}

impl Setting for Processor {
    fn read(raw: &Raw) -> Result<Self, String> {
        one_of(raw, &[Self::Sandbox, Self::Stripe].map(|processor| (processor.as_str(), processor)))
    }
}
