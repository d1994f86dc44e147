//! OAuth 2.1 for programs that act for an account: its rows and tokens.
//!
//! A *client* registers itself and proves no identity. A person's consent gives
//! it a *code*, once and for a minute; the code becomes a *grant*, and a grant
//! issues access tokens for an hour and a refresh token that can be used once.
//!
//! Invariants:
//! 1. Tokens are texts signed by this host; the row of the grant determines
//!    whether they are valid, so deleting the row revokes them all.
//! 2. A refresh token that is used twice ends its grant, because one of the two
//!    users must have stolen it.
//! 3. A code is bound to its client, its redirect address, its challenge and
//!    its resource; a code that is used twice revokes its grant.
//! 4. A token is valid for `/mcp` and nothing else.

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
