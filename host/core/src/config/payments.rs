//! The sections about money: `[payments]`, `[payments.stripe]`, `[split]`, `[tiers]`,
//! `[earn]` and `[memory]`.

use std::time::Duration;

use super::address::BaseUrl;
use super::key::Key;
use super::mpp::MppConfig;
use super::processor::Processor;
use super::raw::Raw;
use super::reader::Reader;
use super::secret::Secret;
use super::units::Percent;
use super::x402::X402Config;
use crate::limits::RATE_LIMIT_MAX;
use crate::money::{Millipence, Share, SplitPolicy};

/// The section `[payments]`.
#[derive(Clone, Debug)]
pub struct PaymentsConfig {
    /// The payment processor.
    pub processor: Processor,
    /// The minimum amount of a payment, which is enough for several calls.
    pub minimum_charge: Millipence,
    /// The time for which an unpaid quote is valid.
    pub quote_ttl: Duration,
    /// Test credit of a new account in the sandbox.
    pub sandbox_credit: Millipence,
    /// The number of days before earnings may be withdrawn.
    pub hold_days: u32,
    /// The interval between checks of pending payments and withdrawals.
    pub follow_every: Duration,
    /// `[payments.stripe]`.
    pub stripe: StripeConfig,
    /// `[payments.x402]`.
    pub x402: X402Config,
    /// `[payments.mpp]`.
    pub mpp: MppConfig,
}

/// The section `[payments.stripe]`.
#[derive(Clone, Debug)]
pub struct StripeConfig {
    /// Stripe's secret key.
    pub secret_key: Option<Secret>,
    /// The signing secret of the events that Stripe sends.
    pub webhook_secret: Option<Secret>,
    /// Stripe Connect's client id.
    pub client_id: Option<String>,
    /// The address of Stripe's API.
    pub api_base: BaseUrl,
    /// The address of Stripe Connect.
    pub connect_base: BaseUrl,
}

/// The section `[tiers]`: the rate limits and prices of the tiers.
#[derive(Clone, Debug)]
pub struct TiersConfig {
    /// Rate limits of an account without a subscription.
    pub free: Allowance,
    /// Rate limits of an account with Pro.
    pub pro: Allowance,
    /// Rate limits of an account that has an enterprise agreement with the operator.
    pub enterprise: Allowance,
    /// `tiers.pro.price_gbp`; `None` if Pro is not for sale.
    pub pro_price: Option<Millipence>,
    /// `tiers.pro.days`: the number of days that one payment for Pro covers.
    pub pro_days: u32,
}

/// A rate limit: requests per calendar minute and hour. Both numbers are above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Maximum number of calls per minute.
    pub per_minute: u32,
    /// Maximum number of calls per hour.
    pub per_hour: u32,
}

/// The section `[earn]`.
#[derive(Clone, Debug)]
pub struct EarnConfig {
    /// The budget of all earning tasks together.
    pub budget: Millipence,
}

/// The section `[memory]`.
#[derive(Clone, Debug)]
pub struct MemoryConfig {
    /// The price of storing one memory item.
    pub price: Millipence,
}

impl PaymentsConfig {
    pub(super) fn read(r: &mut Reader) -> Option<Self> {
        let processor = r.required("payments.processor");
        let minimum_charge = r.optional("payments.minimum_charge");
        let (shortest, longest) = (Duration::from_secs(1), Duration::from_secs(86_400));
        let quote_ttl = r.within("payments.quote_ttl", shortest..=longest, "from 1s to 24h");
        let sandbox_credit = r.required("payments.sandbox_credit");
        let hold_days = r.optional::<u32>("payments.hold_days");
        let follow_every = r.within("payments.follow_every", Duration::from_millis(100)..=longest, "from 100ms to 24h");
        let stripe = StripeConfig::read(r);
        let x402 = X402Config::read(r, processor);
        let mpp = MppConfig::read(r, processor);

        if hold_days.flatten().is_some_and(|days| days > 365) {
            r.error(&Key::from("payments.hold_days"), "must be from 0 to 365".to_owned());
        }
        let processor: Processor = processor?;
        let (charge, days) = processor.defaults();
        r.derived("payments.minimum_charge", Raw::Text(charge.pounds()), "from payments.processor");
        r.derived("payments.hold_days", Raw::Number(days.to_string()), "from payments.processor");
        let minimum_charge = minimum_charge?.unwrap_or(charge);
        let stripe = stripe?;
        if processor == Processor::Stripe {
            stripe.check(r, minimum_charge);
        }
        Some(Self {
            processor,
            minimum_charge,
            quote_ttl: quote_ttl?,
            sandbox_credit: sandbox_credit?,
            hold_days: hold_days?.unwrap_or(days),
            follow_every: follow_every?,
            stripe,
            x402: x402?,
            mpp: mpp?,
        })
    }
}

/// The fixed part of Stripe's fee for a British card payment: 20 pence.
const STRIPE_FEE: Millipence = Millipence::new(20_000);
/// Smallest charge that Stripe accepts: 30 pence.
const STRIPE_LEAST: Millipence = Millipence::new(30_000);

