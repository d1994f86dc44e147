//! Requests of version 1.0, translated to the version-independent form.
//!
//! Invariant: error messages use the member names of version 1.0.

use serde_json::{Map, Value};

use super::names::with_json_names;
use super::parts;
use crate::a2a::list::{StateFilter, TaskQuery, read_token};
use crate::a2a::message::{flag, object, required, text};
use crate::a2a::rpc_error::RpcError;
use crate::a2a::task::A2aTaskState;
use crate::limits::A2A_PARTS_MAX;

/// Default number of tasks on a page of a list, as the protocol defines it.
const A2A_PAGE_SIZE: usize = 50;
/// Maximum page size, as the protocol defines it. Even a page of large answers stays
/// below the connection's limit.
const A2A_PAGE_SIZE_MAX: usize = 100;

type Checked<T> = Result<T, RpcError>;

/// Translates a `SendMessageRequest` into the form that `SendParams` parses.
pub(crate) fn send(mut params: Map<String, Value>) -> Checked<Map<String, Value>> {
    let message = required(object(&mut params, "message", "/params")?, "message", "/params")?;
    let mut read = Map::new();
    read.insert("message".to_owned(), self::message(with_json_names(message))?.into());
    if let Some(configuration) = object(&mut params, "configuration", "/params")? {
        read.insert("configuration".to_owned(), self::configuration(with_json_names(configuration))?.into());
    }
    Ok(read)
}

fn message(mut message: Map<String, Value>) -> Checked<Map<String, Value>> {
    let at = "/params/message";
    if text(&message, "role", at)? != Some("ROLE_USER") {
        return Err(RpcError::params("/params/message/role", "`role` must be \"ROLE_USER\""));
    }
    let mut read = Map::new();
    read.insert("role".to_owned(), "user".into());
    read.extend(message.remove("messageId").map(|id| ("messageId".to_owned(), id)));
    for name in ["taskId", "contextId"] {
        // ProtoJSON clients may send an empty string for an unset text.
        let value = message.remove(name).filter(|value| value.as_str() != Some(""));
        read.extend(value.map(|value| (name.to_owned(), value)));
    }
    read.extend(message.remove("metadata").map(|metadata| ("metadata".to_owned(), metadata)));
    let parts = match message.remove("parts") {
        Some(Value::Array(parts)) if (1..=A2A_PARTS_MAX).contains(&parts.len()) => parts,
        _ => {
            let detail = format!("`parts` must be a list of 1 to {A2A_PARTS_MAX} parts");
            return Err(RpcError::params("/params/message/parts", detail));
        }
    };
    let parts = parts.into_iter().enumerate().map(|(n, part)| parts::read(part, &format!("{at}/parts/{n}")));
    read.insert("parts".to_owned(), parts.collect::<Checked<Vec<_>>>()?.into());
    Ok(read)
}

fn configuration(mut members: Map<String, Value>) -> Checked<Map<String, Value>> {
    let at = "/params/configuration";
    let mut read = Map::new();
    let immediately = flag(&members, "returnImmediately", at)?.unwrap_or(false);
    read.insert("blocking".to_owned(), (!immediately).into());
    read.extend(history_length(&members, at)?.map(|length| ("historyLength".to_owned(), length.into())));
    read.extend(members.remove("acceptedOutputModes").map(|modes| ("acceptedOutputModes".to_owned(), modes)));
    if let Some(config) = object(&mut members, "taskPushNotificationConfig", at)? {
        let config = push_config(with_json_names(config), &format!("{at}/taskPushNotificationConfig"))?;
        read.insert("pushNotificationConfig".to_owned(), config.into());
    }
    Ok(read)
}

