//! An agent that translates, and looks whether the answer is in the language asked for.
//!
//! Very common phrases, texts that need no translation and the comparison of a
//! text with its translation are answered without a model. For all else the bridge `translation` asks a model and checks numbers, placeholders and
//! glossary; `language_detection` reads both sides. Without an inference
//! provider there is no translation, and the caller is told so.

mod compare;
mod comparison;
mod glossary;
mod languages;
mod output;
mod pairs;
mod questions;
mod reading;
mod table;

use agent_common::{Answer, figures, function_words, language, limits, words};
use comparison::compared;
pub use glossary::Term;
pub use output::{Check, Output, TranslatedPart};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tollbridge_sdk::{Call, Error, agent, bridges};

/// A text, and the language it should have.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The text, at most 32 KiB. The task's own text after the colon unless given.
    #[schemars(length(min = 1, max = 32_768))]
    text: Option<String>,
    /// Language of the translation: a code (`de`, `pt-BR`). Default: the one that the task names, else `en`.
    #[schemars(length(min = 2, max = 40))]
    target: Option<String>,
    /// Terms and what they must be in the translation, at most 200.
    #[schemars(length(max = 200))]
    glossary: Option<Vec<Term>>,
    /// Names and terms that must stay as they are, at most 200.
    #[schemars(length(max = 200))]
    keep: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Translated {
    translation: String,
    passed: bool,
    model: String,
    checks: Vec<Check>,
}

/// A phrase of the table.
const PHRASE: f64 = 0.92;
/// A text that is in the language asked for.
const UNCHANGED: f64 = 0.9;
/// A model's translation that passed all checks, or did not.
const CHECKED: f64 = 0.85;
const UNCHECKED: f64 = 0.5;

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let mut asked = reading::read(words::of(task, input.as_ref()));
    let input = input.unwrap_or_default();
    let typed = input.text.is_some();
    if let Some(text) = input.text {
        asked.parts = vec![text.clone()];
        asked.source = function_words::detect(&text);
        asked.text = text;
        asked.pairs.clear();
    }
    asked.glossary.extend(input.glossary.unwrap_or_default());
    asked.keep.extend(input.keep.unwrap_or_default());
    if !asked.pairs.is_empty() {
        return compared(&asked);
    }
    let targets = match input.target {
        Some(target) => vec![target],
        None if asked.targets.is_empty() && typed => vec!["en".to_owned()],
        None => asked.targets.iter().map(|code| (*code).to_owned()).collect(),
    };
    refusal(&asked, &targets)?;
    if let Some(output) = of_table(&asked, &targets) {
        return Ok(output);
    }
    if let [target] = targets.as_slice()
        && function_words::detect(&asked.text).is_some_and(|code| target.eq_ignore_ascii_case(code))
    {
        return Ok(unchanged(asked.text, target.clone()));
    }
    by_model(&asked, &targets)
}

/// What is missing before anything can be translated.
fn refusal(asked: &reading::Task, targets: &[String]) -> Result<(), Error> {
    let lower = asked.instruction.to_lowercase();
    if asked.text.trim().is_empty() {
        let message = "the text is missing: write `Translate to German: …` with the text behind the colon, or give `text` and `target`";
        return Err(Error::invalid("/text", message));
    }
    if targets.is_empty() {
        let message = "the language is missing: say into which language the text shall be translated, such as `Translate to German: …`";
        return Err(Error::invalid("/target", message));
    }
    if let Some((term, first, second)) = glossary::contradiction(&asked.glossary) {
        let message =
            format!("the glossary contradicts itself: `{term}` is both `{first}` and `{second}`, say which one holds");
        return Err(Error::invalid("/glossary", message));
    }
    if ["certified", "sworn", "notari", "beglaubigt", "assermentée"].iter().any(|word| lower.contains(word)) {
        let message =
            "a certified translation needs a sworn translator: ask for a plain translation, or send the text to one";
        return Err(Error::invalid("/text", message));
    }
    Ok(())
}

