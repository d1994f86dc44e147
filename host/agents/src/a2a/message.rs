//! Messages from clients, and the parameters sent with them.
//!
//! Invariants: everything is validated before it has any effect; members that the
//! protocol does not define are ignored, as the protocol requires; null counts as absent.

use serde_json::{Map, Value};

use super::rpc_error::{RpcError, RpcErrorKind};
use crate::limits::A2A_PARTS_MAX;

/// Maximum length of ids that clients choose: of messages, tasks, contexts and settings.
const A2A_ID_BYTES_MAX: usize = 256;

/// Members of a message's x402 metadata: the wallet's payment and its status.
pub(super) const PAYLOAD: &str = "x402.payment.payload";
pub(super) const STATUS: &str = "x402.payment.status";
/// The payment status that a client sends to decline to pay.
pub(super) const REJECTED: &str = "payment-rejected";

/// The media type of this server's answers.
const OUTPUT_MODE: &str = "application/json";

/// The validated parameters of a request to send a message.
#[derive(Clone, Debug, PartialEq)]
pub struct SendParams {
    /// The message.
    pub message: Message,
    /// Whether the caller waits until the task has ended.
    pub blocking: bool,
    /// The number of history messages in the response; `None` for all.
    pub history_length: Option<usize>,
    /// The push notification settings sent with the message, not validated yet.
    pub push: Option<Map<String, Value>>,
}

/// A message from a user.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The `messageId` chosen by the client.
    pub id: String,
    /// The task that the message continues, if any.
    pub task_id: Option<String>,
    /// The id of the conversation to which the message belongs, if any.
    pub context_id: Option<String>,
    /// The requested capability; `None` if the message names none.
    pub capability: Option<String>,
    /// The maximum cost that the caller accepts, in pounds; the checkout parses it.
    pub max_cost: Option<Value>,
    /// The wallet's signed payment for the task, in the x402 format; not parsed yet.
    pub payment: Option<Map<String, Value>>,
    /// Whether the client declines to pay for the task.
    pub declines: bool,
    /// All text parts, joined by line breaks.
    pub text: String,
    /// All data parts, merged; later parts override earlier ones.
    pub data: Map<String, Value>,
    /// The original parts, for the history.
    pub parts: Vec<Value>,
}

type Checked<T> = Result<T, RpcError>;

impl SendParams {
    /// Parses and validates the `params` of a request to send a message.
    pub fn read(mut params: Map<String, Value>) -> Checked<Self> {
        let message = match params.remove("message") {
            Some(Value::Object(message)) => Message::read(message)?,
            Some(_) => return Err(RpcError::params("/params/message", "`message` must be an object")),
            None => return Err(RpcError::params("/params/message", "`message` is missing")),
        };
        let mut configuration = object(&mut params, "configuration", "/params")?.unwrap_or_default();
        let at = "/params/configuration";
        accepts_json(configuration.get("acceptedOutputModes"))?;
        Ok(Self {
            message,
            blocking: flag(&configuration, "blocking", at)?.unwrap_or(true),
            history_length: history_length(&configuration, at)?,
            push: object(&mut configuration, "pushNotificationConfig", at)?,
        })
    }
}

impl Message {
    /// Returns whether the message is only about the payment of an existing task.
    pub(super) fn is_about_payment(&self) -> bool {
        self.task_id.is_some() && (self.payment.is_some() || self.declines)
    }

    fn read(mut message: Map<String, Value>) -> Checked<Self> {
        let at = "/params/message";
        // The protocol requires `kind`; clients that omit it are accepted.
        if !matches!(text(&message, "kind", at)?, None | Some("message")) {
            return Err(RpcError::params("/params/message/kind", "`kind` must be \"message\""));
        }
        if text(&message, "role", at)? != Some("user") {
            return Err(RpcError::params("/params/message/role", "`role` must be \"user\""));
        }
        let id = required(id(&message, "messageId", at)?, "messageId", at)?;
        let mut metadata = object(&mut message, "metadata", at)?.unwrap_or_default();
        let capability = text(&metadata, "capability", "/params/message/metadata")?.map(str::to_owned);
        let payment = object(&mut metadata, PAYLOAD, "/params/message/metadata")?;
        let declines = text(&metadata, STATUS, "/params/message/metadata")? == Some(REJECTED);
        let max_cost = metadata.remove("max_cost_gbp").filter(|amount| !amount.is_null());
        let (task_id, context_id) = (self::id(&message, "taskId", at)?, self::id(&message, "contextId", at)?);
        let parts = match message.remove("parts") {
            Some(Value::Array(parts)) if !parts.is_empty() && parts.len() <= A2A_PARTS_MAX => parts,
            _ => {
                let detail = format!("`parts` must be a list of 1 to {A2A_PARTS_MAX} parts");
                return Err(RpcError::params("/params/message/parts", detail));
            }
        };
        let mut read = Self {
            id,
            task_id,
            context_id,
            capability,
            max_cost,
            payment,
            declines,
            parts,
            text: String::new(),
            data: Map::new(),
        };
        read.take_parts()?;
        Ok(read)
    }

