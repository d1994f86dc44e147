//! Sealed records and their proofs: the grant `ledger`.
//!
//! For any record, a plugin can see public facts: that it exists, and its proof. It can
//! see the body only if the calling account is a party to the record. A body names
//! accounts, so a plugin with this grant can identify the caller.

mod read;
pub(crate) mod record;

pub use read::{proof, record, verify};
pub use record::{Entry, Proven, Verdict};
