//! The errors of the protocol, as JSON-RPC 2.0 responses.

use serde_json::{Map, Value, json};

/// The error of a request. `data` contains this server's own error code.
#[derive(Clone, Debug, PartialEq)]
pub struct RpcError {
    /// The kind of error, which determines the JSON-RPC code and message.
    pub kind: RpcErrorKind,
    /// A description for people that says how to fix the request.
    pub detail: String,
    /// Further members of `data`.
    pub data: Map<String, Value>,
}

/// The JSON-RPC and A2A errors that this server returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RpcErrorKind {
    /// The body is not JSON.
    Parse,
    /// The envelope is invalid.
    InvalidRequest,
    /// The protocol version has no such method.
    MethodNotFound,
    /// A parameter is missing or invalid.
    InvalidParams,
    /// An internal error of this server.
    Internal,
    /// The call has not been paid for.
    PaymentRequired,
    /// The account has no such task.
    TaskNotFound,
    /// The task cannot be canceled: it has ended, or its agent is working.
    NotCancelable,
    /// The request is for streaming, which this server does not support.
    Unsupported,
    /// The task's current state does not allow another message.
    TaskTakesNoMessage,
    /// The task has no such receiver of notifications.
    NoPushConfig,
    /// None of the accepted output modes is supported.
    ContentType,
    /// The server has no card for authenticated clients.
    NoExtendedCard,
    /// The client uses a protocol version that this server does not support.
    VersionNotSupported,
}

impl RpcErrorKind {
    /// Returns the code and message of an error in version 0.3.0 of the protocol.
    pub const fn parts(self) -> (i64, &'static str) {
        match self {
            Self::Parse => (-32700, "Invalid JSON payload"),
            Self::InvalidRequest => (-32600, "Invalid JSON-RPC request"),
            Self::MethodNotFound => (-32601, "Method not found"),
            // Version 0.3.0 has no separate codes for the last two kinds.
            Self::InvalidParams | Self::TaskTakesNoMessage | Self::NoPushConfig => (-32602, "Invalid parameters"),
            Self::Internal => (-32603, "Internal error"),
            // The protocol defines no code for this kind, so it uses one from the range
            // for server errors.
            Self::PaymentRequired => (-32000, "Payment required"),
            Self::TaskNotFound => (-32001, "Task not found"),
            Self::NotCancelable => (-32002, "Task cannot be canceled"),
            Self::Unsupported => (-32004, "This operation is not supported"),
            Self::ContentType => (-32005, "Incompatible content types"),
            Self::NoExtendedCard => (-32007, "Authenticated Extended Card is not configured"),
            Self::VersionNotSupported => (-32009, "Protocol version not supported"),
        }
    }
}

impl RpcError {
    /// Creates an error without further data.
    pub fn new(kind: RpcErrorKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), data: Map::new() }
    }

    /// Creates an error for an invalid member of `params`; `field` is its JSON
    /// pointer.
    pub fn params(field: &str, detail: impl Into<String>) -> Self {
        Self::new(RpcErrorKind::InvalidParams, detail).with("code", "E011").with("details", json!({ "field": field }))
    }

    /// Adds a member to `data`.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.data.insert(name.to_owned(), value.into());
        self
    }

    /// Returns the same error with another kind.
    #[must_use]
    pub fn kind(mut self, kind: RpcErrorKind) -> Self {
        self.kind = kind;
        self
    }

    /// Formats the whole JSON-RPC response with this error for version 0.3.0; `id` is the
    /// request's id.
    pub fn response(self, id: &Value) -> Value {
        let (code, text) = self.kind.parts();
        let message = if self.detail.is_empty() { text.to_owned() } else { format!("{text}: {}", self.detail) };
        let mut error = json!({ "code": code, "message": message });
        if let (false, Some(members)) = (self.data.is_empty(), error.as_object_mut()) {
            members.insert("data".to_owned(), Value::Object(self.data));
        }
        json!({ "jsonrpc": "2.0", "id": id, "error": error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_carry_our_code_beside_the_protocols() {
        let response = RpcError::params("/params/id", "no id").response(&json!(1));
        assert_eq!(
            response,
            json!({ "jsonrpc": "2.0", "id": 1, "error": {
                "code": -32602,
                "message": "Invalid parameters: no id",
                "data": { "code": "E011", "details": { "field": "/params/id" } },
            }})
        );
    }
}
