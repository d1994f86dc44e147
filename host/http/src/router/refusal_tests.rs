//! Checks the documented body schemas against known refusals of the handlers.

use serde_json::{Value, json};
use tollbridge_market::catalog::Snapshot;

use super::tests::UNPAID;
use super::*;

fn document() -> Value {
    describe("Tollbridge", "https://tollbridge.example", &Arc::default()).2.with_offers(&Snapshot::default(), &UNPAID)
}

fn operation<'d>(document: &'d Value, id: &str) -> &'d Value {
    let paths = document["paths"].as_object().unwrap().values();
    let mut operations = paths.flat_map(|methods| methods.as_object().unwrap().values());
    operations.find(|operation| operation["operationId"] == id).unwrap_or_else(|| panic!("no {id}"))
}

/// Checks whether a body matches an operation's documented schema.
fn fits(document: &Value, id: &str, body: &Value) -> bool {
    let content = &operation(document, id)["requestBody"]["content"];
    let schema = json!({
        "allOf": [content["application/json"]["schema"]],
        "components": document["components"],
    });
    jsonschema::validator_for(&schema).unwrap().is_valid(body)
}

#[test]
fn schemas_refuse_what_handlers_refuse() {
    let document = document();
    let hello = json!([{ "role": "user", "content": "hello" }]);
    let name = |price: Value, more: Value| {
        let mut body = json!({ "name": "scholar", "price_gbp": price });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let prompt = || json!({ "prompt": "Answer." });
    for (id, fit, unfit) in [
        ("invokeAgent", json!({ "task": "x", "input": null }), json!({ "wait_ms": 5 })),
        ("invokeAgent", json!({ "input": {}, "max_cost_gbp": 0.05 }), json!({ "task": null, "input": null })),
        (
            "invokeAgent",
            json!({ "task": "x", "max_cost_gbp": "0.50" }),
            json!({ "task": "x", "max_cost_gbp": "0.005" }),
        ),
        ("routeTask", json!({ "capability": "c", "task": "x" }), json!({ "capability": "c" })),
        ("enqueueTask", json!({ "agent": "a", "task": "x", "wait_ms": 1.0 }), json!({ "agent": "a" })),
        ("embed", json!({ "model": "m", "input": ["a"] }), json!({ "model": "m", "input": [{}] })),
        ("embed", json!({ "model": "m", "input": [[1, 2], [3]] }), json!({ "model": "m", "input": 1 })),
        ("embed", json!({ "model": "m", "input": [1, 2] }), json!({ "model": "m", "input": [1, "a"] })),
        (
            "chat",
            json!({ "model": "m", "messages": hello, "max_tokens": 2.0 }),
            json!({ "model": "m", "messages": [] }),
        ),
        (
            "chat",
            json!({ "model": "m", "messages": hello, "max_cost_gbp": null }),
            json!({ "model": "m", "messages": hello, "max_cost_gbp": "much" }),
        ),
        ("routeInference", json!({ "prompt": "x", "messages": null }), json!({ "prompt": "x", "messages": hello })),
        ("replayWebhook", json!({ "dead": true, "event_id": null }), json!({ "dead": true, "since_ms": 1 })),
        ("replayWebhook", json!({ "event_id": "e", "dead": false }), json!({ "dead": false })),
        ("createKey", json!({ "max_spend_gbp": "5.00" }), json!({ "max_spend_gbp": "5.001" })),
        ("deployAgent", name(json!("0.10"), prompt()), name(json!("0.10"), json!({}))),
        ("deployAgent", name(json!(0.1), prompt()), name(json!("a lot"), prompt())),
        (
            "deployAgent",
            name(json!("0"), json!({ "component_base64": "AA==" })),
            name(json!("0"), json!({ "component_base64": "AA==", "model": "auto" })),
        ),
        ("deployBridge", name(json!("0"), json!({ "component_base64": "AA==" })), name(json!("0"), prompt())),
    ] {
        assert!(fits(&document, id, &fit), "{id} refuses {fit}");
        assert!(!fits(&document, id, &unfit), "{id} accepts {unfit}");
    }
}

#[test]
fn a_stream_is_one_of_the_answers() {
    let document = document();
    for id in ["chat", "complete", "createResponse", "createMessage"] {
        let content = &operation(&document, id)["responses"]["200"]["content"];
        for media in ["application/json", "text/event-stream"] {
            assert!(content.get(media).is_some(), "{id} does not document {media}");
        }
    }
}

#[test]
fn every_parameter_has_a_type() {
    let document = document();
    let shared = document["components"]["parameters"].as_object().unwrap().values();
    let paths = document["paths"].as_object().unwrap().values();
    let operations = paths.flat_map(|methods| methods.as_object().unwrap().values());
    let own = operations.flat_map(|operation| operation["parameters"].as_array().into_iter().flatten());
    for parameter in shared.chain(own).filter(|parameter| parameter.get("$ref").is_none()) {
        let schema = &parameter["schema"];
        let typed = ["type", "enum", "const"].iter().any(|keyword| schema.get(keyword).is_some());
        assert!(typed, "{parameter}");
        assert_ne!(schema.get("type"), Some(&json!(["string", "null"])), "{parameter}");
    }
    let cost = &document["components"]["parameters"]["MaxCost"]["schema"];
    assert!(cost["pattern"].is_string(), "{cost}");
}
