//! An agent that takes fields out of text or HTML, each with its place.
//!
//! Labelled lines, amounts, dates and addresses of the web are found here,
//! e-mail addresses, phones, IBANs and other personal data by the bridge
//! `pii_redaction`; HTML is turned into text by `html_extraction`, and
//! `validation` holds the result against a schema. What is not there is null,
//! never guessed.

mod asked;
mod asked_words;
mod between;
mod by_model;
mod direct;
mod divide;
mod field_name;
mod fill;
mod find;
mod html;
mod ingredients;
mod input;
mod labels;
mod material;
mod outcome;
mod output;
mod pairs;
mod party;
mod place;
mod posting;
mod record_fields;
mod scope;
mod sort;
mod spots;
mod table_fields;
mod task;
mod unmet;
mod wanted;

use std::collections::BTreeMap;

use agent_common::{Answer, figures, limits, words};
pub use input::{Field, Input, Kind};
pub use output::{Output, Problem};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::find::ExtractedValue;

const VERBS: [&str; 6] = ["extract", "find", "get", "take", "pull", "list"];

/// Text and fields are given as members: nothing is read out of a request.
const TYPED: f64 = 0.9;

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
struct Span {
    #[serde(rename = "type")]
    kind: String,
    start_char: usize,
    end_char: usize,
}

#[derive(Deserialize)]
struct Verdict {
    valid: bool,
    errors: Vec<Problem>,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let said = words::of(task, input.as_ref());
    let (_, body) = words::request(said, &VERBS);
    let input = input.unwrap_or_default();
    let worded = input.text.is_none() && input.html.is_none() && input.fields.is_none();
    let outcome = if worded && !said.trim().is_empty() { task::answer(said) } else { Ok(None) };
    let outcome = match outcome {
        Err(refusal) if input.schema.is_none() => return by_model::answer(said, refusal),
        outcome => outcome?,
    };
    if let Some(outcome) = outcome {
        let verdict =
            input.schema.map(|schema| verdict(&outcome.values.iter().cloned().collect(), schema)).transpose()?;
        return Ok(of_words(outcome, verdict));
    }
    let is_html = input.text.is_none() && body.trim_start().starts_with('<') && body.contains("</");
    let html = input.html.or_else(|| is_html.then(|| body.to_owned()));
    let text = match &html {
        Some(html) => bridges::call::<Answer<Page>>("html_extraction", &json!({ "html": html }))?.result.main.text,
        None => input.text.unwrap_or_else(|| body.to_owned()),
    };
    if text.trim().is_empty() {
        return Err(Error::invalid(
            "/text",
            "write the text as the task, or give `text` or `html` with something to read in it",
        ));
    }
    let personal: Answer<Personal> = bridges::call("pii_redaction", &json!({ "text": text, "mode": "mask" }))?;
    let mut values_found: Vec<ExtractedValue> =
        personal.result.spans.iter().filter_map(|span| personal_data(&text, span)).collect();
    values_found.extend(find::all(&text));
    values_found.sort_by_key(|value| value.start);
    let values = input.fields.map_or_else(|| everything(&values_found), |fields| fill(&fields, &values_found));
    let missing: Vec<String> =
        values.iter().filter(|(_, value)| value.is_null()).map(|(name, _)| name.clone()).collect();
    let verdict = input.schema.map(|schema| verdict(&values, schema)).transpose()?;
    Ok(Output {
        summary: summary(&values_found, &values, &missing, verdict.as_ref()),
        confidence: if worded { outcome::WORDED } else { TYPED },
        found: values_found,
        missing,
        fits_schema: verdict.as_ref().map(|verdict| verdict.valid),
        schema_problems: verdict.map(|verdict| verdict.errors).unwrap_or_default(),
        values,
        text: html.is_some().then_some(text),
        limitations: limits(
            &[
                "fields are found by labels and forms, not by meaning: a value in a plain sentence without its label stays null",
                "dates of the form 3/4/2026 are read as day, month, year",
            ],
            &[&personal.limitations],
        ),
    })
}

