//! The two tools about agents' tasks: giving one to an agent, and looking at it
//! later. Their names and schemas are what clients see; reading their arguments
//! names what is wrong with them.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use tollbridge_core::limits::{MCP_AGENTS_NAMED, TASK_WAIT_MS, TASK_WAIT_MS_MAX};

/// Gives a task to an agent.
pub(crate) const INVOKE: &str = "invoke_agent";
/// Looks at a task that was given before.
pub(crate) const GET: &str = "get_task";

/// What `invoke_agent` was asked for.
pub(crate) struct InvokeArguments {
    pub slug: String,
    /// The body of the agent's call.
    pub body: Value,
    pub wait: Duration,
}

impl InvokeArguments {
    /// Reads them, naming what is wrong.
    pub(crate) fn read(mut arguments: JsonObject) -> Result<Self, String> {
        let slug = text(&mut arguments, "agent_slug", "the name of an agent")?;
        let task = text(&mut arguments, "task", "what the agent should do, as text")?;
        let wait = wait(&mut arguments)?;
        let mut body = json!({ "task": task });
        if let (Some(input), Some(members)) = (arguments.remove("input"), body.as_object_mut()) {
            members.insert("input".to_owned(), input);
        }
        Ok(Self { slug, body, wait })
    }
}

/// The task that `get_task` was asked for, and how long to wait for its end.
pub(crate) fn look_arguments(mut arguments: JsonObject) -> Result<(String, Duration), String> {
    let id = text(&mut arguments, "task_id", "what invoke_agent answered")?;
    Ok((id, wait(&mut arguments)?))
}

fn text(arguments: &mut JsonObject, name: &str, what: &str) -> Result<String, String> {
    match arguments.remove(name) {
        Some(Value::String(text)) if !text.is_empty() => Ok(text),
        _ => Err(format!("{name} is missing: {what}")),
    }
}

/// As long as REST waits, unless the caller says otherwise: many clients give a
/// request up after a minute.
fn wait(arguments: &mut JsonObject) -> Result<Duration, String> {
    match arguments.remove("wait_ms") {
        None | Some(Value::Null) => Ok(Duration::from_millis(TASK_WAIT_MS)),
        Some(value) => match value.as_u64().filter(|ms| *ms <= TASK_WAIT_MS_MAX) {
            Some(ms) => Ok(Duration::from_millis(ms)),
            None => Err(format!("wait_ms must be a whole number of milliseconds, at most {TASK_WAIT_MS_MAX}")),
        },
    }
}

/// The one tool through which agents get their tasks.
pub(crate) fn invoke_agent(agents: &[(&str, String)]) -> Tool {
    let mut slug = json!({ "type": "string", "description": "Name of the agent" });
    if let Some(members) = slug.as_object_mut().filter(|_| agents.len() <= MCP_AGENTS_NAMED) {
        members.insert("enum".to_owned(), agents.iter().map(|(name, _)| Value::from(*name)).collect());
    }
    let named = agents.iter().take(MCP_AGENTS_NAMED).map(|(name, purpose)| format!("{name}: {purpose}"));
    let text = format!(
        "Gives a task to an agent and returns its answer. Paid from credit, at the agent's own price. One that \
         takes longer than wait_ms is `working`: {GET} has its answer later. Agents:\n{}",
        named.collect::<Vec<_>>().join("\n")
    );
    let input = json!({
        "type": "object",
        "properties": {
            "agent_slug": slug,
            "task": { "type": "string", "minLength": 1, "description": "What to do, in plain words" },
            "input": { "type": "object", "description": "Structured input, for agents that say what they take" },
            "wait_ms": wait_schema(),
        },
        "required": ["agent_slug", "task"],
    });
    let title = "Invoke an agent";
    Tool::new_with_raw(INVOKE, Some(text.into()), object_schema(&input))
        .with_title(title)
        .with_raw_output_schema(object_schema(&task_schema()))
        .with_annotations(ToolAnnotations::with_title(title).read_only(false).destructive(false).open_world(true))
}

/// The tool that looks at a task.
pub(crate) fn get_task() -> Tool {
    let text = "State, answer and proof of a task that invoke_agent (or the queue) accepted. Costs nothing. While it is \
                `queued` or `working` it is worth another call; an answer is kept for a day, its proof for ever.";
    let input = json!({
        "type": "object",
        "properties": {
            "task_id": { "type": "string", "minLength": 1, "description": "From the answer of invoke_agent" },
            "wait_ms": wait_schema(),
        },
        "required": ["task_id"],
    });
    let title = "Look at a task";
    Tool::new_with_raw(GET, Some(text.into()), object_schema(&input))
        .with_title(title)
        .with_raw_output_schema(object_schema(&task_schema()))
        .with_annotations(ToolAnnotations::with_title(title).read_only(true).idempotent(true).open_world(false))
}

fn wait_schema() -> Value {
    json!({
        "type": ["integer", "null"],
        "minimum": 0,
        "maximum": TASK_WAIT_MS_MAX,
        "description": format!("How long to wait for the end of the task, milliseconds; {TASK_WAIT_MS} if left out"),
    })
}

/// A task, as both tools answer with it.
fn task_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "task_id": { "type": "string" },
            "agent_slug": { "type": "string" },
            "status": { "enum": ["queued", "working", "completed", "failed", "canceled"] },
            "output": { "description": "What the agent answered" },
            "proof": { "type": ["object", "null"], "description": "Signed: who answered what, and when" },
            "error": { "type": "object", "description": "Why a failed task has no answer: code and error" },
            "task": { "type": "string", "description": "Where a task that goes on can be looked at over HTTP" },
        },
        "required": ["task_id", "agent_slug", "status"],
    })
}

/// A schema as the protocol wants it: that of an object.
pub(crate) fn object_schema(schema: &Value) -> Arc<JsonObject> {
    let mut members = schema.as_object().cloned().unwrap_or_default();
    members.insert("type".to_owned(), json!("object"));
    Arc::new(members)
}
