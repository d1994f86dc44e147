//! An agent that translates, and looks whether the answer is in the language asked for.
//!
//! The bridge `translation` asks a model and checks numbers, placeholders and
//! glossary; `language_detection` reads both sides. Without an inference
//! provider there is no translation, and the caller is told so.

use agent_common::{Answer, language, limits, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tollbridge_sdk::{Call, Error, agent, bridges};

/// Languages that a task can name in words.
const NAMES: [(&str, &str); 20] = [
    ("english", "en"),
    ("german", "de"),
    ("french", "fr"),
    ("spanish", "es"),
    ("italian", "it"),
    ("portuguese", "pt"),
    ("dutch", "nl"),
    ("polish", "pl"),
    ("russian", "ru"),
    ("ukrainian", "uk"),
    ("swedish", "sv"),
    ("danish", "da"),
    ("finnish", "fi"),
    ("czech", "cs"),
    ("turkish", "tr"),
    ("greek", "el"),
    ("hungarian", "hu"),
    ("japanese", "ja"),
    ("chinese", "zh"),
    ("korean", "ko"),
];

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

/// A term.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Term {
    /// As it stands in the text.
    term: String,
    /// What must stand in the translation.
    translation: String,
}

/// The translation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    summary: String,
    /// The translated text.
    translation: String,
    /// Language of the text given, ISO 639-1, as far as it shows.
    source: Option<String>,
    /// Language asked for.
    target: String,
    /// Whether every check passed.
    passed: bool,
    /// What was compared between the two texts.
    checks: Vec<Check>,
    /// The model that wrote it; null where the text was in that language already.
    model: Option<String>,
    /// What the answer does not tell.
    limitations: Vec<String>,
}

/// A comparison.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// What was compared.
    name: String,
    /// Whether it is in order.
    passed: bool,
    /// What the translation lacks.
    #[serde(default)]
    missing: Vec<Value>,
    /// What it has too much.
    #[serde(default)]
    added: Vec<Value>,
}

#[derive(Deserialize)]
struct Translated {
    translation: String,
    passed: bool,
    model: String,
    checks: Vec<Check>,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let (request, body) = words::request(words::of(task, input.as_ref()), &["translate", "translation", "say"]);
    let input = input.unwrap_or_default();
    let text = input.text.unwrap_or_else(|| body.to_owned());
    if text.trim().is_empty() {
        return Err(Error::invalid("/text", "write `Translate to German: …` as the task, or give `text` and `target`"));
    }
    let target = input.target.or_else(|| named(request)).unwrap_or_else(|| "en".into());
    let source = language::detect(&text)?;
    if source.as_deref().is_some_and(|code| target.eq_ignore_ascii_case(code)) {
        return Ok(unchanged(text, source, target));
    }
    let asked = json!({
        "text": text,
        "target": target,
        "glossary": input.glossary.unwrap_or_default(),
        "keep": input.keep.unwrap_or_default(),
    });
    let answer: Answer<Translated> = bridges::call("translation", &asked)?;
    let translated = answer.result;
    let mut checks = translated.checks;
    if let Some(seen) = language::detect(&translated.translation)? {
        let base = target.split('-').next().unwrap_or_default();
        // Names of languages are not compared with codes.
        if base.len() == 2 {
            let passed = seen.eq_ignore_ascii_case(base);
            let added = if passed { Vec::new() } else { vec![Value::String(seen)] };
            checks.push(Check { name: "language".into(), passed, missing: Vec::new(), added });
        }
    }
    let passed = translated.passed && checks.iter().all(|check| check.passed);
    let failed: Vec<&str> = checks.iter().filter(|check| !check.passed).map(|check| check.name.as_str()).collect();
    let verdict = if passed { "all checks passed".to_owned() } else { format!("look at: {}", failed.join(", ")) };
    Ok(Output {
        summary: format!(
            "Translated from {} to {target} by {}; {verdict}.",
            source.as_deref().unwrap_or("an unclear language"),
            translated.model
        ),
        translation: translated.translation,
        source,
        target,
        passed,
        checks,
        model: Some(translated.model),
        limitations: limits(&[], &[&answer.limitations]),
    })
}

fn unchanged(text: String, source: Option<String>, target: String) -> Output {
    Output {
        summary: format!("The text is in {target} already; it was left as it is and no model was asked."),
        translation: text,
        source,
        target,
        passed: true,
        checks: Vec::new(),
        model: None,
        limitations: vec!["the language was told from letters and their sequences, not from the meaning".into()],
    }
}

/// The language of a text, where it is sure.
/// The last language that a request names: `from German to English`.
fn named(request: &str) -> Option<String> {
    let lower = request.to_lowercase();
    let code = |word| NAMES.iter().find(|(name, _)| *name == word).map(|(_, code)| (*code).to_owned());
    lower.rsplit(|c: char| !c.is_alphabetic()).find_map(code)
}

agent! { run: run, examples: ["../cases/to_german.json"] }
tollbridge_sdk::test_cases!(agent run);
