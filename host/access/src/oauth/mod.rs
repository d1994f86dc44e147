//! OAuth 2.1 for programs that act for an account: its rows and tokens.
//!
//! A *client* registers itself and proves no identity. A user's consent yields a *code*,
//! which is valid once and for a minute. The client exchanges the code for a *grant*; a
//! grant issues access tokens, valid for an hour, and refresh tokens, valid once.
//!
//! Invariants:
//! 1. Tokens are texts signed by this host; the row of the grant determines whether they
//!    are valid, so deleting the row revokes them all.
//! 2. A refresh token that is used twice ends its grant, because one of the two uses must
//!    be a thief's.
//! 3. A code is bound to its client, its redirect address, its challenge and its
//!    resource; a code that is used twice revokes its grant.
//! 4. A token is valid only for `/mcp`.

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
