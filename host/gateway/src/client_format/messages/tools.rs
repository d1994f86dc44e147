//! Converts tools and the tool choice from the Messages API to a chat.
//!
//! Invariant: tools that the provider itself would run are refused: their price is in no
//! price list, so their worst-case cost could not be reserved.

use serde_json::{Map, Value, json};

use crate::error::GatewayError;
use crate::invalid::invalid;

/// Type prefixes of Anthropic's predefined tools that the client runs itself.
const RUN_BY_CLIENT: [&str; 4] = ["bash_", "computer_", "memory_", "text_editor_"];

/// The tools of a request, in chat format.
#[derive(Debug, Default)]
pub(super) struct Tools {
    pub(super) list: Vec<Value>,
    /// The members of a chat request that hold the tool choice.
    pub(super) choice: Map<String, Value>,
    /// The reason why only Anthropic supports the tools; `None` if any provider does.
    pub(super) native_only: Option<String>,
}

/// Converts the tools and the tool choice of a request.
pub(super) fn tools(members: &Map<String, Value>) -> Result<Tools, GatewayError> {
    let mut tools = Tools::default();
    let given = match members.get("tools") {
        None | Some(Value::Null) => &[],
        Some(Value::Array(given)) => given.as_slice(),
        Some(_) => return Err(invalid("/tools", "tools must be a list")),
    };
    for (number, tool) in given.iter().enumerate() {
        match tool.get("type").and_then(Value::as_str) {
            None | Some("custom") => tools.list.push(function(tool, number)?),
            Some(kind) if RUN_BY_CLIENT.iter().any(|start| kind.starts_with(start)) => {
                tools.native_only.get_or_insert(format!("tools[{number}] is a `{kind}`"));
            }
            Some(kind) => {
                let message = format!(
                    "tools[{number}]: `{kind}` is run by the provider, which is not offered here; leave it out, or run \
                     it yourself as your own tool"
                );
                return Err(invalid(&format!("/tools/{number}/type"), message));
            }
        }
    }
    tools.choice = choice(members)?;
    Ok(tools)
}

fn function(tool: &Value, number: usize) -> Result<Value, GatewayError> {
    let name = tool.get("name").and_then(Value::as_str);
    let name =
        name.ok_or_else(|| invalid(&format!("/tools/{number}/name"), format!("tools[{number}].name is missing")))?;
    let schema = tool.get("input_schema").filter(|schema| schema.is_object());
    let schema = schema.ok_or_else(|| {
        let message = format!("tools[{number}].input_schema must be a JSON Schema");
        invalid(&format!("/tools/{number}/input_schema"), message)
    })?;
    let mut function = Map::new();
    function.insert("name".to_owned(), name.into());
    for name in ["description", "strict"] {
        function.extend(tool.get(name).filter(|value| !value.is_null()).map(|value| (name.to_owned(), value.clone())));
    }
    function.insert("parameters".to_owned(), schema.clone());
    Ok(json!({ "type": "function", "function": function }))
}

fn choice(members: &Map<String, Value>) -> Result<Map<String, Value>, GatewayError> {
    let mut chosen = Map::new();
    let Some(choice) = members.get("tool_choice").filter(|choice| !choice.is_null()) else { return Ok(chosen) };
    let said = match choice.get("type").and_then(Value::as_str) {
        Some("auto") => json!("auto"),
        Some("any") => json!("required"),
        Some("none") => json!("none"),
        Some("tool") => {
            let name = choice.get("name").and_then(Value::as_str);
            let name = name.ok_or_else(|| invalid("/tool_choice/name", "tool_choice.name is missing"))?;
            json!({ "type": "function", "function": { "name": name } })
        }
        _ => return Err(invalid("/tool_choice/type", "tool_choice.type must be auto, any, none, or tool with a name")),
    };
    chosen.insert("tool_choice".to_owned(), said);
    if choice.get("disable_parallel_tool_use") == Some(&Value::Bool(true)) {
        chosen.insert("parallel_tool_calls".to_owned(), false.into());
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(tools_given: Value, choice: Value) -> Result<Tools, GatewayError> {
        let members = json!({ "tools": tools_given, "tool_choice": choice });
        tools(members.as_object().unwrap())
    }

    #[test]
    fn choices_have_their_counterparts() {
        let get = json!([{"name": "get", "input_schema": {"type": "object"}}]);
        for (choice, said) in [
            (json!({"type": "auto"}), json!({"tool_choice": "auto"})),
            (json!({"type": "any"}), json!({"tool_choice": "required"})),
            (json!({"type": "none"}), json!({"tool_choice": "none"})),
            (
                json!({"type": "tool", "name": "get", "disable_parallel_tool_use": true}),
                json!({"tool_choice": {"type": "function", "function": {"name": "get"}}, "parallel_tool_calls": false}),
            ),
            (json!(null), json!({})),
        ] {
            assert_eq!(Value::Object(of(get.clone(), choice).unwrap().choice), said);
        }
    }

    #[test]
    fn a_tool_is_run_by_the_client_or_refused() {
        let tools = of(json!([{"type": "bash_20250124", "name": "bash"}]), Value::Null).unwrap();
        assert!(tools.native_only.is_some() && tools.list.is_empty());
        for (given, field) in [
            (json!([{"type": "web_search_20250305", "name": "web_search"}]), "/tools/0/type"),
            (json!([{"type": "code_execution_20250825", "name": "code_execution"}]), "/tools/0/type"),
            (json!([{"input_schema": {}}]), "/tools/0/name"),
            (json!([{"name": "x"}]), "/tools/0/input_schema"),
            (json!({}), "/tools"),
        ] {
            match of(given.clone(), Value::Null) {
                Err(GatewayError::Invalid { field: found, .. }) => assert_eq!(found, field),
                other => panic!("{given}: {other:?}"),
            }
        }
        let wrong = of(json!([]), json!({"type": "function"}));
        assert!(matches!(wrong, Err(GatewayError::Invalid { field, .. }) if field == "/tool_choice/type"));
    }
}
