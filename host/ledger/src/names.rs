//! The syntax of names and ids in records.

use super::chart::is_party;
use super::entry_error::EntryError;
use crate::limits::LEDGER_NAME_BYTES_MAX;

pub(super) fn party(text: &str) -> Result<(), EntryError> {
    if is_party(text) { Ok(()) } else { Err(EntryError::Party(text.to_owned())) }
}

pub(super) fn name(member: &'static str, text: &str) -> Result<(), EntryError> {
    checked_name(member, text, |byte| matches!(byte, b'_' | b'.' | b':' | b'/' | b'-'))
}

/// Checks a version, which may contain the build metadata of a semantic version.
pub(super) fn version(text: &str) -> Result<(), EntryError> {
    checked_name("version", text, |byte| matches!(byte, b'_' | b'.' | b':' | b'/' | b'-' | b'+'))
}

pub(super) fn optional_name(member: &'static str, text: Option<&str>) -> Result<(), EntryError> {
    text.map_or(Ok(()), |text| name(member, text))
}

fn checked_name(member: &'static str, text: &str, mark: impl Fn(u8) -> bool) -> Result<(), EntryError> {
    let good = (1..=LEDGER_NAME_BYTES_MAX).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || mark(byte));
    if good { Ok(()) } else { Err(EntryError::Name { member, text: text.to_owned() }) }
}
