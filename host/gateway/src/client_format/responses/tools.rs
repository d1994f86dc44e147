//! Converts tools, the tool choice and the answer's format from the Responses API to a
//! chat.
//!
//! Invariant: tools that the provider itself would run are refused: their price is in no
//! price list, so their worst-case cost could not be reserved.

use serde_json::{Map, Value, json};

use crate::error::GatewayError;
use crate::invalid::invalid;

/// Types of tools that the client runs but a chat does not support.
const NATIVE_TOOLS: [&str; 6] =
    ["custom", "local_shell", "apply_patch", "computer", "computer_use_preview", "namespace"];

/// The tools of a request, in chat format.
#[derive(Debug, Default)]
pub(super) struct Tools {
    pub(super) list: Vec<Value>,
    pub(super) choice: Option<Value>,
    /// The reason why only a provider with the Responses API supports the tools; `None`
    /// if any provider does.
    pub(super) native_only: Option<String>,
}

/// Converts the tools and the tool choice of a request.
pub(super) fn tools(members: &Map<String, Value>) -> Result<Tools, GatewayError> {
    let mut tools = Tools::default();
    let given = match members.get("tools") {
        None | Some(Value::Null) => return tools.with_choice(members),
        Some(Value::Array(given)) => given,
        Some(_) => return Err(invalid("/tools", "tools must be a list")),
    };
    for (number, tool) in given.iter().enumerate() {
        let at = format!("tools[{number}]");
        match tool.get("type").and_then(Value::as_str) {
            Some("function") => tools.list.push(function(tool, number)?),
            Some(kind) if is_run_by_client(tool, kind) => {
                check_namespace(tool, number)?;
                tools.native_only.get_or_insert(format!("{at} is a `{kind}`"));
            }
            Some(kind) => {
                let message = format!(
                    "{at}: `{kind}` is run and billed by the provider, which is not offered here; leave it out, or run \
                     it yourself behind a `function`"
                );
                return Err(invalid(&format!("/tools/{number}/type"), message));
            }
            None => return Err(invalid(&format!("/tools/{number}/type"), format!("{at} lacks `type`"))),
        }
    }
    tools.with_choice(members)
}

fn is_run_by_client(tool: &Value, kind: &str) -> bool {
    let here = || tool.get("environment").and_then(|place| place.get("type")).and_then(Value::as_str) == Some("local");
    NATIVE_TOOLS.contains(&kind) || (kind == "shell" && here())
}

/// Checks that a namespace contains only tools that are supported in namespaces.
fn check_namespace(tool: &Value, number: usize) -> Result<(), GatewayError> {
    let inner = tool.get("tools").and_then(Value::as_array).into_iter().flatten();
    let mut kinds = inner.map(|tool| tool.get("type").and_then(Value::as_str).unwrap_or_default());
    match kinds.find(|kind| !["function", "custom"].contains(kind)) {
        Some(kind) => Err(invalid(
            &format!("/tools/{number}/tools"),
            format!("tools[{number}]: a namespace may hold `function` and `custom` only, not `{kind}`"),
        )),
        None => Ok(()),
    }
}

/// Converts a function from the flat form of the Responses API to the nested form of a
/// chat.
fn function(tool: &Value, number: usize) -> Result<Value, GatewayError> {
    if tool.get("name").and_then(Value::as_str).is_none() {
        let message = format!(
            "tools[{number}].name is missing; in the Responses API the name of a function is placed next to its type"
        );
        return Err(invalid(&format!("/tools/{number}/name"), message));
    }
    let mut function = Map::new();
    for name in ["name", "description", "parameters", "strict"] {
        function.extend(tool.get(name).filter(|value| !value.is_null()).map(|value| (name.to_owned(), value.clone())));
    }
    Ok(json!({ "type": "function", "function": function }))
}

impl Tools {
    fn with_choice(mut self, members: &Map<String, Value>) -> Result<Self, GatewayError> {
        let choice = match members.get("tool_choice") {
            None | Some(Value::Null) => return Ok(self),
            Some(choice) => choice,
        };
        let kind = choice.get("type").and_then(Value::as_str);
        self.choice = match (choice, kind) {
            (Value::String(word), _) if ["auto", "none", "required"].contains(&word.as_str()) => Some(choice.clone()),
            (Value::Object(_), Some("function")) => {
                let name = choice.get("name").and_then(Value::as_str);
                let name = name.ok_or_else(|| invalid("/tool_choice/name", "tool_choice.name is missing"))?;
                Some(json!({ "type": "function", "function": { "name": name } }))
            }
            (Value::Object(_), Some("allowed_tools")) => Some(self.allow(choice)?),
            (Value::Object(_), Some(kind)) if NATIVE_TOOLS.contains(&kind) || kind == "shell" => {
                self.native_only.get_or_insert(format!("tool_choice is a `{kind}`"));
                None
            }
            _ => {
                let known = "auto, none, required, a function of yours by its name, or allowed_tools";
                return Err(invalid("/tool_choice", format!("tool_choice must be {known}")));
            }
        };
        if self.list.is_empty() {
            // Removes the choice, because providers refuse a tool choice without tools.
            self.choice = None;
        }
        Ok(self)
    }

