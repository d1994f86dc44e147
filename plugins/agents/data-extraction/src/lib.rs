//! An agent that takes fields out of a text, HTML, a table or JSON, each with its place.
//!
//! Only what has a label or a checkable form is taken. E-mail addresses, phone numbers and
//! IBANs come from the bridge `pii_redaction`; HTML is turned into text by
//! `html_extraction`, and `validation` checks the values against a schema.

mod by_model;
mod commands;
mod fill;
mod forms;
mod input;

use std::collections::BTreeMap;

use agent_common::labels::Labels;
use agent_common::{Answer, figures, limits};
pub use input::{Field, Input, Kind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::fill::{Filled, Source};
use crate::forms::{ExtractedValue, Span, Writing};

/// What was taken out.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    pub(crate) summary: String,
    /// Value by field; null where the text has none.
    pub(crate) values: BTreeMap<String, Value>,
    /// Everything found, by place.
    pub(crate) found: Vec<ExtractedValue>,
    /// Fields without a value.
    pub(crate) missing: Vec<String>,
    /// Why a field has no value, or how it was decided without its label.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) notes: BTreeMap<String, String>,
    /// Whether the values fit the schema; null without one.
    pub(crate) fits_schema: Option<bool>,
    /// Where they do not.
    pub(crate) schema_problems: Vec<Problem>,
    /// The text that places refer to; null where it was given as it is.
    pub(crate) text: Option<String>,
    /// What the answer does not cover.
    pub(crate) limitations: Vec<String>,
}

/// A misfit.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// JSON pointer into `values`.
    pub(crate) path: String,
    /// What is wrong.
    pub(crate) message: String,
}

#[derive(Deserialize)]
struct Page {
    main: Main,
}

#[derive(Deserialize)]
struct Main {
    text: String,
}

#[derive(Deserialize)]
struct Personal {
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Verdict {
    valid: bool,
    errors: Vec<Problem>,
}

/// An error, and whether a model could find in prose what is missing.
struct Refused {
    error: Error,
    is_prose: bool,
}

impl<E: Into<Error>> From<E> for Refused {
    fn from(error: E) -> Self {
        Self { error: error.into(), is_prose: false }
    }
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let task = task.trim();
    if let Some(mut input) = input {
        if input.text.is_none() && input.html.is_none() && !task.is_empty() && !task.starts_with('{') {
            input.text = Some(task.to_owned());
        }
        return answer(&input, false).map_err(|refused| refused.error);
    }
    let draft = commands::draft(task);
    let refused = match &draft.question {
        Some(question) => Refused { error: Error::invalid("/task", question.clone()), is_prose: true },
        None => match answer(&draft.form, true) {
            Ok(output) => return Ok(output),
            Err(refused) => refused,
        },
    };
    // Only errors of the input take a proposal.
    let error = refused.error.with_input(&draft.form);
    if refused.is_prose { by_model::answer(task, &draft.form, error) } else { Err(error) }
}

/// Takes the fields. For a task in words (`strict`), a value that cannot be decided is an error.
fn answer(input: &Input, strict: bool) -> Result<Output, Refused> {
    let text = match (&input.html, &input.text) {
        (Some(html), _) => bridges::call::<Answer<Page>>("html_extraction", &json!({ "html": html }))?.result.main.text,
        (None, text) => text.clone().unwrap_or_default(),
    };
    if text.trim().is_empty() {
        let fix = "write the text as the task, or give `text` or `html` with something to read in it";
        return Err(Error::invalid("/text", fix).into());
    }
    let personal: Answer<Personal> = bridges::call("pii_redaction", &json!({ "text": text, "mode": "mask" }))?;
    let (labels, writing) = (Labels::read(&text), Writing::of(&text, input));
    let found = forms::all(&text, &labels, &personal.result.spans, writing);
    let source = Source { text: &text, labels, found, spans: personal.result.spans, writing };
    let mut output = Output::default();
    for field in input.fields.iter().flatten() {
        let is_required = field.required == Some(true);
        let (value, note) = match source.fill(field, !strict) {
            Filled::Value(value, note) => (value, note),
            Filled::Absent(reason) if !is_required => (Value::Null, Some(reason)),
            Filled::Undecided(reason) if !is_required && !strict => (Value::Null, Some(reason)),
            Filled::Doubtful(_, doubt) if strict => return Err(Error::invalid("/fields", doubt).into()),
            Filled::Doubtful(value, doubt) => (value, Some(doubt)),
            Filled::Absent(reason) | Filled::Undecided(reason) => {
                let error = Error::invalid("/fields", format!("`{}`: {reason}", field.name));
                return Err(Refused { error, is_prose: is_required && !reason.contains("several") });
            }
        };
        output.notes.extend(note.map(|note| (field.name.clone(), note)));
        output.values.insert(field.name.clone(), value);
    }
    if input.fields.is_none() {
        output.values = everything(&source);
    }
    output.missing = output.values.iter().filter(|(_, value)| value.is_null()).map(|(name, _)| name.clone()).collect();
    output.summary = summary(source.found.len(), &output);
    if let Some(schema) = &input.schema {
        let call = json!({ "output": output.values, "schema": schema });
        let verdict = bridges::call::<Answer<Verdict>>("validation", &call)?.result;
        let problems = figures::count(verdict.errors.len(), "problem", "problems");
        output.summary += &if verdict.valid {
            "; the schema holds".to_owned()
        } else {
            format!("; the schema does not hold: {problems}")
        };
        output.fits_schema = Some(verdict.valid);
        output.schema_problems = verdict.errors;
    }
    output.summary.push('.');
    output.found = source.found;
    output.text = input.html.is_some().then(|| text.clone());
    let own = "fields are found by labels and forms, not by meaning: a value in a plain sentence without its label is \
        not found";
    output.limitations = limits(&[own], &[&personal.limitations]);
    Ok(output)
}

/// Returns the values of each label, and of each kind; several are a list.
fn everything(source: &Source<'_>) -> BTreeMap<String, Value> {
    let mut values: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut add = |name: &str, value: &Value| {
        let list = values.entry(name.to_lowercase().replace(' ', "_")).or_default();
        if !list.contains(value) {
            list.push(value.clone());
        }
    };
    let clear = source.labels.values.iter().filter(|found| found.unclear.is_none() && found.value != json!(""));
    let labelled: Vec<_> = clear.map(|found| (found.label.as_str(), &found.value)).collect();
    labelled.iter().for_each(|(name, value)| add(name, value));
    let taken = |kind: &str| labelled.iter().any(|(name, _)| name.eq_ignore_ascii_case(kind));
    let forms = source.found.iter().filter(|found| found.label.is_none() && !taken(&found.kind));
    forms.for_each(|found| add(&found.kind, &found.value));
    let value = |list: Vec<Value>| match <[Value; 1]>::try_from(list) {
        Ok([one]) => one,
        Err(list) => Value::Array(list),
    };
    values.into_iter().map(|(name, list)| (name, value(list))).collect()
}

fn summary(found: usize, output: &Output) -> String {
    let full = figures::count(output.values.len() - output.missing.len(), "field", "fields");
    let found = figures::count(found, "value", "values");
    let missing = output.missing.join(", ");
    let absent = if missing.is_empty() { String::new() } else { format!("; not in the text: {missing}") };
    format!("{found} found, {full} filled{absent}")
}

agent! { run: run, examples: ["../cases/invoice.json"] }
tollbridge_sdk::test_cases!(agent run);

#[cfg(test)]
mod tests;
