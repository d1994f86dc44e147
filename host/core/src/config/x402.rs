//! `[payments.x402]`: payments by wallet.

use std::time::Duration;

use super::address::BaseUrl;
use super::key::Key;
use super::processor::Processor;
use super::raw::Raw;
use super::reader::Reader;
use super::secret::Secret;
use super::setting::{Setting, one_of};
use crate::money::Millipence;
use crate::time::parse_rfc3339;

/// The section `[payments.x402]`. Texts are unparsed; the payment code validates them.
#[derive(Clone, Debug)]
pub struct X402Config {
    /// Whether wallets can pay for calls.
    pub enabled: bool,
    /// The blockchain network, as a CAIP-2 id.
    pub network: String,
    /// The address that receives the payments.
    pub pay_to: Option<String>,
    /// The token that wallets pay with; `None` is the network's USDC.
    pub asset: Option<AssetConfig>,
    /// The exchange rate: whole tokens per pound.
    pub gbp_rate: Option<String>,
    /// The source of the exchange rate.
    pub rate_source: String,
    /// The time of the exchange rate, as Unix time in seconds; the default is the start
    /// of the server.
    pub rate_as_of_s: Option<u64>,
    /// The maximum age of the exchange rate.
    pub rate_max_age: Duration,
    /// The address of the facilitator, which settles payments; `None` in the sandbox,
    /// where no money moves.
    pub facilitator: Option<BaseUrl>,
    /// The bearer token that authenticates this server to the facilitator.
    pub facilitator_key: Option<Secret>,
    /// Whether accounts may use this server as their facilitator.
    pub serve_others: bool,
    /// The address of a blockchain node for looking up payments with an unclear result.
    pub node: Option<BaseUrl>,
    /// The moment at which a payment is settled.
    pub settle: Settle,
    /// The time for which a signed payment is valid.
    pub timeout: Duration,
    /// The maximum cost per day of `upto` model calls that were answered but are not paid
    /// yet.
    pub upto_risk: Millipence,
}

/// A token that is not the network's USDC.
#[derive(Clone, Debug)]
pub struct AssetConfig {
    /// The address of the token's contract.
    pub address: String,
    /// The name in the token's EIP-712 domain.
    pub name: String,
    /// The version in the token's EIP-712 domain.
    pub version: String,
    /// Decimal places of one whole token.
    pub decimals: u32,
}

/// The moment at which a payment is settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settle {
    /// Before the plugin runs.
    Before,
    /// After the plugin has answered, before the answer is sent.
    After,
}

/// The sandbox's network, address and rate: test USDC on Base's test network, and a burn
/// address without an owner.
const SANDBOX: (&str, &str, &str) = ("eip155:84532", "0x000000000000000000000000000000000000dEaD", "1.25");
/// The sandbox's `upto_risk`: the limit matters little, because no money is real.
const SANDBOX_RISK: Millipence = Millipence::new(1_000_000);
/// The default network with real money: Base, paid in USDC.
const LIVE_NETWORK: &str = "eip155:8453";

impl X402Config {
    pub(super) fn read(r: &mut Reader, processor: Option<Processor>) -> Option<Self> {
        let (shortest, longest) = (Duration::from_secs(10), Duration::from_secs(86_400));
        let (minute, year) = (Duration::from_secs(60), Duration::from_secs(366 * 86_400));
        let enabled = r.optional::<bool>("payments.x402.enabled");
        let network = r.optional::<String>("payments.x402.network");
        let pay_to = r.optional::<String>("payments.x402.pay_to");
        let asset = AssetConfig::read(r);
        let gbp_rate = r.optional::<String>("payments.x402.gbp_rate");
        let rate_source = r.required::<String>("payments.x402.rate_source");
        let as_of = r.optional::<Instant>("payments.x402.rate_as_of");
        let rate_max_age = r.within("payments.x402.rate_max_age", minute..=year, "from 1m to 366d");
        let facilitator = r.optional::<BaseUrl>("payments.x402.facilitator");
        let facilitator_key = r.optional::<Secret>("payments.x402.facilitator_key");
        let serve_others = r.optional::<bool>("payments.x402.serve_others");
        let node = r.optional::<BaseUrl>("payments.x402.node");
        let settle = r.required::<Settle>("payments.x402.settle");
        let timeout = r.within("payments.x402.timeout", shortest..=longest, "from 10s to 24h");

        let upto_risk = r.optional::<Millipence>("payments.x402.upto_risk_gbp");

        let sandbox = processor? == Processor::Sandbox;
        // With real money, payments by wallet are enabled only if the operator has set
        // the address that receives them.
        let is_enabled = enabled?.unwrap_or(sandbox || pay_to.as_ref()?.is_some());
        Self::note_effective(r, sandbox, is_enabled);
        let (chain, dead, rate) = SANDBOX;
        let in_sandbox = |text: &str| sandbox.then(|| text.to_owned());
        let read = Self {
            enabled: is_enabled,
            network: network?.or_else(|| in_sandbox(chain)).unwrap_or_else(|| LIVE_NETWORK.to_owned()),
            pay_to: pay_to?.or_else(|| in_sandbox(dead)),
            asset: asset?,
            gbp_rate: gbp_rate?.or_else(|| in_sandbox(rate)),
            rate_source: rate_source?,
            rate_as_of_s: as_of?.map(|Instant(seconds)| seconds),
            rate_max_age: rate_max_age?,
            facilitator: facilitator?,
            facilitator_key: facilitator_key?,
            serve_others: serve_others?.unwrap_or(sandbox),
            node: node?,
            settle: settle?,
            timeout: timeout?,
            upto_risk: upto_risk?.unwrap_or(if sandbox { SANDBOX_RISK } else { Millipence::ZERO }),
        };
        if is_enabled && !sandbox {
            read.check_live(r);
        }
        Some(read)
    }

