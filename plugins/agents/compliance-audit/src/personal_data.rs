//! Personal data in the documents, by kind and place; never repeated.

use agent_common::{Answer, figures};
use serde::Deserialize;
use serde_json::json;
use tollbridge_sdk::{Error, bridges};

use crate::document::Document;
use crate::item::{Item, Status};

#[derive(Deserialize)]
struct Personal {
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Span {
    #[serde(rename = "type")]
    kind: String,
    start_char: usize,
}

/// The item of personal data.
pub fn item(documents: &[Document]) -> Result<Item, Error> {
    let joined: String = documents.iter().map(|document| format!("{}\n\n", document.text)).collect();
    let answer: Answer<Personal> = bridges::call("pii_redaction", &json!({ "text": joined, "mode": "replace" }))?;
    let mut evidence = Vec::new();
    for span in &answer.result.spans {
        let mut first = 0;
        for document in documents {
            let next = first + document.text.chars().count() + 2;
            if (first..next).contains(&span.start_char) {
                evidence.push(format!(
                    "{} in {} at character {}",
                    span.kind.replace('_', " "),
                    document.name,
                    span.start_char - first
                ));
            }
            first = next;
        }
    }
    let status = if evidence.is_empty() { Status::InOrder } else { Status::Look };
    let message = match evidence.len() {
        0 => "none of the known forms was found".to_owned(),
        n => format!(
            "{} found: make sure there is a ground to hold them, or redact them",
            figures::count(n, "piece", "pieces")
        ),
    };
    evidence.truncate(100);
    Ok(Item { name: "personal data".into(), present: None, status, message, evidence })
}
