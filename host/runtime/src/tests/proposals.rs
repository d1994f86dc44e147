//! Tests of the input that an agent proposes when it refuses a task.

use std::sync::Arc;

use serde_json::{Value, json};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_plugin::limits::PROPOSED_INPUT_BYTES_MAX;
use tollbridge_plugin::{Failure, Plugin, PluginInput};

use super::fixture::*;

/// An agent that refuses every task and proposes the task's text as the input.
const PROPOSES: &str = r#"(module
  (import "tollbridge:plugin/proposal@1.0.0" "propose-input" (func $propose (param i32 i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "run") (param $at i32) (result i32)
    (call $propose (i32.load offset=64 (local.get $at)) (i32.load offset=68 (local.get $at)))
    (i32.store8 (i32.const 64) (i32.const 1))
    (i32.const 64)))"#;

async fn agent() -> Arc<Plugin> {
    let mut spec = spec("proposes", component_of(PluginKind::Agent, PROPOSES), &[]);
    spec.kind = PluginKind::Agent;
    spec.limits.input_bytes = 128 << 10;
    let members = json!({ "amount": { "type": "integer" }, "currency": { "type": "string" } });
    let schema = json!({ "type": "object", "properties": members, "required": ["amount", "currency"] });
    spec.input_schema = Some(schema.to_string());
    runtime().load(spec).await.unwrap()
}

/// Returns the input that reaches the caller if the agent proposes `text`.
async fn proposed(agent: &Plugin, text: &str) -> Option<Value> {
    let failure = agent.call(context(), PluginInput::Agent { task: text.to_owned(), input: None }).await.unwrap_err();
    let Failure::InvalidInput { input, .. } = failure else { panic!("{failure:?}") };
    input
}

#[tokio::test]
async fn a_proposal_may_lack_members_but_has_no_wrong_one() {
    let agent = agent().await;
    assert_eq!(proposed(&agent, r#"{"amount":5}"#).await, Some(json!({ "amount": 5 })));
    let full = json!({ "amount": 5, "currency": "x".repeat(PROPOSED_INPUT_BYTES_MAX - 26) });
    assert_eq!(full.to_string().len(), PROPOSED_INPUT_BYTES_MAX);
    assert_eq!(proposed(&agent, &full.to_string()).await, Some(full));
    assert!(agent.logs().is_empty(), "{:?}", agent.logs());
    let long = json!({ "currency": "x".repeat(65 << 10) }).to_string();
    for (text, reason) in [
        (r#"{"amount":"five"}"#, "/amount"),
        ("[1]", "it is not a JSON object"),
        (r#"{"amount":"#, "it is not JSON"),
        (long.as_str(), "it has 66575 bytes; its limit is 65536"),
    ] {
        assert_eq!(proposed(&agent, text).await, None, "{reason}");
        let last = agent.logs().pop().unwrap();
        assert_eq!((last.level, last.request_id.as_str()), (tracing::Level::WARN, "req_7"));
        assert!(last.text.starts_with("the proposed input was dropped: ") && last.text.contains(reason), "{last:?}");
    }
}
