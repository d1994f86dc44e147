//! Calls from one plugin to another.

use bytes::Bytes;
use futures_util::future::BoxFuture;
use tokio::time::Instant;
use tollbridge_core::plugin_kind::PluginKind;

/// Calls other plugins on behalf of the running plugin.
pub trait PluginCaller: Send + Sync {
    /// Calls another plugin and returns its answer, the text of a JSON object.
    fn call(&self, call: PluginCall) -> BoxFuture<'_, Result<Vec<u8>, CalleeError>>;
}

/// A call of a plugin that the calling plugin's manifest names.
#[derive(Clone, Debug)]
pub struct PluginCall {
    /// Kind of the plugin to call: bridge or agent.
    pub kind: PluginKind,
    /// Name of the plugin to call.
    pub name: String,
    /// The task; for agents only.
    pub task: Option<String>,
    /// The input as the text of a JSON object, not checked yet; always present for a bridge.
    pub input: Option<Bytes>,
    /// The time at which the calling plugin's own time limit ends.
    pub deadline: Instant,
}

/// The reason why a called plugin gave no answer. Guests and callers see the text. A failed call is
/// not charged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CalleeError {
    /// The input does not fit the callee's schema.
    #[error("{message}")]
    InvalidInput {
        /// JSON pointer to the invalid member.
        field: String,
        /// The problem with the input.
        message: String,
    },
    /// The callee found no answer to this input.
    #[error("{0}")]
    NotFound(String),
    /// The callee is not on this host, or is currently unable to answer.
    #[error("{0}")]
    Unavailable(String),
    /// The call was refused because of the caller's credit, the depth of nesting or the number of
    /// calls.
    #[error("{0}")]
    Refused(String),
    /// The callee itself failed.
    #[error("{0}")]
    Failed(String),
    /// The callee needs a model and no provider answers; the text says how to fix that.
    #[error("{0}")]
    NoProvider(String),
}
