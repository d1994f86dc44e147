//! The card against the shape of A2A 0.3.0, and warnings about what is allowed but unwise.
//!
//! Members and their kinds are those of `AgentCard` and its parts in the types of a2a-sdk 0.3.26.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// Something wrong or unwise.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Fault {
    /// JSON pointer into the card.
    pub at: String,
    /// In words.
    pub message: String,
}

/// Most faults that are listed.
const FAULTS_MAX: usize = 100;

/// Faults and warnings of one card.
#[derive(Debug, Default)]
pub struct ShapeCheck {
    pub faults: Vec<Fault>,
    pub warnings: Vec<Fault>,
}

/// Member, kind, needed. Kinds: s text, b boolean, o object, t list of texts, l list of objects, q security.
type Member = (&'static str, char, bool);

const CARD: [Member; 17] = [
    ("name", 's', true),
    ("description", 's', true),
    ("url", 's', true),
    ("version", 's', true),
    ("capabilities", 'o', true),
    ("defaultInputModes", 't', true),
    ("defaultOutputModes", 't', true),
    ("skills", 'l', true),
    ("protocolVersion", 's', false),
    ("preferredTransport", 's', false),
    ("additionalInterfaces", 'l', false),
    ("documentationUrl", 's', false),
    ("iconUrl", 's', false),
    ("provider", 'o', false),
    ("security", 'q', false),
    ("securitySchemes", 'o', false),
    ("supportsAuthenticatedExtendedCard", 'b', false),
];
const CAPABILITIES: [Member; 4] = [
    ("extensions", 'l', false),
    ("pushNotifications", 'b', false),
    ("stateTransitionHistory", 'b', false),
    ("streaming", 'b', false),
];
const SKILL: [Member; 8] = [
    ("id", 's', true),
    ("name", 's', true),
    ("description", 's', true),
    ("tags", 't', true),
    ("examples", 't', false),
    ("inputModes", 't', false),
    ("outputModes", 't', false),
    ("security", 'q', false),
];
const INTERFACE: [Member; 2] = [("transport", 's', true), ("url", 's', true)];
const PROVIDER: [Member; 2] = [("organization", 's', true), ("url", 's', true)];
const EXTENSION: [Member; 4] =
    [("uri", 's', true), ("description", 's', false), ("required", 'b', false), ("params", 'o', false)];
const SIGNATURE: [Member; 3] = [("protected", 's', true), ("signature", 's', true), ("header", 'o', false)];

/// Looks at a card.
pub fn check(card: &Map<String, Value>) -> ShapeCheck {
    let mut shape = ShapeCheck::default();
    members(card, "", &CARD, &["signatures"], &mut shape);
    let object = |name: &str| card.get(name).and_then(Value::as_object);
    if let Some(known) = object("capabilities") {
        members(known, "/capabilities", &CAPABILITIES, &[], &mut shape);
        list(known.get("extensions"), "/capabilities/extensions", &EXTENSION, &mut shape);
    }
    if let Some(provider) = object("provider") {
        members(provider, "/provider", &PROVIDER, &[], &mut shape);
    }
    list(card.get("skills"), "/skills", &SKILL, &mut shape);
    list(card.get("additionalInterfaces"), "/additionalInterfaces", &INTERFACE, &mut shape);
    list(card.get("signatures"), "/signatures", &SIGNATURE, &mut shape);
    schemes(card, &mut shape);
    warnings(card, &mut shape);
    shape.faults.truncate(FAULTS_MAX);
    shape.warnings.truncate(FAULTS_MAX);
    shape
}

fn fault(list: &mut Vec<Fault>, at: impl Into<String>, message: impl Into<String>) {
    if list.len() < FAULTS_MAX {
        list.push(Fault {
            at: at.into().chars().take(300).collect(),
            message: message.into().chars().take(300).collect(),
        });
    }
}

fn pointer(base: &str, key: &str) -> String {
    format!("{base}/{}", key.replace('~', "~0").replace('/', "~1"))
}

fn members(object: &Map<String, Value>, base: &str, known: &[Member], others: &[&str], shape: &mut ShapeCheck) {
    for (name, kind, needed) in known {
        match object.get(*name) {
            None if *needed => fault(&mut shape.faults, pointer(base, name), "is missing"),
            Some(value) if (*needed || !value.is_null()) && !is(value, *kind) => {
                let what = match kind {
                    's' => "a text",
                    'b' => "true or false",
                    'o' => "an object",
                    't' => "a list of texts",
                    'l' => "a list of objects",
                    _ => "a list of objects whose members are lists of texts",
                };
                fault(&mut shape.faults, pointer(base, name), format!("must be {what}"));
            }
            _ => {}
        }
    }
    for key in
        object.keys().filter(|key| !known.iter().any(|(name, _, _)| name == key) && !others.contains(&key.as_str()))
    {
        fault(
            &mut shape.warnings,
            pointer(base, key),
            "is no member of A2A 0.3.0; SDKs drop it, so their signature forms do not cover it",
        );
    }
}

fn is(value: &Value, kind: char) -> bool {
    let all = |test: fn(&Value) -> bool| value.as_array().is_some_and(|items| items.iter().all(test));
    match kind {
        's' => value.is_string(),
        'b' => value.is_boolean(),
        'o' => value.is_object(),
        't' => all(Value::is_string),
        'l' => all(Value::is_object),
        _ => all(|item| item.as_object().is_some_and(|members| members.values().all(|scopes| is(scopes, 't')))),
    }
}

fn list(value: Option<&Value>, base: &str, known: &[Member], shape: &mut ShapeCheck) {
    for (place, item) in value.and_then(Value::as_array).into_iter().flatten().enumerate() {
        if let Some(object) = item.as_object() {
            members(object, &format!("{base}/{place}"), known, &[], shape);
        }
    }
}

fn schemes(card: &Map<String, Value>, shape: &mut ShapeCheck) {
    let declared = card.get("securitySchemes").and_then(Value::as_object);
    for (name, scheme) in declared.into_iter().flatten() {
        let at = pointer("/securitySchemes", name);
        let needed: &[&str] = match scheme.get("type").and_then(Value::as_str) {
            Some("apiKey") => &["in", "name"],
            Some("http") => &["scheme"],
            Some("oauth2") => &["flows"],
            Some("openIdConnect") => &["openIdConnectUrl"],
            Some("mutualTLS") => &[],
            _ => {
                fault(
                    &mut shape.faults,
                    pointer(&at, "type"),
                    "must be apiKey, http, oauth2, openIdConnect or mutualTLS",
                );
                continue;
            }
        };
        for member in needed.iter().filter(|member| scheme.get(**member).is_none()) {
            fault(&mut shape.faults, pointer(&at, member), "is missing");
        }
    }
    let requirements =
        card.get("security").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object);
    for name in requirements.flat_map(Map::keys).filter(|name| declared.is_none_or(|known| !known.contains_key(*name)))
    {
        fault(&mut shape.faults, "/security", format!("{name} is not in securitySchemes"));
    }
}

