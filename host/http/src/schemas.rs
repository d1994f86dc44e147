//! What the routes of `/openapi.json` take and answer with, by name.

use serde_json::{Value, json};

/// Security schemes and schemas.
pub fn components() -> Value {
    with_areas(core())
}

/// Adds the schemas of areas that document their own.
fn with_areas(mut components: Value) -> Value {
    let schemas = components.get_mut("schemas").and_then(Value::as_object_mut);
    if let (Some(schemas), Value::Object(more)) = (schemas, super::inference::docs::schemas()) {
        schemas.extend(super::openapi_oauth::schemas());
        schemas.extend(more);
        schemas.extend(super::openapi_webhooks::schemas());
        schemas.extend(super::openapi_agents::schemas());
        schemas.extend(super::openapi_earning::schemas());
        schemas.extend(super::openapi_money::schemas());
    }
    components
}

fn core() -> Value {
    json!({
        "securitySchemes": {
            "bearerAuth": { "type": "http", "scheme": "bearer", "description": "An API key from POST /v1/signup" },
        },
        "schemas": {
            "Error": {
                "type": "object",
                "required": ["error", "code"],
                "properties": {
                    "error": { "type": "string", "description": "For a person; names the fix" },
                    "code": { "type": "string", "pattern": "^E[0-9]{3}$", "description": "For a program" },
                    "hint": { "type": "string" },
                    "details": {
                        "type": "object",
                        "properties": { "field": { "type": "string", "description": "JSON pointer of the wrong member" } },
                    },
                    "payment": { "$ref": "#/components/schemas/Payment" },
                },
            },
            "Payment": {
                "type": "object",
                "required": ["amount_pence", "currency"],
                "properties": {
                    "payment_link": {
                        "type": "string",
                        "description": "Open it to pay; left out where `reason` names a limit, which no payment lifts",
                    },
                    "payment_intent_id": { "type": "string", "description": "A secret: whoever has it can use the payment" },
                    "amount_gbp": { "type": "string" },
                    "amount_pence": { "type": "integer", "description": "Price of this call" },
                    "charge_gbp": { "type": "string" },
                    "charge_pence": { "type": "integer", "description": "What the link takes; may cover many calls" },
                    "currency": { "const": "gbp" },
                    "bridge": { "type": "string" },
                    "expires_at": { "type": "string", "format": "date-time" },
                    "reason": { "type": "string", "description": "Why the payment that was sent does not count" },
                },
            },
            "A2aRequest": super::a2a::request_schema(),
            "SignUp": {
                "type": "object",
                "required": ["email"],
                "additionalProperties": false,
                "properties": {
                    "email": { "type": "string", "format": "email", "maxLength": 254 },
                    "referral_code": { "type": ["string", "null"] },
                },
            },
            "NewKey": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "label": { "type": ["string", "null"], "maxLength": 100 },
                    "scopes": { "type": "array", "items": { "enum": ["call", "manage"] } },
                    "expires_ms": { "type": ["integer", "null"], "minimum": 0 },
                    "max_spend_gbp": { "type": ["string", "null"], "description": "Most that it may spend on one day" },
                },
            },
        },
    })
}
