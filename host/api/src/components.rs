//! Components shared by operations: errors, headers, parameters, tags.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::error::Code;
use crate::error_shape::ErrorShape;
use crate::schemas::pounds_in_header;

/// The member in which extractors list their error codes; it is not part of the
/// final document.
pub const X_ERRORS: &str = "x-errors";

/// The areas of the API, sorted by name.
pub const TAGS: [(&str, &str); 13] = [
    ("accounts", "Sign-up, API keys and balances"),
    ("agents", "Agents: tasks, and their proofs"),
    ("bridges", "Data bridges: the catalogue, and paid calls"),
    ("earning", "Tasks that pay, transfers between agents, memory"),
    ("inference", "Models of all providers, in OpenAI's formats"),
    ("ledger", "The sealed ledger: proofs, checkpoints, reputation"),
    ("marketplace", "Deploying agents and bridges, and their owners' views"),
    ("payments", "Payment intents, credit and checkout"),
    ("payouts", "Withdrawing earnings"),
    ("protocols", "OAuth, MCP and A2A"),
    ("resources", "Bytes that calls refer to"),
    ("service", "Health, and this document"),
    ("webhooks", "Events delivered to your address"),
];

/// Error codes of every route.
const EVERYWHERE: [Code; 9] = [
    Code::KeyInvalid,
    Code::RateLimited,
    Code::Invalid,
    Code::TooLarge,
    Code::MethodNotAllowed,
    Code::Overloaded,
    Code::Internal,
    Code::Blocked,
    Code::NotFound,
];

/// Error codes with the same meaning on every route; a status that has no other
/// codes is documented once, as `default`.
const BY_DEFAULT: [Code; 6] =
    [Code::KeyInvalid, Code::RateLimited, Code::TooLarge, Code::MethodNotAllowed, Code::ContentType, Code::Internal];

/// The name of the default response.
const DEFAULT: &str = "Error";

/// Headers of every answer. They are documented with the default error only,
/// because references in every answer would make up a fifth of the document.
const LIMIT_HEADERS: [&str; 4] =
    ["X-RateLimit-Limit-Minute", "X-RateLimit-Remaining-Minute", "X-RateLimit-Reset", "X-Request-Id"];

const SEAL_HEADERS: [&str; 5] =
    ["X-Transaction-Id", "X-Worm-Seal", "X-Payment-Remaining", "PAYMENT-RESPONSE", "Idempotent-Replayed"];

/// Headers of an answer with status 402.
const PAYMENT_HEADERS: [&str; 2] = ["PAYMENT-REQUIRED", "Link"];

/// Parameters of a paid call.
pub const CALL_PARAMETERS: [&str; 5] =
    ["PaymentIntentId", "PaymentSource", "PaymentSignature", "MaxCost", "IdempotencyKey"];

/// Error responses named after their codes, collected as operations use them.
#[derive(Default)]
pub struct ErrorResponses(BTreeMap<String, Value>);

impl ErrorResponses {
    /// Returns the error responses of an operation by status. Codes with the same
    /// status share a response, named after all of them.
    pub fn of(&mut self, codes: &[Code], shape: ErrorShape) -> Map<String, Value> {
        let mut by_status: BTreeMap<String, Vec<Code>> = BTreeMap::new();
        for code in Code::ALL.iter().filter(|code| EVERYWHERE.contains(code) || codes.contains(code)) {
            by_status.entry(code.parts().1.as_str().to_owned()).or_default().push(*code);
        }
        let mut responses = Map::new();
        by_status.retain(|_, codes| codes.iter().any(|code| !BY_DEFAULT.contains(code)));
        for (status, codes) in by_status {
            let name = named(codes.iter().map(|code| code.parts().0).collect::<Vec<_>>().join("_"), shape);
            let text: Vec<String> =
                codes.iter().map(|code| format!("{}: {}", code.parts().0, code.parts().2)).collect();
            responses.insert(status, reference("responses", &name));
            let is_payment = codes.contains(&Code::PaymentRequired);
            self.0.entry(name).or_insert_with(|| {
                let mut response = error_response(&text.join("; "), shape);
                if let (true, Some(members)) = (is_payment, response.as_object_mut()) {
                    members.insert("headers".to_owned(), by_reference(&PAYMENT_HEADERS).into());
                }
                response
            });
        }
        let default = named(DEFAULT.to_owned(), shape);
        responses.insert("default".to_owned(), reference("responses", &default));
        self.0.entry(default).or_insert_with(|| default_response(shape));
        responses
    }
}

