//! The routes of OAuth and MCP in the OpenAPI document. What their messages
//! mean is said by their own standards; `docs/mcp.md` names them.

use serde_json::{Map, Value, json};

use crate::error::Code;
use crate::openapi::{Also, Body, HTML, JSON, Operation, or_else, read};

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
        also: &[],
    },
    form("/oauth/token", "oauthToken", "Change a code or a refresh token for tokens (RFC 6749)", JSON, "TokenRequest"),
    form("/oauth/revoke", "oauthRevoke", "End a token and its grant (RFC 7009)", "", "Revocation"),
    or_else(
        Operation {
            success: (200, HTML),
            ..read("/oauth/authorize", "authorize", "The page of the consent, for a person", &[])
        },
        &[Also { status: 303, text: "To the page where the person signs in, or back to the program", schema: None }],
    ),
    Operation {
        success: (303, ""),
        errors: &[Code::ContentType, Code::LacksScope],
        ..form("/oauth/authorize", "decide", "What the person decided on that page; needs its session", "", "Consent")
    },
    Operation {
        method: "post",
        path: "/mcp",
        id: "mcp",
        summary: "Model Context Protocol over HTTP, in both its eras; a call that tells its progress answers with \
                  text/event-stream. See docs/mcp.md",
        key: true,
        success: (200, JSON),
        errors: &[Code::ContentType, Code::LacksScope],
        body: Some(Body::Json("McpMessage")),
        also: &[
            Also { status: 202, text: "A notification was taken", schema: None },
            Also { status: 400, text: "This is no message, or its headers say otherwise", schema: Some("McpProblem") },
            Also { status: 404, text: "There is no such method", schema: Some("McpProblem") },
            Also {
                status: 406,
                text: "Accept must name application/json and text/event-stream",
                schema: Some("McpProblem"),
            },
        ],
    },
];

const fn form(
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    media: &'static str,
    schema: &'static str,
) -> Operation {
    Operation {
        method: "post",
        path,
        id,
        summary,
        key: false,
        success: (200, media),
        errors: &[Code::ContentType],
        body: Some(Body::Form(schema)),
        also: &[],
    }
}

/// What a program puts into the address of the consent (RFC 6749, 7636, 8707).
pub(super) fn authorize_parameters() -> impl Iterator<Item = Value> {
    [
        ("response_type", true, "`code`"),
        ("client_id", true, "From the registration"),
        ("redirect_uri", false, "One of those that were registered"),
        ("code_challenge", true, "SHA-256 of the verifier, in base64 for URLs"),
        ("code_challenge_method", true, "`S256`"),
        ("scope", false, "`call`"),
        ("state", false, "Comes back as it was"),
        ("resource", false, "The address of /mcp"),
    ]
    .into_iter()
    .map(|(name, required, text)| {
        let schema = json!({ "type": "string" });
        json!({ "name": name, "in": "query", "required": required, "description": text, "schema": schema })
    })
}

pub(super) fn schemas() -> Map<String, Value> {
    let mut schemas = Map::new();
    schemas.extend(forms());
    schemas.extend(messages());
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

/// What the routes of OAuth take as forms.
fn forms() -> [(String, Value); 3] {
    let text = || json!({ "type": "string" });
    let token = json!({
        "type": "object",
        "required": ["grant_type", "client_id"],
        "properties": {
            "grant_type": { "enum": ["authorization_code", "refresh_token"] },
            "client_id": text(), "code": text(), "code_verifier": text(), "redirect_uri": text(),
            "refresh_token": text(), "resource": text(),
        },
    });
    let revocation = json!({ "type": "object", "required": ["token"], "properties": { "token": text() } });
    let consent = json!({
        "type": "object",
        "required": ["form_token", "decision", "client_id"],
        "properties": {
            "form_token": text(), "client_id": text(),
            "decision": { "enum": ["allow", "deny"] },
            "max_spend_gbp": { "type": "string", "description": "The most that the program may spend on one day" },
        },
    });
    [("TokenRequest", token), ("Revocation", revocation), ("Consent", consent)]
        .map(|(name, schema)| (name.to_owned(), schema))
}

/// JSON-RPC at /mcp.
fn messages() -> [(String, Value); 2] {
    let message = json!({
        "type": "object",
        "required": ["jsonrpc", "method"],
        "properties": {
            "jsonrpc": { "const": "2.0" },
            "id": { "type": ["string", "integer"], "description": "Left out in notifications" },
            "method": { "type": "string" },
            "params": { "type": "object" },
        },
    });
    let error = json!({
        "type": "object",
        "required": ["code", "message"],
        "properties": { "code": { "type": "integer" }, "message": { "type": "string" } },
    });
    let problem = json!({
        "anyOf": [
            { "$ref": "#/components/schemas/Error" },
            { "type": "object", "required": ["jsonrpc", "error"], "properties": { "error": error } },
        ],
    });
    [("McpMessage", message), ("McpProblem", problem)].map(|(name, schema)| (name.to_owned(), schema))
}
