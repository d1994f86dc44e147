//! Quotes: a price promised until it expires. The caller keeps it; the host
//! stores nothing until somebody pays.

use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;

/// What a quote promises. It is encoded in the ids, so its layout is fixed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuoteTerms {
    /// The bridge it is for, or `product:…`.
    pub bridge: String,
    /// Price of one call.
    pub price: Millipence,
    /// What the pay link charges; may cover many calls.
    pub charge: Millipence,
    /// Unix time in seconds until which it can be paid.
    pub expires_s: u64,
    /// The account that alone may use it; `None` when no key asked for it.
    pub account: Option<String>,
}

/// Public id of an intent: hex of 16 bytes that do not reveal its secret id.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IntentHandle(String);

/// A quote as its holder sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// Public id of the intent.
    pub handle: IntentHandle,
    /// What is promised.
    pub terms: QuoteTerms,
}

/// A new quote.
#[derive(Debug)]
pub struct IssuedQuote {
    /// The secret that spends the money, `pi_…`; for the caller only.
    pub intent_id: String,
    /// Names the intent in its pay link, `pt_…`; spends nothing.
    pub pay_token: String,
    /// What it says.
    pub quote: Quote,
}

/// Why a quote cannot be made or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuoteError {
    /// The text is not one that this host signed.
    #[error("this is not a payment intent of this server")]
    UnknownIntent,
    /// The operating system gives no randomness.
    #[error("no randomness is available")]
    NoRandomness,
}

/// Prefix of a product that is sold instead of calls of a bridge. No bridge can
/// have such a name.
pub(crate) const PRODUCT_PREFIX: &str = "product:";

impl QuoteTerms {
    /// The product that is paid for: `credit`, `tier:…` or `agent:…`; `None` for
    /// calls of a bridge.
    pub fn product(&self) -> Option<&str> {
        self.bridge.strip_prefix(PRODUCT_PREFIX)
    }

    /// What `bridge` holds for a product.
    pub fn product_name(product: &str) -> String {
        format!("{PRODUCT_PREFIX}{product}")
    }

    /// One line for the buyer.
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
    /// A handle that is the key of a row.
    pub(crate) const fn from_row_key(key: String) -> Self {
        Self(key)
    }

    /// Reads a handle that a processor stored; `None` when it is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text.len() == 32 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        hex.then(|| Self(text.to_owned()))
    }

    /// 32 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
