//! The closed list of commands in words.

use agent_common::command::{Grammar, Match, Reading, Slots};
use agent_common::form::{self, Draft};
use agent_common::lexer::{Kind, Token};
use agent_common::slots::Common;
use agent_common::{framed, language_names, material};
use serde_json::{Value, json};

use crate::{Input, Term};

/// The published list.
const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`translate to German`, `from Spanish to English`, `keep \"Acme\" unchanged`, `use \"Rechnung\" for \
    \"invoice\"`, followed by a colon and the text";

struct Languages;

impl Slots for Languages {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        match kind {
            "language" => language_names::read(tokens),
            "code" => {
                let first = tokens.first().filter(|token| token.kind == Kind::Word && token.text.len() == 2);
                let capitals = first.filter(|token| token.text.chars().all(|c| c.is_ascii_uppercase()));
                let code = capitals.and_then(|token| language_names::code(&token.text));
                code.map(|code| (1, json!(code))).into_iter().chain(language_names::read(tokens)).collect()
            }
            _ => Common.read(kind, tokens),
        }
    }
}

/// Reads a task in words.
pub(crate) fn draft(task: &str) -> Draft<Input> {
    let grammar = Grammar::new(COMMANDS);
    let front = material::text(task, &grammar, &Languages);
    let split = framed::text(task, &grammar, &Languages);
    let reading = &split.reading;
    let quoted: Vec<String> = reading.all("quote").map(|found| found.text("text")).collect();
    let compares = reading.all("compare").next().is_some();
    let mut form = options(reading);
    let question = form::unread(&reading.unread, SHOWN)
        .or_else(|| {
            // A wish behind the text, or a last paragraph that has to be translated too.
            let last = front.reading.unread.is_empty() && !front.text.is_empty() && front.text != split.text;
            last.then(|| "is the last paragraph a wish or a part of the text? Put wishes before the text".into())
        })
        .or_else(|| (quoted.len() > 1).then(|| "several texts are in quotation marks; which one?".into()))
        .or_else(|| conflict(reading, &form));
    let text = if split.text.is_empty() { quoted.first().cloned().unwrap_or_default() } else { split.text.clone() };
    let both = !split.text.is_empty() && !quoted.is_empty();
    let question = question.or_else(|| {
        both.then(|| "the text in quotation marks and the text below: which one is to be translated?".into())
    });
    if compares {
        let pair = sides(&text);
        let missing = "give the two texts to compare as lines that begin with `Source:` and `Translation:`";
        let question = question.or_else(|| pair.is_none().then(|| missing.to_owned()));
        (form.text, form.translation) = pair.unzip();
        return Draft { form, question };
    }
    form.text = (!text.trim().is_empty()).then_some(text);
    let question = question.or_else(|| {
        let missing = if form.text.is_none() {
            "the text is missing: write `Translate to German: …` with the text behind the colon"
        } else if form.target.is_none() && form.targets.is_none() {
            "the language is missing: into which language is the text to be translated, as in `Translate to German: …`?"
        } else {
            return None;
        };
        Some(missing.to_owned())
    });
    Draft { form, question }
}

/// Returns the two texts of a comparison.
fn sides(text: &str) -> Option<(String, String)> {
    let source = text.trim().strip_prefix("Source:")?;
    let (source, translation) = source.split_once("\nTranslation:")?;
    let is_one = !translation.contains("\nTranslation:") && !translation.contains("\nSource:");
    is_one.then(|| (source.trim().to_owned(), translation.trim().to_owned()))
}

fn options(reading: &Reading) -> Input {
    let listed = |found: &Match| -> Vec<String> {
        let all = ["a", "b", "c", "d", "e"].map(|slot| found.text(slot));
        all.into_iter().filter(|text| !text.is_empty()).collect()
    };
    let mut targets: Vec<String> = reading.all("target").flat_map(listed).collect();
    targets.extend(reading.all("pair").map(|found| found.text("target")));
    targets.dedup();
    let keep: Vec<String> = reading.all("keep").flat_map(listed).collect();
    let term = |found: &Match| Term { term: found.text("term"), translation: found.text("translation") };
    let glossary: Vec<Term> = reading.all("glossary").map(term).collect();
    let source = reading.all("pair").chain(reading.all("source")).next();
    Input {
        target: (targets.len() == 1).then(|| targets.remove(0)),
        targets: (!targets.is_empty()).then_some(targets),
        source: source.map(|found| found.text("source")),
        keep: (!keep.is_empty()).then_some(keep),
        glossary: (!glossary.is_empty()).then_some(glossary),
        ..Input::default()
    }
}

/// Returns the question about clauses that contradict each other.
fn conflict(reading: &Reading, form: &Input) -> Option<String> {
    let named = |name: &str| reading.all(name).next().is_some();
    let twice = ["pair", "target", "source", "compare"].iter().find_map(|name| reading.one(name).err());
    let languages = (named("pair") && (named("target") || named("source")))
        .then(|| "two clauses name languages; from which language into which one?".to_owned());
    let mixed = (named("compare") && (form.target.is_some() || form.targets.is_some()))
        .then(|| "is the text to be translated, or to be compared with a translation?".to_owned());
    twice.or(languages).or(mixed)
}

#[cfg(test)]
mod tests {
    use agent_common::command;

    use super::*;

    #[test]
    fn published_examples_are_understood() {
        let examples = command::examples(COMMANDS);
        assert_eq!(examples.len(), 8);
        for example in examples {
            assert_eq!(draft(example).question, None, "{example}");
        }
    }

    #[test]
    fn clauses_fill_the_form() {
        let cases = [
            ("EN -> DE: Hello", json!({ "text": "Hello", "source": "en", "target": "de" })),
            ("Arabic to English: شكرا", json!({ "text": "شكرا", "source": "ar", "target": "en" })),
            ("French please: Hello all", json!({ "text": "Hello all", "target": "fr" })),
            ("What does \"carpe diem\" mean in English?", json!({ "text": "carpe diem", "target": "en" })),
            (
                "Translate the German text into Brazilian Portuguese\n\nGuten Tag.\n\nBis bald.",
                json!({ "text": "Guten Tag.\n\nBis bald.", "source": "de", "target": "pt-BR" }),
            ),
            (
                "Translate \"Closed\" to French, German and Spanish, keep \"Acme\" and \"Zed\" as they are",
                json!({ "text": "Closed", "targets": ["fr", "de", "es"], "keep": ["Acme", "Zed"] }),
            ),
        ];
        for (task, expect) in cases {
            let draft = draft(task);
            assert_eq!((draft.question, json!(draft.form)), (None, expect), "{task}");
        }
    }

    #[test]
    fn what_is_not_clear_is_a_question() {
        let cases = [
            ("Translate to German", "text is missing"),
            ("Translate this: Hello", "language is missing"),
            ("Translate to Klingon: Hello", "Klingon"),
            ("Translate to German for a ten-year-old: Hello", "ten-year-old"),
            ("Translate to German:\n\nHello\n\nTranslate to German, please", "last paragraph"),
            ("Translate to German:\n\nHello\n\nkeep \"Hello\" in a formal tone", "formal tone"),
            ("Translate from German to French, to Spanish: Hallo", "two clauses"),
            ("Compare the numbers: 1 and 2", "two texts"),
            ("Translate \"Yes\" and \"No\" to German", "which one"),
        ];
        for (task, part) in cases {
            let question = draft(task).question.unwrap_or_default();
            assert!(question.contains(part), "{task}: {question}");
        }
    }
}
