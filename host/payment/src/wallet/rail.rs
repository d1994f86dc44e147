//! `WalletRail`: the token, payee, rate and facilitator of payments by wallet.

use std::sync::Arc;

use parking_lot::RwLock;
use tollbridge_core::money::Millipence;
use tollbridge_x402::{
    Address, Amount, Authorized, ChainReader, Conversion, LookupError, OnChain, PaymentRequirements, PriceError, Rate,
    Requirement, RequirementError, Token,
};

use super::facilitator::WalletFacilitator;
use super::risk::UptoRisk;

/// Whether a payment is settled before or after the call. A call of a plugin that calls
/// other plugins is always settled before, because those plugins are paid even if the
/// call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettleWhen {
    /// Before the plugin runs. A failed call leaves the payment for a repeat.
    Before,
    /// After the plugin has answered, and before the answer is sent: a failed call
    /// costs nothing, but the work is lost if the settlement fails.
    After,
}

/// The settings of payments by wallet.
pub struct WalletRail {
    pub(super) token: Token,
    pub(super) pay_to: Address,
    pub(super) timeout_s: u64,
    /// The payment requirement for one penny, from which requirements for other amounts
    /// are made.
    penny: PaymentRequirements,
    pub(super) facilitator: Arc<dyn WalletFacilitator>,
    pub(super) settle: SettleWhen,
    chain: Option<ChainReader>,
    serves_others: bool,
    rate: RwLock<Rate>,
    /// Limit on unpaid model costs; zero if `upto` is not accepted.
    pub(crate) risk: UptoRisk,
    /// The facilitator's address for `upto`; `None` while unknown or unsupported.
    upto: RwLock<Option<Address>>,
}

/// An invalid setting of payments by wallet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum WalletRailError {
    #[error(
        "a token with {0} decimals is too coarse for prices in pence: its smallest unit is worth more than a \
         thousandth of a penny"
    )]
    TooCoarse(u8),
    #[error(transparent)]
    Requirement(#[from] RequirementError),
    #[error(transparent)]
    Rate(#[from] PriceError),
}

impl WalletRail {
    /// Creates a rail that accepts `token`, paid to the address `pay_to` and converted at
    /// `rate`. Wallets sign authorizations that are valid for at most `timeout_s`
    /// seconds.
    ///
    /// # Errors
    ///
    /// Fails if no valid requirement can be built from these settings.
    pub fn new(
        token: Token,
        pay_to: Address,
        timeout_s: u64,
        rate: Rate,
        facilitator: Arc<dyn WalletFacilitator>,
        settle: SettleWhen,
    ) -> Result<Self, WalletRailError> {
        // Require that a penny is at least 1,000 units, so that rounding to whole units
        // changes a price by less than a millipence.
        let penny = Millipence::new(1000);
        let conversion = rate.convert(penny, token.decimals, rate.as_of_s())?;
        let unit_is_small = conversion.amount.get() >= 1000;
        if !unit_is_small {
            return Err(WalletRailError::TooCoarse(token.decimals));
        }
        let penny = Requirement::new(token.clone(), conversion.amount, pay_to, timeout_s)?.to_wire();
        let (chain, serves_others, rate) = (None, false, RwLock::new(rate));
        let (risk, upto) = (UptoRisk::new(Millipence::ZERO), RwLock::default());
        Ok(Self { token, pay_to, timeout_s, penny, facilitator, settle, chain, serves_others, rate, risk, upto })
    }

    /// Enables payments by `upto` for models, from the time at which the facilitator
    /// confirms that it supports `upto`. At most `risk` of costs may be unpaid within a
    /// day.
    #[must_use]
    pub fn with_upto(self, risk: Millipence) -> Self {
        Self { risk: UptoRisk::new(risk), ..self }
    }

    /// Returns the facilitator's address for `upto`; `None` while unknown or unsupported.
    pub(super) fn upto(&self) -> Option<Address> {
        *self.upto.read()
    }

    /// Asks the facilitator whether it settles `upto` payments, and from which address.
    /// Does nothing if the operator allows no unpaid costs. Call it at start-up, and then
    /// periodically.
    pub async fn ask_facilitator(&self) {
        if !self.risk.is_allowed() {
            return;
        }
        match self.facilitator.settles_upto(&self.token.chain.network()).await {
            Ok(settles) => *self.upto.write() = settles,
            Err(error) => tracing::warn!(%error, "cannot ask the facilitator whether it supports upto"),
        }
    }

    /// Enables look-ups on the blockchain, through `chain`, for settlements with an
    /// unknown outcome.
    #[must_use]
    pub fn with_chain(self, chain: ChainReader) -> Self {
        Self { chain: Some(chain), ..self }
    }

    /// Enables settlement for other sellers.
    #[must_use]
    pub fn serving_others(self) -> Self {
        Self { serves_others: true, ..self }
    }

    /// Returns whether this server settles for other sellers.
    pub const fn serves_others(&self) -> bool {
        self.serves_others
    }

    /// Looks up the outcome of a payment on the chain, or through the facilitator if no
    /// chain reader is set. Returns `None` if neither can read a chain.
    pub(super) async fn look_up(&self, payment: &Authorized) -> Option<Result<OnChain, LookupError>> {
        match &self.chain {
            Some(chain) => Some(chain.look_up(payment).await),
            None => self.facilitator.look_up(payment).await,
        }
    }

    /// Returns whether the payment of a call that calls no other plugin is settled before
    /// or after the call.
    pub const fn settles(&self) -> SettleWhen {
        self.settle
    }

    /// Returns the token of payments.
    pub const fn token(&self) -> &Token {
        &self.token
    }

    /// Returns the current price in the token, for price lists. It cannot be paid: only
    /// the response to a call contains an offer. `None` if no current rate is known.
    pub fn list_price(&self, price: Millipence, now_s: u64) -> Option<PaymentRequirements> {
        self.requirements(self.convert(price, now_s).ok()?.amount)
    }

    /// Returns the requirements for an amount in wire format; `None` for zero.
    pub(super) fn requirements(&self, amount: Amount) -> Option<PaymentRequirements> {
        (!amount.is_zero()).then(|| PaymentRequirements { amount, ..self.penny.clone() })
    }

    /// Replaces the rate.
    pub fn set_rate(&self, rate: Rate) {
        *self.rate.write() = rate;
    }

    /// Returns the current rate, which may be too old to use.
    pub fn rate(&self) -> Rate {
        self.rate.read().clone()
    }

    pub(super) fn convert(&self, price: Millipence, now_s: u64) -> Result<Conversion, PriceError> {
        self.rate.read().convert(price, self.token.decimals, now_s)
    }
}