/// All parts by the table of phrases; none if it lacks one.
fn of_table(asked: &reading::Task, targets: &[String]) -> Option<Output> {
    let special = !asked.glossary.is_empty() || !asked.keep.is_empty();
    if special || asked.parts.is_empty() || asked.parts.len() > 200 {
        return None;
    }
    // Where several words of buttons stand together, all are.
    let screen = asked.is_screen || asked.parts.len() > 1;
    let named = asked.source.filter(|source| *source != "en");
    let mut items = Vec::new();
    let mut source = None;
    for target in targets {
        for part in &asked.parts {
            let found = table::find(part, named, target, screen).or_else(|| table::find(part, None, target, screen))?;
            source = source.or(Some(found.source));
            items.push(TranslatedPart {
                text: part.clone(),
                translation: found.translation,
                alternatives: found.alternatives,
                target: target.clone(),
                from: "phrase table",
            });
        }
    }
    let translation = joined(&items, targets);
    let summary = translation.clone();
    Some(Output {
        summary,
        translation,
        confidence: PHRASE,
        items,
        source: source.map(str::to_owned),
        target: targets.join(", "),
        passed: true,
        checks: Vec::new(),
        model: None,
        limitations: vec![
            "single words and set phrases stand without their context; `alternatives` has others that may fit".into(),
        ],
    })
}

/// The translations as lines; under the names of the languages where there are several.
fn joined(items: &[TranslatedPart], targets: &[String]) -> String {
    let of = |target: &String| {
        items
            .iter()
            .filter(|item| item.target == *target)
            .map(|item| item.translation.as_str())
            .collect::<Vec<_>>()
            .join("\n")
    };
    match targets {
        [only] => of(only),
        _ => targets
            .iter()
            .map(|target| format!("{}: {}", languages::english_name(target), of(target)))
            .collect::<Vec<_>>()
            .join("\n"),
    }
}

/// By the bridge `translation`, once for each language.
fn by_model(asked: &reading::Task, targets: &[String]) -> Result<Output, Error> {
    let mut items = Vec::new();
    let mut checks: Vec<Check> = Vec::new();
    let mut models: Vec<String> = Vec::new();
    let mut notes: Vec<String> = Vec::new();
    let mut passed = true;
    for target in targets {
        let input = json!({ "text": asked.text, "target": target, "glossary": asked.glossary, "keep": asked.keep });
        let answer: Answer<Translated> = bridges::call("translation", &input)?;
        let translated = answer.result;
        passed &= translated.passed;
        checks.extend(translated.checks);
        checks.extend(in_language(&translated.translation, target)?);
        notes.extend(answer.limitations);
        if !models.contains(&translated.model) {
            models.push(translated.model);
        }
        items.push(TranslatedPart {
            text: asked.text.clone(),
            translation: translated.translation,
            alternatives: Vec::new(),
            target: target.clone(),
            from: "model",
        });
    }
    let passed = passed && checks.iter().all(|check| check.passed);
    let failed: Vec<&str> = checks.iter().filter(|check| !check.passed).map(|check| check.name.as_str()).collect();
    let verdict = if passed { "all checks passed".to_owned() } else { format!("look at: {}", failed.join(", ")) };
    let source = language::detect(&asked.text)?.or(asked.source.map(str::to_owned));
    let from = source.as_deref().unwrap_or("an unclear language");
    let translation = joined(&items, targets);
    Ok(Output {
        summary: format!("Translated from {from} to {} by {}; {verdict}.", targets.join(", "), models.join(", ")),
        translation,
        confidence: figures::round(if passed { CHECKED } else { UNCHECKED }),
        items,
        source,
        target: targets.join(", "),
        passed,
        checks,
        model: Some(models.join(", ")),
        limitations: limits(&[], &[&notes]),
    })
}

/// Whether a translation is in the language asked for, where both show; names of languages are not compared with codes.
fn in_language(translation: &str, target: &str) -> Result<Option<Check>, Error> {
    let base = target.split('-').next().unwrap_or_default();
    let seen = language::detect(translation)?.filter(|_| base.len() == 2);
    Ok(seen.map(|seen| {
        let passed = seen.eq_ignore_ascii_case(base);
        let added = if passed { Vec::new() } else { vec![Value::String(seen)] };
        Check { name: "language".into(), passed, missing: Vec::new(), added }
    }))
}

fn unchanged(text: String, target: String) -> Output {
    let part = TranslatedPart {
        text: text.clone(),
        translation: text.clone(),
        alternatives: Vec::new(),
        target: target.clone(),
        from: "unchanged",
    };
    Output {
        summary: format!(
            "The text is in {} already; it was left as it is and no model was asked.",
            languages::english_name(&target)
        ),
        translation: text,
        confidence: UNCHANGED,
        items: vec![part],
        source: Some(target.clone()),
        target,
        passed: true,
        checks: Vec::new(),
        model: None,
        limitations: vec!["the language was told from its little words and letters, not from the meaning".into()],
    }
}

agent! { run: run, examples: ["../cases/to_german.json"] }
tollbridge_sdk::test_cases!(agent run);
