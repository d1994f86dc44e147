//! The plugin's configuration, set by the operator (`[plugins.NAME] config` and
//! `secrets`) or in an agent's deployment: the grant `config`.
//!
//! A secret's value is a placeholder. The host replaces the placeholder in outgoing
//! request headers, and only for granted hosts, so the plugin never sees the secret.

use crate::{error::Error, host};

/// Returns the value of `key`; `None` if it is not set.
pub fn get(key: &str) -> Result<Option<String>, Error> {
    host::config_get(key)
}

/// Returns the value of `key`; [`Error::Unavailable`] if it is not set.
pub fn require(key: &str) -> Result<String, Error> {
    let missing = || Error::unavailable(format!("the operator has not set the value `{key}` of this plugin"));
    get(key)?.ok_or_else(missing)
}

/// Returns all keys and values that are set.
pub fn all() -> Result<Vec<(String, String)>, Error> {
    host::config_all()
}