fn warnings(card: &Map<String, Value>, shape: &mut ShapeCheck) {
    let text = |name: &str| card.get(name).and_then(Value::as_str);
    for name in ["url", "documentationUrl", "iconUrl"] {
        if text(name).is_some_and(|url| !url.starts_with("https://")) {
            fault(&mut shape.warnings, pointer("", name), "is not https");
        }
    }
    if text("protocolVersion").is_some_and(|version| !version.starts_with("0.3")) {
        fault(&mut shape.warnings, "/protocolVersion", "is not 0.3; the card was checked against 0.3.0");
    }
    let empty = |name: &str| card.get(name).and_then(Value::as_array).is_some_and(Vec::is_empty);
    for name in ["skills", "defaultInputModes", "defaultOutputModes"].into_iter().filter(|name| empty(name)) {
        fault(&mut shape.warnings, pointer("", name), "is empty");
    }
    let mut ids: Vec<&str> = card
        .get("skills")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|s| s.get("id")?.as_str())
        .collect();
    ids.sort_unstable();
    let same = ids.iter().zip(ids.iter().skip(1)).find(|(a, b)| a == b);
    if let Some((id, _)) = same {
        fault(&mut shape.faults, "/skills", format!("two skills have the id {id}"));
    }
    if card.get("signatures").and_then(Value::as_array).is_none_or(Vec::is_empty) {
        fault(&mut shape.warnings, "/signatures", "the card is not signed");
    }
    if card.get("securitySchemes").is_none() {
        fault(&mut shape.warnings, "/securitySchemes", "no way to authenticate is declared");
    }
}