    fn take_parts(&mut self) -> Checked<()> {
        let (mut texts, mut merged) = (Vec::new(), Map::new());
        for (index, part) in self.parts.iter().enumerate() {
            let at = format!("/params/message/parts/{index}");
            let kind = part.get("kind").and_then(Value::as_str);
            match (kind, part.get("text"), part.get("data")) {
                (Some("text"), Some(Value::String(text)), _) => texts.push(text.as_str()),
                (Some("text"), ..) => return Err(RpcError::params(&at, "a text part must have a `text`")),
                (Some("data"), _, Some(Value::Object(data))) => merged.extend(data.clone()),
                (Some("data"), ..) => return Err(RpcError::params(&at, "a data part must have an object as `data`")),
                (Some("file"), ..) => {
                    let detail = "files are not supported; send text or data parts";
                    return Err(RpcError::new(RpcErrorKind::ContentType, detail).with("details", at));
                }
                _ => return Err(RpcError::params(&at, "the `kind` of a part must be \"text\" or \"data\"")),
            }
        }
        self.text = texts.join("\n");
        self.data = merged;
        Ok(())
    }
}

/// Reads the two parameters of most methods: the task id and the requested length of the
/// history.
pub fn task_query(params: &Map<String, Value>) -> Checked<(String, Option<usize>)> {
    let id = required(id(params, "id", "/params")?, "id", "/params")?;
    Ok((id, history_length(params, "/params")?))
}

/// Returns a required value, or an error if it is missing.
pub fn required<T>(value: Option<T>, name: &str, at: &str) -> Checked<T> {
    value.ok_or_else(|| RpcError::params(&format!("{at}/{name}"), format!("`{name}` is missing")))
}

/// Reads an optional id: a string of bounded length.
pub fn id(members: &Map<String, Value>, name: &str, at: &str) -> Checked<Option<String>> {
    match text(members, name, at)? {
        Some(id) if id.is_empty() || id.len() > A2A_ID_BYTES_MAX => {
            let detail = format!("`{name}` must have 1 to {A2A_ID_BYTES_MAX} bytes");
            Err(RpcError::params(&format!("{at}/{name}"), detail))
        }
        other => Ok(other.map(str::to_owned)),
    }
}

/// Reads an optional string.
pub fn text<'m>(members: &'m Map<String, Value>, name: &str, at: &str) -> Checked<Option<&'m str>> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(RpcError::params(&format!("{at}/{name}"), format!("`{name}` must be a string"))),
    }
}

/// Reads an optional object.
pub fn object(members: &mut Map<String, Value>, name: &str, at: &str) -> Checked<Option<Map<String, Value>>> {
    match members.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(object)) => Ok(Some(object)),
        Some(_) => Err(RpcError::params(&format!("{at}/{name}"), format!("`{name}` must be an object"))),
    }
}

/// Reads an optional boolean.
pub(super) fn flag(members: &Map<String, Value>, name: &str, at: &str) -> Checked<Option<bool>> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(*flag)),
        Some(_) => Err(RpcError::params(&format!("{at}/{name}"), format!("`{name}` must be true or false"))),
    }
}

fn history_length(members: &Map<String, Value>, at: &str) -> Checked<Option<usize>> {
    let Some(value) = members.get("historyLength").filter(|value| !value.is_null()) else { return Ok(None) };
    let length = value.as_u64().and_then(|length| usize::try_from(length).ok());
    let detail = "`historyLength` must be an integer, 0 or more";
    length.map(Some).ok_or_else(|| RpcError::params(&format!("{at}/historyLength"), detail))
}

