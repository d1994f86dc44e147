//! The context of a call.

use std::time::Duration;

use tollbridge_core::fair_limiter::FairShare;

use crate::services::Services;

/// The context of a call: caller, time and services.
pub struct CallContext {
    /// Id of the request, for logs.
    pub request_id: String,
    /// The id of the calling account. The plugin sees only a pseudonym.
    pub caller: Option<String>,
    /// The tenant whose share of the call slots is used.
    pub share: FairShare,
    /// Whether the caller is another plugin; a nested call uses the slot of its original caller.
    pub is_nested: bool,
    /// Time of the call, Unix milliseconds.
    pub now_ms: u64,
    /// The stored resource that the input refers to, if any.
    pub resource: Option<Resource>,
    /// The caller's remaining time, if less than the plugin's own time limit.
    pub deadline: Option<Duration>,
    /// The host services that the plugin can use during the call.
    pub services: Services,
}

/// A stored resource of the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Id of the resource, as used in the input.
    pub id: String,
    /// The media type declared by the resource's owner.
    pub content_type: String,
    /// Content of the resource.
    pub bytes: Vec<u8>,
}
