//! The processor: whoever takes money from buyers and pays it out.
//!
//! One enum with what both kinds can do. Every request that moves money carries
//! an id that the caller made durable before it asked, so that asking again can
//! never move it twice.
//!
//! Invariants:
//! 1. [`ProcessorError::Rejected`] means that nothing was moved and nothing will
//!    be. Whatever is not certainly that is [`ProcessorError::OutcomeUnknown`].
//! 2. A payment counts when the processor says so, never because of a redirect.

use super::sandbox::SandboxProcessor;
use super::stripe::StripeProcessor;
use tollbridge_core::money::Millipence;

/// Who takes the money.
pub enum PaymentProcessor {
    /// Built in; no real money moves.
    Sandbox(SandboxProcessor),
    Stripe(Box<StripeProcessor>),
    /// Stripe was chosen and its secret key is not set.
    Unconfigured,
    /// Goes wrong at random, under the name of Stripe.
    #[cfg(any(test, feature = "testing"))]
    Faulty(std::sync::Arc<super::faulty::FaultyProcessor>),
}

/// What a buyer is asked to pay.
#[derive(Clone, Debug)]
pub struct PaymentOrder {
    /// Public handle of the intent: the processor keeps it beside the payment.
    pub handle: String,
    /// Changes when an order is opened again after it expired.
    pub attempt: u64,
    /// Whole pence.
    pub amount: Millipence,
    /// One line for the buyer.
    pub title: String,
    /// Unix time, seconds, until which it can be paid.
    pub expires_s: u64,
    /// Where the buyer comes back to.
    pub return_url: String,
}

/// A page of the processor where an order can be paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentPage {
    pub session: String,
    pub url: String,
}

/// How far an order has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaymentOrderStatus {
    Open,
    /// It was not paid and cannot be paid any more.
    Expired,
    Paid(ProcessorPayment),
}

/// A payment as the processor states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessorPayment {
    /// The processor's own name for the payment.
    pub reference: String,
    pub amount: Millipence,
    /// The handle that the processor kept beside the payment.
    pub handle: Option<String>,
}

/// How far a refund has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessorRefund {
    Pending,
    Paid { reference: String },
    Failed { reason: String },
}

/// A payment that its buyer takes back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessorDispute {
    pub id: String,
    /// The processor's own name for the payment.
    pub payment: String,
    /// The handle that the processor kept beside the payment.
    pub handle: Option<String>,
    pub amount: Millipence,
    pub state: DisputeStatus,
    /// What the dispute itself costs.
    pub charged: Vec<ProcessorFee>,
}

/// What the processor keeps for itself of one line of its books.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessorFee {
    /// The processor's own name for the line.
    pub line: String,
    /// Negative when it gives back what it kept before.
    pub fee: Millipence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisputeStatus {
    /// Only an inquiry: no money has moved.
    Inquiry,
    /// The amount was taken.
    FundsWithdrawn,
    /// The amount was given back.
    Won,
}

/// One line of the processor's own books.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BalanceTransaction {
    /// The processor's own name for the line.
    pub id: String,
    /// `charge`, `refund`, `transfer`, `adjustment`, `payout`, …
    pub kind: String,
    /// What it is about: a charge, a transfer, a refund, a dispute.
    pub source: Option<String>,
    /// Before fees; negative when money left.
    pub amount: Millipence,
    pub fee: Millipence,
    /// Unix time, seconds.
    pub created_s: u64,
}

/// Lines that are nothing but a price of the processor's.
const FEE_KINDS: [&str; 4] = ["network_cost", "stripe_fee", "stripe_fx_fee", "tax_fee"];

impl BalanceTransaction {
    /// What the processor keeps with this line.
    pub fn charged(&self) -> ProcessorFee {
        let own = match FEE_KINDS.contains(&self.kind.as_str()) {
            true => self.amount,
            false => Millipence::ZERO,
        };
        ProcessorFee { line: self.id.clone(), fee: self.fee.checked_sub(own).unwrap_or(self.fee) }
    }
}

/// Why the processor did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProcessorError {
    #[error("the payment processor is not configured: {0}")]
    NotConfigured(&'static str),
    /// Nothing was moved and nothing will be.
    #[error("the payment processor refuses: {message}")]
    Rejected { code: String, message: String },
    /// It may or may not have been done: look it up.
    #[error("the payment processor's answer is unclear: {0}")]
    OutcomeUnknown(String),
}

const NO_KEY: &str = "set payments.stripe.secret_key";

