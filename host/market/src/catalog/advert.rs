//! How an offer is called, as those list it who settle payments of wallets (x402,
//! extension `bazaar`): an example, and the schema that it fits.

use serde_json::{Value, json};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_runtime::plugins::Description;
use tollbridge_x402::{Bazaar, BodyType};

use super::outline::outline;

/// Most bytes of one in the header of a 402, before base64: what is left of 4 KiB,
/// beyond which proxies drop headers.
pub(super) const ADVERT_BYTES_MAX: usize = 1_700;

/// The shortest that still says how a call is made, if it fits a header. Made once
/// for each version that serves.
pub(super) fn advert(kind: PluginKind, described: &Description) -> Option<Bazaar> {
    let example = described.examples.iter().min_by_key(|example| example.input.to_string().len())?;
    let schema = outline(&body_schema(kind, &described.input_schema));
    let input = body(kind, &example.input);
    let with = |output: Option<&Value>| Bazaar::http_body("POST", BodyType::Json, &input, &schema, output);
    [with(Some(&example.output)), with(None)].into_iter().find(|advert| bytes(advert) <= ADVERT_BYTES_MAX)
}

/// All of it, for lists.
pub fn advert_in_full(kind: PluginKind, described: &Description) -> Option<Bazaar> {
    let example = described.examples.first()?;
    let schema = body_schema(kind, &described.input_schema);
    let input = body(kind, &example.input);
    Some(Bazaar::http_body("POST", BodyType::Json, &input, &schema, Some(&example.output)))
}

/// What the body of a call fits: the input of a bridge, or the task of an agent.
pub fn body_schema(kind: PluginKind, input_schema: &Value) -> Value {
    let mut input = input_schema.clone();
    if let Some(members) = input.as_object_mut() {
        members.retain(|name, _| !["$schema", "title"].contains(&name.as_str()));
    }
    match kind {
        PluginKind::Bridge => input,
        PluginKind::Agent => json!({
            "type": "object",
            "properties": { "task": { "type": "string" }, "input": input },
            "anyOf": [{ "required": ["task"] }, { "required": ["input"] }],
        }),
    }
}

fn body(kind: PluginKind, input: &Value) -> Value {
    match kind {
        PluginKind::Bridge => input.clone(),
        PluginKind::Agent => json!({ "input": input }),
    }
}

fn bytes(advert: &Bazaar) -> usize {
    serde_json::to_vec(advert).map_or(usize::MAX, |json| json.len())
}
