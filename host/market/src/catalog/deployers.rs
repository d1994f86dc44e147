//! Accounts that deploy plugins: publishers whose signing keys the host holds.
//!
//! Invariants: an account's agents serve immediately, its bridges wait for the operator's
//! approval; such a publisher may use only names that begin with its handle, which is
//! derived from the account, so no account can use another account's names.

use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tollbridge_core::fair_limiter::TenantName;
use tollbridge_registry::{AutoActivate, Name, Namespaces, Publisher, PublisherPublicKey, Publishers};
use tollbridge_store::{Collection, Rows, Store, StoreError};

/// An account that deploys plugins; a row of `Collection::Deployers`, under the account's
/// handle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deployer {
    /// Account id.
    pub account: String,
    /// Key that signs the account's deployments.
    pub public_key: PublisherPublicKey,
}

/// Returns the handle under which an account publishes: `u` and ten hexadecimal digits.
pub fn handle_of(account: &str) -> String {
    let digest = Sha256::new().chain_update(b"tollbridge handle v1").chain_update(account).finalize();
    format!("u{}", hex::encode(digest).chars().take(10).collect::<String>())
}

/// Returns the tenant name of an account that deploys through the host; `None` for a
/// publisher trusted by the operator.
pub(super) fn tenant_of(publisher: &Publisher) -> Option<TenantName> {
    (publisher.name.as_str() == handle_of(&publisher.account)).then(|| publisher.account.as_str().into())
}

impl Deployer {
    /// Returns the account's entry in the list of trusted publishers.
    pub fn publisher(&self, handle: &str) -> Result<Publisher, String> {
        Ok(Publisher {
            name: handle.parse::<Name>().map_err(|error| error.to_string())?,
            key: self.public_key,
            account: self.account.clone(),
            namespaces: Namespaces::parse(&[format!("{handle}-")])?,
            auto_activate: AutoActivate::Agents,
        })
    }
}

/// Loads all trusted publishers: those in the operator's file, and the accounts that
/// deploy plugins.
pub fn publishers(file: &Path, store: &dyn Store) -> Result<Publishers, String> {
    let mut publishers = Publishers::load(file).map_err(|error| error.to_string())?;
    for deployer in all(store)? {
        let name = deployer.name.clone();
        if let Err((_, problem)) = publishers.insert(deployer) {
            tracing::warn!(publisher = %name, problem, "a deploying account has the name or key of another publisher");
        }
    }
    Ok(publishers)
}

/// Returns all deploying accounts as publishers.
fn all(store: &dyn Store) -> Result<Vec<Publisher>, String> {
    let failed = |error: StoreError| error.to_string();
    let publisher = |row: Result<(String, Vec<u8>), StoreError>| {
        let (handle, row) = row.map_err(failed)?;
        let deployer: Deployer = serde_json::from_slice(&row).map_err(|error| error.to_string())?;
        deployer.publisher(&handle)
    };
    Rows::of(store, Collection::Deployers).map(publisher).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deployer_publishes_under_its_handle_only() {
        let handle = handle_of("acct_1");
        assert_eq!(handle.len(), 11);
        assert_ne!(handle, handle_of("acct_2"));
        let key = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a".parse().unwrap();
        let publisher = Deployer { account: "acct_1".to_owned(), public_key: key }.publisher(&handle).unwrap();
        assert_eq!(tenant_of(&publisher).as_deref(), Some("acct_1"));
        assert_eq!(tenant_of(&Publisher { account: "acct_2".to_owned(), ..publisher.clone() }), None);
        let may = |name: &str| publisher.namespaces.contain(&name.parse().unwrap());
        assert!(may(&format!("{handle}-x")) && !may(&handle) && !may("x") && !may(&format!("{handle}x")));
    }
}