/// Translates a `TaskPushNotificationConfig` into the form that `PushConfig` parses.
pub(crate) fn push_config(mut members: Map<String, Value>, at: &str) -> Checked<Map<String, Value>> {
    let mut read = Map::new();
    for name in ["id", "url", "token"] {
        let value = members.remove(name).filter(|value| value.as_str() != Some(""));
        read.extend(value.map(|value| (name.to_owned(), value)));
    }
    if let Some(mut authentication) = object(&mut members, "authentication", at)? {
        let at = format!("{at}/authentication");
        let scheme = required(text(&authentication, "scheme", &at)?, "scheme", &at)?.to_owned();
        let mut how = Map::new();
        how.insert("schemes".to_owned(), vec![scheme].into());
        let credentials = authentication.remove("credentials").filter(|value| value.as_str() != Some(""));
        how.extend(credentials.map(|credentials| ("credentials".to_owned(), credentials)));
        read.insert("authentication".to_owned(), how.into());
    }
    Ok(read)
}

/// Parses a `ListTasksRequest`.
pub(crate) fn list(params: &Map<String, Value>) -> Checked<TaskQuery> {
    let at = "/params";
    let filled = |name| Ok::<_, RpcError>(text(params, name, at)?.filter(|text| !text.is_empty()));
    let page_size = count(params, "pageSize", at)?.unwrap_or(A2A_PAGE_SIZE);
    if !(1..=A2A_PAGE_SIZE_MAX).contains(&page_size) {
        let detail = format!("`pageSize` must be 1 to {A2A_PAGE_SIZE_MAX}");
        return Err(RpcError::params("/params/pageSize", detail));
    }
    let since = filled("statusTimestampAfter")?.map(|text| {
        let wrong = || RpcError::params("/params/statusTimestampAfter", "write it as 2026-01-31T12:00:00Z");
        tollbridge_core::time::parse_rfc3339(text).ok_or_else(wrong)
    });
    Ok(TaskQuery {
        context_id: filled("contextId")?.map(str::to_owned),
        state: state(filled("status")?)?,
        changed_since_ms: since.transpose()?.unwrap_or(0),
        page_size,
        after: filled("pageToken")?.map(read_token).transpose()?,
        history_length: history_length(params, at)?,
        with_artifacts: flag(params, "includeArtifacts", at)?.unwrap_or(false),
    })
}

/// Parses the state to filter by. Some states of the protocol never occur on this server.
fn state(named: Option<&str>) -> Checked<Option<StateFilter>> {
    Ok(Some(match named {
        None | Some("TASK_STATE_UNSPECIFIED") => return Ok(None),
        Some("TASK_STATE_REJECTED" | "TASK_STATE_AUTH_REQUIRED") => StateFilter::Never,
        Some(name) => match A2aTaskState::ALL.into_iter().find(|state| super::views::state(*state) == name) {
            Some(state) => StateFilter::Known(state),
            None => {
                let names = A2aTaskState::ALL.map(super::views::state).join(", ");
                return Err(RpcError::params("/params/status", format!("`status` must be one of {names}")));
            }
        },
    }))
}

/// Reads a required id.
pub(crate) fn id(params: &Map<String, Value>, name: &str) -> Checked<String> {
    required(crate::a2a::message::id(params, name, "/params")?, name, "/params")
}

/// Reads the requested length of the history.
pub(crate) fn history_length(members: &Map<String, Value>, at: &str) -> Checked<Option<usize>> {
    count(members, "historyLength", at)
}

