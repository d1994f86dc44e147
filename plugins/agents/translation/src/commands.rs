//! The closed list of commands in words.

use agent_common::command::{Grammar, Slots};
use agent_common::form::Draft;
use agent_common::lexer::{Kind, Token};
use agent_common::slots::Common;
use agent_common::{framed, language_names, material};
use serde_json::{Value, json};

use crate::Input;

/// The published list.
const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`translate to German`, `from Spanish to English`, `keep \"Acme\" unchanged`, `use \"Rechnung\" \
    for \"invoice\"`, followed by a colon and the text";

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
    let Draft { mut form, question } = reading.draft::<Input>(SHOWN);
    let has = |name: &str| reading.all(name).next().is_some();
    let compares = has("compare");
    // A wish behind the text, or a last paragraph that has to be translated too.
    let unclear_end = front.reading.unread.is_empty() && !front.text.is_empty() && front.text != split.text;
    let quoted = reading.all("quote").next().map(|found| found.text("text"));
    let two_texts = quoted.is_some() && !split.text.is_empty();
    let twice = ["pair", "target"].iter().find_map(|name| reading.one(name).err());
    let wrong = [
        (unclear_end, "is the last paragraph a wish or a part of the text? Put wishes before the text"),
        (reading.all("quote").count() > 1, "several texts are in quotation marks; which one?"),
        (
            has("pair") && (has("target") || has("source")),
            "two clauses name languages; from which language into which one?",
        ),
        (compares && form.targets.is_some(), "is the text to be translated, or to be compared with a translation?"),
        (two_texts, "the text in quotation marks and the text below: which one is to be translated?"),
    ];
    let question = question.or(twice).or_else(|| first(&wrong));
    let text = Some(split.text).filter(|text| !text.is_empty()).or(quoted).filter(|text| !text.trim().is_empty());
    let missing = if compares {
        (form.text, form.translation) = text.as_deref().and_then(sides).unzip();
        [(form.text.is_none(), "give the two texts to compare as lines that begin with `Source:` and `Translation:`")]
            .to_vec()
    } else {
        form.text = text;
        vec![
            (form.text.is_none(), "the text is missing: write `Translate to German: …` with the text behind the colon"),
            (
                form.targets.is_none(),
                "the language is missing: into which one is the text to be translated, as in `Translate to German: …`?",
            ),
        ]
    };
    let question = question.or_else(|| first(&missing));
    if let Some([only]) = form.targets.as_deref() {
        form.target = Some(only.clone());
        form.targets = None;
    }
    Draft { form, question }
}

/// Returns the first question that applies.
fn first(questions: &[(bool, &str)]) -> Option<String> {
    questions.iter().find(|(applies, _)| *applies).map(|(_, question)| (*question).to_owned())
}

/// Returns the two texts of a comparison.
fn sides(text: &str) -> Option<(String, String)> {
    let source = text.trim().strip_prefix("Source:")?;
    let (source, translation) = source.split_once("\nTranslation:")?;
    let is_one = !translation.contains("\nTranslation:") && !translation.contains("\nSource:");
    is_one.then(|| (source.trim().to_owned(), translation.trim().to_owned()))
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

    /// Tasks with the form, or a part of the question.
    #[test]
    fn tasks_fill_the_form_or_are_a_question() {
        let tasks: Vec<(String, Value)> = serde_json::from_str(include_str!("../tasks.json")).unwrap();
        for (task, expect) in tasks {
            let Draft { form, question } = draft(&task);
            match (question, expect.as_str()) {
                (Some(question), Some(part)) => assert!(question.contains(part), "{task}: {question}"),
                (question, _) => assert_eq!((question, json!(form)), (None, expect), "{task}"),
            }
        }
    }
}
