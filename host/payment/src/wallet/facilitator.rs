//! Facilitators, which check a wallet's funds and move them.

use async_trait::async_trait;
use sha2::{Digest, Sha256};
use tollbridge_x402::{
    Address, Attempt, Authorized, Facilitator, LookupError, Network, OnChain, Outcome, Settled, TransactionHash,
    Verified,
};

/// A facilitator that settles payments by wallet.
#[async_trait]
pub trait WalletFacilitator: Send + Sync {
    /// Returns the address from which the facilitator settles `upto` payments on a
    /// network, if it supports them.
    ///
    /// # Errors
    ///
    /// Fails if the facilitator does not answer.
    async fn settles_upto(&self, network: &Network) -> Result<Option<Address>, LookupError>;

    /// Checks whether a payment could be settled now. Moves nothing.
    ///
    /// # Errors
    ///
    /// Fails if the facilitator does not answer.
    async fn verify(&self, payment: &Authorized) -> Result<Verified, LookupError>;

    /// Moves the money.
    async fn settle(&self, payment: &Authorized, attempt: Attempt) -> Outcome;

    /// Looks up on the facilitator's own chain what became of a payment; `None` if the
    /// facilitator has no chain that can be read.
    async fn look_up(&self, _payment: &Authorized) -> Option<Result<OnChain, LookupError>> {
        None
    }
}

#[async_trait]
impl WalletFacilitator for Facilitator {
    async fn settles_upto(&self, network: &Network) -> Result<Option<Address>, LookupError> {
        Ok(self.supported().await?.settles_upto(network))
    }

    async fn verify(&self, payment: &Authorized) -> Result<Verified, LookupError> {
        self.verify(payment).await
    }

    async fn settle(&self, payment: &Authorized, attempt: Attempt) -> Outcome {
        self.settle(payment, attempt).await
    }
}

/// The sandbox facilitator's address for `upto`; a placeholder without an owner.
const SANDBOX_FACILITATOR: Address = Address::new(*b"tollbridge-sandbox-f");

/// The facilitator of the sandbox: every signature is valid, and nothing moves on any
/// chain.
pub struct SandboxFacilitator;

#[async_trait]
impl WalletFacilitator for SandboxFacilitator {
    async fn settles_upto(&self, _: &Network) -> Result<Option<Address>, LookupError> {
        Ok(Some(SANDBOX_FACILITATOR))
    }

    async fn verify(&self, _: &Authorized) -> Result<Verified, LookupError> {
        Ok(Verified::Valid)
    }

    /// Succeeds at once. The transaction id is derived from the payment, so a repeat gets
    /// the same one.
    async fn settle(&self, payment: &Authorized, _: Attempt) -> Outcome {
        let token = payment.requirement().token();
        let hash = Sha256::new()
            .chain_update(b"tollbridge sandbox settlement v1")
            .chain_update(token.chain.get().to_be_bytes())
            .chain_update(payment.nonce_contract().bytes())
            .chain_update(payment.payer().bytes())
            .chain_update(payment.nonce().bytes());
        Outcome::Settled(Settled {
            transaction: TransactionHash::new(hash.finalize().into()),
            payer: payment.payer(),
            network: token.chain.network(),
            amount: payment.amount(),
        })
    }
}
