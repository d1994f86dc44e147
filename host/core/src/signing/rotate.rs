//! Retired signing keys: their public halves are kept, so that their signatures remain
//! verifiable.
//!
//! Invariant: a key is listed as retired before its secret is deleted. After a crash in
//! between, the key is both in use and listed, but never lost.

use serde_json::{Value, json};

use super::signer::{CARDS, PROOFS, PublicKey, Signer, thumbprint};
use crate::vault::{Vault, VaultError};

/// Purposes whose keys can be rotated here; the ledger itself rotates the key of its
/// checkpoints.
pub const ROTATED: [&str; 2] = [PROOFS, CARDS];

/// Retires the key of a purpose and returns its public half. The next call that opens the
/// key of this purpose creates a new one.
pub(super) fn rotate(vault: &Vault, purpose: &'static str, now_ms: u64) -> Result<PublicKey, VaultError> {
    let old = Signer::open(vault, purpose)?.public().clone();
    let line = json!({ "purpose": purpose, "public_key": hex::encode(old.bytes), "retired_ms": now_ms });
    vault.retire(purpose, &line.to_string())?;
    Ok(old)
}

/// Returns every retired key, oldest first.
pub(super) fn retired(vault: &Vault) -> Result<Vec<PublicKey>, VaultError> {
    let text = vault.retired()?;
    let mut keys: Vec<PublicKey> = Vec::new();
    for key in text.lines().filter_map(read) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    Ok(keys)
}

fn read(line: &str) -> Option<PublicKey> {
    let line: Value = serde_json::from_str(line).ok()?;
    let purpose = line.get("purpose").and_then(Value::as_str)?;
    let purpose = ROTATED.into_iter().find(|known| *known == purpose)?;
    let mut bytes = [0; 32];
    hex::decode_to_slice(line.get("public_key")?.as_str()?, &mut bytes).ok()?;
    Some(PublicKey { purpose, bytes, kid: thumbprint(&bytes) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_key_stays_listed_and_a_new_one_signs() {
        let data = tempfile::tempdir().unwrap();
        let vault = Vault::open(data.path()).unwrap();
        assert_eq!(retired(&vault).unwrap(), []);
        let first = rotate(&vault, "proofs", 1).unwrap();
        let second = Signer::open(&vault, "proofs").unwrap().public().clone();
        assert_ne!(first, second);
        assert_eq!(rotate(&vault, "proofs", 2).unwrap(), second);
        assert_eq!(retired(&vault).unwrap(), [first, second]);
    }
}
