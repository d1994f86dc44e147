//! An agent that translates, and refuses to sell what is no translation.
//!
//! The bridge `translation` asks a model and checks numbers, placeholders and terms; the
//! agent checks language, script, length and what was left untranslated. A translation
//! that fails one check is refused. A text is compared with its translation without a model.

mod checks;
mod commands;
mod compare;

use agent_common::form::{self, Filled};
use agent_common::overlay::overlay;
use agent_common::{Answer, grounds, language_names, limits, material};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tollbridge_sdk::{Call, Error, agent, bridges};

/// Most languages of one task.
const TARGETS_MAX: usize = 5;

/// A text, and the language it should have.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The text, at most 32 KiB. The task's own text unless given.
    #[schemars(length(min = 1, max = 32_768))]
    text: Option<String>,
    /// Language of the translation: a code (`de`, `pt-BR`). Default: `en`.
    #[schemars(length(min = 2, max = 40))]
    target: Option<String>,
    /// Several languages instead of `target`, at most 5.
    #[schemars(length(min = 1, max = 5))]
    targets: Option<Vec<String>>,
    /// Language of the text, a code. Default: detected.
    #[schemars(length(min = 2, max = 40))]
    source: Option<String>,
    /// Terms and what they must be in the translation, at most 200.
    #[schemars(length(max = 200))]
    glossary: Option<Vec<Term>>,
    /// Names and terms that must stay as they are, at most 200.
    #[schemars(length(max = 200))]
    keep: Option<Vec<String>>,
    /// An existing translation of `text`, whose numbers, placeholders, addresses, `keep` and `glossary` are compared
    /// with it. No model is asked.
    #[schemars(length(min = 1, max = 32_768))]
    translation: Option<String>,
}

/// A term whose translation is given.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Term {
    /// The term in the text.
    term: String,
    /// Its required translation.
    translation: String,
}

/// The translation, or what differs between two texts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    summary: String,
    /// The translated text; empty if two texts were compared.
    translation: String,
    /// The translation into each language; of a comparison, each difference.
    items: Vec<TranslatedPart>,
    /// Language of the text given, ISO 639-1, if it is clear.
    source: Option<String>,
    /// Language of the translation; several are separated by commas.
    target: String,
    /// Whether every check passed; a translation that failed one is not given.
    passed: bool,
    /// Comparisons of the two texts.
    checks: Vec<Check>,
    /// The model that wrote the translation; null if none was asked.
    model: Option<String>,
    /// What the answer does not cover.
    limitations: Vec<String>,
}

/// A translation of the text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TranslatedPart {
    /// The text as given.
    text: String,
    /// Its translation, or what differs.
    translation: String,
    /// Language of the translation.
    target: String,
    /// `model`, `unchanged` or `comparison`.
    from: &'static str,
}

/// A comparison.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// What was compared.
    name: String,
    /// Whether nothing is missing and nothing was added.
    passed: bool,
    /// What the translation lacks.
    #[serde(default)]
    missing: Vec<String>,
    /// What only the translation has.
    #[serde(default)]
    added: Vec<String>,
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
    let input = input.unwrap_or_default();
    let filled = if input.text.is_some() || (task.trim().is_empty() && input != Input::default()) {
        Filled { form: input, note: None }
    } else {
        let draft = commands::draft(task);
        if input == Input::default() {
            form::fill(task, draft, |form| verified(form, task))?
        } else {
            // Members without a text apply to the text of the command, or to the whole task.
            let whole = Input { text: Some(task.to_owned()), ..Input::default() };
            let under = if draft.form.text.is_some() && draft.form.target.is_some() { draft.form } else { whole };
            Filled { form: overlay(under, &input), note: None }
        }
    };
    let mut output = answer(&filled.form)?;
    output.limitations.extend(filled.note);
    Ok(output)
}

/// Checks a form that a model filled: its texts are those of the task.
fn verified(form: &Input, task: &str) -> Result<(), Error> {
    let texts = [&form.text, &form.translation];
    let copied = texts.into_iter().flatten().all(|text| grounds::word_for_word(text, task));
    let target = form.target.is_some() || form.targets.is_some() || form.translation.is_some();
    if !copied || !target || form.text.is_none() {
        return Err(Error::invalid("/text", "copy the text word for word, and name the target language"));
    }
    check(form).map(drop)
}

