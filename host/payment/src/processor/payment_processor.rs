//! The payment processor of this host.

use tollbridge_core::money::Millipence;

use super::balance_transaction::ProcessorFee;
use super::error::{LookupError, ProcessorError};
#[cfg(any(test, feature = "testing"))]
use super::faulty::FaultyProcessor;
use super::order::{LostPage, PaymentOrder, PaymentOrderStatus, PaymentPage, ProcessorPayment};
use super::refund::ProcessorRefund;
use super::sandbox::SandboxProcessor;
use super::stripe::StripeProcessor;
use super::token_charge::{TokenCharge, TokenChargeStatus};
use super::transfer::ProcessorTransfer;

/// The payment processor.
pub enum PaymentProcessor {
    /// Built in; no real money moves.
    Sandbox(SandboxProcessor),
    /// Stripe, with its secret key.
    Stripe(Box<StripeProcessor>),
    /// Stripe is selected, but its secret key is not set.
    Unconfigured,
    /// Fails at random, under the name of Stripe.
    #[cfg(any(test, feature = "testing"))]
    Faulty(std::sync::Arc<FaultyProcessor>),
}

const NO_KEY: &str = "set payments.stripe.secret_key";

/// Prefix of Shared Payment Tokens.
const SANDBOX_TOKEN: &str = "spt_";

