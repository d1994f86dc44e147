//! The two tools for agents' tasks: giving an agent a task, and reading it later. Clients
//! see their names and schemas; a parse error names the invalid argument.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use tollbridge_agents::limits::TASK_WAIT_MS_MAX;

use crate::limits::TASK_WAIT_MS;

/// Maximum number of agents that the tool `invoke_agent` names; models read all of them.
const MCP_AGENTS_NAMED: usize = 100;

/// The tool that gives an agent a task.
pub(crate) const INVOKE: &str = "invoke_agent";
/// The tool that reads a task.
pub(crate) const GET: &str = "get_task";

/// The arguments of `invoke_agent`.
pub(crate) struct InvokeArguments {
    pub slug: String,
    /// The body of the agent's call.
    pub body: Value,
    pub wait: Duration,
}

impl InvokeArguments {
    /// Parses the arguments; an error names the invalid one.
    pub(crate) fn read(mut arguments: JsonObject) -> Result<Self, String> {
        let slug = text(&mut arguments, "agent_slug", "the name of an agent")?;
        let task = text(&mut arguments, "task", "the agent's task, as text")?;
        let wait = wait(&mut arguments)?;
        let mut body = json!({ "task": task });
        if let (Some(input), Some(members)) = (arguments.remove("input"), body.as_object_mut()) {
            members.insert("input".to_owned(), input);
        }
        nothing_else(&arguments, "agent_slug, task, input, wait_ms")?;
        Ok(Self { slug, body, wait })
    }
}

/// Parses the arguments of `get_task`: the task's id, and how long to wait for its end.
pub(crate) fn look_arguments(mut arguments: JsonObject) -> Result<(String, Duration), String> {
    let id = text(&mut arguments, "task_id", "the id that invoke_agent returned")?;
    let wait = wait(&mut arguments)?;
    nothing_else(&arguments, "task_id, wait_ms")?;
    Ok((id, wait))
}

/// Refuses unknown arguments, which would otherwise be ignored.
fn nothing_else(arguments: &JsonObject, known: &str) -> Result<(), String> {
    let unknown = arguments.keys().next();
    unknown.map_or(Ok(()), |name| {
        let name: String = name.chars().take(64).collect();
        Err(format!("unknown argument `{name}`; the arguments are: {known}"))
    })
}

fn text(arguments: &mut JsonObject, name: &str, what: &str) -> Result<String, String> {
    match arguments.remove(name) {
        Some(Value::String(text)) if !text.is_empty() => Ok(text),
        None | Some(Value::Null) => Err(format!("`{name}` is required: {what}")),
        Some(_) => Err(format!("`{name}` must be a string of at least 1 character: {what}")),
    }
}

/// Parses `wait_ms`. Its default is that of the REST API, which is shorter than the
/// minute after which many clients abandon a request.
fn wait(arguments: &mut JsonObject) -> Result<Duration, String> {
    match arguments.remove("wait_ms") {
        None | Some(Value::Null) => Ok(Duration::from_millis(TASK_WAIT_MS)),
        Some(value) => match value.as_u64().filter(|ms| *ms <= TASK_WAIT_MS_MAX) {
            Some(ms) => Ok(Duration::from_millis(ms)),
            None => Err(format!("`wait_ms` must be a whole number of milliseconds, at most {TASK_WAIT_MS_MAX}")),
        },
    }
}

/// Returns the one tool through which all agents get their tasks.
pub(crate) fn invoke_agent(agents: &[(&str, String)]) -> Tool {
    let mut slug = json!({ "type": "string", "description": "Name of the agent" });
    if let Some(members) = slug.as_object_mut().filter(|_| agents.len() <= MCP_AGENTS_NAMED) {
        members.insert("enum".to_owned(), agents.iter().map(|(name, _)| Value::from(*name)).collect());
    }
    let named = agents.iter().take(MCP_AGENTS_NAMED).map(|(name, purpose)| format!("{name}: {purpose}"));
    let text = format!(
        "Gives a task to an agent and returns its answer. Paid from credit, at the agent's own price. A task that \
        takes longer than wait_ms is `working`; read its answer later with {GET}. Agents:\n{}",
        named.collect::<Vec<_>>().join("\n")
    );
    let input = json!({
        "type": "object",
        "properties": {
            "agent_slug": slug,
            "task": { "type": "string", "minLength": 1, "description": "The task, in plain words" },
            "input": { "type": "object", "description": "Structured input, for agents that have an input schema" },
            "wait_ms": wait_schema(),
        },
        "required": ["agent_slug", "task"],
        "additionalProperties": false,
    });
    let title = "Invoke an agent";
    Tool::new_with_raw(INVOKE, Some(text.into()), object_schema(&input))
        .with_title(title)
        .with_raw_output_schema(object_schema(&task_schema()))
        .with_annotations(annotations(title, Effect::Sells { reaches_out: true }))
}