/// Returns a reference `{"$ref": …}` to a component.
pub fn reference(kind: &str, name: &str) -> Value {
    json!({ "$ref": format!("#/components/{kind}/{name}") })
}

/// Returns the headers of a paid answer, as references to components.
pub fn seal_headers() -> Map<String, Value> {
    by_reference(&SEAL_HEADERS)
}

fn by_reference(names: &[&str]) -> Map<String, Value> {
    names.iter().map(|name| ((*name).to_owned(), reference("headers", name))).collect()
}

/// Returns the component name of an error response in the given error shape.
fn named(name: String, shape: ErrorShape) -> String {
    if shape == ErrorShape::Own { name } else { format!("{name}_{}", shape.schema()) }
}

fn error_response(text: &str, shape: ErrorShape) -> Value {
    let schema = reference("schemas", shape.schema());
    json!({ "description": text, "content": { "application/json": { "schema": schema } } })
}

/// Builds the default error response of every route, with the headers of every
/// answer.
fn default_response(shape: ErrorShape) -> Value {
    let said = BY_DEFAULT.map(|code| {
        let (code, status, text) = code.parts();
        format!("{} {code}: {text}", status.as_u16())
    });
    let text = format!("{}; 408 E011: the body did not arrive in time", said.join("; "));
    let mut response = error_response(&text, shape);
    if let Some(members) = response.as_object_mut() {
        members.insert("headers".to_owned(), by_reference(&LIMIT_HEADERS).into());
    }
    response
}

/// The name of the schema of [`rpc_status`].
pub const RPC_STATUS: &str = "RpcStatus";

/// The schema of `google.rpc.Status`, or of an error that is returned before
/// the protocol applies.
fn rpc_status() -> Value {
    let text = json!({ "type": "string" });
    let members = json!({ "code": { "type": "integer" }, "status": text, "message": text, "details": { "type": "array", "items": {} } });
    let structured =
        json!({ "type": "object", "required": ["code", "status", "message", "details"], "properties": members });
    json!({ "type": "object", "required": ["error"], "properties": { "error": { "anyOf": [structured, text] } } })
}

/// Removes unreferenced schemas, such as those of query types, whose members become
/// parameters.
pub fn drop_unused(document: &mut Value) {
    let text = document.to_string();
    if let Some(schemas) = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut) {
        schemas.retain(|name, _| text.contains(&format!("\"#/components/schemas/{name}\"")));
    }
}

/// Builds all components; `schemas` contains the schemas of types.
pub fn components(schemas: Map<String, Value>, errors: ErrorResponses) -> Value {
    let mut all = schemas;
    for shape in [ErrorShape::Own, ErrorShape::OpenAi, ErrorShape::Anthropic] {
        all.insert(shape.schema().to_owned(), error_schema(shape));
    }
    all.insert("Payment".to_owned(), payment_schema());
    all.insert(RPC_STATUS.to_owned(), rpc_status());
    json!({
        "securitySchemes": {
            "bearerAuth": { "type": "http", "scheme": "bearer", "description": "An API key from POST /v1/signup" },
        },
        "schemas": all,
        "responses": errors.0,
        "headers": headers(),
        "parameters": parameters(),
    })
}

fn headers() -> Value {
    let integer = |text: &str| json!({ "description": text, "schema": { "type": "integer" } });
    let string = |text: &str| json!({ "description": text, "schema": { "type": "string" } });
    json!({
        "X-RateLimit-Limit-Minute": integer("Requests allowed per minute"),
        "X-RateLimit-Remaining-Minute": integer("Requests left in the current minute"),
        "X-RateLimit-Reset": integer("Unix time in seconds when the window resets"),
        "X-Request-Id": string("Id of the request, for questions to the operator"),
        "X-Transaction-Id": string("Id of the sealed transaction"),
        "X-Worm-Seal": string("SHA-256 of the sealed record; prove it at /v1/ledger/proof/{seal}"),
        "X-Payment-Remaining": string("Pounds left on the payment intent"),
        "PAYMENT-REQUIRED": string(
            "x402 version 2, base64 of JSON: how a wallet can pay for this call, if wallets are accepted",
        ),
        "PAYMENT-RESPONSE": string("x402 version 2, base64 of JSON: the settlement of a wallet's payment"),
        "Link": string("The pay link, with rel=\"payment\""),
        "Idempotent-Replayed": string("`true` when this is the stored answer of an earlier call"),
    })
}

