//! The body of a call: read once, checked before any money is spoken of.

use bytes::Bytes;
use serde_json::{Map, Value};

use super::resources::is_id;
use super::{Call, Error};
use crate::catalog::Offer;
use crate::limits::JSON_DEPTH_MAX;

/// Members by which a request would set the split; they are the platform's.
const PLATFORM_MEMBERS: [&str; 9] = [
    "developer_pct",
    "platform_pct",
    "treasury_pct",
    "split",
    "earnings_floor_pct",
    "floor_pct",
    "platform_fee_pct",
    "dream_tax",
    "dream_tax_pct",
];

/// A JSON object whose members fit the plugin's schema as far as they go.
pub(super) struct Input {
    value: Value,
    bytes: Bytes,
}

impl Input {
    /// Reads the body of a call; an absent one is an empty object.
    pub(super) fn read(call: &Call, offer: &Offer) -> Result<Self, Error> {
        let bytes = if call.body.is_empty() { Bytes::from_static(b"{}") } else { call.body.clone() };
        if bytes.len() > offer.plugin.limits().input_bytes {
            return Err(invalid("", format!("the body is larger than {} bytes", offer.plugin.limits().input_bytes)));
        }
        let value: Value =
            serde_json::from_slice(&bytes).map_err(|error| invalid("", format!("the body is not JSON: {error}")))?;
        let Value::Object(members) = &value else {
            return Err(invalid("", "the body must be a JSON object".to_owned()));
        };
        if too_deep(&value, JSON_DEPTH_MAX) {
            return Err(invalid("", format!("the body is nested deeper than {JSON_DEPTH_MAX}")));
        }
        if let Some(member) = platform_member(members, offer) {
            return Err(Error::PlatformRules { member });
        }
        if let Err(wrong) = offer.plugin.check_present(&value) {
            return Err(invalid(&wrong.field, wrong.message));
        }
        Ok(Self { value, bytes })
    }

    /// What was quoted although members were missing must be whole to be run.
    pub(super) fn require_complete(&self, offer: &Offer) -> Result<(), Error> {
        offer.plugin.check_complete(&self.value).map_err(|wrong| invalid(&wrong.field, wrong.message))
    }

    /// The id of a stored resource, if `resource_id` is one.
    pub(super) fn stored_resource(&self) -> Option<&str> {
        self.value.get("resource_id").and_then(Value::as_str).filter(|id| is_id(id))
    }

    pub(super) fn for_plugin(&self) -> Bytes {
        self.bytes.clone()
    }
}

/// The member of a body by which it tries to set the split, if it does. For
/// routes that no plugin is behind.
pub fn refuse_platform_rules(body: &Value) -> Result<(), String> {
    let named = |member: &&&str| body.get(**member).is_some();
    PLATFORM_MEMBERS.iter().find(named).map_or(Ok(()), |member| Err((*member).to_owned()))
}

fn platform_member(members: &Map<String, Value>, offer: &Offer) -> Option<String> {
    let declared = |name: &str| offer.plugin.declares(name);
    PLATFORM_MEMBERS.iter().find(|name| members.contains_key(**name) && !declared(name)).map(|name| (*name).to_owned())
}

fn invalid(field: &str, message: String) -> Error {
    Error::Invalid { field: field.to_owned(), message }
}

/// Whether a value is nested deeper than `left` levels. Bounded recursion: it
/// stops at `left`, and serde_json itself refuses more than 128.
fn too_deep(value: &Value, left: usize) -> bool {
    let Some(left) = left.checked_sub(1) else { return true };
    match value {
        Value::Array(items) => items.iter().any(|item| too_deep(item, left)),
        Value::Object(members) => members.values().any(|member| too_deep(member, left)),
        _ => false,
    }
}
