//! Errors of commands: for people, a sentence with further lines; for programs, a JSON object.

use std::fmt;

use serde_json::{Value, json};

/// An error in the API's format: `error`, `code`, `details.field`, `hint`, and the trace if a
/// plugin failed.
#[derive(Debug)]
pub struct ExplainedError {
    /// The error as a sentence for people: `400 E011: …`.
    pub message: String,
    /// Further lines for people, such as a trace.
    pub lines: Vec<String>,
    /// A hint on fixing the error, if there is one.
    pub hint: Option<String>,
    /// The error as a JSON object for programs.
    pub object: Value,
}

impl ExplainedError {
    /// Creates an error from the status and body of an API response.
    pub fn of_api(status: u16, body: &Value) -> Self {
        let text = |name: &str| body.get(name).and_then(Value::as_str);
        // Routes in OpenAI's and Anthropic's formats return an object as `error`.
        let inner = body.get("error").and_then(|error| error.get("message")).and_then(Value::as_str);
        let sentence = text("error").or(inner).unwrap_or("the response gives no reason");
        let message = match text("code") {
            Some(code) => format!("{status} {code}: {sentence}"),
            None => format!("{status}: {sentence}"),
        };
        let mut lines: Vec<String> = body.get("details").map(detail_lines).unwrap_or_default();
        let more = ["charged_gbp", "answer", "retry_after_s"];
        let known = more.iter().filter_map(|name| Some(format!("{name} {}", shown(body.get(*name)?))));
        lines.extend(known);
        Self { message, lines, hint: text("hint").map(str::to_owned), object: body.clone() }
    }

    /// Creates an error that occurred on this machine, in the API's format.
    pub fn here(status: u16, code: &str, sentence: &str) -> Self {
        Self::of_api(status, &json!({ "error": sentence, "code": code }))
    }

    /// Adds the JSON pointer of the invalid member of the input.
    #[must_use]
    pub fn with_field(self, field: &str) -> Self {
        self.with_details(field, None)
    }

    /// Adds the JSON pointer of the invalid member of the input, and the input that an agent
    /// proposes instead.
    #[must_use]
    pub fn with_details(self, field: &str, proposed: Option<&Value>) -> Self {
        let mut details = json!({ "field": field });
        if let (Some(members), Some(proposed)) = (details.as_object_mut(), proposed) {
            members.insert("input".to_owned(), proposed.clone());
        }
        let lines = detail_lines(&details);
        let mut with = self.with("details", details);
        with.lines.extend(lines);
        with
    }

    /// Adds another member to the JSON object for programs.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        if let Some(members) = self.object.as_object_mut() {
            members.insert(name.to_owned(), value.into());
        }
        self
    }

    /// Adds a hint on how to fix the error.
    #[must_use]
    pub fn with_hint(self, hint: &str) -> Self {
        let mut with = self.with("hint", hint);
        with.hint = Some(hint.to_owned());
        with
    }

    /// Adds the trace of a failed plugin.
    #[must_use]
    pub fn with_trace(mut self, trace: Vec<String>) -> Self {
        self = self.with("trace", trace.clone());
        self.lines.extend(trace);
        self
    }

    /// Converts this error to the error of a command.
    pub fn error(self) -> anyhow::Error {
        anyhow::Error::new(self)
    }
}

fn detail_lines(details: &Value) -> Vec<String> {
    let field = details.get("field").and_then(Value::as_str).filter(|field| !field.is_empty());
    let field = field.map(|field| format!("field {field}"));
    field.into_iter().chain(details.get("input").map(|input| format!("proposed input {input}"))).collect()
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl fmt::Display for ExplainedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ExplainedError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: Value, message: &str, lines: &[&str], hint: Option<&str>) {
        let explanation = ExplainedError::of_api(400, &body);
        assert_eq!((explanation.message.as_str(), explanation.hint.as_deref()), (message, hint), "{body}");
        assert_eq!(explanation.lines, lines, "{body}");
        assert_eq!(explanation.object, body);
    }

    #[test]
    fn all_that_the_api_says_is_shown() {
        let body = json!({ "error": "`a` must be a string", "code": "E011", "details": { "field": "/a" } });
        check(body, "400 E011: `a` must be a string", &["field /a"], None);
        let body = json!({ "error": "there is no bridge `x`", "code": "E012", "hint": "did you mean `y`?" });
        check(body, "400 E012: there is no bridge `x`", &[], Some("did you mean `y`?"));
        let body = json!({ "error": "no", "code": "E011", "details": { "field": "" }, "charged_gbp": "0.01" });
        check(body, "400 E011: no", &["charged_gbp 0.01"], None);
        check(json!({ "error": { "message": "no model" } }), "400: no model", &[], None);
        check(json!("nothing"), "400: the response gives no reason", &[], None);
    }

    #[test]
    fn local_findings_have_the_same_format() {
        let explanation = ExplainedError::here(400, "E011", "`a` is missing").with_field("/a").with_hint("give it");
        let object = json!({
            "error": "`a` is missing", "code": "E011", "details": { "field": "/a" }, "hint": "give it",
        });
        assert_eq!((explanation.object, explanation.lines), (object, vec!["field /a".to_owned()]));
        let failed = ExplainedError::here(502, "E017", "it panicked").with_trace(vec!["at f".to_owned()]);
        assert_eq!((&failed.object["trace"][0], failed.lines), (&json!("at f"), vec!["at f".to_owned()]));
    }
}
