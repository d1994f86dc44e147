//! Scripts that replace components in tests.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::plugins::calls::failure::Failure;
use crate::plugins::calls::input::PluginInput;
use crate::plugins::services::Services;

/// A shared test script that runs in place of a component.
pub type Script = Arc<dyn PluginScript>;

/// A test script that runs in place of a component.
pub trait PluginScript: Send + Sync {
    /// Answers one call. Dropping the future stops the script.
    fn run(&self, call: ScriptedCall) -> BoxFuture<'static, Result<Vec<u8>, Failure>>;
}

/// A call that a test script answers.
pub struct ScriptedCall {
    /// Id of the request.
    pub request_id: String,
    /// The calling account.
    pub account: Option<String>,
    /// Time of the call, Unix milliseconds.
    pub now_ms: u64,
    /// The services that the script may use.
    pub services: Services,
    /// The input of the call.
    pub input: PluginInput,
}
