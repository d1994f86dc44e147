//! The closed list of commands in words.

use agent_common::command::{Grammar, Slots};
use agent_common::form::{self, Draft};
use agent_common::lexer::{Kind, Token};
use agent_common::material::Text;
use agent_common::{framing, slots};
use serde_json::{Value, json};

use crate::input::{Input, Mode, Redact};

/// The published list.
const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`items: IBAN, e-mail address, \"exact words\": TEXT`, `are the fields A and B filled in: TEXT`, \
    `redact e-mail addresses and phone numbers: TEXT`, `audit this document: TEXT`";
/// Words that end a list of items.
const STOPS: [&str; 14] = [
    "redact",
    "please",
    "thanks",
    "are",
    "is",
    "exist",
    "exists",
    "filled",
    "have",
    "has",
    "word",
    "literally",
    "verbatim",
    "exactly",
];
/// Kinds of personal data, as the input names them.
const PERSONAL: [(&str, &str); 15] = [
    ("personal data", "all"),
    ("e-mail address", "email"),
    ("email address", "email"),
    ("e-mail", "email"),
    ("email", "email"),
    ("phone number", "phone"),
    ("iban", "iban"),
    ("card number", "card"),
    ("date of birth", "date_of_birth"),
    ("dates of birth", "date_of_birth"),
    ("ip address", "ip_address"),
    ("name", "name"),
    ("nhs number", "nhs_number"),
    ("national insurance number", "national_insurance"),
    ("social security number", "us_ssn"),
];

/// The slots of this agent: `items`, `numbers` and `personal`.
struct Names;

impl Slots for Names {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        match kind {
            "items" => items(tokens).into_iter().collect(),
            "numbers" => listed(
                tokens,
                &[("iban", "valid IBAN"), ("vat number", "valid VAT number"), ("card number", "valid card number")],
            ),
            "personal" => listed(tokens, &PERSONAL),
            _ => slots::Common.read(kind, tokens),
        }
    }
}

/// Splits a task into its command and its document.
pub fn split(task: &str) -> Text {
    framing::read(task, &Grammar::new(COMMANDS), &Names)
}

/// Reads a task in words.
pub fn draft(task: &str) -> Draft<Input> {
    let Text { reading, text } = split(task);
    let has = |name: &str| reading.all(name).next().is_some();
    let list = |name: &str, slot: &str| -> Option<Vec<String>> {
        let all: Vec<String> = reading.all(name).flat_map(|found| found.texts(slot)).collect();
        (!all.is_empty()).then_some(all)
    };
    let checklist: Vec<String> = ["items", "valid"].iter().filter_map(|name| list(name, "items")).flatten().collect();
    let phrases: Vec<String> = reading.all("exact").map(|found| found.text("q")).collect();
    let types = list("redact", "kinds").or_else(|| has("anonymise").then(|| vec!["all".to_owned()]));
    let redact = types.map(|types| Redact {
        types: serde_json::from_value(json!(types)).ok(),
        mode: has("stars").then_some(Mode::Mask).or_else(|| has("numbered").then_some(Mode::Pseudonym)),
    });
    let labels = list("labels", "items").or_else(|| list("filled", "items"));
    let nothing = checklist.is_empty() && labels.is_none() && phrases.is_empty() && redact.is_none();
    let question = form::unread(&reading.unread, SHOWN).or_else(|| {
        let question = if has("labels") && has("filled") {
            "must the fields be filled in, or only be there? Keep one"
        } else if has("stars") && has("numbered") {
            "asterisks or numbered placeholders? Keep one"
        } else if (has("stars") || has("numbered")) && redact.is_none() {
            "which personal data shall be replaced?"
        } else if nothing && !has("audit") {
            "what shall be checked? Name the items behind `items:`"
        } else if text.is_empty() {
            "which document? Paste its text behind the command"
        } else {
            return None;
        };
        Some(question.to_owned())
    });
    let form = Input {
        document: (!text.is_empty()).then_some(text),
        checklist: (!checklist.is_empty()).then_some(checklist),
        accept_blank: has("labels").then_some(true),
        labels,
        phrases: (!phrases.is_empty()).then_some(phrases),
        redact,
        ..Input::default()
    };
    Draft { form, question }
}

fn is_separator(token: &Token) -> bool {
    matches!(token.lower.as_str(), "," | ";" | "and" | "or" | "&") && token.kind != Kind::Quoted
}

/// Reads names out of a list, with separators between them.
fn listed(tokens: &[Token], known: &[(&str, &str)]) -> Vec<(usize, Value)> {
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    let (mut found, mut end, mut at) = (Vec::new(), 0, 0);
    while let Some((length, name)) = tokens.get(at..).and_then(|rest| slots::longest(&names, rest).into_iter().next()) {
        found.extend(known.iter().find(|(own, _)| name == *own).map(|(_, value)| *value));
        end = at + length;
        let skip = |token: &&Token| is_separator(token) || matches!(token.lower.as_str(), "all" | "the");
        at = end + tokens.get(end..).into_iter().flatten().take_while(skip).count();
    }
    if end == 0 { Vec::new() } else { vec![(end, json!(found))] }
}

/// Reads items up to a word that begins another clause. A quoted item keeps its marks.
fn items(tokens: &[Token]) -> Option<(usize, Value)> {
    let (mut found, mut words, mut end): (Vec<String>, Vec<String>, usize) = (Vec::new(), Vec::new(), 0);
    let source = |at: usize| {
        let next = tokens.get(at + 1).map(|token| token.lower.as_str());
        matches!(next, Some("this" | "the" | "my" | "our" | "it"))
    };
    for (at, token) in tokens.iter().enumerate() {
        let word = token.lower.as_str();
        let ends = STOPS.contains(&word) || (matches!(word, "in" | "of" | "from" | "against") && source(at));
        let mark = token.kind == Kind::Mark && !matches!(word, "," | ";" | "&" | "/" | "'" | "’" | "(" | ")" | "%");
        if token.kind != Kind::Quoted && (mark || ends) {
            break;
        }
        if is_separator(token) {
            found.extend(Some(std::mem::take(&mut words).join(" ")).filter(|item| !item.is_empty()));
            continue;
        }
        // `the exact words "…"` belongs to another clause.
        if token.kind == Kind::Quoted && !words.is_empty() {
            return None;
        }
        if !(words.is_empty() && matches!(word, "a" | "an" | "the" | "any")) {
            words.push(if token.kind == Kind::Quoted { format!("\"{}\"", token.text) } else { token.text.clone() });
        }
        end = at + 1;
    }
    found.extend(Some(words.join(" ")).filter(|item| !item.is_empty()));
    (!found.is_empty()).then(|| (end, json!(found)))
}

#[cfg(test)]
mod tests {
    use agent_common::command;

    use super::*;

    #[test]
    fn published_examples_are_understood() {
        for example in command::examples(COMMANDS) {
            assert_eq!(draft(example).question, None, "{example}");
        }
    }

    #[test]
    fn what_is_unclear_is_a_question() {
        let cases = [
            ("translate this contract: x y", "does not know: `translate"),
            ("Is this contract lawful? x y", "does not know"),
            ("redact names with asterisks and with numbered placeholders: x", "Keep one"),
            ("check the document", "which document?"),
            ("in this document: x", "what shall be checked?"),
        ];
        for (task, expect) in cases {
            let question = draft(task).question.unwrap_or_default();
            assert!(question.contains(expect), "{task}: {question}");
        }
    }
}
