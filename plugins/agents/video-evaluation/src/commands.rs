//! The closed list of commands in words.

use agent_common::command::{Grammar, Slots};
use agent_common::form::Draft;
use agent_common::framed;
use agent_common::lexer::{Kind, Token};
use agent_common::material::Text;
use agent_common::slots::{self, Common};
use serde_json::{Value, json};

use crate::input::{Figure, Input};
use crate::{captions, facts};

/// The published list.
const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`check these captions`, `max 17 characters per second`, `find overlaps`, `gaps over 2 seconds`, \
    `words per minute`, `how many captions`, with the captions below";

/// Times, besides the common kinds.
struct Times;

impl Slots for Times {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        if kind != "seconds" {
            return Common.read(kind, tokens);
        }
        let Some((length, value)) = seconds(tokens) else { return Vec::new() };
        let after = tokens.get(length..).unwrap_or_default();
        let skip = usize::from(after.first().is_some_and(|token| token.lower == "and"));
        let more = after.get(skip..).and_then(seconds).filter(|(_, more)| *more < 60.0 && value >= 60.0);
        let both = more.map(|(next, more)| (length + skip + next, json!(value + more)));
        both.into_iter().chain([(length, json!(value))]).collect()
    }
}

/// Reads `2 seconds`, `80ms` or `1:30`.
fn seconds(tokens: &[Token]) -> Option<(usize, f64)> {
    let unit = |word: &str| match word {
        "ms" | "millisecond" | "milliseconds" => Some(0.001),
        "s" | "sec" | "secs" | "second" | "seconds" => Some(1.0),
        "min" | "mins" | "minute" | "minutes" => Some(60.0),
        "hour" | "hours" => Some(3600.0),
        _ => None,
    };
    let first = tokens.first()?;
    if first.kind == Kind::Number && first.text.contains(':') {
        return Some((1, captions::seconds(&first.text)?));
    }
    let digits = first.text.trim_end_matches(char::is_alphabetic);
    if digits.len() < first.text.len() && first.kind == Kind::Number {
        return Some((1, digits.parse::<f64>().ok()? * unit(first.lower.get(digits.len()..)?)?));
    }
    let counted = slots::count(first).map(|count| (1, f64::from(count)));
    let (length, value) = slots::number(tokens).and_then(|(n, text)| Some((n, text.parse().ok()?))).or(counted)?;
    Some((length + 1, value * unit(&tokens.get(length)?.lower)?))
}

/// Reads a task in words.
pub(crate) fn draft(task: &str) -> Draft<Input> {
    let grammar = Grammar::new(COMMANDS);
    let (captions, command) = captions::split(task).unzip();
    let reading = grammar.read(command.as_deref().unwrap_or(task), &Times);
    let split = if captions.is_some() || reading.unread.is_empty() {
        Text { reading, text: String::new() }
    } else {
        framed::text(task, &grammar, &Times)
    };
    let Draft { mut form, question } = split.reading.draft::<Input>(SHOWN);
    if split.reading.all("check").next().is_some() {
        form.checks = None;
    } else {
        form.checks.get_or_insert_default();
    }
    form.captions = captions;
    form.transcript = Some(split.text).filter(|text| !text.trim().is_empty());
    let gap = split.reading.one("gapbetween");
    let numbers = gap.as_ref().ok().and_then(|gap| gap.as_ref());
    form.between = numbers.and_then(|gap| Some([gap.count("a")?, gap.count("b")?]));
    let question = question.or_else(|| gap.err()).or_else(|| missing(&form));
    Draft { form, question }
}

/// Returns the question about what is to be checked or measured, or about missing material.
fn missing(form: &Input) -> Option<String> {
    let checks = form.checks.as_ref().is_none_or(|checks| !checks.is_empty());
    let figures = form.figures.is_some() || form.between.is_some() || form.find_words.is_some();
    let only_words = form.figures.iter().flatten().all(|figure| *figure == Figure::Words) && form.between.is_none();
    if let Some(speech) = form.speech {
        let unclear = "two of words, length and pace are needed; which ones apply?";
        facts::of_speech(&speech).is_none().then(|| unclear.to_owned())
    } else if !checks && !figures {
        Some(format!("what is to be checked or measured? Use one of the commands: {SHOWN}"))
    } else if form.captions.is_some() {
        None
    } else if form.transcript.is_none() {
        let paste = "paste them as SubRip or WebVTT below the command; files and links are not opened";
        Some(format!("the captions are missing: {paste}"))
    } else {
        let no_times = "the text below has no times: paste the captions as SubRip or WebVTT";
        (checks || !only_words).then(|| no_times.to_owned())
    }
}
