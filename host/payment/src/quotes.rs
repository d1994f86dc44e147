//! `Quotes`: prices promised to callers.

use std::sync::Arc;

use tollbridge_core::money::Millipence;

use super::quote::{IssuedQuote, QuoteError, QuoteTerms};
use super::quote_signer::QuoteSigner;

/// Quote settings from the configuration.
#[derive(Clone, Copy, Debug)]
pub struct QuotePolicy {
    /// Seconds until an unpaid quote expires.
    pub ttl_s: u64,
    /// The smallest payment that the processor accepts.
    pub minimum_charge: Millipence,
}

/// Issues quotes under the operator's policy.
pub struct Quotes {
    pub(crate) signer: Arc<QuoteSigner>,
    policy: QuotePolicy,
}

impl Quotes {
    pub(crate) fn new(signer: Arc<QuoteSigner>, policy: QuotePolicy) -> Self {
        Self { signer, policy }
    }

    /// Quotes a price for calls of a bridge. Writes nothing.
    ///
    /// # Errors
    ///
    /// Fails if the system has no randomness.
    pub fn issue(
        &self,
        bridge: &str,
        price: Millipence,
        account: Option<&str>,
        now_ms: u64,
    ) -> Result<IssuedQuote, QuoteError> {
        self.signer.issue(QuoteTerms {
            bridge: bridge.to_owned(),
            price,
            charge: self.charge(price),
            expires_s: self.expires_s(now_ms),
            account: account.map(str::to_owned),
        })
    }

    /// Quotes credit or a tier to an account. Writes nothing.
    ///
    /// # Errors
    ///
    /// Fails if the system has no randomness.
    pub fn issue_product(
        &self,
        product: &str,
        amount: Millipence,
        account: &str,
        now_ms: u64,
    ) -> Result<IssuedQuote, QuoteError> {
        self.signer.issue(QuoteTerms {
            bridge: QuoteTerms::product_name(product),
            price: amount,
            charge: amount,
            expires_s: self.expires_s(now_ms),
            account: Some(account.to_owned()),
        })
    }

    /// Returns the Unix time in seconds until which a quote issued at `now_ms` can be
    /// paid.
    pub(crate) const fn expires_s(&self, now_ms: u64) -> u64 {
        (now_ms / 1000).saturating_add(self.policy.ttl_s)
    }

    /// Returns the smallest payment that the processor accepts.
    pub const fn minimum_charge(&self) -> Millipence {
        self.policy.minimum_charge
    }

    /// Returns the amount to charge: the price, or its smallest multiple that the
    /// processor accepts.
    pub(crate) fn charge(&self, price: Millipence) -> Millipence {
        let minimum = self.policy.minimum_charge.get();
        if price.get() <= 0 || minimum <= price.get() {
            return price;
        }
        let calls = minimum.div_euclid(price.get()) + i64::from(minimum % price.get() != 0);
        Millipence::new(price.get().saturating_mul(calls))
    }
}
