//! One line of a batch's input: a request, and its validation.
//!
//! Invariant: the request body is passed on byte for byte.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::endpoint::BatchEndpoint;
use crate::limits::BATCH_ERRORS_MAX;

/// Maximum length of the id that the client gives a line.
const BATCH_CUSTOM_ID_CHARS_MAX: usize = 256;

/// A valid line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BatchLine<'t> {
    /// The client's id for the line.
    pub(super) custom_id: String,
    /// The request body as the client wrote it.
    pub(super) body: &'t str,
}

/// An error in a line, or in the file as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchError {
    /// OpenAI's error code.
    pub code: String,
    /// The problem and its fix.
    pub message: String,
    /// The member of the line that has the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub param: Option<String>,
    /// The number of the line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

impl BatchError {
    pub(super) fn new(code: &str, param: Option<&str>, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), param: param.map(str::to_owned), line: None }
    }

    pub(super) fn at(self, line: u64) -> Self {
        Self { line: Some(line), ..self }
    }
}

#[derive(Deserialize)]
struct WrittenLine<'t> {
    #[serde(default)]
    custom_id: Value,
    #[serde(default)]
    method: Value,
    #[serde(default)]
    url: Value,
    #[serde(borrow, default)]
    body: Option<&'t RawValue>,
}

/// The members of a request body that ask for features not available in batches.
#[derive(Deserialize)]
struct WrittenBody {
    #[serde(default)]
    stream: Value,
}

impl<'t> BatchLine<'t> {
    /// Parses a line of a batch for an endpoint.
    pub(super) fn read(text: &'t [u8], endpoint: BatchEndpoint) -> Result<Self, BatchError> {
        let text = text.trim_ascii();
        // serde would accept an array as a struct's members in order.
        let is_object = text.first() == Some(&b'{');
        let line: WrittenLine<'t> = match serde_json::from_slice(text) {
            Ok(line) if is_object => line,
            Ok(_) => return Err(BatchError::new("invalid_json_line", None, "the line is not a JSON object")),
            Err(error) => {
                let message = format!("the line is not a JSON object with the members of a request: {error}");
                return Err(BatchError::new("invalid_json_line", None, message));
            }
        };
        let custom_id = match line.custom_id {
            Value::String(id) if (1..=BATCH_CUSTOM_ID_CHARS_MAX).contains(&id.chars().count()) => id,
            Value::Null => return Err(missing("custom_id", "a string of your choice that identifies the line")),
            _ => {
                let message = format!("custom_id must be a string of 1 to {BATCH_CUSTOM_ID_CHARS_MAX} characters");
                return Err(BatchError::new("invalid_custom_id", Some("custom_id"), message));
            }
        };
        match &line.method {
            Value::String(method) if method == "POST" => {}
            Value::Null => return Err(missing("method", "POST")),
            _ => return Err(BatchError::new("invalid_method", Some("method"), "method must be POST")),
        }
        match &line.url {
            Value::String(url) if url == endpoint.as_str() => {}
            Value::Null => return Err(missing("url", endpoint.as_str())),
            _ => {
                let message = format!("url must be the endpoint of the batch, {}", endpoint.as_str());
                return Err(BatchError::new("invalid_url", Some("url"), message));
            }
        }
        let Some(body) = line.body else { return Err(missing("body", "the request as a JSON object")) };
        check_body(body.get())?;
        Ok(Self { custom_id, body: body.get() })
    }
}

fn missing(name: &str, what: &str) -> BatchError {
    BatchError::new("missing_required_parameter", Some(name), format!("{name} is required: {what}"))
}

fn check_body(body: &str) -> Result<(), BatchError> {
    let wrong = |message: String| BatchError::new("invalid_request", Some("body"), message);
    if !body.starts_with('{') {
        return Err(wrong("body must be a JSON object".to_owned()));
    }
    let written: WrittenBody = serde_json::from_str(body).map_err(|error| wrong(format!("body: {error}")))?;
    match written.stream {
        Value::Null | Value::Bool(false) => Ok(()),
        _ => {
            let message = "a line of a batch cannot be streamed; leave `stream` out";
            Err(BatchError::new("invalid_request", Some("body.stream"), message))
        }
    }
}

/// Checks the lines of a file one by one.
pub(super) struct LineChecker {
    endpoint: BatchEndpoint,
    /// Line numbers by `custom_id`.
    seen: HashMap<String, u64>,
    /// The number of the first empty line.
    blank: Option<u64>,
    /// The number of the last line with a request.
    last: u64,
    errors: Vec<BatchError>,
}

impl LineChecker {
    pub(super) fn new(endpoint: BatchEndpoint) -> Self {
        Self { endpoint, seen: HashMap::new(), blank: None, last: 0, errors: Vec::new() }
    }

