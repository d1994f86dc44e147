//! Reads the members of a request body.

use serde_json::{Map, Value};
use tollbridge_core::client_json;
use tollbridge_core::limits::JSON_DEPTH_MAX;

use super::error::GatewayError;
use super::invalid::{invalid, invalid_member};
use super::json_text::is_deeper_than;

/// Parses a body as a JSON object.
pub(crate) fn read_object(body: &[u8]) -> Result<Map<String, Value>, GatewayError> {
    let members: Map<String, Value> =
        client_json::read(body).map_err(|error| invalid("", format!("the body is not a JSON object: {error}")))?;
    if members.values().any(|value| is_deeper_than(value, JSON_DEPTH_MAX)) {
        return Err(invalid("", format!("the body is nested deeper than {JSON_DEPTH_MAX}")));
    }
    Ok(members)
}

/// Reads a member that is true or false; `None` if it is absent or null.
pub(crate) fn read_flag(member: Option<&Value>, name: &str) -> Result<Option<bool>, GatewayError> {
    match member {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(*flag)),
        Some(_) => Err(invalid_member(name, "must be true or false")),
    }
}

/// Reads a member that is a whole number above 0; `None` if it is absent or null.
pub(crate) fn read_count(member: Option<&Value>, name: &str) -> Result<Option<u64>, GatewayError> {
    match member {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64() {
            Some(count) if count > 0 => Ok(Some(count)),
            _ => Err(invalid_member(name, "must be a whole number above 0")),
        },
    }
}