    /// Converts a choice that allows only some of the tools: the other tools are not
    /// sent, which works with any provider.
    fn allow(&mut self, choice: &Value) -> Result<Value, GatewayError> {
        let allowed = choice.get("tools").and_then(Value::as_array);
        let allowed = allowed.ok_or_else(|| invalid("/tool_choice/tools", "tool_choice.tools must be a list"))?;
        let names: Vec<&Value> = allowed.iter().filter_map(|tool| tool.get("name")).collect();
        self.list.retain(|tool| {
            tool.get("function").and_then(|function| function.get("name")).is_some_and(|name| names.contains(&name))
        });
        match choice.get("mode").and_then(Value::as_str) {
            Some(mode @ ("auto" | "required")) => Ok(mode.into()),
            _ => Err(invalid("/tool_choice/mode", "tool_choice.mode must be auto or required")),
        }
    }
}

/// Converts `text.format` to a chat's `response_format`.
pub(super) fn response_format(members: &Map<String, Value>) -> Result<Option<Value>, GatewayError> {
    let format = members.get("text").and_then(|text| text.get("format")).filter(|format| !format.is_null());
    let Some(format) = format else { return Ok(None) };
    match format.get("type").and_then(Value::as_str) {
        Some("text") => Ok(None),
        Some("json_object") => Ok(Some(json!({ "type": "json_object" }))),
        Some("json_schema") => {
            let mut schema = Map::new();
            for name in ["name", "schema", "strict", "description"] {
                let value = format.get(name).filter(|value| !value.is_null());
                schema.extend(value.map(|value| (name.to_owned(), value.clone())));
            }
            for name in ["name", "schema"] {
                if !schema.contains_key(name) {
                    return Err(invalid(&format!("/text/format/{name}"), format!("text.format.{name} is missing")));
                }
            }
            Ok(Some(json!({ "type": "json_schema", "json_schema": schema })))
        }
        _ => Err(invalid("/text/format/type", "text.format.type must be text, json_object or json_schema")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(body: Value) -> Result<Tools, GatewayError> {
        tools(body.as_object().unwrap())
    }

    fn field(error: GatewayError) -> String {
        match error {
            GatewayError::Invalid { field, .. } => field,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn functions_are_nested_and_choices_follow() {
        let flat = |name: &str| {
            json!({"type": "function", "name": name, "parameters": {"type": "object"}, "strict": true,
                "description": null})
        };
        let nested = |name: &str| json!({"type": "function", "function": {"name": name, "parameters": {"type": "object"}, "strict": true}});
        let both = json!([flat("a"), flat("b")]);
        for (choice, list, expected) in [
            (json!("required"), json!([nested("a"), nested("b")]), json!("required")),
            (
                json!({"type": "function", "name": "b"}),
                json!([nested("a"), nested("b")]),
                json!({"type": "function", "function": {"name": "b"}}),
            ),
            (
                json!({"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "b"}]}),
                json!([nested("b")]),
                json!("auto"),
            ),
        ] {
            let tools = of(json!({"tools": both, "tool_choice": choice})).unwrap();
            assert_eq!((json!(tools.list), tools.choice, tools.native_only), (list, Some(expected), None));
        }
        assert!(of(json!({"tool_choice": "auto"})).unwrap().choice.is_none());
    }

    #[test]
    fn tools_of_the_provider_are_refused_by_name() {
        for kind in [
            "web_search",
            "web_search_preview",
            "file_search",
            "code_interpreter",
            "image_generation",
            "mcp",
            "shell",
            "tool_search",
            "programmatic_tool_calling",
        ] {
            let error = of(json!({"tools": [{"type": kind}]})).unwrap_err();
            assert!(error.to_string().contains(kind), "{error}");
            assert_eq!(field(error), "/tools/0/type");
        }
        let hidden = json!({"tools": [{"type": "namespace", "name": "n", "tools": [{"type": "mcp"}]}]});
        assert_eq!(field(of(hidden).unwrap_err()), "/tools/0/tools");
        let nested = json!({"tools": [{"type": "function", "function": {"name": "f"}}]});
        assert_eq!(field(of(nested).unwrap_err()), "/tools/0/name");
    }

    #[test]
    fn format_specific_tools_go_to_native_providers() {
        for tool in
            [json!({"type": "custom", "name": "sql"}), json!({"type": "shell", "environment": {"type": "local"}})]
        {
            assert!(of(json!({"tools": [tool]})).unwrap().native_only.is_some(), "{tool}");
        }
    }

    #[test]
    fn the_form_of_an_answer_is_nested() {
        let format = |format: Value| response_format(json!({"text": {"format": format}}).as_object().unwrap());
        let flat = json!({"type": "json_schema", "name": "n", "schema": {"type": "object"}, "strict": true});
        let nested = json!({"type": "json_schema", "json_schema":
            {"name": "n", "schema": {"type": "object"}, "strict": true}});
        assert_eq!(format(flat).unwrap(), Some(nested));
        assert_eq!(format(json!({"type": "json_object"})).unwrap(), Some(json!({"type": "json_object"})));
        assert_eq!(format(json!({"type": "text"})).unwrap(), None);
        assert_eq!(field(format(json!({"type": "json_schema", "name": "n"})).unwrap_err()), "/text/format/schema");
        assert_eq!(field(format(json!({"type": "yaml"})).unwrap_err()), "/text/format/type");
    }
}