    /// Checks the next line; returns false once the maximum number of errors was found.
    pub(super) fn add(&mut self, number: u64, text: &[u8]) -> bool {
        if text.trim_ascii().is_empty() {
            self.blank.get_or_insert(number);
            return true;
        }
        // An empty line is an error only if a request follows it.
        if let Some(blank) = self.blank.take() {
            self.errors.push(BatchError::new("invalid_json_line", None, "the line is empty").at(blank));
        }
        self.last = number;
        match BatchLine::read(text, self.endpoint) {
            Err(error) => self.errors.push(error.at(number)),
            Ok(line) => {
                if let Some(first) = self.seen.insert(line.custom_id, number) {
                    let message = format!("custom_id is also used in line {first}; give each line its own");
                    self.errors.push(BatchError::new("duplicate_custom_id", Some("custom_id"), message).at(number));
                }
            }
        }
        self.errors.len() < BATCH_ERRORS_MAX
    }

    /// Returns the number of lines, or the errors found.
    pub(super) fn finish(mut self) -> Result<u64, Vec<BatchError>> {
        if self.last == 0 && self.errors.is_empty() {
            self.errors.push(BatchError::new("empty_file", None, "the file has no line with a request"));
        }
        if self.errors.is_empty() { Ok(self.last) } else { Err(self.errors) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str =
        r#"{"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": {"model": "m",  "n": 1.0}}"#;

    fn check(lines: &[&str]) -> Result<u64, Vec<(String, Option<u64>)>> {
        let mut checker = LineChecker::new(BatchEndpoint::ChatCompletions);
        for (number, line) in (1..).zip(lines) {
            if !checker.add(number, line.as_bytes()) {
                break;
            }
        }
        checker.finish().map_err(|errors| errors.into_iter().map(|error| (error.code, error.line)).collect())
    }

    fn code(line: &str) -> String {
        BatchLine::read(line.as_bytes(), BatchEndpoint::ChatCompletions).unwrap_err().code
    }

    #[test]
    fn a_body_is_passed_on_as_it_was_written() {
        let line = BatchLine::read(GOOD.as_bytes(), BatchEndpoint::ChatCompletions).unwrap();
        assert_eq!(line, BatchLine { custom_id: "a".to_owned(), body: r#"{"model": "m",  "n": 1.0}"# });
    }

    #[test]
    fn errors_name_the_problem_of_a_line() {
        let long = format!("\"{}\"", "x".repeat(BATCH_CUSTOM_ID_CHARS_MAX + 1));
        for (line, expect) in [
            ("[]".to_owned(), "invalid_json_line"),
            ("{".to_owned(), "invalid_json_line"),
            (r#"["a","POST","/v1/chat/completions",{}]"#.to_owned(), "invalid_json_line"),
            ("{}".to_owned(), "missing_required_parameter"),
            (GOOD.replace("\"a\"", "7"), "invalid_custom_id"),
            (GOOD.replace("\"a\"", "\"\""), "invalid_custom_id"),
            (GOOD.replace("\"a\"", &long), "invalid_custom_id"),
            (GOOD.replace("POST", "GET"), "invalid_method"),
            (GOOD.replace("/v1/chat/completions", "/v1/embeddings"), "invalid_url"),
            (GOOD.replace(r#"{"model": "m",  "n": 1.0}"#, "[]"), "invalid_request"),
            (GOOD.replace("\"n\": 1.0", "\"stream\": true"), "invalid_request"),
        ] {
            assert_eq!(code(&line), expect, "{line}");
        }
        let unstreamed = GOOD.replace("\"n\": 1.0", "\"stream\": null");
        assert!(BatchLine::read(unstreamed.as_bytes(), BatchEndpoint::ChatCompletions).is_ok());
    }

    #[test]
    fn a_file_is_looked_at_as_a_whole() {
        let other = GOOD.replace("\"a\"", "\"b\"");
        assert_eq!(check(&[GOOD, &other]), Ok(2));
        assert_eq!(check(&[GOOD, "\n", " "]), Ok(1));
        let wrong = |code: &str, line: u64| (code.to_owned(), Some(line));
        assert_eq!(check(&[GOOD, "", &other]), Err(vec![wrong("invalid_json_line", 2)]));
        assert_eq!(check(&[GOOD, &other, GOOD]), Err(vec![wrong("duplicate_custom_id", 3)]));
        assert_eq!(check(&["", ""]), Err(vec![("empty_file".to_owned(), None)]));
        assert_eq!(check(&vec!["x"; BATCH_ERRORS_MAX + 5]).unwrap_err().len(), BATCH_ERRORS_MAX);
    }
}
