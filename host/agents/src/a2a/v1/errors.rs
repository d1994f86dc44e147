//! Errors in the format of version 1.0: code, message, and typed details.

use serde_json::{Map, Value, json};
use tollbridge_core::json_pointer::dotted;

use crate::a2a::rpc_error::{RpcError, RpcErrorKind};

/// The domain of the error reasons that the protocol defines.
const DOMAIN: &str = "a2a-protocol.org";
const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";
const BAD_REQUEST: &str = "type.googleapis.com/google.rpc.BadRequest";
/// The type of error details that the protocol does not define.
const STRUCT: &str = "type.googleapis.com/google.protobuf.Struct";

/// Returns an error's JSON-RPC code, its message, and its reason if the protocol defines
/// one.
pub const fn parts(kind: RpcErrorKind) -> (i64, &'static str, Option<&'static str>) {
    match kind {
        RpcErrorKind::TaskNotFound => (-32001, "Task not found", Some("TASK_NOT_FOUND")),
        RpcErrorKind::NoPushConfig => (-32001, "Push notification settings not found", Some("TASK_NOT_FOUND")),
        RpcErrorKind::NotCancelable => (-32002, "Task cannot be canceled", Some("TASK_NOT_CANCELABLE")),
        RpcErrorKind::Unsupported | RpcErrorKind::TaskTakesNoMessage => {
            (-32004, "This operation is not supported", Some("UNSUPPORTED_OPERATION"))
        }
        RpcErrorKind::ContentType => (-32005, "Incompatible content types", Some("CONTENT_TYPE_NOT_SUPPORTED")),
        RpcErrorKind::NoExtendedCard => {
            (-32007, "Extended Agent Card is not configured", Some("EXTENDED_AGENT_CARD_NOT_CONFIGURED"))
        }
        RpcErrorKind::VersionNotSupported => (-32009, "Protocol version not supported", Some("VERSION_NOT_SUPPORTED")),
        RpcErrorKind::Parse
        | RpcErrorKind::InvalidRequest
        | RpcErrorKind::MethodNotFound
        | RpcErrorKind::InvalidParams
        | RpcErrorKind::Internal
        | RpcErrorKind::PaymentRequired => {
            let (code, text) = kind.parts();
            (code, text, None)
        }
    }
}

/// Returns the message of an error.
pub fn message(error: &RpcError) -> String {
    let (_, text, _) = parts(error.kind);
    if error.detail.is_empty() { text.to_owned() } else { format!("{text}: {}", error.detail) }
}

/// Returns the details of an error: the reason that the protocol defines, the invalid
/// member, and this server's own details.
pub fn details(error: &RpcError) -> Vec<Value> {
    let mut details = Vec::new();
    if let (_, _, Some(reason)) = parts(error.kind) {
        // Metadata values must be strings.
        let code = error.data.get("code").filter(|code| code.is_string()).cloned();
        let metadata: Map<String, Value> = code.map(|code| ("code".to_owned(), code)).into_iter().collect();
        details.push(json!({ "@type": ERROR_INFO, "reason": reason, "domain": DOMAIN, "metadata": metadata }));
    }
    let pointer = error.data.get("details").and_then(|details| details.get("field")?.as_str());
    if let Some(pointer) = pointer.filter(|_| error.kind != RpcErrorKind::NoPushConfig) {
        let field = dotted(pointer.strip_prefix("/params").unwrap_or(pointer));
        let violation = json!({ "field": field, "description": error.detail });
        details.push(json!({ "@type": BAD_REQUEST, "fieldViolations": [violation] }));
    }
    if !error.data.is_empty() {
        details.push(json!({ "@type": STRUCT, "value": error.data }));
    }
    details
}

/// Formats the whole JSON-RPC response with an error; `id` is the request's id.
pub fn response(error: &RpcError, id: &Value) -> Value {
    let (code, ..) = parts(error.kind);
    let error = json!({ "code": code, "message": message(error), "data": details(error) });
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_name_reason_member_and_our_own_code() {
        let lost = RpcError::new(RpcErrorKind::TaskNotFound, "no task x").with("code", "E012");
        assert_eq!(
            response(&lost, &json!(1)),
            json!({ "jsonrpc": "2.0", "id": 1, "error": {
                "code": -32001,
                "message": "Task not found: no task x",
                "data": [
                    {
                        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                        "reason": "TASK_NOT_FOUND",
                        "domain": "a2a-protocol.org",
                        "metadata": { "code": "E012" },
                    },
                    { "@type": "type.googleapis.com/google.protobuf.Struct", "value": { "code": "E012" } },
                ],
            }})
        );
        let wrong = details(&RpcError::params("/params/message/parts/0", "a part is an object"));
        assert_eq!(
            wrong[0],
            json!({
                "@type": "type.googleapis.com/google.rpc.BadRequest",
                "fieldViolations": [{ "field": "message.parts[0]", "description": "a part is an object" }],
            })
        );
        assert_eq!(details(&RpcError::new(RpcErrorKind::Parse, "")), Vec::<Value>::new());
    }
}