impl PaymentProcessor {
    /// Its name in rows and records.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Sandbox(_) => "sandbox",
            Self::Stripe(_) | Self::Unconfigured => "stripe",
            #[cfg(any(test, feature = "testing"))]
            Self::Faulty(_) => "stripe",
        }
    }

    pub const fn is_sandbox(&self) -> bool {
        matches!(self, Self::Sandbox(_))
    }

    /// Whether it can be asked at all.
    pub const fn ready(&self) -> Result<(), ProcessorError> {
        match self {
            Self::Unconfigured => Err(ProcessorError::NotConfigured(NO_KEY)),
            Self::Sandbox(_) | Self::Stripe(_) => Ok(()),
            #[cfg(any(test, feature = "testing"))]
            Self::Faulty(_) => Ok(()),
        }
    }

    /// Opens a page where an order can be paid. The same order again is the
    /// same page. The sandbox has its own page and needs none.
    pub async fn open(&self, order: &PaymentOrder) -> Result<PaymentPage, ProcessorError> {
        match self {
            Self::Stripe(stripe) => stripe.open(order).await,
            Self::Sandbox(_) => Ok(PaymentPage { session: order.handle.clone(), url: order.return_url.clone() }),
            Self::Unconfigured => Err(ProcessorError::NotConfigured(NO_KEY)),
            #[cfg(any(test, feature = "testing"))]
            Self::Faulty(faulty) => faulty.open(order).await,
        }
    }

    /// How far an opened order has come.
    pub async fn order(&self, session: &str) -> Result<PaymentOrderStatus, ProcessorError> {
        match self {
            Self::Stripe(stripe) => stripe.order(session).await,
            // A payment in the sandbox is in the books at once.
            Self::Sandbox(_) => Ok(PaymentOrderStatus::Open),
            Self::Unconfigured => Err(ProcessorError::NotConfigured(NO_KEY)),
            #[cfg(any(test, feature = "testing"))]
            Self::Faulty(faulty) => faulty.order(session).await,
        }
    }

    /// Gives a payment, or a part of it, back. `refund` is its durable id.
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

    /// A refund by its durable id; `None` when there is none.
    pub async fn find_refund(&self, refund: &str, payment: &str) -> Result<Option<ProcessorRefund>, ProcessorError> {
        match self {
            Self::Stripe(stripe) => stripe.find_refund(refund, payment).await,
            Self::Sandbox(_) => Ok(None),
            Self::Unconfigured => Err(ProcessorError::NotConfigured(NO_KEY)),
            #[cfg(any(test, feature = "testing"))]
            Self::Faulty(faulty) => faulty.find_refund(refund).await,
        }
    }

    /// What the processor keeps of a payment; `None` while it does not know.
    pub async fn fee_of(&self, payment: &str) -> Result<Option<ProcessorFee>, ProcessorError> {
        match self {
            Self::Stripe(stripe) => stripe.fee_of(payment).await,
            // It takes none.
            Self::Sandbox(_) => Ok(Some(ProcessorFee { line: payment.to_owned(), fee: Millipence::ZERO })),
            Self::Unconfigured => Err(ProcessorError::NotConfigured(NO_KEY)),
            #[cfg(any(test, feature = "testing"))]
            Self::Faulty(faulty) => faulty.fee_of(payment).await,
        }
    }

    /// Where somebody agrees to be paid: the processor sends them back to
    /// `return_url` with `state` and a code.
    pub fn connect_url(&self, state: &str, return_url: &str, base_url: &str) -> Result<String, ProcessorError> {
        match self {
            Self::Stripe(stripe) => stripe.connect_url(state, return_url),
            Self::Sandbox(_) => Ok(format!("{base_url}/sandbox/connect?state={state}")),
            Self::Unconfigured => Err(ProcessorError::NotConfigured(NO_KEY)),
            #[cfg(any(test, feature = "testing"))]
            Self::Faulty(_) => Ok(format!("http://connect/{state}")),
        }
    }

    /// The account of the processor that a code stands for.
    pub async fn connect(&self, code: &str) -> Result<String, ProcessorError> {
        match self {
            Self::Stripe(stripe) => stripe.connect(code).await,
            Self::Sandbox(sandbox) => sandbox.connect(code),
            Self::Unconfigured => Err(ProcessorError::NotConfigured(NO_KEY)),
            #[cfg(any(test, feature = "testing"))]
            Self::Faulty(_) => Ok(format!("acct_{code}")),
        }
    }

    /// Pays out. `withdrawal` is its durable id; the processor's name for the
    /// transfer comes back. Asking again is the same transfer, for a day.
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

    /// The transfer of a withdrawal, if the processor knows one.
    pub async fn find_transfer(&self, withdrawal: &str) -> Result<Option<String>, ProcessorError> {
        match self {
            Self::Stripe(stripe) => stripe.find_transfer(withdrawal).await,
            Self::Sandbox(sandbox) => sandbox.find_transfer(withdrawal),
            Self::Unconfigured => Err(ProcessorError::NotConfigured(NO_KEY)),
            #[cfg(any(test, feature = "testing"))]
            Self::Faulty(faulty) => faulty.find_transfer(withdrawal).await,
        }
    }
}
