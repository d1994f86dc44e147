//! JSON-RPC responses, as documented; the protocols above define their results.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// A JSON-RPC response: a result or an error.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RpcResponse {
    #[schemars(extend("const" = "2.0"))]
    jsonrpc: &'static str,
    /// The id of the request.
    id: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Value")]
    result: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "RpcProblem")]
    error: Option<RpcProblem>,
}

/// An error of JSON-RPC.
#[derive(Serialize, JsonSchema)]
struct RpcProblem {
    code: i64,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Value")]
    data: Option<Value>,
}
