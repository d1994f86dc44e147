//! What a test runs in the place of a component.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::call::PluginInput;
use super::failure::Failure;
use super::services::Services;

/// What a plugin does.
pub type Script = Arc<dyn PluginScript>;

/// What a plugin does.
pub trait PluginScript: Send + Sync {
    /// One call. Dropping the future stops it.
    fn run(&self, call: ScriptedCall) -> BoxFuture<'static, Result<Vec<u8>, Failure>>;
}

/// A call as a script sees it.
pub struct ScriptedCall {
    /// Id of the request.
    pub request_id: String,
    /// The account that calls.
    pub account: Option<String>,
    /// Unix time in milliseconds.
    pub now_ms: u64,
    /// What it may ask for.
    pub services: Services,
    /// What it works on.
    pub input: PluginInput,
}
