//! Values that stand where a secret would: names, examples, references.

use super::entropy::reads_as_words;

/// Parts of values that are never secrets.
const PARTS: &[&str] = &[
    "example",
    "sample",
    "changeme",
    "change_me",
    "change-me",
    "placeholder",
    "your_",
    "your-",
    "yours",
    "xxxx",
    "****",
    "....",
    "dummy",
    "redacted",
    "insert",
    "replace",
    "<",
    "${",
    "{{",
    "$(",
    "#{",
    "%s",
    "%(",
    "process.env",
    "os.environ",
    "getenv",
    "secrets.",
    "vault:",
    "arn:aws",
    "todo",
    "fixme",
    "1234567890abcdef",
    "abcdefgh",
    "0123456789",
    "undefined",
    "not-a-",
    "notreal",
    "fake",
    "foobar",
    "lorem",
    "testtest",
    "enter_",
    "enter-",
    "env.",
    "config.",
    "ssm:",
    "!ref",
    "!sub",
    "deadbeef",
    "localhost",
];

/// Whole values that are words, not secrets.
const WORDS: &[&str] = &[
    "password",
    "passwd",
    "secret",
    "token",
    "string",
    "null",
    "none",
    "true",
    "false",
    "test",
    "testing",
    "required",
    "optional",
    "username",
    "current-password",
    "new-password",
    "bearer",
    "basic",
    "apikey",
    "api_key",
    "api-key",
    "hidden",
    "default",
    "number",
    "boolean",
    "varchar",
    "text",
    "plain",
    "invalid",
    "missing",
    "unknown",
    "disabled",
    "enabled",
    "anonymous",
    "unset",
    "empty",
    "base64",
    "base64url",
    "utf-8",
    "utf8",
    "sha256",
    "sha512",
    "hs256",
    "rs256",
    "es256",
    "aes-256-gcm",
    "client_credentials",
];

/// Whether a value is no secret whatever its name.
#[must_use]
pub fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let mut bytes = lower.bytes();
    let first = bytes.next();
    let one_character = bytes.all(|byte| Some(byte) == first);
    let is_file = |rest: &str| rest.starts_with(['.', '/']) || rest.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_reference = lower.starts_with(['$', '@', '/', '~', '{', '[', '(', '&', '*', ':'])
        || lower.strip_prefix('.').is_some_and(is_file)
        || lower.contains("://");
    one_character || is_reference || PARTS.iter().any(|part| lower.contains(part)) || WORDS.contains(&lower.as_str())
}

/// Whether a value reads like a name of something: words joined by `_`, `-`, `.`, or an environment variable. Words have
/// capitals at their start or are all capitals.
#[must_use]
pub fn is_name(value: &str) -> bool {
    let letters =
        |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic()) && reads_as_words(word);
    let joined = value.split(['_', '-', '.', '/', ':', ' ']).all(letters);
    let camel = letters(value) && value.bytes().filter(u8::is_ascii_uppercase).count() * 3 < value.len();
    joined
        && (camel
            || value.contains(['_', '-', '.', '/', ':', ' '])
            || value.bytes().all(|byte| byte.is_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_and_names() {
        for value in [
            "changeme",
            "${DB_PASSWORD}",
            "xxxxxxxx",
            "your-api-key",
            "<token>",
            "password",
            "https://a.b/c",
            "aaaaaaaa",
        ] {
            assert!(is_placeholder(value), "{value}");
        }
        for value in ["DB_PASSWORD", "accessToken", "user.password", "reset-password"] {
            assert!(is_name(value), "{value}");
        }
        for value in ["Sup3rS3cret!", "9f8A7kQz", "hunter2"] {
            assert!(!is_placeholder(value) && !is_name(value), "{value}");
        }
    }
}