impl PaymentProcessor {
    /// Returns its name in rows and records: `sandbox` or `stripe`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Sandbox(_) => "sandbox",
            Self::Stripe(_) | Self::Unconfigured => "stripe",
            #[cfg(any(test, feature = "testing"))]
            Self::Faulty(_) => "stripe",
        }
    }

    /// Returns whether no real money moves.
    pub const fn is_sandbox(&self) -> bool {
        matches!(self, Self::Sandbox(_))
    }

    /// Checks that requests can be sent at all.
    ///
    /// # Errors
    ///
    /// Returns [`ProcessorError::NotConfigured`].
    pub const fn ensure_configured(&self) -> Result<(), ProcessorError> {
        match self {
            Self::Unconfigured => Err(ProcessorError::NotConfigured(NO_KEY)),
            Self::Sandbox(_) | Self::Stripe(_) => Ok(()),
            #[cfg(any(test, feature = "testing"))]
            Self::Faulty(_) => Ok(()),
        }
    }

    /// Opens a page where an order can be paid. A repeated order returns the same page.
    /// The sandbox uses this server's own page.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    pub async fn open_page(&self, order: &PaymentOrder) -> Result<PaymentPage, ProcessorError> {
        match self {
            Self::Stripe(stripe) => stripe.open_page(order).await,
            Self::Sandbox(_) => Ok(PaymentPage { session: order.handle.clone(), url: order.return_url.clone() }),
            Self::Unconfigured => Err(ProcessorError::NotConfigured(NO_KEY)),
            #[cfg(any(test, feature = "testing"))]
            Self::Faulty(faulty) => faulty.open_page(order).await,
        }
    }

    /// Finds the page of an order that is so old that repeating it might open a second
    /// page; `None` if there is none.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    pub async fn find_page(&self, lost: &LostPage<'_>) -> Result<Option<PaymentPage>, LookupError> {
        match self {
            Self::Stripe(stripe) => stripe.find_page(lost).await,
            Self::Sandbox(_) => Ok(None),
            Self::Unconfigured => Err(LookupError::NotConfigured(NO_KEY)),
            #[cfg(any(test, feature = "testing"))]
            Self::Faulty(faulty) => faulty.find_page(lost).await,
        }
    }

    /// Looks up the status of an order.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    pub async fn order_status(&self, session: &str) -> Result<PaymentOrderStatus, LookupError> {
        match self {
            Self::Stripe(stripe) => stripe.order_status(session).await,
            // Sandbox payments are booked at once, without an order.
            Self::Sandbox(_) => Ok(PaymentOrderStatus::Open),
            Self::Unconfigured => Err(LookupError::NotConfigured(NO_KEY)),
            #[cfg(any(test, feature = "testing"))]
            Self::Faulty(faulty) => faulty.order_status(session).await,
        }
    }

    /// Charges the token of a payer. A repeat for the same intent returns the same
    /// charge.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    pub async fn charge_token(&self, charge: &TokenCharge<'_>) -> Result<TokenChargeStatus, ProcessorError> {
        match self {
            Self::Stripe(stripe) => stripe.charge_token(charge).await,
            Self::Sandbox(_) => Ok(charged_in_sandbox(charge)),
            Self::Unconfigured => Err(ProcessorError::NotConfigured(NO_KEY)),
            #[cfg(any(test, feature = "testing"))]
            Self::Faulty(faulty) => faulty.charge_token(charge).await,
        }
    }

    /// Finds the charge of a token requested at `asked_ms` (Unix milliseconds); `None`
    /// if there is none.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    pub async fn find_token_charge(
        &self,
        handle: &str,
        asked_ms: u64,
    ) -> Result<Option<TokenChargeStatus>, LookupError> {
        match self {
            Self::Stripe(stripe) => stripe.find_token_charge(handle, asked_ms).await,
            // The sandbox charges at once, and a repeat has the same result.
            Self::Sandbox(_) => Ok(None),
            Self::Unconfigured => Err(LookupError::NotConfigured(NO_KEY)),
            #[cfg(any(test, feature = "testing"))]
            Self::Faulty(faulty) => faulty.find_token_charge(handle).await,
        }
    }

    /// Refunds a payment or a part of it. `refund` is the durable id.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    pub async fn refund(
        &self,
        refund: &str,
        payment: &str,
        amount: Millipence,
    ) -> Result<ProcessorRefund, ProcessorError> {
        match self {
            Self::Stripe(stripe) => stripe.refund(refund, payment, amount).await,
            Self::Sandbox(_) => Ok(ProcessorRefund::Paid { reference: refund.to_owned() }),
            Self::Unconfigured => Err(ProcessorError::NotConfigured(NO_KEY)),
            #[cfg(any(test, feature = "testing"))]
            Self::Faulty(faulty) => faulty.refund(refund, payment, amount).await,
        }
    }

    /// Finds a refund by its durable id; `None` if there is none.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    pub async fn find_refund(&self, refund: &str, payment: &str) -> Result<Option<ProcessorRefund>, LookupError> {
        match self {
            Self::Stripe(stripe) => stripe.find_refund(refund, payment).await,
            Self::Sandbox(_) => Ok(None),
            Self::Unconfigured => Err(LookupError::NotConfigured(NO_KEY)),
            #[cfg(any(test, feature = "testing"))]
            Self::Faulty(faulty) => faulty.find_refund(refund).await,
        }
    }

    /// Looks up the processor's fee of a payment; `None` while it is not known.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    pub async fn fee_of(&self, payment: &str) -> Result<Option<ProcessorFee>, LookupError> {
        match self {
            Self::Stripe(stripe) => stripe.fee_of(payment).await,
            Self::Sandbox(_) => Ok(Some(ProcessorFee { transaction: payment.to_owned(), amount: Millipence::ZERO })),
            Self::Unconfigured => Err(LookupError::NotConfigured(NO_KEY)),
            #[cfg(any(test, feature = "testing"))]
            Self::Faulty(faulty) => faulty.fee_of(payment).await,
        }
    }

    /// Returns the address where a developer connects a payout account; the processor
    /// sends the developer back to `return_url` with `state` and a code.
    ///
    /// # Errors
    ///
    /// Returns [`ProcessorError::NotConfigured`].
    pub fn connect_url(&self, state: &str, return_url: &str, base_url: &str) -> Result<String, ProcessorError> {
        match self {
            Self::Stripe(stripe) => stripe.connect_url(state, return_url),
            Self::Sandbox(_) => Ok(format!("{base_url}/sandbox/connect?state={state}")),
            Self::Unconfigured => Err(ProcessorError::NotConfigured(NO_KEY)),
            #[cfg(any(test, feature = "testing"))]
            Self::Faulty(_) => Ok(format!("http://connect/{state}")),
        }
    }

    /// Exchanges the code of a connected payout account for its id.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    pub async fn connect(&self, code: &str) -> Result<String, ProcessorError> {
        match self {
            Self::Stripe(stripe) => stripe.connect(code).await,
            Self::Sandbox(sandbox) => sandbox.connect(code),
            Self::Unconfigured => Err(ProcessorError::NotConfigured(NO_KEY)),
            #[cfg(any(test, feature = "testing"))]
            Self::Faulty(_) => Ok(format!("acct_{code}")),
        }
    }

    /// Pays out and returns the processor's id of the transfer. `withdrawal` is the
    /// durable id: a repeat within a day returns the same transfer.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    pub async fn transfer(
        &self,
        withdrawal: &str,
        destination: &str,
        amount: Millipence,
    ) -> Result<String, ProcessorError> {
        match self {
            Self::Stripe(stripe) => stripe.transfer(withdrawal, destination, amount).await,
            Self::Sandbox(sandbox) => sandbox.transfer(withdrawal, destination, amount).await,
            Self::Unconfigured => Err(ProcessorError::NotConfigured(NO_KEY)),
            #[cfg(any(test, feature = "testing"))]
            Self::Faulty(faulty) => faulty.transfer(withdrawal, amount).await,
        }
    }

    /// Finds the transfer of a withdrawal; `None` if the processor has none.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    pub async fn find_transfer(&self, withdrawal: &str) -> Result<Option<ProcessorTransfer>, LookupError> {
        match self {
            Self::Stripe(stripe) => stripe.find_transfer(withdrawal).await,
            Self::Sandbox(sandbox) => sandbox.find_transfer(withdrawal),
            Self::Unconfigured => Err(LookupError::NotConfigured(NO_KEY)),
            #[cfg(any(test, feature = "testing"))]
            Self::Faulty(faulty) => faulty.find_transfer(withdrawal).await,
        }
    }
}

/// Charges a token in the sandbox: every token with the right prefix pays.
fn charged_in_sandbox(charge: &TokenCharge<'_>) -> TokenChargeStatus {
    if !charge.token.starts_with(SANDBOX_TOKEN) {
        return TokenChargeStatus::Refused(format!("a Shared Payment Token begins with {SANDBOX_TOKEN}"));
    }
    TokenChargeStatus::Paid(ProcessorPayment {
        reference: format!("pi_test_{}", charge.handle),
        amount: charge.amount,
        handle: Some(charge.handle.to_owned()),
    })
}
