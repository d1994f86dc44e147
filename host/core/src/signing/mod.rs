//! The host's Ed25519 signing keys: one per purpose, so that a signature for one purpose
//! is never valid for another.
//!
//! Invariants: the private half of a key stays in the vault and in memory; the id of a
//! key (`kid`) is derived from its public half alone (RFC 7638). Checkpoints of the
//! ledger have their own signature format and their own key (`ledger`).

mod keyring;
mod rotate;
mod signer;

pub use keyring::Keyring;
pub use rotate::ROTATED;
pub use signer::{CARDS, Jwk, PROOFS, PublicKey, Signer};