impl StripeConfig {
    fn read(r: &mut Reader) -> Option<Self> {
        let secret_key = r.optional("payments.stripe.secret_key");
        let webhook_secret = r.optional("payments.stripe.webhook_secret");
        let client_id = r.optional("payments.stripe.client_id");
        let api_base = r.required("payments.stripe.api_base");
        let connect_base = r.required("payments.stripe.connect_base");
        Some(Self {
            secret_key: secret_key?,
            webhook_secret: webhook_secret?,
            client_id: client_id?,
            api_base: api_base?,
            connect_base: connect_base?,
        })
    }

    /// Checks the settings that Stripe requires. A missing key causes only a warning: the
    /// server starts, and answers requests that need the key with E009.
    fn check(&self, r: &mut Reader, minimum_charge: Millipence) {
        if minimum_charge < STRIPE_LEAST {
            let message = "is below £0.30, the least that Stripe charges";
            r.error(&Key::from("payments.minimum_charge"), message.to_owned());
        }
        let missing = [
            (
                self.secret_key.is_none(),
                "payments.stripe.secret_key",
                "E009: the processor is \"stripe\" and its secret key is not set, so nothing can be paid; \
                 set it, or TOLLBRIDGE__PAYMENTS__STRIPE__SECRET_KEY",
            ),
            (
                self.webhook_secret.is_none(),
                "payments.stripe.webhook_secret",
                "is not set, so events from Stripe are refused (E006) and payments are found only by polling",
            ),
            (
                self.client_id.is_none(),
                "payments.stripe.client_id",
                "is not set, so no account can be connected for withdrawals",
            ),
        ];
        for (_, key, message) in missing.into_iter().filter(|(missing, ..)| *missing) {
            r.warn(key, message);
        }
    }
}

/// Warns if the platform's share of a payment does not cover the processor's fee.
pub(super) fn check_fees(r: &mut Reader, payments: &PaymentsConfig, split: &SplitPolicy) {
    let charge = payments.minimum_charge.get();
    let fee = STRIPE_FEE.get().saturating_add(charge.saturating_mul(15) / 1000);
    let share = charge.saturating_mul(i64::from(split.tenths(Share::Platform))) / 1000;
    if payments.processor == Processor::Stripe && share < fee {
        let message = "is so small that the fee of a card payment (some 20 p and 1.5 %) is more than the platform's \
                       share of it; raise it, or split.platform_pct";
        r.warn("payments.minimum_charge", message);
    }
}

/// Reads `[split]`. The floor of the developer's share defaults to the share itself.
pub(super) fn read_split(r: &mut Reader) -> Option<SplitPolicy> {
    let developer: Option<Percent> = r.required("split.developer_pct");
    let platform: Option<Percent> = r.required("split.platform_pct");
    let treasury: Option<Percent> = r.required("split.treasury_pct");
    let floor: Option<Option<Percent>> = r.optional("split.floor_pct");
    if let Some(Percent(tenths)) = developer {
        let text = format!("{}.{}", tenths / 10, tenths % 10);
        r.derived("split.floor_pct", Raw::Number(text), "from split.developer_pct");
    }
    let (developer, floor) = (developer?, floor?);
    let policy = SplitPolicy::new(developer.0, platform?.0, treasury?.0, floor.unwrap_or(developer).0);
    policy.map_err(|error| r.error(&Key::from("split"), error.to_string())).ok()
}

impl TiersConfig {
    pub(super) fn read(r: &mut Reader) -> Option<Self> {
        let free = Allowance::read(r, "tiers.free.per_minute", "tiers.free.per_hour");
        let pro = Allowance::read(r, "tiers.pro.per_minute", "tiers.pro.per_hour");
        let enterprise = Allowance::read(r, "tiers.enterprise.per_minute", "tiers.enterprise.per_hour");
        let pro_price = r.optional::<Millipence>("tiers.pro.price_gbp");
        let pro_days = r.within("tiers.pro.days", 1..=3650_u32, "from 1 to 3650");
        if pro_price.flatten().is_some_and(Millipence::is_zero) {
            r.error(&Key::from("tiers.pro.price_gbp"), "must be above 0; leave it out to not sell Pro".to_owned());
        }
        Some(Self { free: free?, pro: pro?, enterprise: enterprise?, pro_price: pro_price?, pro_days: pro_days? })
    }
}

impl Allowance {
    fn read(r: &mut Reader, minute: &str, hour: &str) -> Option<Self> {
        let shown = format!("from 1 to {RATE_LIMIT_MAX}");
        let per_minute = r.within(minute, 1..=RATE_LIMIT_MAX, &shown);
        let per_hour = r.within(hour, 1..=RATE_LIMIT_MAX, &shown);
        Some(Self { per_minute: per_minute?, per_hour: per_hour? })
    }
}

impl EarnConfig {
    pub(super) fn read(r: &mut Reader) -> Option<Self> {
        Some(Self { budget: r.required("earn.budget_gbp")? })
    }
}

impl MemoryConfig {
    pub(super) fn read(r: &mut Reader) -> Option<Self> {
        Some(Self { price: r.required("memory.price")? })
    }
}
