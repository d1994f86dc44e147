//! The sender of a request.

use std::sync::Arc;

use http::request::Parts;
use rmcp::RoleServer;
use rmcp::model::ErrorData;
use rmcp::service::RequestContext;
use tollbridge_access::{Admission, Principal};

/// Returns the account that sent a request.
pub(crate) fn principal(context: &RequestContext<RoleServer>) -> Result<Arc<Principal>, ErrorData> {
    let needs_key = || ErrorData::invalid_request("tasks can only be read with an API key, at /mcp", None);
    sender(context)?.principal.clone().ok_or_else(needs_key)
}

/// Returns the sender of a request, with or without an account.
pub(crate) fn sender(context: &RequestContext<RoleServer>) -> Result<&Admission, ErrorData> {
    parts(context)?.extensions.get::<Admission>().ok_or_else(ours)
}

/// Returns the head of the HTTP request.
pub(crate) fn parts(context: &RequestContext<RoleServer>) -> Result<&Parts, ErrorData> {
    context.extensions.get::<Parts>().ok_or_else(ours)
}

/// Returns the error for a request that did not pass admission.
pub(crate) fn ours() -> ErrorData {
    ErrorData::internal_error("the request has no sender", None)
}
