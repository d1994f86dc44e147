//! Access: accounts, their keys, sessions, OAuth grants, tiers and rate limits.
//!
//! Invariants:
//! 1. A key is stored only as its digest; the plain key is shown once.
//! 2. A call is admitted or refused by one function, [`AccessControl::admit`]. A call
//!    over its rate limit is not counted; a call with an invalid key counts against the
//!    sender's address, so that guessing is limited.
//! 3. Both windows of a limit are tested and counted under one lock.
//! 4. Memory that unauthenticated clients can fill is bounded.
//! 5. A sign-in link opens one session, and only while the account still has the e-mail
//!    address to which the link was sent.
//! 6. Changes are returned as [`tollbridge_store::Change`] and committed by the caller;
//!    the store refuses them if rows changed meanwhile.
//!
//! This crate reads no clock: times are arguments, in Unix milliseconds. It never imports
//! the ledger, payments or HTTP.

mod access_control;
mod account;
mod bounded;
mod call_slices;
mod client;
mod daily_quota;
mod email;
mod email_link;
mod email_link_quota;
mod key;
mod key_view;
mod keyring;
pub mod limits;
pub mod oauth;
mod principal_cache;
mod rate_limiter;
mod scope;
mod session;
mod short_lived;
mod signup;
mod slice_supply;
mod tier;

#[cfg(test)]
mod testing;

pub use access_control::{AccessControl, AccessDenied, AccessError, Admission, AuthRequirement, InvalidCredential};
pub use account::{Account, AccountError, load_account, update_account};
pub use call_slices::{CallSlices, GrantedSlices, SliceNeed, WindowSlice};
pub use client::{RateLimitKey, client_address};
pub use daily_quota::{DailyQuota, DailyQuotaError};
pub use email::{Email, EmailDigestKey, EmailError};
pub use email_link::{
    EmailLink, IssuedEmailLink, RedeemedEmailLink, find_email_link, issue_email_link, redeem_email_link,
};
pub use email_link_quota::{EmailLinkQuota, EmailLinkQuotaError};
pub use key::{ApiKey, KeyDigest, KeyMode, KeyParseError};
pub use key_view::KeyView;
pub use keyring::{
    IssuedKey, KeyAuthority, KeyRow, ListedKey, NewKey, RevokedKey, create_key, list_keys, revoke_key, roll_key,
};
pub use principal_cache::{KeyState, Principal, PrincipalCache};
pub use rate_limiter::{RateLimitStatus, RateLimiter};
pub use scope::{Scope, Scopes};
pub use session::{OpenedSession, Session, SessionToken};
pub use short_lived::ShortLivedRows;
pub use signup::{ChangedEmail, NewAccount, SignUpRequest, change_email, find_account_by_email, sign_up};
pub use tier::{RateLimits, Tier, UnknownTier};
