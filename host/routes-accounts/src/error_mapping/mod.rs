//! Maps the errors of the lower crates to API errors: code, status and text.

pub(crate) mod accounts;
pub(crate) mod deploy;
pub(crate) mod email_links;
pub(crate) mod webhooks;
