//! Who finds out whether a wallet has the money, and moves it.

#[cfg(any(test, feature = "testing"))]
pub mod faulty;

use sha2::{Digest, Sha256};
use tollbridge_x402::{Attempt, Authorized, Facilitator, LookupError, Outcome, Settled, TransactionHash, Verified};

/// A facilitator: one behind HTTP, or none.
pub enum WalletFacilitator {
    /// The sandbox: every signature is good, and nothing moves on any chain.
    Local,
    /// Behind HTTP.
    Remote(Facilitator),
    /// One that goes wrong at random.
    #[cfg(any(test, feature = "testing"))]
    Faulty(std::sync::Arc<faulty::FaultyFacilitator>),
}

impl WalletFacilitator {
    /// Whether a payment could be settled now. Moves nothing.
    pub(super) async fn verify(&self, payment: &Authorized) -> Result<Verified, LookupError> {
        match self {
            Self::Local => Ok(Verified::Valid),
            Self::Remote(facilitator) => facilitator.verify(payment).await,
            #[cfg(any(test, feature = "testing"))]
            Self::Faulty(facilitator) => facilitator.verify(payment),
        }
    }

    /// Moves the money.
    pub(super) async fn settle(&self, payment: &Authorized, attempt: Attempt) -> Outcome {
        match self {
            Self::Local => Outcome::Settled(settled_in_sandbox(payment)),
            Self::Remote(facilitator) => facilitator.settle(payment, attempt).await,
            #[cfg(any(test, feature = "testing"))]
            Self::Faulty(facilitator) => facilitator.settle(payment, attempt),
        }
    }
}

/// The transaction that a payment is in the sandbox: the same for the same payment.
fn settled_in_sandbox(payment: &Authorized) -> Settled {
    let token = payment.requirement().token();
    let hash = Sha256::new()
        .chain_update(b"tollbridge sandbox settlement v1")
        .chain_update(token.chain.get().to_be_bytes())
        .chain_update(token.address.bytes())
        .chain_update(payment.payer().bytes())
        .chain_update(payment.nonce().bytes());
    Settled {
        transaction: TransactionHash::new(hash.finalize().into()),
        payer: payment.payer(),
        network: token.chain.network(),
        amount: payment.amount(),
    }
}
