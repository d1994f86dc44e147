//! The JSON-RPC 2.0 envelope, and the errors of the protocol.
//!
//! Invariants: a request is refused for its first problem, in the order envelope, method,
//! params; every request gets a response, even a JSON-RPC notification, because clients
//! of this protocol wait for one.

use serde_json::{Map, Value, json};

use super::method::RpcMethod;
use super::version::ProtocolVersion;

/// A request with a valid envelope.
#[derive(Clone, Debug, PartialEq)]
pub struct RpcRequest {
    /// The id: a text, an integer or null.
    pub id: Value,
    /// The method.
    pub method: RpcMethod,
    /// The parameters, which are not validated yet.
    pub params: Map<String, Value>,
}

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
    /// The task accepts no message now or ever.
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

/// Formats the whole JSON-RPC response with a result.
pub fn success(id: &Value, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

/// Parses the envelope of a request in a version of the protocol. An error is returned
/// with the id for the response.
pub fn read(body: &[u8], version: ProtocolVersion) -> Result<RpcRequest, (Value, RpcError)> {
    let invalid = |id: &Value, detail: &str| (id.clone(), RpcError::new(RpcErrorKind::InvalidRequest, detail));
    let value: Value = serde_json::from_slice(body)
        .map_err(|error| (Value::Null, RpcError::new(RpcErrorKind::Parse, error.to_string())))?;
    let mut members = match value {
        Value::Object(members) => members,
        Value::Array(_) => {
            return Err(invalid(&Value::Null, "batches are not supported; send one request at a time"));
        }
        _ => return Err(invalid(&Value::Null, "a request must be a JSON object")),
    };
    let id = match members.remove("id").unwrap_or(Value::Null) {
        id @ (Value::Null | Value::String(_)) => id,
        Value::Number(number) if number.is_i64() || number.is_u64() => Value::Number(number),
        _ => return Err(invalid(&Value::Null, "`id` must be a text or an integer")),
    };
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(invalid(&id, "`jsonrpc` must be \"2.0\""));
    }
    let Some(name) = members.get("method").and_then(Value::as_str) else {
        return Err(invalid(&id, "`method` must be present and a text"));
    };
    let Some(method) = RpcMethod::named(name, version) else {
        let shown: String = name.chars().take(80).collect();
        let error = RpcError::new(RpcErrorKind::MethodNotFound, format!("there is no method `{shown}`"));
        return Err((id, error.with("methods", RpcMethod::names(version)).with("protocolVersion", version.as_str())));
    };
    match members.remove("params") {
        Some(Value::Object(params)) => Ok(RpcRequest { id, method, params }),
        None | Some(Value::Null) => Ok(RpcRequest { id, method, params: Map::new() }),
        Some(_) => Err((id, RpcError::params("/params", "`params` must be an object"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the error code and the response id for a request that must be refused.
    fn refused(body: &str) -> (i64, Value) {
        let (id, error) = read(body.as_bytes(), ProtocolVersion::V0_3).unwrap_err();
        let response = error.response(&id);
        (response["error"]["code"].as_i64().unwrap(), response["id"].clone())
    }

    #[test]
    fn the_first_thing_wrong_is_told() {
        for (body, code, id) in [
            (r#"{"jsonrpc":"2.0","method":"message/send","params":{"#, -32700, json!(null)),
            ("", -32700, json!(null)),
            ("[]", -32600, json!(null)),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"tasks/get"}]"#, -32600, json!(null)),
            ("3", -32600, json!(null)),
            (r#"{"jsonrpc":"1.0","method":"nonsense","id":"a","params":3}"#, -32600, json!("a")),
            (r#"{"method":"tasks/get","id":7}"#, -32600, json!(7)),
            (r#"{"jsonrpc":"2.0","id":7}"#, -32600, json!(7)),
            (r#"{"jsonrpc":"2.0","method":3,"id":7}"#, -32600, json!(7)),
            (r#"{"jsonrpc":"2.0","method":"message/send","id":{"bad":"type"}}"#, -32600, json!(null)),
            (r#"{"jsonrpc":"2.0","method":"message/send","id":true}"#, -32600, json!(null)),
            (r#"{"jsonrpc":"2.0","method":"message/send","id":1.5}"#, -32600, json!(null)),
            (r#"{"jsonrpc":"2.0","method":"message/ssend","params":3,"id":1}"#, -32601, json!(1)),
            (r#"{"jsonrpc":"2.0","method":"SendMessage","id":1}"#, -32601, json!(1)),
            (r#"{"jsonrpc":"2.0","method":"tasks/list"}"#, -32601, json!(null)),
            (r#"{"jsonrpc":"2.0","method":"tasks/get","params":["t"],"id":1}"#, -32602, json!(1)),
        ] {
            assert_eq!(refused(body), (code, id), "{body}");
        }
    }

    #[test]
    fn a_sound_request_is_read() {
        let request = read(
            br#"{"jsonrpc":"2.0","method":"tasks/get","id":"x","params":{"id":"t"},"more":1}"#,
            ProtocolVersion::V0_3,
        )
        .unwrap();
        assert_eq!((request.method, &request.id, &request.params["id"]), (RpcMethod::Get, &json!("x"), &json!("t")));
        assert_eq!(
            read(br#"{"jsonrpc":"2.0","method":"tasks/get","id":-9}"#, ProtocolVersion::V0_3).unwrap().params.len(),
            0
        );
    }

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
