//! Clauses that documents about data and contracts commonly have.

use agent_common::sentences;

use crate::document::Document;
use crate::item::{Item, Status};

/// A clause, and phrases one of which it has.
const CLAUSES: [(&str, &[&str]); 8] = [
    (
        "retention period",
        &["retain", "retention", "kept for", "keep your data for", "stored for", "deleted after", "erased after"],
    ),
    (
        "lawful basis",
        &[
            "lawful basis",
            "legal basis",
            "legitimate interest",
            "consent",
            "legal obligation",
            "performance of a contract",
        ],
    ),
    (
        "rights of persons",
        &[
            "right to access",
            "right of access",
            "right to erasure",
            "right to object",
            "your rights",
            "data subject right",
            "rectification",
        ],
    ),
    ("contact of the controller", &["data protection officer", "controller", "contact us", "dpo"]),
    (
        "transfer and recipients",
        &["third part", "recipient", "processor", "transfer", "share your data", "shared with"],
    ),
    ("security measures", &["encrypt", "security measure", "access control", "safeguard", "confidential"]),
    ("governing law", &["governing law", "governed by", "laws of", "jurisdiction"]),
    (
        "complaint or dispute",
        &["complaint", "supervisory authority", "dispute", "arbitration", "information commissioner"],
    ),
];

/// Each clause: the first sentence of each document that has one of its phrases.
pub fn clauses(documents: &[Document]) -> Vec<Item> {
    CLAUSES.iter().map(|(name, phrases)| clause(name, phrases, documents)).collect()
}

fn clause(name: &str, phrases: &[&str], documents: &[Document]) -> Item {
    let mut evidence = Vec::new();
    for document in documents {
        let has = |text: &str| {
            let lower = text.to_lowercase();
            phrases.iter().any(|phrase| lower.contains(phrase))
        };
        if let Some(sentence) = sentences::split(&document.text).into_iter().find(|sentence| has(sentence.text)) {
            // A phrase is enough to find it again; the sentence may hold personal data.
            let lower = sentence.text.to_lowercase();
            let phrase = phrases.iter().find(|phrase| lower.contains(*phrase)).copied().unwrap_or_default();
            evidence.push(format!("\"{phrase}\" in {} in the sentence at character {}", document.name, sentence.start));
        }
    }
    let (status, message) = if evidence.is_empty() {
        (Status::Missing, format!("no sentence with such words: {}", phrases.join(", ")))
    } else {
        (Status::InOrder, "there is such a sentence; read whether it says what it should".to_owned())
    };
    Item { name: name.into(), present: Some(status == Status::InOrder), status, message, evidence }
}
