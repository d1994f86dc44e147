//! Explains violations of schemas that require one of several members (`anyOf` or `oneOf` over
//! lists of `required`).

use serde_json::Value;

use super::parts::escaped;

/// Returns the JSON pointer and the message for a value that fits none of the alternatives, or too
/// many. Returns `None` unless every alternative is a list of required members.
pub(crate) fn explain(schema: &Value, keyword: &str, value: &Value) -> Option<(String, String)> {
    let alternatives = schema.get(keyword)?.as_array()?;
    let groups: Vec<Vec<&str>> = alternatives.iter().map(members).collect::<Option<_>>()?;
    let is_given = |name: &&&str| value.get(**name).is_some_and(|member| !member.is_null());
    let given = groups.iter().flatten().rfind(is_given);
    let blamed = given.or_else(|| groups.iter().flatten().next())?;
    let names: Vec<String> = groups.iter().map(|group| in_words(group)).collect();
    let how_many = if keyword == "oneOf" { "exactly one of" } else { "at least one of" };
    Some((format!("/{}", escaped(blamed)), format!("give {how_many}: {}", names.join(", "))))
}

fn members(alternative: &Value) -> Option<Vec<&str>> {
    alternative.get("required")?.as_array()?.iter().map(Value::as_str).collect()
}

fn in_words(group: &[&str]) -> String {
    let names: Vec<String> = group.iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "none of them".to_owned() } else { names.join(" with ") }
}
