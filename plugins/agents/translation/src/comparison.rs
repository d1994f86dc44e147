//! A text and its translation side by side.

use serde_json::Value;
use tollbridge_sdk::Error;

use crate::compare::{Difference, differences};
use crate::output::{Check, Output, TranslatedPart};
use crate::reading::Task;

/// What differs between two texts.
const COMPARED: f64 = 0.88;

/// Words for what rules can compare.
const COMPARABLE: &[&str] = &[
    "number",
    "figure",
    "amount",
    "placeholder",
    "variable",
    "tag",
    "name",
    "misspel",
    "url",
    "link",
    "zahl",
    "nombre",
    "date",
    "chiffre",
    "string",
    "anything",
    "lost",
    "missing",
    "digits",
    "prices",
];

/// A text and its translation side by side.
pub(crate) fn compared(asked: &Task) -> Result<Output, Error> {
    let lower = asked.instruction.to_lowercase();
    if !COMPARABLE.iter().any(|word| lower.contains(word)) {
        let message = "whether a translation says the same cannot be checked by rules: ask about its numbers, placeholders, addresses or names";
        return Err(Error::invalid("/text", message));
    }
    let names = ["name", "spell", "spel", "brand"].iter().any(|word| lower.contains(word));
    let mut items = Vec::new();
    let mut checks: Vec<Check> = Vec::new();
    for (source, translation) in &asked.pairs {
        let found = differences(source, translation);
        for one in found.into_iter().filter(|one| one.kind != "name" || names) {
            items.push(TranslatedPart {
                text: source.clone(),
                translation: described(&one),
                alternatives: Vec::new(),
                target: asked.targets.first().copied().unwrap_or_default().to_owned(),
                from: "comparison",
            });
            let values = |list: &[String]| list.iter().cloned().map(Value::String).collect();
            checks.push(Check {
                name: one.kind.into(),
                passed: false,
                missing: values(&one.missing),
                added: values(&one.added),
            });
        }
    }
    let summary = if items.is_empty() {
        "Nothing differs: numbers, placeholders and addresses of the text stand unchanged in the translation."
            .to_owned()
    } else {
        items.iter().map(|item| item.translation.as_str()).collect::<Vec<_>>().join(" ")
    };
    let passed = items.is_empty();
    if passed {
        let (text, target) = (asked.text.clone(), asked.targets.first().copied().unwrap_or_default().to_owned());
        let translation = summary.clone();
        items.push(TranslatedPart { text, translation, alternatives: Vec::new(), target, from: "comparison" });
    }
    Ok(Output {
        summary,
        translation: String::new(),
        confidence: COMPARED,
        passed,
        items,
        source: asked.source.map(str::to_owned),
        target: asked.targets.first().copied().unwrap_or_default().to_owned(),
        checks,
        model: None,
        limitations: vec![
            "numbers, placeholders, addresses and the spelling of names are compared, not the meaning".into(),
        ],
    })
}

fn described(one: &Difference) -> String {
    let list = |values: &[String]| values.iter().map(|value| format!("\"{value}\"")).collect::<Vec<_>>().join(", ");
    match (one.missing.is_empty(), one.added.is_empty()) {
        (false, false) if one.kind == "name" => {
            format!("The name {} is spelled {} in the translation.", list(&one.missing), list(&one.added))
        }
        (false, false) => {
            format!("The {} {} of the text is {} in the translation.", one.kind, list(&one.missing), list(&one.added))
        }
        (false, true) => format!("The {} {} is missing in the translation.", one.kind, list(&one.missing)),
        _ => format!("The {} {} stands only in the translation.", one.kind, list(&one.added)),
    }
}
