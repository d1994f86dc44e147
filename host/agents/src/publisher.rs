//! Publisher keys that the host holds on behalf of accounts.
//!
//! Invariant: a key that the operator revoked never signs again.

use std::sync::Arc;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use tollbridge_core::vault::SecretBytes;
use tollbridge_ledger::{Entry, Notary, PublisherAct, PublisherVerb};
use tollbridge_market::catalog::Deployer;
use tollbridge_registry::{PublisherKey, Revocation};
use tollbridge_store::{Collection, Db, Expect, Put};

use super::deploy_error::{DeployError, refused};

/// The publisher keys of all accounts.
pub(super) struct PublisherKeys {
    pub(super) db: Db,
    /// Seals a record in the ledger for each key that becomes trusted.
    pub(super) notary: Arc<Notary>,
    /// The secret from which the keys are derived.
    pub(super) secret: SecretBytes,
    pub(super) now_ms: fn() -> u64,
}

impl PublisherKeys {
    /// Derives the publisher key of an account from the host's secret and the account's
    /// id.
    pub(super) fn derive(&self, account: &str, handle: &str) -> Result<PublisherKey, DeployError> {
        let name = handle.parse().map_err(|error| refused("/name", format!("{error}")))?;
        let mac = Hmac::<Sha256>::new_from_slice(self.secret.as_slice());
        let mac = mac.map_err(|error| DeployError::Registry(error.to_string()))?;
        let seed: [u8; 32] =
            mac.chain_update(b"tollbridge deploy v1").chain_update(account).finalize().into_bytes().into();
        Ok(PublisherKey::from_seed(name, &seed))
    }

    /// Refuses a revoked key, before anything is compiled. Returns a condition for the
    /// write that trusts the key: the key's row must be unchanged.
    pub(super) fn check_not_revoked(&self, key: &PublisherKey) -> Result<Put, DeployError> {
        let row = self.db.get(Collection::Publishers, key.name().as_str())?;
        let damaged = |error: serde_json::Error| DeployError::Registry(error.to_string());
        match row.as_deref().map(Revocation::from_row).transpose().map_err(damaged)? {
            Some(revocation) if revocation.covers(&key.public()) => Err(DeployError::Revoked),
            _ => Ok(Put {
                collection: Collection::Publishers,
                key: key.name().to_string(),
                expect: row.clone().map_or(Expect::Absent, Expect::Exactly),
                value: row,
            }),
        }
    }

    /// Registers an account as a trusted publisher, unless it already is one.
    pub(super) async fn trust(&self, account: &str, handle: &str, key: &PublisherKey) -> Result<(), DeployError> {
        let deployer = Deployer { account: account.to_owned(), public_key: key.public() };
        let row = serde_json::to_vec(&deployer).map_err(|error| DeployError::Registry(error.to_string()))?;
        match self.db.get(Collection::Deployers, handle)? {
            Some(known) if known == row => return Ok(()),
            Some(_) => return Err(DeployError::Conflict(format!("the handle {handle} belongs to another account"))),
            None => {}
        }
        let act = PublisherAct {
            act: PublisherVerb::Trust,
            publisher: handle.to_owned(),
            public_key: Some(key.public().bytes()),
            by: account.to_owned(),
        };
        // The key may have been revoked during the trial load; a revoked key must not
        // become trusted.
        let stands = self.check_not_revoked(key)?;
        let put =
            Put { collection: Collection::Deployers, key: handle.to_owned(), value: Some(row), expect: Expect::Absent };
        self.notary.note(&Entry::Publisher(act), vec![put, stands], (self.now_ms)()).await?;
        Ok(())
    }
}
