//! The input of a call: parsed once, and checked before the call is quoted.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Map, Value};
use tollbridge_core::client_json;
use tollbridge_core::limits::JSON_DEPTH_MAX;
use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_plugin::{CheckError, Failure, Invalid, PluginCall, PluginInput};
use tollbridge_store::Hash;

use super::call::Call;
use super::error::CheckoutError;
use super::task::Task;
use crate::catalog::Offer;
use crate::resources::is_id;

/// Member names that a request might use to set the split of the price, which only the
/// platform may set.
const PLATFORM_MEMBERS: [&str; 12] = [
    "developer_pct",
    "platform_pct",
    "treasury_pct",
    "split",
    "earnings_floor_pct",
    "floor_pct",
    "platform_fee_pct",
    "dream_tax",
    "dream_tax_pct",
    "dream_tax_pence",
    "dt_pence",
    "treasury_contribution",
];

/// Prefix of a `resource_id` that refers to one of the bridge's own examples.
const EXAMPLE_PREFIX: &str = "example:";

/// The input for a plugin: a JSON object whose members match the plugin's schema, though
/// required ones may be missing. For an agent it includes the task, and the object is
/// optional.
pub(crate) struct Input {
    task: Option<Task>,
    value: Option<Arc<Value>>,
    bytes: Option<Bytes>,
    /// The error for the first required top-level member that is missing.
    missing: Option<Invalid>,
}

impl Input {
    /// Reads the input from the body of a call.
    pub(super) async fn read(call: &Call, offer: &Offer) -> Result<Self, CheckoutError> {
        Self::of_body(&call.body, offer).await
    }

    /// Reads the input from a body; an absent body counts as an empty object.
    pub(crate) async fn of_body(body: &Bytes, offer: &Offer) -> Result<Self, CheckoutError> {
        let bytes = if body.is_empty() { Bytes::from_static(b"{}") } else { body.clone() };
        check_size(&bytes, offer)?;
        let bytes = whole_numbers(bytes);
        let value: Value =
            serde_json::from_slice(&bytes).map_err(|error| invalid("", format!("the body is not JSON: {error}")))?;
        let Value::Object(members) = &value else {
            return Err(invalid("", "the body must be a JSON object".to_owned()));
        };
        if offer.kind == PluginKind::Bridge {
            return match public_example(members, offer)? {
                Some(example) => Self::of_bridge(example.clone(), example.to_string().into(), offer).await,
                None => Self::of_bridge(value, bytes, offer).await,
            };
        }
        refuse_platform_rules(members, &[])?;
        Self::of_task(Task::read(members)?, offer).await
    }

    /// Reads the input of a nested call, which must be complete.
    pub(crate) async fn of_plugin_call(call: &PluginCall, offer: &Offer) -> Result<Self, CheckoutError> {
        let bytes = call.input.clone();
        bytes.iter().try_for_each(|bytes| check_size(bytes, offer))?;
        let bytes = bytes.map(whole_numbers);
        let value = match &bytes {
            Some(bytes) => Some(
                serde_json::from_slice::<Value>(bytes)
                    .map_err(|error| invalid("", format!("the input is not JSON: {error}")))?,
            ),
            None => None,
        };
        if value.as_ref().is_some_and(|value| !value.is_object()) {
            return Err(invalid("", "the input must be a JSON object".to_owned()));
        }
        let input = match offer.kind {
            PluginKind::Agent => {
                Self::of_task(Task::new(call.task.clone().unwrap_or_default(), value, None), offer).await?
            }
            PluginKind::Bridge => {
                let missing = || invalid("", "a bridge needs an input".to_owned());
                Self::of_bridge(value.ok_or_else(missing)?, bytes.unwrap_or_default(), offer).await?
            }
        };
        input.require_complete()?;
        Ok(input)
    }

    async fn of_bridge(value: Value, bytes: Bytes, offer: &Offer) -> Result<Self, CheckoutError> {
        let value = Arc::new(value);
        let missing = check(&value, bytes.len(), offer).await?;
        Ok(Self { task: None, value: Some(value), bytes: Some(bytes), missing })
    }

    async fn of_task(task: Task, offer: &Offer) -> Result<Self, CheckoutError> {
        let Some(value) = task.input.clone().map(Arc::new) else {
            return Ok(Self { task: Some(task), value: None, bytes: None, missing: None });
        };
        let bytes: Bytes = serde_json::to_vec(&*value).map_err(|error| invalid("/input", error.to_string()))?.into();
        check_size(&bytes, offer)?;
        let missing = check(&value, bytes.len(), offer).await?;
        Ok(Self { task: Some(task), value: Some(value), bytes: Some(bytes), missing })
    }

    /// Refuses an input with missing members; such an input may be quoted, but not run.
    pub(crate) fn require_complete(&self) -> Result<(), CheckoutError> {
        self.missing.clone().map_or(Ok(()), |missing| Err(invalid(&missing.field, missing.message)))
    }

    /// Returns the missing part of the input. If a bridge gets an empty object, the whole
    /// input counts as missing, even if the bridge's schema allows that.
    pub(super) fn lacks(&self) -> Option<Invalid> {
        let is_empty = |value: &Arc<Value>| value.as_object().is_some_and(Map::is_empty);
        let everything = || Invalid { field: String::new(), message: "the input is empty".to_owned() };
        let empty = self.task.is_none() && self.value.as_ref().is_some_and(is_empty);
        self.missing.clone().or_else(|| empty.then(everything))
    }

    /// Returns the maximum price that the caller states in an agent's task.
    pub(super) fn max_cost(&self) -> Option<Millipence> {
        self.task.as_ref()?.max_cost
    }