/// Checks the members, and returns the languages of the translation.
fn check(input: &Input) -> Result<Vec<String>, Error> {
    if input.text.as_ref().is_none_or(|text| text.trim().is_empty()) {
        let message = "the text is missing: write `Translate to German: …` with the text behind the colon, or give \
                       `text` and `target`";
        return Err(Error::invalid("/text", message));
    }
    let terms = input.glossary.as_deref().unwrap_or_default();
    let differs = |a: &Term, b: &Term| {
        a.term.eq_ignore_ascii_case(&b.term) && !a.translation.eq_ignore_ascii_case(&b.translation)
    };
    if let Some(term) = terms.iter().enumerate().find(|(at, a)| terms.iter().skip(at + 1).any(|b| differs(a, b))) {
        let message =
            format!("the glossary contradicts itself: `{}` has two translations; which one applies?", term.1.term);
        return Err(Error::invalid("/glossary", message));
    }
    match (&input.target, &input.targets) {
        (Some(_), Some(_)) => Err(Error::invalid("/targets", "give `target` or `targets`, not both")),
        (None, Some(list)) if list.is_empty() || list.len() > TARGETS_MAX => {
            Err(Error::invalid("/targets", format!("give 1 to {TARGETS_MAX} languages")))
        }
        (None, Some(list)) => Ok(list.clone()),
        (target, None) => Ok(vec![target.clone().unwrap_or_else(|| "en".to_owned())]),
    }
}

fn answer(input: &Input) -> Result<Output, Error> {
    let targets = check(input)?;
    let text = input.text.clone().unwrap_or_default();
    if let Some(translation) = &input.translation {
        return Ok(compared(input, &text, translation));
    }
    let own = checks::detect(&text)?;
    let source = input.source.clone().or(own.language.clone().filter(|_| own.reliable));
    let unclear = "the language of the translation could not be confirmed; numbers, placeholders, script, length and \
                   terms were checked";
    let (mut items, mut all, mut models, mut notes) = (Vec::new(), Vec::new(), Vec::new(), Vec::<String>::new());
    for target in &targets {
        let code = language_names::code(target).unwrap_or(target);
        let same = source.as_ref().is_some_and(|source| language_names::same(source, code)) && !code.contains('-');
        if same && input.source.is_none() {
            notes.push(format!("the text is in {} already; no model was asked", language_names::name(code)));
            items.push(part(&text, &text, target, "unchanged"));
            continue;
        }
        let (translated, own_notes) = translate(input, &text, target)?;
        let detected = checks::detect(&translated.translation)?;
        let kept = input.keep.iter().flatten().flat_map(|term| checks::words(term)).collect();
        let changeable = !checks::words(&text).is_subset(&kept);
        let problem = checks::problem(&text, &translated.translation, &detected, code).filter(|_| changeable);
        if let Some(problem) = problem.or_else(|| failed(&translated)) {
            let text =
                format!("the translation of {} is not given, because it failed a check: {problem}", translated.model);
            return Err(Error::invalid("/text", text));
        }
        all.extend(translated.checks);
        if checks::is_confirmed(&detected, code) {
            all.push(Check { name: "language".into(), passed: true, missing: Vec::new(), added: Vec::new() });
        } else {
            notes.push(unclear.to_owned());
        }
        notes.extend(own_notes);
        models.push(translated.model);
        items.push(part(&text, &translated.translation, target, "model"));
    }
    models.dedup();
    let from = source.as_ref().map_or_else(String::new, |source| format!("from {source} "));
    let summary = if models.is_empty() {
        "The text is in the requested language already; it is unchanged.".to_owned()
    } else {
        format!("Translated {from}to {} by {}; all checks passed.", targets.join(", "), models.join(", "))
    };
    Ok(Output {
        summary,
        translation: joined(&items),
        items,
        source,
        target: targets.join(", "),
        passed: true,
        checks: all,
        model: (!models.is_empty()).then(|| models.join(", ")),
        limitations: limits(&[], &[&notes]),
    })
}

