//! What the operator set for this plugin (`[plugins.NAME] config` and
//! `secrets`), and what a declared agent is told: the grant `config`.
//!
//! A secret is a placeholder here; the host fills it into outgoing headers for
//! granted hosts only, so the plugin never sees it.

use crate::{Error, host};

/// The value of `key`, or none if the operator did not set it.
pub fn get(key: &str) -> Result<Option<String>, Error> {
    host::config_get(key)
}

/// The value of `key`; if the operator did not set it, `unavailable` says so.
pub fn require(key: &str) -> Result<String, Error> {
    let missing = || Error::unavailable(format!("the operator has not set the value `{key}` of this plugin"));
    get(key)?.ok_or_else(missing)
}

/// All values that the operator set.
pub fn all() -> Result<Vec<(String, String)>, Error> {
    host::config_all()
}