/// Returns the tool that reads a task.
pub(crate) fn get_task() -> Tool {
    let text = "State, answer and proof of a task that invoke_agent (or the queue) accepted. Costs nothing. While \
        a task is `queued` or `working`, call again; an answer is kept for a day, its proof forever.";
    let input = json!({
        "type": "object",
        "properties": {
            "task_id": { "type": "string", "minLength": 1, "description": "The id that invoke_agent returned" },
            "wait_ms": wait_schema(),
        },
        "required": ["task_id"],
        "additionalProperties": false,
    });
    let title = "Read a task";
    Tool::new_with_raw(GET, Some(text.into()), object_schema(&input))
        .with_title(title)
        .with_raw_output_schema(object_schema(&task_schema()))
        .with_annotations(annotations(title, Effect::Looks { reaches_out: false }))
}

fn wait_schema() -> Value {
    json!({
        "type": ["integer", "null"],
        "minimum": 0,
        "maximum": TASK_WAIT_MS_MAX,
        "description": format!("How long to wait for the end of the task, in milliseconds; {TASK_WAIT_MS} by default"),
    })
}

/// Returns the schema of a task in the answers of both tools.
fn task_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "task_id": { "type": "string" },
            "agent_slug": { "type": "string" },
            "status": { "enum": ["queued", "working", "completed", "failed", "canceled"] },
            "output": { "description": "The agent's answer" },
            "proof": { "type": ["object", "null"], "description": "A signed proof: which agent answered what, and \
                when" },
            "error": { "type": "object", "description": "Why a failed task has no answer: code and error" },
            "task": { "type": "string", "description": "The HTTP address of a task that is still running" },
            "details": { "type": "object", "description": "In place of a task: `input` is what the agent understood of \
                a task that it refused" },
        },
        // Clients check the structured content of failures too.
        "anyOf": [{ "required": ["task_id", "agent_slug", "status"] }, { "required": ["details"] }],
    })
}

/// The side effects of a tool call.
#[derive(Clone, Copy)]
pub(crate) enum Effect {
    /// No side effects.
    Looks { reaches_out: bool },
    /// Takes credit or stores data on every call; destroys nothing. `reaches_out` says
    /// whether the call may contact other systems.
    Sells { reaches_out: bool },
}

/// Sets all hints, because clients assume the worst for missing ones.
pub(crate) fn annotations(title: impl Into<String>, effect: Effect) -> ToolAnnotations {
    let (looks, reaches_out) = match effect {
        Effect::Looks { reaches_out } => (true, reaches_out),
        Effect::Sells { reaches_out } => (false, reaches_out),
    };
    let hints = ToolAnnotations::with_title(title).read_only(looks).idempotent(looks);
    hints.destructive(false).open_world(reaches_out)
}

/// Returns a schema as an object schema, which the protocol requires.
pub(crate) fn object_schema(schema: &Value) -> Arc<JsonObject> {
    let mut members = schema.as_object().cloned().unwrap_or_default();
    members.insert("type".to_owned(), json!("object"));
    Arc::new(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(arguments: Value) -> String {
        InvokeArguments::read(arguments.as_object().unwrap().clone()).err().unwrap()
    }

    #[test]
    fn a_refusal_names_the_argument() {
        for (arguments, expect) in [
            (json!({}), "`agent_slug` is required"),
            (json!({ "agent_slug": 7, "task": "x" }), "`agent_slug` must be a string"),
            (json!({ "agent_slug": "a", "task": "" }), "`task` must be a string of at least 1 character"),
            (
                json!({ "agent_slug": "a", "task": "x", "wait": 1 }),
                "unknown argument `wait`; the arguments are: agent_slug",
            ),
            (json!({ "agent_slug": "a", "task": "x", "wait_ms": -1 }), "`wait_ms` must be a whole number"),
        ] {
            let message = refusal(arguments);
            assert!(message.starts_with(expect), "{message}");
        }
        let more = json!({ "task_id": "t", "slug": "a" });
        let message = look_arguments(more.as_object().unwrap().clone()).err().unwrap();
        assert_eq!(message, "unknown argument `slug`; the arguments are: task_id, wait_ms");
    }

    #[test]
    fn every_hint_is_given() {
        for tool in [invoke_agent(&[("a", "b".to_owned())]), get_task()] {
            let hints = serde_json::to_value(tool.annotations).unwrap();
            for hint in ["title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
                assert!(!hints[hint].is_null(), "{hint}: {hints}");
            }
        }
    }
}
