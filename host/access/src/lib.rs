//! Who may call, and how often: accounts, their keys, tiers and limits.
//!
//! Invariants:
//! 1. A key is known only by its digest; the plain key is shown once.
//! 2. A call is let in or refused by one function, [`Access::admit`]; a refused
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

pub use account::{Account, AccountError, account, update_account};
pub use admit::{Access, AccessError, Admission, BadKey, Denied, Require};
pub use client::{ClientId, client_address};
pub use directory::{Directory, KeyState, Principal};
pub use email::{Email, EmailError, EmailKey};
pub use key::{ApiKey, KeyDigest, KeyProblem, Mode};
pub use keyring::{
    Issued, KeyRow, ListedKey, NewKey, Revoked, Scope, Scopes, create_key, list_keys, revoke_key, roll_key,
};
pub use limit::{Limiter, Standing};
pub use session::{Session, SessionToken, Sessions};
pub use signup::{SignUp, SignUps, SignedUp, TooManySignUps, account_of_email, sign_up};
pub use tier::{Limits, NotATier, Tier};
