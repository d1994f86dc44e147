//! OAuth 2.1 for programs that act for somebody: the rows and texts of it.
//!
//! A *client* registers itself and is nobody in particular. A person's consent
//! gives it a *code*, once and for a minute; the code becomes a *grant*, and a
//! grant hands out access tokens for an hour and a refresh token that is used
//! once.
//!
//! Invariants:
//! 1. Tokens are texts with a signature of this host; a grant's row says
//!    whether they still count, so removing the row ends them all.
//! 2. A refresh token that is used twice ends its grant: one of the two who
//!    had it was not meant to.
//! 3. A code is bound to its client, its address, its challenge and its
//!    resource; a code that is used twice ends what it gave.
//! 4. A token is a key for `/mcp` and for nothing else.

mod client;
mod code;
mod grant;
mod token;

pub use client::{Client, ClientError, Registration, is_loopback, register, registered, registered_clients};
pub use code::{Asked, CodeError, Codes, Exchange};
pub use grant::{Grant, GrantError, Issued, New, end, grants, refresh, start};
pub use token::{ACCESS_PREFIX, Claims, Kind, TokenKey};

pub(super) use grant::find;
