//! Facilitators, which check a wallet's funds and move them.

#[cfg(any(test, feature = "testing"))]
pub mod faulty;

#[cfg(any(test, feature = "testing"))]
use futures_util::future::BoxFuture;
use sha2::{Digest, Sha256};
#[cfg(any(test, feature = "testing"))]
use tollbridge_x402::OnChain;
use tollbridge_x402::{
    Address, Attempt, Authorized, Facilitator, LookupError, Network, Outcome, Settled, TransactionHash, Verified,
};

/// The facilitator of this server: a remote one, or the built-in sandbox.
pub enum WalletFacilitator {
    /// The sandbox: every signature is valid, and nothing moves on any chain.
    Local,
    /// A facilitator reached over HTTP.
    Remote(Facilitator),
    /// A test facilitator with its chain.
    #[cfg(any(test, feature = "testing"))]
    Peer(std::sync::Arc<dyn FacilitatorPeer>),
}

/// A facilitator with its chain, implemented by tests.
#[cfg(any(test, feature = "testing"))]
pub trait FacilitatorPeer: Send + Sync {
    /// Checks whether a payment could be settled now.
    fn verify<'a>(&'a self, payment: &'a Authorized) -> BoxFuture<'a, Result<Verified, LookupError>>;
    /// Moves the money.
    fn settle<'a>(&'a self, payment: &'a Authorized, attempt: Attempt) -> BoxFuture<'a, Outcome>;
    /// Returns the address that settles by `upto`, if it supports that.
    fn settles_upto(&self) -> BoxFuture<'_, Result<Option<Address>, LookupError>>;
    /// Returns the outcome of a payment on the chain; `None` if the chain cannot be
    /// read.
    fn look_up<'a>(&'a self, payment: &'a Authorized) -> BoxFuture<'a, Option<Result<OnChain, LookupError>>>;
}

/// The facilitator address for `upto` in the sandbox, which has no owner.
const SANDBOX_FACILITATOR: Address = Address::new(*b"tollbridge-sandbox-f");

impl WalletFacilitator {
    /// Returns the address that settles payments by `upto` on a network, if it is
    /// supported.
    pub(super) async fn settles_upto(&self, network: &Network) -> Result<Option<Address>, LookupError> {
        match self {
            Self::Local => Ok(Some(SANDBOX_FACILITATOR)),
            Self::Remote(facilitator) => facilitator.supported().await.map(|supported| supported.settles_upto(network)),
            #[cfg(any(test, feature = "testing"))]
            Self::Peer(facilitator) => facilitator.settles_upto().await,
        }
    }

    /// Checks whether a payment could be settled now. Moves nothing.
    pub(super) async fn verify(&self, payment: &Authorized) -> Result<Verified, LookupError> {
        match self {
            Self::Local => Ok(Verified::Valid),
            Self::Remote(facilitator) => facilitator.verify(payment).await,
            #[cfg(any(test, feature = "testing"))]
            Self::Peer(facilitator) => facilitator.verify(payment).await,
        }
    }

    /// Moves the money.
    pub(super) async fn settle(&self, payment: &Authorized, attempt: Attempt) -> Outcome {
        match self {
            Self::Local => Outcome::Settled(settled_in_sandbox(payment)),
            Self::Remote(facilitator) => facilitator.settle(payment, attempt).await,
            #[cfg(any(test, feature = "testing"))]
            Self::Peer(facilitator) => facilitator.settle(payment, attempt).await,
        }
    }
}

/// Returns the sandbox transaction of a payment, which is always the same for the same
/// payment.
fn settled_in_sandbox(payment: &Authorized) -> Settled {
    let token = payment.requirement().token();
    let hash = Sha256::new()
        .chain_update(b"tollbridge sandbox settlement v1")
        .chain_update(token.chain.get().to_be_bytes())
        .chain_update(payment.nonce_contract().bytes())
        .chain_update(payment.payer().bytes())
        .chain_update(payment.nonce().bytes());
    Settled {
        transaction: TransactionHash::new(hash.finalize().into()),
        payer: payment.payer(),
        network: token.chain.network(),
        amount: payment.amount(),
    }
}
