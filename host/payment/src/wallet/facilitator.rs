//! Who finds out whether a wallet has the money, and moves it.

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

/// A facilitator: one behind HTTP, or none.
pub enum WalletFacilitator {
    /// The sandbox: every signature is good, and nothing moves on any chain.
    Local,
    /// Behind HTTP.
    Remote(Facilitator),
    /// One of a test, with its chain.
    #[cfg(any(test, feature = "testing"))]
    Peer(std::sync::Arc<dyn FacilitatorPeer>),
}

/// A facilitator with its chain, as tests make them.
#[cfg(any(test, feature = "testing"))]
pub trait FacilitatorPeer: Send + Sync {
    /// Whether a payment could be settled now.
    fn verify<'a>(&'a self, payment: &'a Authorized) -> BoxFuture<'a, Result<Verified, LookupError>>;
    /// Moves the money.
    fn settle<'a>(&'a self, payment: &'a Authorized, attempt: Attempt) -> BoxFuture<'a, Outcome>;
    /// Who settles by `upto`, if it does.
    fn settles_upto(&self) -> BoxFuture<'_, Result<Option<Address>, LookupError>>;
    /// What became of a payment on the chain; `None` where it cannot be asked.
    fn look_up<'a>(&'a self, payment: &'a Authorized) -> BoxFuture<'a, Option<Result<OnChain, LookupError>>>;
}

/// Who settles by `upto` in the sandbox: nobody owns the address.
const SANDBOX_FACILITATOR: Address = Address::new(*b"tollbridge-sandbox-f");

impl WalletFacilitator {
    /// Who settles payments by `upto` on a network, if anybody does.
    pub(super) async fn settles_upto(&self, network: &Network) -> Result<Option<Address>, LookupError> {
        match self {
            Self::Local => Ok(Some(SANDBOX_FACILITATOR)),
            Self::Remote(facilitator) => facilitator.supported().await.map(|supported| supported.settles_upto(network)),
            #[cfg(any(test, feature = "testing"))]
            Self::Peer(facilitator) => facilitator.settles_upto().await,
        }
    }

    /// Whether a payment could be settled now. Moves nothing.
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

/// The transaction that a payment is in the sandbox: the same for the same payment.
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
