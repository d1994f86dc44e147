//! Configuration of this plugin by the operator (`[plugins.NAME] config` and
//! `secrets`) or by the declaration of an agent: the grant `config`.
//!
//! A secret is a placeholder here. The host replaces it in outgoing headers for
//! granted hosts only, so the plugin never sees it.

use crate::{error::Error, host};

/// The value of `key`; none when it is not set.
pub fn get(key: &str) -> Result<Option<String>, Error> {
    host::config_get(key)
}

/// The value of `key`; [`Error::Unavailable`] when it is not set.
pub fn require(key: &str) -> Result<String, Error> {
    let missing = || Error::unavailable(format!("the operator has not set the value `{key}` of this plugin"));
    get(key)?.ok_or_else(missing)
}

/// All keys and values that are set.
pub fn all() -> Result<Vec<(String, String)>, Error> {
    host::config_all()
}
