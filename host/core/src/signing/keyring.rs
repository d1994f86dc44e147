//! The current and retired signing keys; keys can be rotated while the server runs.
//!
//! Invariants: every signature uses the current key of its purpose; a key is in the list
//! of public keys before any of its signatures is visible, and stays in that list.

use std::path::Path;
use std::sync::Arc;

use arc_swap::ArcSwap;
use parking_lot::Mutex;

use super::rotate::{retired, rotate};
use super::signer::{CARDS, PROOFS, PublicKey, Signer};
use crate::vault::{Vault, VaultError};

/// The signing keys of a data folder that can be rotated.
pub struct Keyring {
    vault: Vault,
    proofs: ArcSwap<Signer>,
    cards: ArcSwap<Signer>,
    /// Public halves of retired keys; the lock is held while a key is rotated.
    retired: Mutex<Vec<PublicKey>>,
}

impl Keyring {
    /// Reads the keys of a data folder, or creates them.
    pub fn open(data: &Path) -> Result<Self, VaultError> {
        let vault = Vault::open(data)?;
        let open = |purpose| Signer::open(&vault, purpose).map(ArcSwap::from_pointee);
        Ok(Self { proofs: open(PROOFS)?, cards: open(CARDS)?, retired: Mutex::new(retired(&vault)?), vault })
    }

    /// The signer for proofs of tasks.
    pub fn proofs(&self) -> Arc<Signer> {
        self.proofs.load_full()
    }

    /// The signer for agent cards.
    pub fn cards(&self) -> Arc<Signer> {
        self.cards.load_full()
    }

    /// Retires the key of a purpose; a new key signs from now on. Returns the public half
    /// of the old key, or `None` if there is no such purpose.
    pub fn rotate(&self, purpose: &str, now_ms: u64) -> Result<Option<PublicKey>, VaultError> {
        let (purpose, current) = match purpose {
            PROOFS => (PROOFS, &self.proofs),
            CARDS => (CARDS, &self.cards),
            _ => return Ok(None),
        };
        let mut retired = self.retired.lock();
        let old = rotate(&self.vault, purpose, now_ms)?;
        retired.push(old.clone());
        current.store(Arc::new(Signer::open(&self.vault, purpose)?));
        Ok(Some(old))
    }

    /// Returns every public key: the current ones, then the retired ones.
    pub fn public(&self) -> Vec<PublicKey> {
        let retired = self.retired.lock();
        let current = [self.cards(), self.proofs()].map(|signer| signer.public().clone());
        current.into_iter().chain(retired.iter().cloned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_changes_at_once_and_for_good_and_the_old_one_stays_listed() {
        let data = tempfile::tempdir().unwrap();
        let keys = Keyring::open(data.path()).unwrap();
        let (before, cards) = (keys.proofs().public().clone(), keys.cards().public().clone());
        assert_eq!(keys.public(), [cards.clone(), before.clone()]);
        assert_eq!(keys.rotate("proofs", 1).unwrap(), Some(before.clone()));
        let after = keys.proofs().public().clone();
        assert_ne!(after, before);
        assert_eq!(keys.cards().public(), &cards);
        assert_eq!(keys.rotate("checkpoints", 2).unwrap(), None);
        for keys in [&keys, &Keyring::open(data.path()).unwrap()] {
            assert_eq!(keys.public(), [cards.clone(), after.clone(), before.clone()]);
        }
    }
}