fn parameters() -> Value {
    let header = |name: &str, text: &str, schema: Value| json!({ "name": name, "in": "header", "required": false, "description": text, "schema": schema });
    json!({
        "PaymentIntentId": header(
            "X-Payment-Intent-Id",
            "Id of the payment intent from the quote, once it is paid",
            json!({ "type": "string" }),
        ),
        "PaymentSource": header(
            "X-Payment-Source",
            "`credit` pays from the account's prepaid credit; cannot be combined with X-Payment-Intent-Id",
            json!({ "const": "credit" }),
        ),
        "PaymentSignature": header(
            "PAYMENT-SIGNATURE",
            "x402 version 2: a wallet's payment for this call, base64 of JSON; cannot be combined with other payments",
            json!({ "type": "string", "contentEncoding": "base64" }),
        ),
        "MaxCost": header(
            "X-Max-Cost-GBP",
            "The most that this call may cost, in pounds",
            pounds_in_header(),
        ),
        "IdempotencyKey": header(
            "Idempotency-Key",
            "A repeat with the same key gets the same answer and is not charged again",
            json!({ "type": "string", "pattern": "^[!-~]{1,255}$" }),
        ),
    })
}

fn error_schema(shape: ErrorShape) -> Value {
    let text = json!({ "type": "string", "description": "The error and its fix, for people" });
    let code = json!({ "type": "string", "pattern": "^E[0-9]{3}$", "description": "A stable code, for programs" });
    let members = |more: Value| {
        let mut properties = json!({ "message": text, "type": { "type": "string" }, "code": code });
        if let (Some(properties), Value::Object(more)) = (properties.as_object_mut(), more) {
            properties.extend(more);
        }
        json!({ "type": "object", "required": ["message", "type", "code"], "properties": properties })
    };
    let error = match shape {
        // No documented route uses the registry shape.
        ErrorShape::Own | ErrorShape::Registry => text.clone(),
        ErrorShape::OpenAi => members(json!({ "param": { "type": ["string", "null"] } })),
        ErrorShape::Anthropic => members(json!({})),
    };
    json!({
        "type": "object",
        "required": ["error", "code"],
        "properties": {
            "error": error,
            "code": code,
            "hint": { "type": "string" },
            "details": {
                "type": "object",
                "properties": {
                    "field": { "type": "string", "description": "JSON pointer of the wrong member" },
                    "input": { "type": "object", "description": "The input that the agent understood: send it, corrected, as `input`" },
                },
            },
            "payment": { "$ref": "#/components/schemas/Payment" },
            "type": { "type": "string", "description": "With 402: the problem type of problem details (RFC 9457)" },
            "title": { "type": "string", "description": "With 402: a short description of the problem" },
            "status": { "const": 402 },
            "detail": { "type": "string", "description": "With 402: the problem with the payment" },
            "challengeId": { "type": "string", "description": "With 402: the challenge in question" },
            "input": {
                "type": "object",
                "description": "With a quote for an input that cannot be answered: the problem with the input",
                "properties": {
                    "field": { "type": "string", "description": "JSON pointer of the invalid member; empty for the whole input" },
                    "message": { "type": "string" },
                    "example": { "description": "A valid input" },
                    "schema": { "type": "string", "format": "uri" },
                },
            },
        },
    })
}

fn payment_schema() -> Value {
    json!({
        "type": "object",
        "required": ["amount_pence", "currency"],
        "properties": {
            "payment_link": {
                "type": "string",
                "description": "Open it to pay; absent if `reason` names a limit, which a payment cannot lift",
            },
            "payment_intent_id": { "type": "string", "description": "A secret: any client that has it can use the payment" },
            "amount_gbp": { "type": "string" },
            "amount_pence": { "type": "integer", "description": "Price of this call" },
            "charge_gbp": { "type": "string" },
            "charge_pence": { "type": "integer", "description": "The amount that the link charges; may cover many calls" },
            "currency": { "const": "gbp" },
            "bridge": { "type": "string" },
            "expires_at": { "type": "string", "format": "date-time" },
            "reason": { "type": "string", "description": "The reason the payment was not accepted" },
        },
    })
}
