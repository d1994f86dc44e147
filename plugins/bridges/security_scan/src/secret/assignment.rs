//! Values assigned to names such as `password` or `api_key`.
//!
//! A password counts unless it is a placeholder or a word; a key or token must also look random.

use regex_lite::Captures;

use super::entropy::{bits, classes, reads_as_words};
use super::placeholder::{is_name, is_placeholder};
use super::span::Secret;
use crate::literals::Places;
use crate::patterns::compiled;
use crate::rule::{Confidence, Severity};
use crate::source::Source;
use crate::window::{Budget, windows};

/// Id of the rule for passwords.
pub const PASSWORD: &str = "secret.password";
/// Id of the rule for keys and tokens.
pub const KEY: &str = "secret.key";

/// Literals of which one is in every name that is looked at.
pub(super) const NEAR: &[&str] = &["pass", "pwd", "secret", "token", "key", "credential"];

/// End of a name, then `=`, `:`, `:=`, `=>` or `==` (a comma when the name is quoted), then a quoted value. The start of the name is found by hand,
/// because a pattern that begins with any word is slow.
pub(super) const QUOTED: &str = r#"(?i)((?:pass(?:w(?:or)?d|phrase)?|pwd|secret|token|key|credential)[\w-]*)(?:["'\]]*(?:\s*:\s*&?[\w<>\[\]' |]+)?\s*(?::=|=>|={1,3}|:)|["']\s*,)\s*(?:[bruf]+|String\.from\(|&)?["'`]([^"'`\s]+)["'`]"#;

/// The same without quotes, alone on its line.
pub(super) const BARE: &str =
    r"(?im)((?:pass(?:w(?:or)?d|phrase)?|pwd|secret|token|key)[\w-]*)(?:[ \t]*[:=][ \t]*|[ \t]+)([^\s#]+)[ \t]*\r?$";

/// Lengths of values that are looked at, in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 6..=256;
/// A key this short counts if it mixes capitals, small letters and digits, or reads as no words.
const SHORTEST_MIXED: usize = 10;
/// Longest start of a name that is looked back for.
const LONGEST_NAME: usize = 60;

/// Ends of names whose values are no secrets.
const NOT_SECRET: &[&str] = &[
    "_name",
    "name",
    "_id",
    "_url",
    "url",
    "_uri",
    "_path",
    "path",
    "_file",
    "file",
    "_field",
    "_header",
    "_type",
    "type",
    "_regex",
    "_pattern",
    "_label",
    "_length",
    "_expiry",
    "expiry",
    "_endpoint",
    "_env",
    "_param",
    "_prefix",
    "_message",
    "_hint",
    "_title",
    "_text",
    "_policy",
    "_reset",
    "_format",
    "_algorithm",
    "_version",
    "_arn",
    "_ref",
    "_key_ref",
    "_selector",
    "_input",
    "_placeholder",
    "_class",
    "_mode",
    "_count",
    "_size",
    "_ttl",
    "_lifetime",
    "_scope",
    "_audience",
    "_issuer",
    "publickey",
    "public_key",
    "_hash",
    "error",
    "tokenizer",
    "tokens",
    "_css",
    "_icon",
    "_help",
    "_description",
    "_encoding",
    "_provider",
    "_manager",
    "_store",
    "_dir",
];

/// Parts of names that say a key, wherever they stand.
const KEYS: &[&str] = &[
    "secret",
    "token",
    "credential",
    "api_key",
    "apikey",
    "api-key",
    "access_key",
    "accesskey",
    "access-key",
    "private_key",
    "privatekey",
    "private-key",
    "auth_key",
    "authkey",
    "auth-key",
    "encryption_key",
    "encryptionkey",
    "encryption-key",
    "signing_key",
    "signingkey",
    "signing-key",
];

/// Keys that open nothing: of tables, stores, maps and keyboards.
const NOT_KEYS: &[&str] = &[
    "primary",
    "foreign",
    "sort",
    "partition",
    "cache",
    "idempotency",
    "hot",
    "monkey",
    "turkey",
    "event",
    "lookup",
    "index",
    "translation",
    "i18n",
    "message",
    "row",
    "column",
    "object",
    "react",
    "item",
    "group",
    "query",
    "state",
];

