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
mod output;

use std::collections::BTreeMap;

use agent_common::labels::Labels;
use agent_common::{Answer, figures, limits};
pub use input::{Field, Input, Kind};
pub use output::{Output, Problem};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::fill::{Filled, Source};
use crate::forms::{Span, Writing};

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

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let task = task.trim();
    if let Some(input) = input {
        let typed = input.text.is_some() || input.html.is_some();
        let text = Some(task.to_owned()).filter(|task| !typed && !task.is_empty() && !task.starts_with('{'));
        return answer(&Input { text: input.text.clone().or(text), ..input }, false).map_err(|(error, _)| error);
    }
    let draft = commands::draft(task);
    let (refusal, prose) = match &draft.question {
        Some(question) => (Error::invalid("/task", question.clone()), true),
        None => match answer(&draft.form, true) {
            Ok(output) => return Ok(output),
            Err(refused) => refused,
        },
    };
    let refusal = match refusal {
        Error::InvalidInput { .. } => refusal.with_input(&draft.form),
        other => return Err(other),
    };
    if prose { by_model::answer(task, &draft.form, refusal) } else { Err(refusal) }
}

/// An error, and whether a model could find in prose what is missing.
type Refused = (Error, bool);

/// Takes the fields. For a task in words (`strict`), a value that cannot be decided is an error.
fn answer(input: &Input, strict: bool) -> Result<Output, Refused> {
    let refused = |error: Error| (error, false);
    let text = match (&input.html, &input.text) {
        (Some(html), _) => {
            let page = bridges::call::<Answer<Page>>("html_extraction", &json!({ "html": html }));
            page.map_err(|error| refused(error.into()))?.result.main.text
        }
        (None, text) => text.clone().unwrap_or_default(),
    };
    if text.trim().is_empty() {
        let fix = "write the text as the task, or give `text` or `html` with something to read in it";
        return Err(refused(Error::invalid("/text", fix)));
    }
    let personal = bridges::call::<Answer<Personal>>("pii_redaction", &json!({ "text": text, "mode": "mask" }));
    let personal = personal.map_err(|error| refused(error.into()))?;
    let (labels, writing) = (Labels::read(&text), Writing::of(&text, input));
    let found = forms::all(&text, &labels, &personal.result.spans, writing);
    let source = Source { text: &text, labels, found, writing };
    let mut output = Output::default();
    for field in input.fields.iter().flatten() {
        if field.everywhere == Some(true) {
            if let Some(doubt) = forms::doubt(&text, field.kind, &personal.result.spans, writing) {
                if strict {
                    return Err(refused(Error::invalid("/fields", doubt)));
                }
                output.notes.insert(field.name.clone(), doubt);
            }
            let all =
                source.found.iter().filter(|value| value.kind == field.kind.name()).map(|value| value.value.clone());
            output.values.insert(field.name.clone(), Value::Array(all.collect()));
            continue;
        }
        let (value, note) = match source.fill(field, !strict) {
            Filled::Value(value, note) => (value, note),
            Filled::Absent(reason) | Filled::Undecided(reason) if field.required == Some(true) => {
                return Err((
                    Error::invalid("/fields", format!("`{}`: {reason}", field.name)),
                    !reason.contains("several"),
                ));
            }
            Filled::Undecided(reason) if strict => {
                return Err(refused(Error::invalid("/fields", format!("`{}`: {reason}", field.name))));
            }
            Filled::Absent(reason) | Filled::Undecided(reason) => (Value::Null, Some(reason)),
        };
        output.notes.extend(note.map(|note| (field.name.clone(), note)));
        output.values.insert(field.name.clone(), value);
    }
    if input.fields.is_none() {
        output.values = everything(&source);
    }
    output.missing = output.values.iter().filter(|(_, value)| value.is_null()).map(|(name, _)| name.clone()).collect();
    let verdict = input.schema.as_ref().map(|schema| verdict(&output.values, schema)).transpose().map_err(refused)?;
    output.summary = summary(&source, &output, verdict.as_ref());
    output.fits_schema = verdict.as_ref().map(|verdict| verdict.valid);
    output.schema_problems = verdict.map(|verdict| verdict.errors).unwrap_or_default();
    output.found = source.found;
    output.text = input.html.is_some().then(|| text.clone());
    output.limitations = limits(
        &[
            "fields are found by labels and forms, not by meaning: a value in a plain sentence without its label is not found",
        ],
        &[&personal.limitations],
    );
    Ok(output)
}

fn verdict(values: &BTreeMap<String, Value>, schema: &Map<String, Value>) -> Result<Verdict, Error> {
    Ok(bridges::call::<Answer<Verdict>>("validation", &json!({ "output": values, "schema": schema }))?.result)
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

fn summary(source: &Source<'_>, output: &Output, verdict: Option<&Verdict>) -> String {
    let full = output.values.len() - output.missing.len();
    let found = figures::count(source.found.len(), "value", "values");
    let mut text = format!("{found} found, {} filled", figures::count(full, "field", "fields"));
    if !output.missing.is_empty() {
        text.push_str(&format!("; not in the text: {}", output.missing.join(", ")));
    }
    if let Some(verdict) = verdict {
        let count = figures::count(verdict.errors.len(), "problem", "problems");
        text.push_str(&if verdict.valid {
            "; the schema holds".to_owned()
        } else {
            format!("; the schema does not hold: {count}")
        });
    }
    text.push('.');
    text
}

agent! { run: run, examples: ["../cases/invoice.json"] }
tollbridge_sdk::test_cases!(agent run);

#[cfg(test)]
mod tests;
