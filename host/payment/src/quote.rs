//! Quotes: prices promised until they expire. The caller keeps the quote; the host stores
//! it only when it is paid.

use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;

/// The terms of a quote. They are encoded in the ids, so the layout is fixed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuoteTerms {
    /// The bridge that the quote is for, or `product:…`.
    pub bridge: String,
    /// Price of one call.
    pub price: Millipence,
    /// Amount charged at the pay link; it may cover many calls.
    pub charge: Millipence,
    /// Unix time in seconds until which the quote can be paid.
    pub expires_s: u64,
    /// The only account that may use the quote; `None` if it was requested without a key.
    pub account: Option<String>,
}

/// Public id of an intent: hex of 16 bytes that do not reveal its secret id.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IntentHandle(String);

/// A quote as shown to its holder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// Public id of the intent.
    pub handle: IntentHandle,
    /// The promised terms.
    pub terms: QuoteTerms,
}

/// A newly issued quote.
#[derive(Debug)]
pub struct IssuedQuote {
    /// The secret that spends the money, `pi_…`; show it to the caller only.
    pub intent_id: String,
    /// The token that names the intent in its pay link, `pt_…`; it cannot spend.
    pub pay_token: String,
    /// The quote itself.
    pub quote: Quote,
}

/// An error of issuing or reading a quote.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuoteError {
    /// The text was not signed by this host.
    #[error("unknown payment intent")]
    UnknownIntent,
    /// The operating system returned no randomness.
    #[error("no randomness is available")]
    NoRandomness,
}

/// Prefix of the `bridge` field when a product is sold instead of calls. No bridge can
/// have such a name.
pub(crate) const PRODUCT_PREFIX: &str = "product:";

impl QuoteTerms {
    /// Returns the product: `credit`, `tier:…` or `agent:…`; `None` for calls of a
    /// bridge.
    pub fn product(&self) -> Option<&str> {
        self.bridge.strip_prefix(PRODUCT_PREFIX)
    }

    /// Returns the value of the `bridge` field for a product.
    pub fn product_name(product: &str) -> String {
        format!("{PRODUCT_PREFIX}{product}")
    }

    /// Returns a one-line title for the buyer.
    pub fn title(&self) -> String {
        match self.product() {
            Some("credit") => "Prepaid credit".to_owned(),
            Some(product) => match product.split_once(':') {
                Some(("agent", agent)) => format!("Prepaid credit for the agent {agent}"),
                _ => format!("Tollbridge {product}"),
            },
            None => match self.bridge.strip_prefix("agents/") {
                Some(agent) => format!("Calls to the agent {agent}"),
                None => format!("Calls to {}", self.bridge),
            },
        }
    }
}

impl IntentHandle {
    /// Wraps a row key that is a handle.
    pub(crate) const fn from_row_key(key: String) -> Self {
        Self(key)
    }

    /// Parses a handle that a processor stored; `None` if the text is not a handle.
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text.len() == 32 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        hex.then(|| Self(text.to_owned()))
    }

    /// Returns the handle, 32 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
