//! Sealed records and their proofs: the grant `ledger`.
//!
//! A plugin sees what anyone may see (that a record exists, and the proof of
//! it) and the bodies of records that the calling account is a party to. The
//! body names accounts, so a plugin with this grant can learn who calls.

mod read;
pub(crate) mod record;

pub use read::{proof, record, verify};
pub use record::{Entry, Proven, Verdict};
