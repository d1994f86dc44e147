//! The context of a request, as the HTTP routes pass it on.

use tollbridge_core::fair_limiter::FairShare;
use tollbridge_core::money::Millipence;
use tollbridge_market::checkout::PaymentSource;
use tollbridge_payment::DailySpendLimit;

use super::version::ProtocolVersion;

/// The account, time and payment source of a request.
#[derive(Clone, Debug)]
pub struct RequestContext {
    /// The protocol version that the client uses.
    pub version: ProtocolVersion,
    /// The account of the API key.
    pub account: String,
    /// The account's fair share of the agents' slots.
    pub share: FairShare,
    /// The id of the HTTP request.
    pub request_id: String,
    /// The time of the request, Unix time in milliseconds.
    pub now_ms: u64,
    /// The source from which the call is paid.
    pub source: PaymentSource,
    /// Whether the client accepts requests for payment by a wallet.
    pub asks_wallets: bool,
    /// The daily credit limit of the key.
    pub spend: Option<DailySpendLimit>,
    /// The maximum cost of the agent's call.
    pub max_cost: Option<Millipence>,
}
