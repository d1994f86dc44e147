//! E-mail addresses: validated, compared without regard to case, and indexed by a keyed
//! digest, so that the index of accounts does not reveal addresses.

use std::fmt;
use std::str::FromStr;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// Maximum length of an e-mail address (the longest path that RFC 5321 allows).
const EMAIL_BYTES_MAX: usize = 254;

/// An e-mail address whose domain is in lower case. The part before the `@` is kept as
/// written, because only its mail server knows whether case matters there. In practice no
/// server gives mailboxes that differ only in case to different people, so such addresses
/// belong to the same account here.
#[derive(Clone, PartialEq, Eq)]
pub struct Email(String);

/// The reason a text is not accepted as an e-mail address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmailError {
    /// The text does not have exactly one `@`.
    #[error("an e-mail address has one @, like name@example.com")]
    At,
    /// The address is too long.
    #[error("the e-mail address is longer than {EMAIL_BYTES_MAX} bytes, or has more than 64 before the @")]
    Long,
    /// The part before the `@` is not valid.
    #[error("the part of the e-mail address before the @ has a character that is not allowed there")]
    Local,
    /// The part after the `@` is not a domain.
    #[error("the part of the e-mail address after the @ is not a domain with a dot, like example.com")]
    Domain,
}

/// The secret key for e-mail digests; each data folder has its own.
#[derive(Clone)]
pub struct EmailDigestKey([u8; 32]);

impl Email {
    /// The address as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Email {
    type Err = EmailError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (local, domain) = text.split_once('@').ok_or(EmailError::At)?;
        if domain.contains('@') {
            return Err(EmailError::At);
        }
        if text.len() > EMAIL_BYTES_MAX || local.len() > 64 {
            return Err(EmailError::Long);
        }
        let plain = |c: char| c.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(c);
        let dots = local.starts_with('.') || local.ends_with('.') || local.contains("..");
        if local.is_empty() || dots || !local.chars().all(plain) {
            return Err(EmailError::Local);
        }
        if !domain.contains('.') || !domain.split('.').all(is_label) {
            return Err(EmailError::Domain);
        }
        Ok(Self(format!("{local}@{}", domain.to_ascii_lowercase())))
    }
}

impl fmt::Debug for Email {
    /// Omits the address: addresses are personal data and must not appear in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Email(***)")
    }
}

impl EmailDigestKey {
    /// Creates a key from 32 secret bytes.
    pub const fn new(secret: [u8; 32]) -> Self {
        Self(secret)
    }

    /// Returns the row key of an address: the HMAC-SHA256 of the lower-case address, in
    /// hexadecimal.
    pub fn digest(&self, email: &Email) -> String {
        // HMAC accepts keys of any length, so this cannot fail.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else {
            return String::new();
        };
        mac.update(email.0.to_lowercase().as_bytes());
        hex::encode(mac.finalize().into_bytes())
    }
}

impl fmt::Debug for EmailDigestKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EmailDigestKey(***)")
    }
}

fn is_label(text: &str) -> bool {
    let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    (1..=63).contains(&text.len()) && plain && !text.starts_with('-') && !text.ends_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_sensible_addresses_only() {
        let long = format!("{}@{}.com", "a".repeat(60), "b.".repeat(100));
        for (text, expect) in [
            ("Ada@Example.COM", Ok("Ada@example.com")),
            ("a.b+tag@sub.example.co.uk", Ok("a.b+tag@sub.example.co.uk")),
            ("zoë@example.com", Ok("zoë@example.com")),
            ("", Err(EmailError::At)),
            ("example.com", Err(EmailError::At)),
            ("a@b@example.com", Err(EmailError::At)),
            ("@example.com", Err(EmailError::Local)),
            (".a@example.com", Err(EmailError::Local)),
            ("a..b@example.com", Err(EmailError::Local)),
            ("a b@example.com", Err(EmailError::Local)),
            (" a@example.com", Err(EmailError::Local)),
            ("a\n@example.com", Err(EmailError::Local)),
            ("\u{202e}a@example.com", Err(EmailError::Local)),
            ("<a@example.com", Err(EmailError::Local)),
            ("a@example", Err(EmailError::Domain)),
            ("a@", Err(EmailError::Domain)),
            ("a@.com", Err(EmailError::Domain)),
            ("a@example.", Err(EmailError::Domain)),
            ("a@exa mple.com", Err(EmailError::Domain)),
            ("a@example.com\r\n", Err(EmailError::Domain)),
            ("a@-x.com", Err(EmailError::Domain)),
            ("a@exämple.com", Err(EmailError::Domain)),
            (long.as_str(), Err(EmailError::Long)),
        ] {
            let got = text.parse::<Email>();
            assert_eq!(got.as_ref().map(Email::as_str).map_err(|e| *e), expect, "{text:?}");
        }
    }

    #[test]
    fn digests_are_keyed_and_ignore_case() {
        let (key, other) = (EmailDigestKey::new([1; 32]), EmailDigestKey::new([2; 32]));
        let email = |text: &str| text.parse::<Email>().unwrap();
        assert_eq!(key.digest(&email("a@X.com")), key.digest(&email("a@x.com")));
        assert_eq!(key.digest(&email("ADA@x.com")), key.digest(&email("ada@x.com")));
        assert_eq!(key.digest(&email("ZOË@x.com")), key.digest(&email("zoë@x.com")));
        assert_ne!(key.digest(&email("a@x.com")), key.digest(&email("b@x.com")));
        assert_ne!(key.digest(&email("a@x.com")), other.digest(&email("a@x.com")));
        assert_eq!(key.digest(&email("a@x.com")).len(), 64);
        assert_eq!(format!("{:?}{key:?}", email("a@x.com")), "Email(***)EmailDigestKey(***)");
    }
}
