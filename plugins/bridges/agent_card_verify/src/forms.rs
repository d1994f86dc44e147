//! The three texts that signers of A2A cards sign.
//!
//! Invariant: the card's `signatures` are in none of them.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::jcs;

/// A canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// RFC 8785 over the published card.
    Jcs,
    /// a2a-sdk 0.3 for Python: members equal to defaults and empty ones left out, not ASCII escaped.
    Sdk03,
    /// a2a-sdk 1.x for Python: the card as version 1 of the protocol has it, empty members left out, RFC 8785.
    Sdk1,
}

/// The payloads of a card, one for each form.
pub fn payloads(card: &Map<String, Value>) -> [(Form, String); 3] {
    let mut bare = card.clone();
    bare.remove("signatures");
    let text = |value: &Value, python: bool| {
        let mut out = String::new();
        jcs::write(value, python, &mut out);
        out
    };
    let old = cleaned(&Value::Object(sdk03(bare.clone()))).unwrap_or(Value::Null);
    let new = cleaned(&Value::Object(sdk1(bare.clone()))).unwrap_or(Value::Null);
    [(Form::Jcs, text(&Value::Object(bare), false)), (Form::Sdk03, text(&old, true)), (Form::Sdk1, text(&new, false))]
}

/// Without null, empty texts, lists and objects, all the way down.
fn cleaned(value: &Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::String(text) if text.is_empty() => None,
        Value::Array(items) => {
            Some(items.iter().filter_map(cleaned).collect::<Vec<_>>()).filter(|l| !l.is_empty()).map(Value::Array)
        }
        Value::Object(members) => {
            let cleaned_members = members.iter().filter_map(|(key, value)| Some((key.clone(), cleaned(value)?)));
            Some(cleaned_members.collect::<Map<_, _>>()).filter(|m| !m.is_empty()).map(Value::Object)
        }
        other => Some(other.clone()),
    }
}

const CARD03: &str = "additionalInterfaces capabilities defaultInputModes defaultOutputModes description documentationUrl iconUrl name preferredTransport protocolVersion provider security securitySchemes skills supportsAuthenticatedExtendedCard url version";
const CARD1: &str = "capabilities defaultInputModes defaultOutputModes description documentationUrl iconUrl name provider securityRequirements securitySchemes skills supportedInterfaces version";

fn keep(members: &mut Map<String, Value>, names: &str) {
    members.retain(|key, _| names.split(' ').any(|name| name == key));
}

fn each(list: Option<&mut Value>, mut change: impl FnMut(&mut Map<String, Value>)) {
    list.and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut).for_each(&mut change);
}

/// Members that the models know, without those equal to their default.
fn sdk03(mut card: Map<String, Value>) -> Map<String, Value> {
    keep(&mut card, CARD03);
    for (name, default) in [("protocolVersion", "0.3.0"), ("preferredTransport", "JSONRPC")] {
        if card.get(name).and_then(Value::as_str) == Some(default) {
            card.remove(name);
        }
    }
    parts(&mut card, "extensions pushNotifications stateTransitionHistory streaming", "security");
    let schemes = card.get_mut("securitySchemes").and_then(Value::as_object_mut);
    for scheme in schemes.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut) {
        scheme.remove("type");
    }
    card
}

fn parts(card: &mut Map<String, Value>, capabilities: &str, security: &str) {
    if let Some(known) = card.get_mut("capabilities").and_then(Value::as_object_mut) {
        keep(known, capabilities);
        each(known.get_mut("extensions"), |extension| keep(extension, "description params required uri"));
    }
    if let Some(provider) = card.get_mut("provider").and_then(Value::as_object_mut) {
        keep(provider, "organization url");
    }
    each(card.get_mut("additionalInterfaces"), |interface| keep(interface, "transport url"));
    let skill = format!("description examples id inputModes name outputModes tags {security}");
    each(card.get_mut("skills"), |members| keep(members, &skill));
}

/// The card as the 1.x SDK reads a card of 0.3.
fn sdk1(mut card: Map<String, Value>) -> Map<String, Value> {
    let truthy = |value: Option<Value>| value.is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)));
    if truthy(card.remove("supportsAuthenticatedExtendedCard"))
        && let Some(known) = card.entry("capabilities").or_insert_with(|| json!({})).as_object_mut()
    {
        known.entry("extendedAgentCard").or_insert(Value::Bool(true));
    }
    interfaces(&mut card);
    if let Some(security) = card.remove("security").filter(|value| !value.is_null()) {
        card.entry("securityRequirements").or_insert_with(|| requirements(&security));
    }
    each(card.get_mut("skills"), |skill| {
        if let Some(security) = skill.remove("security").filter(|value| !value.is_null()) {
            skill.entry("securityRequirements").or_insert_with(|| requirements(&security));
        }
    });
    let schemes = card.get_mut("securitySchemes").and_then(Value::as_object_mut);
    for scheme in schemes.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut) {
        wrap(scheme);
    }
    keep(&mut card, CARD1);
    parts(&mut card, "extendedAgentCard extensions pushNotifications streaming", "securityRequirements");
    if let Some(known) = card.get_mut("capabilities").and_then(Value::as_object_mut) {
        // A flag without presence in the protocol buffer: false is as good as absent.
        each(known.get_mut("extensions"), |extension| {
            if extension.get("required") == Some(&Value::Bool(false)) {
                extension.remove("required");
            }
        });
    }
    card
}

fn interfaces(card: &mut Map<String, Value>) {
    let url = card.remove("url").filter(|url| url.as_str().is_some_and(|url| !url.is_empty()));
    let transport = card.remove("preferredTransport").unwrap_or_else(|| json!("JSONRPC"));
    let version = card.remove("protocolVersion").unwrap_or_else(|| json!("0.3.0"));
    let others = card.remove("additionalInterfaces");
    if card.contains_key("supportedInterfaces") {
        return;
    }
    let Some(url) = url else { return };
    let mut list = vec![json!({"url": url, "protocolBinding": transport, "protocolVersion": version})];
    for other in others.as_ref().and_then(Value::as_array).into_iter().flatten() {
        list.push(
            json!({"url": other.get("url"), "protocolBinding": other.get("transport"), "protocolVersion": version}),
        );
    }
    card.insert("supportedInterfaces".to_owned(), Value::Array(list));
}

fn requirements(security: &Value) -> Value {
    let one = |entry: &Value| {
        let schemes = entry.as_object().into_iter().flatten();
        let schemes: Map<String, Value> =
            schemes.map(|(name, scopes)| (name.clone(), json!({"list": scopes}))).collect();
        json!({"schemes": schemes})
    };
    Value::Array(security.as_array().into_iter().flatten().map(one).collect())
}

fn wrap(scheme: &mut Map<String, Value>) {
    let name = match scheme.remove("type").as_ref().and_then(Value::as_str) {
        Some("apiKey") => "apiKeySecurityScheme",
        Some("http") => "httpAuthSecurityScheme",
        Some("oauth2") => "oauth2SecurityScheme",
        Some("openIdConnect") => "openIdConnectSecurityScheme",
        Some("mutualTLS") => "mtlsSecurityScheme",
        _ => return,
    };
    if name == "apiKeySecurityScheme"
        && let Some(place) = scheme.remove("in")
    {
        scheme.insert("location".to_owned(), place);
    }
    let inner = std::mem::take(scheme);
    scheme.insert(name.to_owned(), Value::Object(inner));
}
