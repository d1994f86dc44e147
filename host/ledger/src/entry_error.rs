//! Errors of entries that are invalid.

/// The reason why an entry cannot be recorded.
use crate::limits::RECORD_BODY_BYTES_MAX;
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum EntryError {
    #[error("`{0}` is not a kind of record that this program supports")]
    UnknownKind(String),
    #[error("the body is not a valid `{kind}`: {why}")]
    Malformed { kind: &'static str, why: String },
    #[error("`{0}` is not an id; ids have 1 to 64 of A-Z a-z 0-9 _ -")]
    Party(String),
    #[error("{member} `{text}` is not a name; names have 1 to 128 of A-Z a-z 0-9 _ . : / -")]
    Name { member: &'static str, text: String },
    #[error("the display name must have 1 to 128 bytes and no control characters")]
    DisplayName,
    #[error("the split policy does not add up, or pays less than its floor")]
    Policy,
    #[error("an amount of {0} millipence cannot be recorded")]
    Amount(i64),
    #[error("the shares do not sum to the gross amount")]
    Shares,
    #[error("the body has {0} bytes, but at most {RECORD_BODY_BYTES_MAX} are allowed")]
    TooLong(usize),
}
