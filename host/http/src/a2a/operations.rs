//! The routes of this area, for `/openapi.json`.

use serde_json::{Value, json};

use crate::error::Code;
use crate::openapi::{Body, JSON, Operation, read};
use tollbridge_agents::a2a::rpc::RpcMethod;

pub const OPERATIONS: &[Operation] = &[
    read("/.well-known/agent-card.json", "showAgentCard", "The signed A2A agent card, with every skill", &[]),
    read("/.well-known/agent.json", "showPlainAgentCard", "The A2A agent card without signatures and security", &[]),
    Operation {
        method: "post",
        path: "/v1/a2a/execute",
        id: "a2aExecute",
        summary: "A2A 0.3.0 over JSON-RPC 2.0; errors of the protocol come with HTTP 200. See docs/a2a.md",
        key: true,
        success: (200, JSON),
        errors: &[Code::ContentType, Code::LacksScope],
        body: Some(Body::Json("A2aRequest")),
        also: &[],
    },
];

/// The envelope of a request; the protocol says what `params` has in it.
pub fn request_schema() -> Value {
    let methods = RpcMethod::ALL.map(|(name, _)| name);
    json!({
        "type": "object",
        "required": ["jsonrpc", "method"],
        "properties": {
            "jsonrpc": { "const": "2.0" },
            "id": { "type": ["string", "integer", "null"] },
            "method": { "enum": methods },
            "params": { "type": "object" },
        },
    })
}
