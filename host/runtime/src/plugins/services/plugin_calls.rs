//! Calls from one plugin to another.

use std::time::Instant;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use tollbridge_core::plugin_kind::PluginKind;

/// Calls plugins on behalf of the running plugin.
pub trait PluginCaller: Send + Sync {
    /// Calls another plugin. The answer is the text of a JSON object.
    fn call(&self, call: PluginCall) -> BoxFuture<'_, Result<Vec<u8>, CalleeError>>;
}

/// A call of a plugin that the caller's manifest names.
#[derive(Clone, Debug)]
pub struct PluginCall {
    /// Bridge or agent.
    pub kind: PluginKind,
    /// Name of the plugin to call.
    pub name: String,
    /// The task; for agents only.
    pub task: Option<String>,
    /// The text of a JSON object, not checked yet; always set for a bridge.
    pub input: Option<Bytes>,
    /// The end of the calling plugin's own time.
    pub deadline: Instant,
}

/// The reason why another plugin gave no answer. Guests and callers see the texts. None of these
/// calls is charged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CalleeError {
    /// The input does not fit the callee's schema.
    #[error("{message}")]
    InvalidInput {
        /// JSON pointer to the member with the error.
        field: String,
        /// The problem.
        message: String,
    },
    /// The callee has no answer to this input.
    #[error("{0}")]
    NotFound(String),
    /// The callee is not on this host, or cannot answer now.
    #[error("{0}")]
    Unavailable(String),
    /// The call was not made, because of credit, depth or number of calls.
    #[error("{0}")]
    Refused(String),
    /// The callee failed.
    #[error("{0}")]
    Failed(String),
    /// The callee needs a model and no provider answers; the text names the fix.
    #[error("{0}")]
    NoProvider(String),
}