/// The assignments of a file that give a secret away.
pub(super) fn find(source: &Source, literals: &Places, budget: &mut Budget) -> Vec<Secret> {
    let mut secrets = Vec::new();
    let places = windows(source, literals.of_any(NEAR), 0, 1);
    for (pattern, is_bare) in [(QUOTED, false), (BARE, true)] {
        let wanted = !is_bare || source.language.assigns_bare();
        let Some(regex) = wanted.then(|| compiled(pattern)).flatten() else { continue };
        for window in &places {
            if !budget.take(window.len()) {
                return secrets;
            }
            let text = source.text.get(window.clone()).unwrap_or_default();
            let hits = regex.captures_iter(text).filter_map(|captures| judge(&captures, text, window.start, is_bare));
            secrets.extend(hits);
        }
    }
    secrets
}

fn judge(captures: &Captures<'_>, window: &str, offset: usize, is_bare: bool) -> Option<Secret> {
    let end = captures.get(1)?;
    let value = captures.get(2)?;
    let before = window.get(..end.start()).unwrap_or_default();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let length = before.bytes().rev().take(LONGEST_NAME).take_while(is_part).count();
    let (line, start) = before.split_at_checked(before.len() - length)?;
    if is_bare && !may_stand_before(line.rsplit('\n').next().unwrap_or_default()) {
        return None;
    }
    let name = format!("{start}{}", end.as_str()).to_ascii_lowercase();
    let text = value.as_str();
    let not_secret = NOT_SECRET.iter().any(|end| name.ends_with(end)) || name.contains("public");
    if !LENGTHS.contains(&text.len()) || is_placeholder(text) || not_secret {
        return None;
    }
    let place = (offset + value.start(), offset + value.end());
    match of(&name)? {
        Kind::Password => password(text, place),
        Kind::Key => key(text, place),
    }
}

/// What a name says of its value.
enum Kind {
    Password,
    Key,
}

/// Names that begin or end otherwise only look like it: compass, keyboard.
fn of(name: &str) -> Option<Kind> {
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    let is_pass = name == "pass" || ["_pass", "-pass", ".pass", "userpass"].iter().any(|end| name.ends_with(end));
    if is_pass || has(&["passw", "passphrase", "pwd"]) {
        return Some(Kind::Password);
    }
    (has(KEYS) || (name.ends_with("key") && !has(NOT_KEYS))).then_some(Kind::Key)
}

/// What may stand before a name whose value has no quotes.
fn may_stand_before(line: &str) -> bool {
    ["", "export", "ENV", "ARG", "-"].contains(&line.trim())
}

fn password(text: &str, (start, end): (usize, usize)) -> Option<Secret> {
    if classes(text) < 2 || is_name(text) || text.contains("()") || text.ends_with(['(', ';', ',']) {
        return None;
    }
    Some(Secret {
        rule: PASSWORD,
        severity: Severity::High,
        confidence: if classes(text) >= 3 { Confidence::Medium } else { Confidence::Low },
        cwe: "CWE-798",
        start,
        end,
        message: "A password is written into the source".to_owned(),
        remedy: "Change it, and read it from the environment or a secret store.",
    })
}

fn key(text: &str, (start, end): (usize, usize)) -> Option<Secret> {
    let is_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=_-.~!@%^".contains(&byte));
    let no_words = !reads_as_words(text);
    let random = if is_hex {
        text.len() >= 32 && bits(text) >= 3.0
    } else {
        (text.len() >= 16 && bits(text) >= 3.5 && classes(text) >= 2)
            || (text.len() >= SHORTEST_MIXED && bits(text) >= 3.0 && (classes(text) >= 3 || no_words))
    };
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    if !random || !plain || is_name(text) || (!is_hex && digits == 0 && !no_words) {
        return None;
    }
    Some(Secret {
        rule: KEY,
        severity: Severity::High,
        confidence: if bits(text) >= 4.0 || is_hex { Confidence::Medium } else { Confidence::Low },
        cwe: "CWE-798",
        start,
        end,
        message: "A key or token is written into the source".to_owned(),
        remedy: "Revoke it, and read it from the environment or a secret store.",
    })
}
