//! The texts of tokens: who, which grant, and until when, with a signature.
//!
//! `tb_at_` or `tb_rt_`, then 80 bytes in base64: grant, account, a number, and
//! an HMAC over all of it with the host's secret. The number is the end of an
//! access token, and of a refresh token its place in the row of its kind.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;

/// How an access token begins.
pub const ACCESS_PREFIX: &str = "tb_at_";
const REFRESH_PREFIX: &str = "tb_rt_";
/// What every account's id begins with.
const ACCOUNT_PREFIX: &str = "acct_";

/// Which token a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Access,
    Refresh,
}

/// What a token says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claims {
    /// Account id.
    pub account: String,
    pub grant: [u8; 16],
    /// End of an access token, Unix milliseconds; generation of a refresh token.
    pub number: u64,
}

/// The host's secret that tokens are signed with.
#[derive(Clone)]
pub struct TokenKey([u8; 32]);

impl TokenKey {
    pub const fn new(secret: [u8; 32]) -> Self {
        Self(secret)
    }

    /// The text of a token; `None` for an account that is none.
    pub fn write(&self, kind: Kind, claims: &Claims) -> Option<String> {
        let account: [u8; 16] = claims.account.strip_prefix(ACCOUNT_PREFIX)?.as_bytes().try_into().ok()?;
        let mut bytes = Vec::with_capacity(72);
        bytes.extend_from_slice(&claims.grant);
        bytes.extend_from_slice(&account);
        bytes.extend_from_slice(&claims.number.to_be_bytes());
        let seal = self.seal(kind, &bytes);
        bytes.extend_from_slice(&seal);
        Some(format!("{}{}", kind.prefix(), URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// What a text says, if this host wrote it.
    pub fn read(&self, kind: Kind, text: &str) -> Option<Claims> {
        let bytes = URL_SAFE_NO_PAD.decode(text.strip_prefix(kind.prefix())?).ok()?;
        let (signed, seal) = bytes.split_at_checked(40)?;
        if !bool::from(self.seal(kind, signed).as_slice().ct_eq(seal)) {
            return None;
        }
        let (grant, rest) = signed.split_first_chunk::<16>()?;
        let (account, number) = rest.split_first_chunk::<16>()?;
        Some(Claims {
            account: format!("{ACCOUNT_PREFIX}{}", std::str::from_utf8(account).ok()?),
            grant: *grant,
            number: u64::from_be_bytes(number.try_into().ok()?),
        })
    }

    fn seal(&self, kind: Kind, bytes: &[u8]) -> [u8; 32] {
        // A key of any length is taken, so this cannot fail.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else { return [0; 32] };
        mac.update(b"tollbridge oauth v1 ");
        mac.update(kind.prefix().as_bytes());
        mac.update(bytes);
        mac.finalize().into_bytes().into()
    }
}

impl Kind {
    const fn prefix(self) -> &'static str {
        match self {
            Self::Access => ACCESS_PREFIX,
            Self::Refresh => REFRESH_PREFIX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KEY: TokenKey = TokenKey::new([7; 32]);

    fn claims() -> Claims {
        Claims { account: "acct_0123456789abcdef".to_owned(), grant: [9; 16], number: 12_345 }
    }

    #[test]
    fn what_is_written_is_read_and_only_as_what_it_is() {
        let text = KEY.write(Kind::Access, &claims()).unwrap();
        assert!(text.starts_with("tb_at_"), "{text}");
        assert_eq!(KEY.read(Kind::Access, &text), Some(claims()));
        assert_eq!(KEY.read(Kind::Refresh, &text), None);
        assert_eq!(KEY.read(Kind::Refresh, &text.replace("tb_at_", "tb_rt_")), None);
        assert_eq!(TokenKey::new([8; 32]).read(Kind::Access, &text), None);
        assert!(KEY.write(Kind::Access, &Claims { account: "acct_x".to_owned(), ..claims() }).is_none());
    }

    proptest! {
        #[test]
        fn a_changed_token_is_none(at in 6_usize..100, to in "[A-Za-z0-9_-]") {
            let text = KEY.write(Kind::Refresh, &claims()).unwrap();
            prop_assume!(at < text.len() && text[at..=at] != to);
            let mut changed = text.clone();
            changed.replace_range(at..=at, &to);
            // The last character has bits that say nothing; strict decoding refuses them.
            prop_assert_eq!(KEY.read(Kind::Refresh, &changed), None);
        }

        #[test]
        fn nothing_panics(text in "(tb_at_)?\\PC{0,120}") {
            let _ = KEY.read(Kind::Access, &text);
        }
    }
}