    /// Checks the settings that payments with real money require.
    fn check_live(&self, r: &mut Reader) {
        for (missing, key, message) in [
            (self.pay_to.is_none(), "pay_to", "is missing: the address that wallets pay to"),
            (self.facilitator.is_none(), "facilitator", "is missing: the address of the settlement service"),
            (self.gbp_rate.is_none(), "gbp_rate", "is missing: the number of whole tokens per pound"),
            (self.rate_as_of_s.is_none(), "rate_as_of", "is missing: the time of payments.x402.gbp_rate"),
        ] {
            if missing {
                r.error(&Key::from(format!("payments.x402.{key}").as_str()), message.to_owned());
            }
        }
    }

    fn note_effective(r: &mut Reader, sandbox: bool, enabled: bool) {
        let why = "from payments.processor";
        let (chain, dead, rate) = SANDBOX;
        let network = if sandbox { chain } else { LIVE_NETWORK };
        r.derived("payments.x402.network", Raw::Text(network.to_owned()), why);
        r.derived("payments.x402.enabled", Raw::Flag(enabled), "from payments.processor and payments.x402.pay_to");
        r.derived("payments.x402.serve_others", Raw::Flag(sandbox), why);
        let risk = if sandbox { "10.00" } else { "0.00" };
        r.derived("payments.x402.upto_risk_gbp", Raw::Text(risk.to_owned()), why);
        if sandbox {
            r.derived("payments.x402.pay_to", Raw::Text(dead.to_owned()), why);
            r.derived("payments.x402.gbp_rate", Raw::Text(rate.to_owned()), why);
        }
    }
}

impl AssetConfig {
    fn read(r: &mut Reader) -> Option<Option<Self>> {
        let address = r.optional::<String>("payments.x402.asset");
        let name = r.optional::<String>("payments.x402.asset_name");
        let version = r.required::<String>("payments.x402.asset_version");
        // With fewer decimals, the smallest unit of a token would be worth more than a
        // thousandth of a penny.
        let decimals = r.within("payments.x402.asset_decimals", 5..=18_u32, "from 5 to 18");
        let mut missing = |key: &str, what: &str| {
            r.error(&Key::from(key), format!("is missing: {what}"));
            None
        };
        match (address?, name?) {
            (None, None) => Some(None),
            (Some(address), Some(name)) => Some(Some(Self { address, name, version: version?, decimals: decimals? })),
            (Some(_), None) => missing("payments.x402.asset_name", "the token's name, which payers sign"),
            (None, Some(_)) => missing("payments.x402.asset", "the contract of the token"),
        }
    }
}

/// A point in time, as Unix time in seconds.
#[derive(Clone, Copy)]
struct Instant(u64);

impl Setting for Instant {
    fn read(raw: &Raw) -> Result<Self, String> {
        let ms = raw.scalar().and_then(parse_rfc3339);
        let wanted = "a time like \"2026-11-26T08:00:00Z\"";
        ms.map(|ms| Self(ms / 1000)).ok_or_else(|| super::setting::unexpected_value(raw, wanted))
    }
}

impl Setting for Settle {
    fn read(raw: &Raw) -> Result<Self, String> {
        one_of(raw, &[("before", Self::Before), ("after", Self::After)])
    }
}
