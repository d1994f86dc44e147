//! The routes of OAuth and MCP in the OpenAPI document. What takes a form or
//! speaks JSON-RPC is described by its own standard; `docs/mcp.md` names them.

use serde_json::{Map, Value, json};

use super::error::Code;
use super::openapi::{Body, JSON, Operation, read};

pub(super) const OPERATIONS: &[Operation] = &[
    read("/.well-known/oauth-protected-resource", "protectedResource", "Who gives tokens for /mcp (RFC 9728)", &[]),
    read(
        "/.well-known/oauth-protected-resource/mcp",
        "protectedResourceMcp",
        "The same, where clients look first",
        &[],
    ),
    read("/.well-known/oauth-authorization-server", "authorizationServer", "How to get a token (RFC 8414)", &[]),
    Operation {
        method: "post",
        path: "/oauth/register",
        id: "registerClient",
        summary: "Register a client for OAuth (RFC 7591); its tokens open /mcp",
        key: false,
        success: (201, JSON),
        errors: &[Code::Invalid, Code::ContentType],
        body: Some(Body::Json("ClientRegistration")),
    },
];

pub(super) fn schemas() -> Map<String, Value> {
    let mut schemas = Map::new();
    let registration = json!({
        "type": "object",
        "required": ["redirect_uris"],
        "properties": {
            "redirect_uris": {
                "type": "array",
                "minItems": 1,
                "maxItems": 10,
                "items": {
                    "type": "string",
                    "maxLength": 1000,
                    "pattern": "^https://[a-z0-9]+([.][a-z0-9]+)+(/[A-Za-z0-9/_-]*)?$",
                },
                "description": "What the pattern says, or http on a loopback address, or an app's own scheme",
            },
            "client_name": { "type": ["string", "null"], "maxLength": 80 },
        },
    });
    schemas.insert("ClientRegistration".to_owned(), registration);
    schemas
}
