//! Documents without their personal data.

use std::collections::BTreeMap;

use agent_common::{Answer, figures};
use serde::Deserialize;
use serde_json::json;
use tollbridge_sdk::{Error, bridges};

use crate::input::{Document, Mode, Personal, Redact};
use crate::output::{Item, Status};
use crate::scan::Scan;

#[derive(Deserialize)]
struct Redacted {
    text: String,
    counts: BTreeMap<String, usize>,
}

/// The items of a redaction, the documents without the data, and limitations.
type Result3 = (Vec<Item>, Vec<Document>, Vec<String>);

/// Returns the name of a kind of personal data in plain English.
fn name_of(kind: &str) -> &str {
    match kind {
        "email" => "e-mail addresses",
        "phone" => "phone numbers",
        "iban" => "IBANs",
        "card" => "card numbers",
        "date_of_birth" => "dates of birth",
        "ip_address" => "IP addresses",
        "name" => "names",
        "nhs_number" => "NHS numbers",
        "national_insurance" => "national insurance numbers",
        "us_ssn" => "social security numbers",
        other => other,
    }
}

/// Replaces personal data. In a task in words (`strict`), a number that could be one of
/// those to be replaced is an error.
pub fn redact(documents: &[Document], redact: &Redact, strict: bool) -> Result<Result3, Error> {
    let numbers = redact.types.as_ref().is_none_or(|types| types.contains(&Personal::Phone));
    let (mut counts, mut texts, mut limitations) = (BTreeMap::<String, usize>::new(), Vec::new(), Vec::new());
    for document in documents {
        let open = if numbers { Scan::of(&document.text, &["phone number".to_owned()])?.open_digits(7) } else { None };
        if let Some(run) = open {
            let text = format!("`{run}` could be a phone number or another number");
            if strict {
                let fix = "name the kinds to replace without phone numbers, or write it with its country code";
                return Err(Error::invalid("/redact", format!("{text}; {fix}")));
            }
            limitations.push(format!("{}: {text}; it was not replaced", document.name));
        }
        let mut call = json!({ "text": document.text, "mode": redact.mode.unwrap_or(Mode::Replace) });
        if let (Some(types), Some(call)) = (&redact.types, call.as_object_mut()) {
            call.insert("types".to_owned(), json!(types));
        }
        let answer: Answer<Redacted> = bridges::call("pii_redaction", &call)?;
        limitations.extend(answer.limitations);
        for (kind, count) in answer.result.counts {
            *counts.entry(kind).or_default() += count;
        }
        texts.push(Document { name: document.name.clone(), text: answer.result.text });
    }
    let mut items: Vec<Item> = Vec::new();
    for (kind, count) in counts {
        let message = format!("{} replaced", figures::count(count, "value", "values"));
        items.push(Item::decided(name_of(&kind), true, &message, Vec::new()));
    }
    if items.is_empty() {
        let message = "nothing of these kinds was found by its form; nothing was replaced";
        items.push(Item::open("redaction", Status::Look, message.to_owned(), Vec::new()));
    }
    Ok((items, texts, limitations))
}