    /// Returns the input as JSON.
    pub(crate) fn value(&self) -> Option<&Value> {
        self.value.as_deref()
    }

    /// Returns the member `resource_id` if it refers to a stored resource.
    pub(super) fn stored_resource(&self) -> Option<&str> {
        self.value.as_ref()?.get("resource_id").and_then(Value::as_str).filter(|id| is_id(id))
    }

    /// Returns the digest of an agent's task and input; `None` for the input of a bridge.
    pub(super) fn task_sha256(&self) -> Option<Result<Hash, CheckoutError>> {
        self.task.as_ref().map(Task::sha256)
    }

    /// Returns a request body that parses to this input, without members that concern
    /// only the caller's payment. `None` if the input refers to a stored resource: the
    /// input then contains only the resource's id, and the resource belongs to the
    /// account that stored it.
    pub(super) fn body_to_keep(&self) -> Option<Bytes> {
        if self.stored_resource().is_some() {
            return None;
        }
        match &self.task {
            None => self.bytes.clone(),
            Some(task) => serde_json::to_vec(&task.members()).ok().map(Bytes::from),
        }
    }

    pub(crate) fn for_plugin(&self) -> PluginInput {
        match &self.task {
            Some(task) => PluginInput::Agent { task: task.text.clone(), input: self.bytes.clone() },
            None => PluginInput::Bridge(self.bytes.clone().unwrap_or_default()),
        }
    }
}

/// Returns the input of one of the bridge's published examples, if `resource_id` is the
/// only member and refers to one: `example:1` is the first. With this, anyone can try a
/// bridge without an account.
fn public_example<'o>(members: &Map<String, Value>, offer: &'o Offer) -> Result<Option<&'o Value>, CheckoutError> {
    let named = members.get("resource_id").filter(|_| members.len() == 1).and_then(Value::as_str);
    let Some(number) = named.and_then(|id| id.strip_prefix(EXAMPLE_PREFIX)) else { return Ok(None) };
    let examples = &offer.plugin.description().examples;
    let place = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    match place.and_then(|place| examples.get(place)) {
        Some(example) => Ok(Some(&example.input)),
        None => {
            let message =
                format!("there is no such example; {EXAMPLE_PREFIX}1 to {EXAMPLE_PREFIX}{} exist", examples.len());
            Err(invalid("/resource_id", message))
        }
    }
}

/// Replaces numbers such as `1.0` by `1`: a schema accepts both as integers, but a plugin
/// that parses an integer accepts only `1`.
fn whole_numbers(bytes: Bytes) -> Bytes {
    match client_json::with_whole_numbers(&bytes) {
        Cow::Borrowed(_) => bytes,
        Cow::Owned(written) => written.into(),
    }
}

/// Refuses a body above the plugin's input limit, which keeps the check against its schema
/// cheap.
fn check_size(bytes: &Bytes, offer: &Offer) -> Result<(), CheckoutError> {
    let max = offer.plugin.limits().input_bytes;
    if bytes.len() > max { Err(invalid("", format!("the body is larger than {max} bytes"))) } else { Ok(()) }
}

/// Checks the depth, members that only the platform may set, and the plugin's schema;
/// returns the part of the input that is missing.
async fn check(value: &Arc<Value>, bytes: usize, offer: &Offer) -> Result<Option<Invalid>, CheckoutError> {
    if too_deep(value, JSON_DEPTH_MAX) {
        return Err(invalid("", format!("the body is nested deeper than {JSON_DEPTH_MAX}")));
    }
    if let Some(member) = value.as_object().and_then(|members| platform_member(members, offer)) {
        return Err(CheckoutError::PlatformRules { member });
    }
    offer.plugin.check_input(value, bytes).await.map_err(|error| match error {
        CheckError::Invalid(wrong) => invalid(&wrong.field, wrong.message),
        CheckError::Busy => CheckoutError::Plugin(Failure::Overloaded { retry_after_s: 1 }),
    })
}

/// Refuses members that only the platform may set, and those listed in `more`. For
/// requests that no plugin's schema covers.
///
/// # Errors
/// `PlatformRules`, with the first such member.
pub fn refuse_platform_rules(members: &Map<String, Value>, more: &[&str]) -> Result<(), CheckoutError> {
    let platform_member = PLATFORM_MEMBERS.iter().chain(more).find(|name| members.contains_key(**name));
    platform_member.map_or(Ok(()), |member| Err(CheckoutError::PlatformRules { member: (*member).to_owned() }))
}

fn platform_member(members: &Map<String, Value>, offer: &Offer) -> Option<String> {
    let declared = |name: &str| offer.plugin.declares(name);
    PLATFORM_MEMBERS.iter().find(|name| members.contains_key(**name) && !declared(name)).map(|name| (*name).to_owned())
}

fn invalid(field: &str, message: String) -> CheckoutError {
    CheckoutError::Invalid { field: field.to_owned(), message }
}

/// Returns whether a value is nested deeper than `left` levels. Recursion depth is
/// bounded: it stops at `left`, and serde_json rejects values nested deeper than 128.
fn too_deep(value: &Value, left: usize) -> bool {
    let Some(left) = left.checked_sub(1) else { return true };
    match value {
        Value::Array(items) => items.iter().any(|item| too_deep(item, left)),
        Value::Object(members) => members.values().any(|member| too_deep(member, left)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_reads_whole_numbers_where_its_schema_sees_them() {
        let (same, fractions) = (Bytes::from_static(b"{\"a\":1,\"b\":1.5}"), Bytes::from_static(b"{\"a\":1.0}"));
        assert_eq!(whole_numbers(same.clone()).as_ptr(), same.as_ptr(), "copied unnecessarily");
        assert_eq!(whole_numbers(fractions), "{\"a\":1}");
    }
}
