//! The format of tokens: grant, account and a number, with a signature.
//!
//! A token is `tb_at_` or `tb_rt_`, then 72 bytes in base64url: grant, account, a number,
//! and an HMAC over all of these with the host's secret. The number is the expiry of an
//! access token, or the generation of a refresh token.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;

/// The prefix of access tokens.
pub const ACCESS_TOKEN_PREFIX: &str = "tb_at_";
const REFRESH_PREFIX: &str = "tb_rt_";
/// The prefix of account ids.
const ACCOUNT_PREFIX: &str = "acct_";

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// An access token, accepted by `/mcp` for an hour.
    Access,
    /// A refresh token, exchanged once for the next tokens.
    Refresh,
}

/// The signed contents of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenClaims {
    /// The account id.
    pub account: String,
    /// The grant id.
    pub grant: [u8; 16],
    /// The expiry of an access token in Unix milliseconds, or the generation of a
    /// refresh token.
    pub number: u64,
}

/// The host's secret for signing tokens.
#[derive(Clone)]
pub struct TokenKey([u8; 32]);

impl TokenKey {
    /// Creates a key from 32 secret bytes.
    pub const fn new(secret: [u8; 32]) -> Self {
        Self(secret)
    }

    /// Formats and signs a token; returns `None` if the account id is malformed.
    pub fn encode(&self, kind: TokenKind, claims: &TokenClaims) -> Option<String> {
        let account: [u8; 16] = claims.account.strip_prefix(ACCOUNT_PREFIX)?.as_bytes().try_into().ok()?;
        let mut bytes = Vec::with_capacity(72);
        bytes.extend_from_slice(&claims.grant);
        bytes.extend_from_slice(&account);
        bytes.extend_from_slice(&claims.number.to_be_bytes());
        let mac = self.mac(kind, &bytes);
        bytes.extend_from_slice(&mac);
        Some(format!("{}{}", kind.prefix(), URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// Returns the claims of a token, if this host signed it.
    pub fn verify(&self, kind: TokenKind, text: &str) -> Option<TokenClaims> {
        let bytes = URL_SAFE_NO_PAD.decode(text.strip_prefix(kind.prefix())?).ok()?;
        let (signed, mac) = bytes.split_at_checked(40)?;
        if !bool::from(self.mac(kind, signed).as_slice().ct_eq(mac)) {
            return None;
        }
        let (grant, rest) = signed.split_first_chunk::<16>()?;
        let (account, number) = rest.split_first_chunk::<16>()?;
        Some(TokenClaims {
            account: format!("{ACCOUNT_PREFIX}{}", std::str::from_utf8(account).ok()?),
            grant: *grant,
            number: u64::from_be_bytes(number.try_into().ok()?),
        })
    }

    fn mac(&self, kind: TokenKind, bytes: &[u8]) -> [u8; 32] {
        // HMAC accepts keys of any length, so this cannot fail.
        let Ok(mut hmac) = Hmac::<Sha256>::new_from_slice(&self.0) else { return [0; 32] };
        hmac.update(b"tollbridge oauth v1 ");
        hmac.update(kind.prefix().as_bytes());
        hmac.update(bytes);
        hmac.finalize().into_bytes().into()
    }
}

impl TokenKind {
    const fn prefix(self) -> &'static str {
        match self {
            Self::Access => ACCESS_TOKEN_PREFIX,
            Self::Refresh => REFRESH_PREFIX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KEY: TokenKey = TokenKey::new([7; 32]);

    fn claims() -> TokenClaims {
        TokenClaims { account: "acct_0123456789abcdef".to_owned(), grant: [9; 16], number: 12_345 }
    }

    #[test]
    fn a_token_is_read_back_only_as_its_own_kind() {
        let text = KEY.encode(TokenKind::Access, &claims()).unwrap();
        assert!(text.starts_with("tb_at_"), "{text}");
        assert_eq!(KEY.verify(TokenKind::Access, &text), Some(claims()));
        assert_eq!(KEY.verify(TokenKind::Refresh, &text), None);
        assert_eq!(KEY.verify(TokenKind::Refresh, &text.replace("tb_at_", "tb_rt_")), None);
        assert_eq!(TokenKey::new([8; 32]).verify(TokenKind::Access, &text), None);
        assert!(KEY.encode(TokenKind::Access, &TokenClaims { account: "acct_x".to_owned(), ..claims() }).is_none());
    }

    proptest! {
        #[test]
        fn a_changed_token_is_none(at in 6_usize..100, to in "[A-Za-z0-9_-]") {
            let text = KEY.encode(TokenKind::Refresh, &claims()).unwrap();
            prop_assume!(at < text.len() && text[at..=at] != to);
            let mut changed = text.clone();
            changed.replace_range(at..=at, &to);
            // The last base64 character has unused bits; the strict decoder refuses them
            // if set.
            prop_assert_eq!(KEY.verify(TokenKind::Refresh, &changed), None);
        }

        #[test]
        fn nothing_panics(text in "(tb_at_)?\\PC{0,120}") {
            let _ = KEY.verify(TokenKind::Access, &text);
        }
    }
}
