//! The JSON-RPC 2.0 envelope of requests and results.
//!
//! Invariants: a request is refused for its first problem, in the order envelope, method,
//! params; every request gets a response, even a JSON-RPC notification, because clients
//! of this protocol wait for one.

use serde_json::{Map, Value, json};

use super::method::RpcMethod;
use super::rpc_error::{RpcError, RpcErrorKind};
use super::version::ProtocolVersion;

/// A request with a valid envelope.
#[derive(Clone, Debug, PartialEq)]
pub struct RpcRequest {
    /// The id: a string, an integer or null.
    pub id: Value,
    /// The method.
    pub method: RpcMethod,
    /// The parameters, which are not validated yet.
    pub params: Map<String, Value>,
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
        _ => return Err(invalid(&Value::Null, "`id` must be a string or an integer")),
    };
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(invalid(&id, "`jsonrpc` must be \"2.0\""));
    }
    let Some(name) = members.get("method").and_then(Value::as_str) else {
        return Err(invalid(&id, "`method` must be present and a string"));
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
    fn the_first_problem_is_reported() {
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
}
