//! Asks the client's user for a missing argument of a call, or for the answer to an
//! agent's follow-up question, if the client can show a form. Asks once per call; the
//! model has to correct any further errors.

use rmcp::RoleServer;
use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitationSchema, InputRequest, InputRequests, InputRequiredResult,
    PrimitiveSchemaDefinition,
};
use rmcp::service::RequestContext;
use serde_json::{Map, Value, json};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_web::AppState;

use crate::mcp::asking::elicitation;
use crate::mcp::round::{ANSWER, ARGUMENT, Round};

/// The schema keywords that a form supports.
const IN_FORMS: [&str; 8] = ["type", "title", "description", "minLength", "maxLength", "minimum", "maximum", "enum"];

/// Returns the question for the bridge argument named in a refusal. `None` if the argument is
/// present, no form could represent it, or the client cannot show forms.
pub(crate) fn question(
    app: &AppState,
    (bridge, arguments): (&str, &Value),
    field: &str,
    round: &Round,
    context: &RequestContext<RoleServer>,
) -> Option<InputRequiredResult> {
    let name = field.strip_prefix('/').filter(|name| !name.contains('/'))?;
    let is_given = arguments.get(name).is_some_and(|argument| !argument.is_null());
    if round.is_later || is_given || !shows_forms(context) {
        return None;
    }
    let offer = app.catalog.offer(PluginKind::Bridge, bridge).ok()?;
    let member = offer.plugin.description().input_schema.get("properties")?.get(name)?;
    asked(format!("`{bridge}` needs `{name}`."), name, in_form(member)?, round)
}

/// Returns an agent's question about its task. `None` if it was asked before, or if the client
/// cannot show forms.
pub(crate) fn agent_question(
    words: &str,
    round: &Round,
    context: &RequestContext<RoleServer>,
) -> Option<InputRequiredResult> {
    if round.is_later || !shows_forms(context) {
        return None;
    }
    let answer = json!({ "type": "string", "title": "Answer", "minLength": 1 });
    asked(words.to_owned(), ANSWER, serde_json::from_value(answer).ok()?, round)
}

/// Builds a form with one member.
fn asked(message: String, name: &str, member: PrimitiveSchemaDefinition, round: &Round) -> Option<InputRequiredResult> {
    let form = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema: ElicitationSchema::builder().required_property(name, member).build().ok()?,
    };
    let asked = InputRequest::Elicitation(ElicitRequest::new(form));
    let questions = InputRequests::from([(ARGUMENT.to_owned(), asked)]);
    Some(InputRequiredResult::new(Some(questions), Some(round.next(None))))
}

/// Checks whether the client can show forms; a client that declares neither forms nor
/// links can.
fn shows_forms(context: &RequestContext<RoleServer>) -> bool {
    elicitation(context).is_some_and(|shown| shown.form.is_some() || shown.url.is_none())
}

/// Converts a schema member to a form member; `None` if it holds more than one value.
fn in_form(member: &Value) -> Option<PrimitiveSchemaDefinition> {
    let mut known: Map<String, Value> = member.as_object()?.clone();
    known.retain(|keyword, _| IN_FORMS.contains(&keyword.as_str()));
    if let Some(Value::Array(kinds)) = known.get("type") {
        let [kind] = kinds.iter().filter(|kind| *kind != "null").collect::<Vec<_>>()[..] else { return None };
        let kind = kind.clone();
        known.insert("type".to_owned(), kind);
    }
    if let Some(Value::Array(choices)) = known.get_mut("enum") {
        choices.retain(|choice| !choice.is_null());
        known.entry("type").or_insert_with(|| "string".into());
    }
    serde_json::from_value(known.into()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(member: Value) -> Option<Value> {
        in_form(&member).map(|form| serde_json::to_value(form).unwrap())
    }

    #[test]
    fn one_value_fits_a_form() {
        let text = json!({ "type": ["string", "null"], "description": "d", "maxLength": 9, "pattern": "x" });
        assert_eq!(written(text), Some(json!({ "type": "string", "description": "d", "maxLength": 9 })));
        assert_eq!(
            written(json!({ "type": "integer", "minimum": 0 })),
            Some(json!({ "type": "integer", "minimum": 0 }))
        );
        let choice = json!({ "enum": ["a", "b", null] });
        assert_eq!(written(choice), Some(json!({ "type": "string", "enum": ["a", "b"] })));
        for more in [json!({ "type": "array" }), json!({ "type": ["string", "number"] }), json!({}), json!(true)] {
            assert_eq!(written(more.clone()), None, "{more}");
        }
    }
}
