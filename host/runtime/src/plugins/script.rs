//! A test's script that runs in place of a component.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::call::PluginInput;
use super::failure::Failure;
use super::services::Services;

/// The behaviour of a scripted plugin.
pub type Script = Arc<dyn PluginScript>;

/// The behaviour of a scripted plugin.
pub trait PluginScript: Send + Sync {
    /// Runs one call. Dropping the future stops it.
    fn run(&self, call: ScriptedCall) -> BoxFuture<'static, Result<Vec<u8>, Failure>>;
}

/// The call that a script answers.
pub struct ScriptedCall {
    /// Id of the request.
    pub request_id: String,
    /// The calling account.
    pub account: Option<String>,
    /// Unix time in milliseconds.
    pub now_ms: u64,
    /// The services that it may use.
    pub services: Services,
    /// The input.
    pub input: PluginInput,
}
