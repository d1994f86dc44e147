//! The stored resource to which the input of a call refers.

use tollbridge_plugin::Resource;

use super::error::CheckoutError;
use super::input::Input;
use crate::resources::{Resources, StoredResource};

/// Returns the stored resource to which an input refers. A resource of another account is
/// treated as if it did not exist.
pub(super) fn find(
    resources: &Resources,
    account: Option<&str>,
    input: &Input,
    now_ms: u64,
) -> Result<Option<StoredResource>, CheckoutError> {
    let Some(id) = input.stored_resource() else { return Ok(None) };
    let stored = match account {
        Some(account) => resources.find(account, id, now_ms)?,
        None => None,
    };
    stored.map(Some).ok_or_else(|| CheckoutError::NoResource { id: id.to_owned(), keyed: account.is_some() })
}

/// Loads a resource's bytes; fails if the resource was deleted after `find` returned it.
pub(super) fn load(resources: &Resources, stored: StoredResource) -> Result<Resource, CheckoutError> {
    resources.load(&stored)?.ok_or(CheckoutError::NoResource { id: stored.id, keyed: true })
}
