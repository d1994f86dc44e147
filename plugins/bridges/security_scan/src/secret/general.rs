//! Secrets that no single provider issues: private keys, JSON Web Tokens, passwords in addresses and headers.

use super::format::Check::{Address, Jwt, PrivateKey, Random};
use super::format::{Format, format};
use crate::rule::Severity::{Critical, High, Medium};

pub(super) const GENERAL: &[Format] = &[
    Format {
        lines: 3,
        ..format(
            "secret.private-key",
            Critical,
            PrivateKey,
            &["private key"],
            r"(-----BEGIN (?:[A-Z]{2,9} )?PRIVATE KEY(?: BLOCK)?-----(?:[\s\\rn]|[A-Za-z0-9+/=,:-]|Proc-Type|DEK-Info)*)",
            "private key",
        )
    },
    format(
        "secret.jwt",
        Medium,
        Jwt,
        &["eyj"],
        r"\b(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{20,})",
        "JSON Web Token",
    ),
    format(
        "secret.address-password",
        High,
        Address,
        &["://"],
        r#"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s:/@"'<>`]*:([^\s@/"'<>`]+)@[\w.\[-]+"#,
        "address with a password",
    ),
    format(
        "secret.authorization",
        High,
        Random,
        &["authorization"],
        r#"(?i)authorization["']?\s*[:=,]\s*["'`]?(?:basic|bearer|token)\s+([A-Za-z0-9+/=_.-]{20,})"#,
        "authorization header",
    ),
    format(
        "secret.connection-password",
        High,
        Address,
        &["password=", "pwd="],
        r#"(?i);\s*(?:password|pwd)\s*=\s*([^;"'\s]+)\s*;"#,
        "connection string with a password",
    ),
];
