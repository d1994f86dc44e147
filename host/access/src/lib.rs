//! Who may call, and how often: accounts, their keys, tiers and limits.
//!
//! Invariants:
//! 1. A key is known only by its digest; the plain key is shown once.
//! 2. A call is let in or refused by one function, [`AccessControl::admit`]; a refused
//!    call spends nothing, and a bad key spends from its sender's address, so
//!    that guessing is limited.
//! 3. Both windows of a limit are tested and taken under one lock.
//! 4. Memory that strangers can fill is bounded.
//! 5. Changes are described as [`tollbridge_store::Change`] and committed by the
//!    caller; rows that changed meanwhile refuse them.
//!
//! Nothing here reads a clock: times are arguments, Unix milliseconds.

mod account;
mod admit;
mod client;
mod directory;
mod email;
mod key;
mod keyring;
mod limit;
pub mod oauth;
mod session;
mod shards;
mod signup;
mod tier;

#[cfg(test)]
mod testing;

pub use account::{Account, AccountError, load_account, update_account};
pub use admit::{AccessControl, AccessDenied, AccessError, Admission, AuthRequirement, InvalidCredential};
pub use client::{RateLimitKey, client_address};
pub use directory::{KeyState, Principal, PrincipalCache};
pub use email::{Email, EmailDigestKey, EmailError};
pub use key::{ApiKey, KeyDigest, KeyMode, KeyParseError};
pub use keyring::{
    IssuedKey, KeyRow, ListedKey, NewKey, RevokedKey, Scope, Scopes, create_key, list_keys, revoke_key, roll_key,
};
pub use limit::{RateLimitStatus, RateLimiter};
pub use session::{Session, SessionStore, SessionToken};
pub use signup::{DailyQuota, DailyQuotaExceeded, NewAccount, SignUpRequest, find_account_by_email, sign_up};
pub use tier::{RateLimits, Tier, UnknownTier};