fn translate(input: &Input, text: &str, target: &str) -> Result<(Translated, Vec<String>), Error> {
    let glossary = input.glossary.clone().unwrap_or_default();
    let keep = input.keep.clone().unwrap_or_default();
    let mut call = json!({ "text": text, "target": target, "glossary": glossary, "keep": keep });
    if let (Some(source), Some(call)) = (&input.source, call.as_object_mut()) {
        call.insert("source".into(), json!(source));
    }
    let answer: Answer<Translated> = bridges::call("translation", &call)?;
    let mut translated = answer.result;
    // Models like to quote the whole answer.
    if material::unquoted(text) == text.trim() {
        translated.translation = material::unquoted(&translated.translation).to_owned();
    }
    Ok((translated, answer.limitations))
}

/// Returns the first check of the bridge that failed.
fn failed(translated: &Translated) -> Option<String> {
    let Some(Check { name, missing, added, .. }) = translated.checks.iter().find(|check| !check.passed) else {
        return (!translated.passed).then(|| "the bridge rejected it".to_owned());
    };
    Some(format!("{name} (missing: {}; added: {})", missing.join(", "), added.join(", ")))
}

fn part(text: &str, translation: &str, target: &str, from: &'static str) -> TranslatedPart {
    TranslatedPart { text: text.to_owned(), translation: translation.to_owned(), target: target.to_owned(), from }
}

/// Returns the translations; under the names of the languages if there are several.
fn joined(items: &[TranslatedPart]) -> String {
    let named = |item: &TranslatedPart| format!("{}: {}", language_names::name(&item.target), item.translation);
    match items {
        [only] => only.translation.clone(),
        all => all.iter().map(named).collect::<Vec<_>>().join("\n"),
    }
}

/// Compares a text with its translation.
fn compared(input: &Input, text: &str, translation: &str) -> Output {
    let mut checks = compare::differences(text, translation);
    let lacks = |kind: &str, term: &str| Check {
        name: kind.to_owned(),
        passed: false,
        missing: vec![term.to_owned()],
        added: Vec::new(),
    };
    let has = |text: &str, term: &str| text.to_lowercase().contains(&term.to_lowercase());
    let lost = input.keep.iter().flatten().filter(|term| text.contains(*term) && !translation.contains(*term));
    checks.extend(lost.map(|term| lacks("kept term", term)));
    let terms = input.glossary.iter().flatten();
    let other = terms.filter(|term| has(text, &term.term) && !has(translation, &term.translation));
    checks.extend(other.map(|term| lacks("term", &term.translation)));
    let target = input.target.clone().unwrap_or_default();
    let texts: Vec<String> = checks.iter().map(compare::text).collect();
    let same =
        "Nothing differs: numbers, placeholders, addresses and terms of the text are unchanged in the translation.";
    Output {
        summary: if texts.is_empty() { same.to_owned() } else { texts.join(" ") },
        translation: String::new(),
        items: texts.iter().map(|difference| part(text, difference, &target, "comparison")).collect(),
        source: input.source.clone(),
        target,
        passed: checks.is_empty(),
        checks,
        model: None,
        limitations: vec![
            "numbers in digits, placeholders, addresses and the terms given are compared, not the meaning".into(),
        ],
    }
}

agent! { run: run, examples: ["../cases/to_german.json"] }
tollbridge_sdk::test_cases!(agent run);

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use tollbridge_sdk::testing::Doubles;

    use super::*;

    /// Inputs, the translation of the model and its detected language, and a part of the answer or of the refusal.
    #[test]
    fn translations_are_given_or_refused() {
        let all: Vec<(Input, Value, Value, String)> = serde_json::from_str(include_str!("../translated.json")).unwrap();
        for (input, translation, detected, expect) in all {
            let text = json!({ "text": input.text });
            let result = json!({ "translation": translation, "passed": true, "model": "m", "checks": [] });
            let doubles = Doubles::new().bridge("translation", move |_| Ok(json!({ "result": result }))).bridge(
                "language_detection",
                move |input| {
                    let own = if *input == text { json!({ "reliable": false }) } else { detected.clone() };
                    Ok(json!({ "result": { "texts": [own] } }))
                },
            );
            let (output, _) = doubles.run(|| run(&Call::default(), "", Some(input)));
            let summary = output.map_or_else(|error| error.message().to_owned(), |output| output.summary);
            assert!(summary.contains(&expect), "{translation}\n=> {summary}");
        }
    }
}
