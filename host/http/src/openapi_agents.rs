//! Agents in the OpenAPI document.

use serde_json::{Map, Value, json};

use crate::error::Code;
use crate::openapi::{Also, Body, JSON, Operation, keyed, or_else, read};
use tollbridge_core::limits::TASK_WAIT_MS_MAX;

/// What giving an agent a task may answer beside its output.
const CALL: &[Code] = &[
    Code::Invalid,
    Code::ContentType,
    Code::LacksScope,
    Code::PaymentRequired,
    Code::PlatformRules,
    Code::AgentNotFound,
    Code::NotFound,
    Code::AlreadySealed,
    Code::IdempotencyReused,
    Code::InProgress,
    Code::NotLoaded,
    Code::NoProvider,
    Code::DataMissing,
    Code::PluginFailed,
    Code::PluginTimedOut,
    Code::RateLimited,
];

const fn task(
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    status: u16,
    schema: &'static str,
) -> Operation {
    let body = Some(Body::Json(schema));
    Operation { method: "post", path, id, summary, key: true, success: (status, JSON), errors: CALL, body, also: &[] }
}

const fn act(path: &'static str, id: &'static str, summary: &'static str, errors: &'static [Code]) -> Operation {
    Operation { method: "post", path, id, summary, key: true, success: (200, JSON), errors, body: None, also: &[] }
}

const GOES_ON: &[Also] = &[Also { status: 202, text: "It goes on; /v1/tasks/{id} has the answer", schema: None }];

const OWN_BRIDGE: &[Code] = &[Code::NotFound, Code::LacksScope, Code::AlreadySealed];
const OWN: &[Code] = &[Code::AgentNotFound, Code::LacksScope, Code::AlreadySealed];

pub(super) const OPERATIONS: &[Operation] = &[
    or_else(
        task(
            "/v1/agents/{slug}/invoke",
            "invokeAgent",
            "Give an agent a task; the answer comes with a proof. 202 when it takes longer than `wait_ms`",
            200,
            "Task",
        ),
        GOES_ON,
    ),
    task("/v1/agents/enqueue", "enqueueTask", "A task for later; its price is set aside now", 202, "QueuedTask"),
    or_else(
        task("/v1/route", "routeTask", "A task for the cheapest approved agent with a capability", 200, "RoutedTask"),
        GOES_ON,
    ),
    keyed(read("/v1/tasks/{id}", "showTask", "State, output and proof of a task", &[Code::NotFound, Code::LacksScope])),
    act(
        "/v1/tasks/{id}/cancel",
        "cancelTask",
        "Withdraw a task that is not answered; its price goes back",
        &[Code::NotFound, Code::InProgress, Code::LacksScope],
    ),
    read(
        "/v1/workforce/proof/{task_id}/public",
        "showProof",
        "Who answered a task with what and when, signed, with its place in the ledger; see docs/proofs.md",
        &[Code::NotFound],
    ),
    or_else(
        task("/api/v1/agents/deploy", "deployAgent", "Put an agent on the marketplace", 201, "Deployment"),
        &[Also { status: 202, text: "It waits for the operator's approval", schema: None }],
    ),
    or_else(
        task(
            "/api/v1/bridges/deploy",
            "deployBridge",
            "Put up a bridge; it serves when the operator has approved it",
            202,
            "Deployment",
        ),
        &[Also { status: 201, text: "It serves: this version was approved before", schema: None }],
    ),
    keyed(read("/api/v1/plugins", "listOwnPlugins", "Your agents and bridges: what serves, waits or fails", &[])),
    read("/api/v1/agents", "listAgents", "Every agent with price, skills and schemas", &[]),
    read(
        "/api/v1/agents/{id}",
        "showAgent",
        "One agent, with success rate and median time counted from the ledger",
        &[Code::AgentNotFound],
    ),
    keyed(read("/api/v1/agents/{id}/versions", "listAgentVersions", "Versions of an agent of yours", OWN)),
    keyed(read("/api/v1/agents/{id}/earnings", "showAgentEarnings", "What an agent of yours did and earned", OWN)),
    keyed(read("/api/v1/agents/{id}/logs", "showAgentLogs", "Last lines of the log of an agent of yours", OWN)),
    act("/api/v1/agents/{id}/disable", "disableAgent", "Switch an agent of yours off", OWN),
    act("/api/v1/agents/{id}/enable", "enableAgent", "Switch it on again", OWN),
    keyed(read("/api/v1/bridges/{id}/versions", "listBridgeVersions", "Versions of a bridge of yours", OWN_BRIDGE)),
    keyed(read("/api/v1/bridges/{id}/earnings", "showBridgeEarnings", "What a bridge of yours earned", OWN_BRIDGE)),
    keyed(read(
        "/api/v1/bridges/{id}/logs",
        "showBridgeLogs",
        "Last lines of the log of a bridge of yours",
        OWN_BRIDGE,
    )),
    act("/api/v1/bridges/{id}/disable", "disableBridge", "Switch a bridge of yours off", OWN_BRIDGE),
    act("/api/v1/bridges/{id}/enable", "enableBridge", "Switch it on again", OWN_BRIDGE),
];

/// What these routes take.
pub(super) fn schemas() -> Map<String, Value> {
    let text = || json!({ "type": "string" });
    let amount = || json!({ "type": ["string", "number"], "description": "Pounds, whole pence, like \"0.50\"" });
    let wait = json!({ "type": ["integer", "null"], "minimum": 0, "maximum": TASK_WAIT_MS_MAX });
    let task = |required: Value, member: Option<&str>| {
        let mut schema = json!({
            "type": "object",
            "additionalProperties": false,
            "required": required,
            "properties": {
                "task": { "type": ["string", "null"], "description": "What to do, in words" },
                "input": { "type": ["object", "null"], "description": "What the agent's input schema says" },
                "max_cost_gbp": amount(),
                "wait_ms": wait.clone(),
            },
        });
        if let (Some(member), Some(properties)) =
            (member, schema.pointer_mut("/properties").and_then(Value::as_object_mut))
        {
            properties.insert(member.to_owned(), text());
        }
        schema
    };
    let deployment = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["name", "price_gbp"],
        "properties": {
            "prompt": { "type": "string", "description": "For an agent without a component: what a model is told" },
            "model": text(), "input_schema": { "type": "object" },
            "name": text(), "version": text(), "description": text(), "component_base64": text(),
            "price_gbp": amount(),
            "grants": { "type": "array", "items": text() },
            "allow_hosts": { "type": "array", "items": text() },
            "bridges": { "type": "array", "items": text() },
            "agents": { "type": "array", "items": text() },
            "limits": { "type": "object" },
            "skills": { "type": "array", "items": { "type": "object" } },
        },
    });
    [
        ("Task", task(json!([]), None)),
        ("QueuedTask", task(json!(["agent"]), Some("agent"))),
        ("RoutedTask", task(json!(["capability"]), Some("capability"))),
        ("Deployment", deployment),
    ]
    .map(|(name, schema)| (name.to_owned(), schema))
    .into_iter()
    .collect()
}
