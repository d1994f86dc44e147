//! `WalletRail`: what wallets pay with, whom, and through whom.

use parking_lot::RwLock;
use tollbridge_core::money::Millipence;
use tollbridge_x402::{
    Address, Amount, Authorized, ChainReader, Conversion, LookupError, OnChain, PaymentRequirements, PriceError, Rate,
    Requirement, RequirementError, Token,
};

use super::facilitator::WalletFacilitator;
use super::risk::UptoRisk;

/// When a payment is settled. A call that others answer below is always settled
/// before, because they are paid even if it fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettleWhen {
    /// Before the plugin runs. A call that fails leaves the payment for a repeat.
    Before,
    /// After the plugin has answered, and before the answer leaves: a call that
    /// fails costs nothing, and a payment that fails then costs a call.
    After,
}

/// How payments by wallet are taken.
pub struct WalletRail {
    pub(super) token: Token,
    pub(super) pay_to: Address,
    pub(super) timeout_s: u64,
    /// What is asked for a penny.
    penny: PaymentRequirements,
    pub(super) facilitator: WalletFacilitator,
    pub(super) settle: SettleWhen,
    chain: Option<ChainReader>,
    serves_others: bool,
    rate: RwLock<Rate>,
    /// What models may cost before it is paid; nothing where `upto` is not taken.
    pub(crate) risk: UptoRisk,
    /// Who settles by `upto`, as far as is known.
    upto: RwLock<Option<Address>>,
}

/// Why payments cannot be taken like this.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says what is wrong")]
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
    /// Takes `token` to `pay_to`, authorized for at most `timeout_s` seconds, at
    /// `rate`.
    ///
    /// # Errors
    /// Nothing could be asked for like this.
    pub fn new(
        token: Token,
        pay_to: Address,
        timeout_s: u64,
        rate: Rate,
        facilitator: WalletFacilitator,
        settle: SettleWhen,
    ) -> Result<Self, WalletRailError> {
        // Everything that rounding leaves out is worth less than a millipence.
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

    /// Likewise taking `upto` for models, which may cost as much as `risk` in a day
    /// before it is paid, once the facilitator says that it settles so.
    #[must_use]
    pub fn with_upto(self, risk: Millipence) -> Self {
        Self { risk: UptoRisk::new(risk), ..self }
    }

    /// Who settles by `upto`, if anybody does.
    pub(super) fn upto(&self) -> Option<Address> {
        *self.upto.read()
    }

    /// Asks the facilitator who settles by `upto`, unless nothing may be at risk.
    pub(super) async fn ask_upto(&self) -> Result<(), LookupError> {
        if self.risk.is_allowed() {
            let settles = self.facilitator.settles_upto(&self.token.chain.network()).await?;
            *self.upto.write() = settles;
        }
        Ok(())
    }

    /// Likewise looking up on the chain what a facilitator does not say.
    #[must_use]
    pub fn with_chain(self, chain: ChainReader) -> Self {
        Self { chain: Some(chain), ..self }
    }

    /// Likewise settling for other sellers, too.
    #[must_use]
    pub fn serving_others(self) -> Self {
        Self { serves_others: true, ..self }
    }

    /// Whether it settles for other sellers, too.
    pub const fn serves_others(&self) -> bool {
        self.serves_others
    }

    /// What became of a payment, by the chain; `None` where none can be asked.
    pub(super) async fn look_up(&self, payment: &Authorized) -> Option<Result<OnChain, LookupError>> {
        match (&self.chain, &self.facilitator) {
            (Some(chain), _) => Some(chain.look_up(payment).await),
            #[cfg(any(test, feature = "testing"))]
            (None, WalletFacilitator::Peer(facilitator)) => facilitator.look_up(payment).await,
            (None, _) => None,
        }
    }

    /// When a call is settled that is answered by one plugin alone.
    pub const fn settles(&self) -> SettleWhen {
        self.settle
    }

    /// What is paid with.
    pub const fn token(&self) -> &Token {
        &self.token
    }

    /// What a price is in the token now, for lists. Only the answer to a call has an
    /// offer that can be paid. `None` while no rate is known that is new enough.
    pub fn list_price(&self, price: Millipence, now_s: u64) -> Option<PaymentRequirements> {
        self.requirements(self.convert(price, now_s).ok()?.amount)
    }

    /// What is asked for, as it is on the wire; `None` for nothing.
    pub(super) fn requirements(&self, amount: Amount) -> Option<PaymentRequirements> {
        (!amount.is_zero()).then(|| PaymentRequirements { amount, ..self.penny.clone() })
    }

    /// Takes this rate from now on.
    pub fn set_rate(&self, rate: Rate) {
        *self.rate.write() = rate;
    }

    /// The rate in force, which may be too old to be used.
    pub fn rate(&self) -> Rate {
        self.rate.read().clone()
    }

    pub(super) fn convert(&self, price: Millipence, now_s: u64) -> Result<Conversion, PriceError> {
        self.rate.read().convert(price, self.token.decimals, now_s)
    }
}