/// Checks that the client accepts JSON as the format of answers.
fn accepts_json(modes: Option<&Value>) -> Checked<()> {
    let at = "/params/configuration/acceptedOutputModes";
    let modes = match modes {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::Array(modes)) => modes,
        Some(_) => return Err(RpcError::params(at, "`acceptedOutputModes` must be a list of media types")),
    };
    let mut json = modes.is_empty();
    for mode in modes {
        let mode = mode.as_str().ok_or_else(|| RpcError::params(at, "a media type must be a string"))?;
        let essence = mode.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        json |= [OUTPUT_MODE, "application/*", "*/*"].contains(&essence.as_str());
    }
    match json {
        true => Ok(()),
        false => Err(RpcError::new(
            RpcErrorKind::ContentType,
            format!("none of the accepted output modes is supported; answers are {OUTPUT_MODE}"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(params: Value) -> Checked<SendParams> {
        let Value::Object(params) = params else { panic!("{params}") };
        SendParams::read(params)
    }

    fn message(more: Value) -> Value {
        let mut message =
            json!({ "kind": "message", "messageId": "m", "role": "user", "parts": [{ "kind": "text", "text": "x" }] });
        message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "message": message })
    }

    #[test]
    fn parts_become_task_and_input() {
        let parts = json!([
            { "kind": "text", "text": "one" },
            { "kind": "data", "data": { "a": 1, "b": 1 } },
            { "kind": "text", "text": "two", "metadata": {} },
            { "kind": "data", "data": { "b": 2 } },
        ]);
        let send = read(message(json!({ "parts": parts, "metadata": { "capability": "coding" } }))).unwrap();
        assert_eq!(send.message.text, "one\ntwo");
        assert_eq!(Value::Object(send.message.data), json!({ "a": 1, "b": 2 }));
        assert_eq!(send.message.capability.as_deref(), Some("coding"));
        assert!(send.blocking);
    }

    #[test]
    fn null_is_absent_and_unknown_members_are_passed_over() {
        let nulls = json!({ "taskId": null, "contextId": null, "metadata": null, "_debug": { "x": 1 } });
        let mut params = message(nulls);
        params["configuration"] = Value::Null;
        let send = read(params).unwrap();
        assert_eq!((send.message.task_id, send.message.context_id, send.message.capability), (None, None, None));
    }

    #[test]
    fn errors_name_the_problem() {
        for (params, code, field) in [
            (json!({}), -32602, "/params/message"),
            (json!({ "": "not_a_dict" }), -32602, "/params/message"),
            (json!({ "message": "x" }), -32602, "/params/message"),
            (json!({ "message": { "kind": "message" } }), -32602, "/params/message/role"),
            (json!({ "message": { "parts": "invalid" } }), -32602, "/params/message/role"),
            (message(json!({ "kind": "task" })), -32602, "/params/message/kind"),
            (message(json!({ "role": "agent" })), -32602, "/params/message/role"),
            (message(json!({ "messageId": "" })), -32602, "/params/message/messageId"),
            (message(json!({ "messageId": "m".repeat(A2A_ID_BYTES_MAX + 1) })), -32602, "/params/message/messageId"),
            (message(json!({ "taskId": 3 })), -32602, "/params/message/taskId"),
            (message(json!({ "parts": [] })), -32602, "/params/message/parts"),
            (message(json!({ "parts": ["x"] })), -32602, "/params/message/parts/0"),
            (message(json!({ "parts": [{ "kind": "text" }] })), -32602, "/params/message/parts/0"),
            (message(json!({ "parts": [{ "kind": "data", "data": [] }] })), -32602, "/params/message/parts/0"),
            (message(json!({ "metadata": { "capability": 3 } })), -32602, "/params/message/metadata/capability"),
        ] {
            let error = read(params.clone()).unwrap_err();
            assert_eq!(error.kind.parts().0, code, "{params}");
            assert_eq!(error.data["details"]["field"], field, "{params}");
        }
    }

    #[test]
    fn content_that_does_not_fit_the_card_is_refused() {
        let file = json!([{ "kind": "file", "file": { "uri": "https://example.com/a", "mimeType": "image/png" } }]);
        assert_eq!(read(message(json!({ "parts": file }))).unwrap_err().kind, RpcErrorKind::ContentType);
        for (modes, fits) in [
            (json!([]), true),
            (json!(["text/plain", "application/json; charset=utf-8"]), true),
            (json!(["*/*"]), true),
            (json!(["application/x-unsupported"]), false),
        ] {
            let mut params = message(json!({}));
            params["configuration"] = json!({ "acceptedOutputModes": modes });
            assert_eq!(read(params).is_ok(), fits, "{modes}");
        }
    }

    #[test]
    fn history_lengths_are_counts() {
        let query = |value: Value| task_query(json!({ "id": "t", "historyLength": value }).as_object().unwrap());
        assert_eq!(query(json!(0)).unwrap(), ("t".to_owned(), Some(0)));
        assert_eq!(query(json!(null)).unwrap().1, None);
        for wrong in [json!(-1), json!(1.5), json!("2")] {
            assert!(query(wrong).is_err());
        }
    }
}