/// Reads a count, which ProtoJSON clients may also send as text.
fn count(members: &Map<String, Value>, name: &str, at: &str) -> Checked<Option<usize>> {
    let wrong = || RpcError::params(&format!("{at}/{name}"), format!("`{name}` must be an integer, 0 or more"));
    let number = match members.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.parse::<i32>().ok().map(i64::from),
        Some(value) => value.as_i64().filter(|number| i32::try_from(*number).is_ok()),
    };
    number.and_then(|number| usize::try_from(number).ok()).map(Some).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::a2a::message::SendParams;

    fn map(value: Value) -> Map<String, Value> {
        let Value::Object(map) = value else { panic!("{value}") };
        map
    }

    fn read(params: Value) -> Checked<SendParams> {
        send(with_json_names(map(params))).and_then(SendParams::read)
    }

    fn message(more: Value) -> Value {
        let mut message = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "x" }] });
        message.as_object_mut().unwrap().extend(map(more));
        json!({ "message": message })
    }

    #[test]
    fn a_request_is_read_as_the_older_version_reads_its_own() {
        let mut params = message(json!({
            "taskId": "", "context_id": "c", "metadata": { "capability": "coding" }, "extensions": ["https://x"],
        }));
        params["configuration"] = json!({
            "returnImmediately": true,
            "historyLength": "3",
            "task_push_notification_config": {
                "id": "", "url": "https://example.com", "authentication": { "scheme": "Bearer", "credentials": "c" },
            },
        });
        let new = read(params).unwrap();
        let old = SendParams::read(map(json!({
            "message": {
                "kind": "message", "messageId": "m", "role": "user", "contextId": "c",
                "metadata": { "capability": "coding" }, "parts": [{ "kind": "text", "text": "x" }],
            },
            "configuration": {
                "blocking": false, "historyLength": 3,
                "pushNotificationConfig": {
                    "url": "https://example.com", "authentication": { "schemes": ["Bearer"], "credentials": "c" },
                },
            },
        })));
        assert_eq!(new, old.unwrap());
        assert!(read(message(json!({}))).unwrap().blocking);
    }

    #[test]
    fn errors_use_the_names_of_this_version() {
        let with = |configuration: Value| {
            let mut params = message(json!({}));
            params["configuration"] = configuration;
            params
        };
        for (params, field) in [
            (json!({}), "/params/message"),
            (json!({ "message": [] }), "/params/message"),
            (message(json!({ "role": "user" })), "/params/message/role"),
            (message(json!({ "role": 1 })), "/params/message/role"),
            (message(json!({ "messageId": "" })), "/params/message/messageId"),
            (message(json!({ "taskId": 3 })), "/params/message/taskId"),
            (message(json!({ "parts": [] })), "/params/message/parts"),
            (message(json!({ "parts": [{ "text": "x" }, {}] })), "/params/message/parts/1"),
            (message(json!({ "metadata": { "capability": 3 } })), "/params/message/metadata/capability"),
            (with(json!({ "returnImmediately": "yes" })), "/params/configuration/returnImmediately"),
            (with(json!({ "historyLength": 1.5 })), "/params/configuration/historyLength"),
            (with(json!({ "historyLength": 3_000_000_000_u64 })), "/params/configuration/historyLength"),
            (
                with(json!({ "taskPushNotificationConfig": { "authentication": {} } })),
                "/params/configuration/taskPushNotificationConfig/authentication/scheme",
            ),
        ] {
            let error = read(params.clone()).unwrap_err();
            assert_eq!(error.data["details"]["field"], field, "{params}");
        }
    }

    #[test]
    fn lists_have_bounds_and_defaults() {
        let query = list(&Map::new()).unwrap();
        assert_eq!((query.page_size, query.with_artifacts, query.changed_since_ms), (A2A_PAGE_SIZE, false, 0));
        let query = list(&map(json!({
            "contextId": "c", "status": "TASK_STATE_WORKING", "pageSize": "100", "includeArtifacts": true,
            "statusTimestampAfter": "2023-11-14T22:13:20.120Z", "pageToken": "", "historyLength": 0,
        })));
        let query = query.unwrap();
        assert_eq!(query.state, Some(StateFilter::Known(A2aTaskState::Working)));
        assert_eq!((query.page_size, query.changed_since_ms, query.after), (100, 1_700_000_000_120, None));
        for (params, field) in [
            (json!({ "pageSize": 0 }), "/params/pageSize"),
            (json!({ "pageSize": 101 }), "/params/pageSize"),
            (json!({ "pageSize": -1 }), "/params/pageSize"),
            (json!({ "status": "working" }), "/params/status"),
            (json!({ "pageToken": "!" }), "/params/pageToken"),
            (json!({ "includeArtifacts": "true" }), "/params/includeArtifacts"),
            (json!({ "statusTimestampAfter": "soon" }), "/params/statusTimestampAfter"),
        ] {
            assert_eq!(list(&map(params.clone())).unwrap_err().data["details"]["field"], field, "{params}");
        }
        assert_eq!(state(Some("TASK_STATE_REJECTED")).unwrap(), Some(StateFilter::Never));
        assert_eq!(state(Some("TASK_STATE_UNSPECIFIED")).unwrap(), None);
    }
}
