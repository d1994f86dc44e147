//! The secrets that all hosts of a ledger must share: the digest of an e-mail address and
//! the signature of a quote or checkpoint must not depend on which host serves. The
//! ledger stores a digest of the right secrets; the secrets themselves never leave the
//! data folders.

use std::path::Path;

use anyhow::{Result, bail};
use sha2::{Digest, Sha256};
use tollbridge_core::vault::{Vault, VaultError};
use tollbridge_store::{Change, Collection, Db, Expect, Put, Store};

/// The row of [`Collection::Meta`] with the digest.
const KEY: &str = "keys";
/// Secrets that are never replaced. The signing keys can be rotated, so they are not
/// included; after a rotation, the operator copies them to the other hosts.
const PURPOSES: [&str; 7] = ["checkpoints", "deploy", "emails", "oauth", "pseudonyms", "quotes", "webhooks"];

/// Refuses a data folder whose secrets differ from those of the ledger. Runs before any secret is
/// created.
pub(super) fn check(store: &dyn Store, vault: &Vault, dir: &Path) -> Result<()> {
    let Some(right) = store.get(Collection::Meta, KEY)? else { return Ok(()) };
    match digest(|purpose| vault.existing(purpose)) {
        Ok(found) if found.as_slice() == right => Ok(()),
        Ok(_) | Err(VaultError::Missing { .. }) => bail!(
            "the secrets in {} do not belong to this ledger: copy the folder from a host that serves it, then \
            start again",
            dir.join("keys").display()
        ),
        Err(error) => Err(error.into()),
    }
}

/// Stores the digest of this data folder's secrets, unless the ledger already has a
/// digest. Creates missing secrets. Blocks.
pub(super) fn note(db: &Db, vault: &Vault) -> Result<()> {
    if db.get(Collection::Meta, KEY)?.is_some() {
        return Ok(());
    }
    let value = digest(|purpose| vault.secret(purpose))?.to_vec();
    let put = Put { collection: Collection::Meta, key: KEY.to_owned(), value: Some(value), expect: Expect::Absent };
    db.submit_blocking(Change { puts: vec![put], ..Change::default() })?;
    Ok(())
}

fn digest(
    secret: impl Fn(&str) -> Result<tollbridge_core::vault::SecretBytes, VaultError>,
) -> Result<[u8; 32], VaultError> {
    let mut digest = Sha256::new_with_prefix(b"tollbridge shared keys v1 ");
    for purpose in PURPOSES {
        digest = digest.chain_update(purpose).chain_update(*secret(purpose)?);
    }
    Ok(digest.finalize().into())
}