fn verdict(values: &BTreeMap<String, Value>, schema: Map<String, Value>) -> Result<Verdict, Error> {
    let asked = json!({ "output": values, "schema": schema });
    Ok(bridges::call::<Answer<Verdict>>("validation", &asked)?.result)
}

/// Answers a task that names its fields in words, without a bridge; none where it names no fields.
pub fn answer(task: &str) -> Result<Option<Output>, Error> {
    Ok(task::answer(task)?.map(|outcome| of_words(outcome, None)))
}

fn of_words(outcome: outcome::Outcome, verdict: Option<Verdict>) -> Output {
    let mut from = BTreeMap::<String, usize>::new();
    let found = outcome.raws.iter().filter_map(|(name, kind, raw)| {
        let value = outcome.values.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone())?;
        // Equal texts of one field stand behind each other.
        let begin = from.get(name).copied().unwrap_or(0);
        let at = outcome.text.get(begin..).and_then(|rest| rest.find(raw.as_str())).map(|at| at + begin)?;
        from.insert(name.clone(), at + raw.len());
        let value = if value.is_array() { json!(raw) } else { value };
        let start = outcome.text.get(..at)?.chars().count();
        Some(ExtractedValue { kind: kind.clone(), label: Some(name.clone()), value, start })
    });
    let found: Vec<ExtractedValue> = found.collect();
    let missing: Vec<String> =
        outcome.values.iter().filter(|(_, value)| value.is_null()).map(|(name, _)| name.clone()).collect();
    let shown = |value: &Value| match value {
        Value::Null => "not in the text".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let told: Vec<String> = outcome.values.iter().map(|(name, value)| format!("{name}: {}", shown(value))).collect();
    Output {
        summary: told.join("; ") + ".",
        confidence: outcome.confidence,
        values: outcome.values.into_iter().collect(),
        found,
        missing,
        fits_schema: verdict.as_ref().map(|verdict| verdict.valid),
        schema_problems: verdict.map(|verdict| verdict.errors).unwrap_or_default(),
        text: Some(outcome.text),
        limitations: limits(
            &[
                "fields are found by labels, by words beside them and by forms, not by meaning",
                "dates of the form 3/4/2026 are read as day, month, year unless others in the text tell",
            ],
            &[],
        ),
    }
}

fn personal_data(text: &str, span: &Span) -> Option<ExtractedValue> {
    let value: String = text.chars().skip(span.start_char).take(span.end_char.checked_sub(span.start_char)?).collect();
    Some(ExtractedValue { kind: span.kind.clone(), label: None, value: json!(value), start: span.start_char })
}

/// The first value of each label, and of each kind that has none.
fn everything(found: &[ExtractedValue]) -> BTreeMap<String, Value> {
    let mut values = BTreeMap::new();
    for found in found {
        let name = found.label.as_deref().unwrap_or(&found.kind).to_lowercase().replace(' ', "_");
        values.entry(name).or_insert_with(|| found.value.clone());
    }
    values
}

/// Each field: by its label and kind, else by its kind alone.
fn fill(fields: &[Field], found: &[ExtractedValue]) -> BTreeMap<String, Value> {
    let value = |field: &Field| {
        let label = field.label.clone().unwrap_or_else(|| field.name.replace('_', " "));
        let labelled =
            || found.iter().filter(|found| found.label.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(&label)));
        let by_label = labelled().find_map(|found| find::convert(&found.value, field.kind));
        let named =
            ["email", "phone", "iban", "url", "date", "amount"].iter().find(|name| json!(field.kind) == json!(name));
        by_label
            .or_else(|| found.iter().find(|found| Some(&found.kind.as_str()) == named).map(|found| found.value.clone()))
            .unwrap_or(Value::Null)
    };
    fields.iter().map(|field| (field.name.clone(), value(field))).collect()
}

fn summary(
    found: &[ExtractedValue],
    values: &BTreeMap<String, Value>,
    missing: &[String],
    verdict: Option<&Verdict>,
) -> String {
    let full = values.len() - missing.len();
    let mut text = format!(
        "{} found, {} filled",
        figures::count(found.len(), "value", "values"),
        figures::count(full, "field", "fields")
    );
    if !missing.is_empty() {
        text.push_str(&format!("; not in the text: {}", missing.join(", ")));
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
