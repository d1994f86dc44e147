//! A format of a key or token, as its provider publishes it, and what a match of it is worth.

use super::checksum::{base62_tail, base64url, hex_tail};
use super::entropy::bits;
use super::placeholder::is_placeholder;
use super::span::Secret;
use crate::rule::{Confidence, Severity};

/// How a match is checked further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// The format says it all.
    Format,
    /// The last six characters after the prefix are a base-62 checksum.
    Base62,
    /// The last eight are a hexadecimal checksum.
    Hex,
    /// It must look random.
    Random,
    /// A JSON Web Token: the header must decode.
    Jwt,
    /// A private key: key data must follow.
    PrivateKey,
    /// The password of an address.
    Address,
}

/// One format.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    pub id: &'static str,
    pub severity: Severity,
    pub check: Check,
    /// Literals in small letters.
    pub near: &'static [&'static str],
    /// Group 1 is the secret.
    pub pattern: &'static str,
    pub lines: usize,
    pub what: &'static str,
}

pub(super) const fn format(
    id: &'static str,
    severity: Severity,
    check: Check,
    near: &'static [&'static str],
    pattern: &'static str,
    what: &'static str,
) -> Format {
    Format { id, severity, check, near, pattern, lines: 0, what }
}

impl Format {
    /// What the match at these bytes is: a secret, a doubtful one, or nothing.
    pub(super) fn judge(&self, text: &str, start: usize, end: usize) -> Option<Secret> {
        let token = text.get(start..end)?;
        let marks = ["example", "xxxxxx", "placeholder", "0000000000", "1234567890", "your", "redacted"];
        let lower = token.to_ascii_lowercase();
        if self.check != Check::PrivateKey && marks.iter().any(|mark| lower.contains(mark)) {
            return None;
        }
        let (severity, confidence, note) = match self.check {
            Check::Format => (self.severity, Confidence::High, ""),
            Check::Base62 | Check::Hex => self.by_checksum(token),
            Check::Random => {
                let body = token.split_once(['_', '-', '.']).map_or(token, |(_, body)| body);
                if bits(body) < 2.8 {
                    return None;
                }
                (self.severity, Confidence::High, "")
            }
            Check::Jwt => {
                let header = String::from_utf8(base64url(token)).ok()?;
                (header.starts_with('{') && header.contains("\"alg\"")).then_some((
                    self.severity,
                    Confidence::Medium,
                    "",
                ))?
            }
            Check::PrivateKey => private_key(token, self.severity)?,
            Check::Address => address(text, token, end, self.severity)?,
        };
        let what = self.what;
        let article = if what.starts_with(['A', 'a', 'O']) { "An" } else { "A" };
        Some(Secret {
            rule: self.id,
            severity,
            confidence,
            cwe: "CWE-798",
            start,
            end,
            message: format!("{article} {what} is written into the source{note}"),
            remedy: "Revoke it at the provider, and read the new one from the environment or a secret store.",
        })
    }

    fn by_checksum(&self, token: &str) -> (Severity, Confidence, &'static str) {
        let body = token.split_once('_').map_or(token, |(_, body)| body);
        let right = if self.check == Check::Hex { hex_tail(token) } else { base62_tail(body) };
        if right {
            (self.severity, Confidence::High, "; its checksum is right")
        } else {
            (Severity::Low, Confidence::Low, "; its checksum is wrong, so it is made up or mistyped")
        }
    }
}

/// A private key with key data after its first line.
fn private_key(token: &str, severity: Severity) -> Option<(Severity, Confidence, &'static str)> {
    let body = token.trim_start_matches("-----BEGIN").split_once("-----").map(|(_, body)| body)?;
    let body = body.split("-----END").next().unwrap_or_default().replace("\\n", "").replace("\\r", "");
    let letters = body.bytes().filter(u8::is_ascii_alphanumeric).count();
    if letters < 24 || bits(&body) < 3.0 {
        return None;
    }
    let encrypted = token.contains("ENCRYPTED");
    Some(if encrypted { (Severity::Medium, Confidence::High, ", encrypted") } else { (severity, Confidence::High, "") })
}

/// A password in an address; well-known ones on this machine matter less.
fn address(text: &str, token: &str, end: usize, severity: Severity) -> Option<(Severity, Confidence, &'static str)> {
    let host = text.get(end..).unwrap_or_default();
    if !(3..=128).contains(&token.len())
        || is_placeholder(token)
        || token.contains("pass") && token.len() < 10
        || token.bytes().all(|byte| byte == b'*')
    {
        return None;
    }
    let host = host.trim_start_matches('@').split(|c: char| !(c.is_ascii_alphanumeric() || ".-".contains(c))).next()?;
    let local = [
        "localhost",
        "127.0.0.1",
        "0.0.0.0",
        "db",
        "database",
        "postgres",
        "mysql",
        "redis",
        "mongo",
        "mongodb",
        "rabbitmq",
        "host",
    ];
    let is_local =
        local.contains(&host) || host.contains("example") || host.ends_with(".test") || host.ends_with(".localhost");
    Some(if is_local {
        (Severity::Low, Confidence::Low, ", for a host of a test or an example")
    } else {
        (severity, Confidence::Medium, "")
    })
}
