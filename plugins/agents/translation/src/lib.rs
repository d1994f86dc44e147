//! An agent that translates, and looks whether the answer is in the language asked for.
//!
//! Very common phrases, texts that need no translation and the comparison of a
//! text with its translation are answered without a model. For all else the bridge `translation` asks a model and checks numbers, placeholders and
//! glossary; `language_detection` reads both sides. Without an inference
//! provider there is no translation, and the caller is told so.

mod compare;
mod languages;
mod reading;
mod table;

use agent_common::{Answer, figures, function_words, language, limits, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
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

/// A term.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
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
    /// The translated text; empty where two texts were compared.
    translation: String,
    /// How likely it is right, 0 to 1; of answers that say 0.8 or more at least four in five were right on the frozen tasks.
    confidence: f64,
    /// Each part with its translation; of a comparison, each difference.
    items: Vec<TranslatedPart>,
    /// Language of the text given, ISO 639-1, as far as it shows.
    source: Option<String>,
    /// Language asked for; several parted by commas.
    target: String,
    /// Whether every check passed.
    passed: bool,
    /// What was compared between the two texts.
    checks: Vec<Check>,
    /// The model that wrote it; null where none was asked.
    model: Option<String>,
    /// What the answer does not tell.
    limitations: Vec<String>,
}

/// A part of the text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TranslatedPart {
    /// As given.
    text: String,
    /// Its translation, or what differs.
    translation: String,
    /// Translations that are as right in other places.
    alternatives: Vec<String>,
    /// Language of the translation.
    target: String,
    /// `phrase table`, `model`, `unchanged` or `comparison`.
    from: &'static str,
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

/// A phrase of the table.
const PHRASE: f64 = 0.92;
/// A text that is in the language asked for.
const UNCHANGED: f64 = 0.9;
/// What differs between two texts.
const COMPARED: f64 = 0.88;
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
    if let Some((term, first, second)) = reading::contradiction(&asked.glossary) {
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

/// A text and its translation side by side.
fn compared(asked: &reading::Task) -> Result<Output, Error> {
    let lower = asked.instruction.to_lowercase();
    let known = [
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
    if !known.iter().any(|word| lower.contains(word)) {
        let message = "whether a translation says the same cannot be checked by rules: ask about its numbers, placeholders, addresses or names";
        return Err(Error::invalid("/text", message));
    }
    let names = ["name", "spell", "spel", "brand"].iter().any(|word| lower.contains(word));
    let mut items = Vec::new();
    let mut checks: Vec<Check> = Vec::new();
    for (source, translation) in &asked.pairs {
        let found = compare::differences(source, translation);
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

fn described(one: &compare::Difference) -> String {
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
