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

pub use client::{
    OauthClient, RegisteredClient, RegistrationError, find_client, is_loopback_uri, list_clients, register_client,
};
pub use code::{CodeExchange, CodeExchangeError, Consent, IssuedCode, RedeemedCode, issue_code, redeem_code};
pub(crate) use grant::find_by_access_token;
pub use grant::{
    GrantId, IssuedTokens, OauthGrant, RefreshError, create_grant, list_grants, refresh_tokens, revoke_grant,
};
pub use token::{ACCESS_TOKEN_PREFIX, TokenClaims, TokenKey, TokenKind};
