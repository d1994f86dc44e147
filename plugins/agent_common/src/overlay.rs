//! Typed members beside a task in words.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Returns the form with the members that the caller typed; these replace the ones that
/// were read from words. Members that are not given must be skipped when serialized.
pub fn overlay<F: Serialize + DeserializeOwned>(form: F, typed: &F) -> F {
    let (Ok(Value::Object(mut members)), Ok(Value::Object(typed))) =
        (serde_json::to_value(&form), serde_json::to_value(typed))
    else {
        return form;
    };
    members.extend(typed);
    serde_json::from_value(Value::Object(members)).unwrap_or(form)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Form {
        #[serde(skip_serializing_if = "Option::is_none")]
        horizon: Option<u32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        period: Option<u32>,
    }

    #[test]
    fn typed_members_replace_those_of_the_words() {
        let words = Form { horizon: Some(3), period: Some(12) };
        let typed = Form { horizon: Some(5), period: None };
        assert_eq!(overlay(words, &typed), Form { horizon: Some(5), period: Some(12) });
    }
}
