//! An agent that sorts texts under labels: by exact rules, or by two readers that agree,
//! the bridge `classification` for words and vectors of a model for meaning.

mod by_model;
mod commands;
mod input;
mod meaning;
mod rules;

use agent_common::{figures, form, texts};
use tollbridge_sdk::{Call, Error, agent};

pub use crate::input::{ClassifiedText, Input, Label, Output, Score};

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let typed = input.filter(|input| task.trim().is_empty() || input.texts.is_some() || input.labels.is_some());
    let Some(mut form) = typed else {
        let filled = form::fill(task, commands::draft(task), |form| material(form).map(drop))?;
        let mut output = answer(&filled.form, true)?;
        output.limitations.extend(filled.note);
        return Ok(output);
    };
    if form.texts.is_none() {
        form.texts = Some(texts::split(task, false).map_err(|question| Error::invalid("/task", question))?);
    }
    answer(&form, false)
}

/// Returns the texts and labels of an input.
fn material(input: &Input) -> Result<(&[String], &[Label]), Error> {
    let texts = input.texts.as_deref().unwrap_or_default();
    let labels = input.labels.as_deref().unwrap_or_default();
    if texts.is_empty() || texts.iter().any(|text| text.trim().is_empty()) {
        return Err(Error::invalid("/texts", "give the texts, none of them empty; in words, one a line"));
    }
    if texts.len() > 200 {
        return Err(Error::invalid("/texts", format!("{} texts; at most 200 in one task", texts.len())));
    }
    let few = labels.len() < 2 && labels.iter().all(|label| label.rule.is_none());
    if few || labels.iter().any(|label| label.name.trim().is_empty()) {
        return Err(Error::invalid("/labels", "give two or more labels with names, or labels with rules"));
    }
    let repeated = |(at, label): (usize, &Label)| labels.iter().skip(at + 1).any(|other| other.name == label.name);
    if labels.iter().enumerate().any(repeated) {
        return Err(Error::invalid("/labels", "two labels have the same name"));
    }
    Ok((texts, labels))
}

fn answer(input: &Input, in_words: bool) -> Result<Output, Error> {
    let (texts, labels) = material(input)?;
    if let Some(found) = rules::labels(input, texts)? {
        if found.iter().all(Option::is_none) {
            return Err(Error::invalid("/texts", "no text fits a rule; add a rule for the others").with_input(input));
        }
        let classified = |(text, label): (&String, Option<String>)| {
            let reason = label.is_none().then(|| "it fits no rule".to_owned());
            ClassifiedText { label, reason, ..ClassifiedText::new(text) }
        };
        return Ok(output(texts.iter().zip(found).map(classified).collect(), "rules", Vec::new()));
    }
    let (verdicts, limitations) = meaning::judge(input, in_words)?;
    if verdicts.iter().all(|verdict| verdict.label.is_some()) || !in_words {
        let compared = verdicts.iter().any(|verdict| verdict.confidence.is_some());
        let from = if compared { "words and meaning" } else { "words" };
        return Ok(output(verdicts, from, limitations));
    }
    let open = verdicts.into_iter().find(|verdict| verdict.label.is_none());
    let (text, reason) = open.map(|open| (open.text, open.reason.unwrap_or_default())).unwrap_or_default();
    let message = format!(
        "no label is certain enough for `{text}`: {reason}; describe the labels or give examples of each in `labels`, or \
         send `input`, which may leave some texts without a label"
    );
    let refusal = Error::invalid("/labels", message).with_input(input);
    let (verdicts, note) = by_model::judge(texts, labels, &refusal)?;
    Ok(output(verdicts, "model", vec![note]))
}

fn output(texts: Vec<ClassifiedText>, labels_from: &'static str, limitations: Vec<String>) -> Output {
    Output { summary: summary(&texts), texts, labels_from, limitations }
}

/// Returns the label of one text, a line for each of a few, or the count of each label.
fn summary(texts: &[ClassifiedText]) -> String {
    let label = |text: &ClassifiedText| text.label.clone().unwrap_or_else(|| "no label".into());
    match texts {
        [only] => label(only),
        few if few.len() <= 20 => {
            let line = |(at, text): (usize, &ClassifiedText)| format!("{}: {}", at + 1, label(text));
            few.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
        }
        many => {
            let mut counts: Vec<(String, usize)> = Vec::new();
            for name in many.iter().map(label) {
                match counts.iter_mut().find(|(other, _)| *other == name) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((name, 1)),
                }
            }
            counts.sort_by_key(|count| std::cmp::Reverse(count.1));
            let parts: Vec<String> = counts.iter().map(|(name, count)| format!("{name}: {count}")).collect();
            format!("{}: {}.", figures::count(many.len(), "text", "texts"), parts.join(", "))
        }
    }
}

agent! { run: run, examples: ["../cases/support.json"] }
tollbridge_sdk::test_cases!(agent run);

#[cfg(test)]
mod tests;
