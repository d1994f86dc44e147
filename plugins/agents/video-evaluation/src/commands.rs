//! The closed list of commands in words.

use agent_common::command::{Grammar, Match, Reading, Slots};
use agent_common::form::{self, Draft};
use agent_common::lexer::{Kind, Token};
use agent_common::slots::{self, Common};
use agent_common::{framed, material};
use serde_json::{Value, json};

use crate::facts::Figure;
use crate::input::{Input, Speech};
use crate::{Check, Limits, captions};

/// The published list.
const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`check these captions`, `max 17 characters per second`, `find overlaps`, `gaps over 2 seconds`, \
    `words per minute`, `how many captions`, with the captions below";
/// Clauses that make a check.
const CHECKS: [(&str, Check); 15] = [
    ("overlap", Check::Overlap),
    ("order", Check::Order),
    ("numbering", Check::Numbering),
    ("empty", Check::Empty),
    ("repeated", Check::Repeated),
    ("cps", Check::ReadingSpeed),
    ("linelength", Check::LineLength),
    ("lines", Check::Lines),
    ("shortest", Check::Duration),
    ("longest", Check::Duration),
    ("gapover", Check::Gap),
    ("gapunder", Check::Gap),
    ("fastwords", Check::WordsPerMinute),
    ("slowwords", Check::WordsPerMinute),
    ("end", Check::End),
];
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
    let first = tokens.first()?;
    let unit = |word: &str| match word.trim_end_matches('s') {
        "m" if word == "ms" => Some(0.001),
        "millisecond" => Some(0.001),
        "" | "sec" | "second" => Some(1.0),
        "min" | "minute" => Some(60.0),
        "hour" => Some(3600.0),
        _ => None,
    };
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
    let (captions, reading, text) = match captions::split(task) {
        Some((captions, command)) => (Some(captions), grammar.read(&command, &Times), String::new()),
        None => {
            let alone = grammar.read(task, &Times);
            let split = if alone.unread.is_empty() {
                material::Text { reading: alone, text: String::new() }
            } else {
                framed::text(task, &grammar, &Times)
            };
            (None, split.reading, split.text)
        }
    };
    let mut form = options(&reading);
    // A question behind a speech belongs to its command.
    let rest = grammar.read(&text, &Times);
    let is_question = form.speech.is_some() && rest.unread.is_empty();
    form.captions = captions;
    form.transcript = (!text.trim().is_empty() && !is_question).then_some(text);
    let question = form::unread(&reading.unread, SHOWN)
        .or_else(|| {
            reading.found.is_empty().then(|| format!("what is to be checked? Use one of the commands: {SHOWN}"))
        })
        .or_else(|| conflict(&reading))
        .or_else(|| asks_nothing(&form).then(|| format!("what is to be checked or measured? Use {SHOWN}")))
        .or_else(|| missing(&form));
    Draft { form, question }
}

/// Returns whether an input names material, but nothing to check or measure.
fn asks_nothing(form: &Input) -> bool {
    let checks = form.checks.as_ref().is_none_or(|checks| !checks.is_empty());
    let figures = form.figures.is_some() || form.between.is_some() || form.find_words.is_some();
    !checks && !figures && form.speech.is_none()
}

fn missing(form: &Input) -> Option<String> {
    let checks = form.checks.as_ref().is_none_or(|checks| !checks.is_empty());
    let on_words = form.figures.iter().flatten().all(|figure| matches!(figure, Figure::Words));
    let text = if form.speech.is_some() || form.captions.is_some() {
        return None;
    } else if form.transcript.is_none() {
        "the captions are missing: paste them as SubRip or WebVTT below the command; files and links are not opened"
    } else if checks || !on_words || form.between.is_some() {
        "the text below has no times: paste the captions as SubRip or WebVTT"
    } else {
        return None;
    };
    Some(text.to_owned())
}

fn options(reading: &Reading) -> Input {
    let has = |name: &str| reading.all(name).next().is_some();
    let float = |name: &str, slot: &str| {
        let value = reading.all(name).next()?.value(slot)?;
        value.as_f64().or_else(|| value.as_str()?.parse().ok())
    };
    let count = |name: &str| reading.all(name).next().and_then(|found| found.count("n"));
    let texts = |name: &str| -> Vec<String> {
        let listed = |found: &Match| ["a", "b", "c", "d"].map(|slot| found.text(slot));
        reading.all(name).flat_map(listed).filter(|text| !text.is_empty()).collect()
    };
    let forbidden = texts("forbidden");
    let limits = Limits {
        max_characters_per_second: float("cps", "n"),
        max_line_characters: count("linelength"),
        max_lines: count("lines"),
        min_seconds: float("shortest", "d"),
        max_seconds: float("longest", "d"),
        min_gap_seconds: float("gapunder", "d"),
        max_gap_seconds: float("gapover", "d"),
        max_words_per_minute: float("fastwords", "n"),
        min_words_per_minute: float("slowwords", "n"),
        forbidden_words: (!forbidden.is_empty()).then_some(forbidden),
    };
    let mut checks: Vec<Check> = CHECKS.iter().filter(|(name, _)| has(name)).map(|(_, check)| *check).collect();
    checks.extend(has("forbidden").then_some(Check::Words));
    // Clauses that ask for a figure have its name.
    let figure = |found: &Match| serde_json::from_value::<Figure>(found.clause.clone().into()).ok();
    let figures: Vec<Figure> = reading.found.iter().filter_map(figure).collect();
    let words = texts("occurrences");
    let between = reading.all("gapbetween").next();
    Input {
        media_seconds: float("media", "d"),
        limits: (limits != Limits::default()).then_some(limits),
        checks: (!has("check")).then_some(checks),
        speech: speech(&float),
        between: between.and_then(|found| Some([found.count("a")?, found.count("b")?])),
        figures: (!figures.is_empty()).then_some(figures),
        find_words: (!words.is_empty()).then_some(words),
        ..Input::default()
    }
}

fn speech(float: &dyn Fn(&str, &str) -> Option<f64>) -> Option<Speech> {
    let given = Speech {
        words: float("speech", "words").or_else(|| float("speechlength", "words")),
        seconds: float("speech", "d").or_else(|| float("speechwords", "d")),
        words_per_minute: float("speechlength", "n").or_else(|| float("speechwords", "n")),
    };
    (given != Speech::default()).then_some(given)
}

/// Returns the question about clauses that contradict each other.
fn conflict(reading: &Reading) -> Option<String> {
    let names = ["cps", "linelength", "lines", "shortest", "longest", "gapover", "gapunder", "fastwords", "slowwords"];
    let more = ["media", "gapbetween", "speech", "speechlength", "speechwords"];
    let twice = names.iter().chain(&more).find_map(|name| reading.one(name).err());
    let speeches = more.iter().skip(2).filter(|name| reading.all(name).next().is_some()).count();
    twice.or_else(|| (speeches > 1).then(|| "two of words, length and pace are needed; which ones apply?".to_owned()))
}

#[cfg(test)]
mod tests {
    use agent_common::command;

    use super::*;

    const CAPTIONS: &str = "1\n00:00:01,000 --> 00:00:03,000\nHello.\n";

    #[test]
    fn published_examples_are_understood() {
        let examples = command::examples(COMMANDS);
        assert_eq!(examples.len(), 9);
        for example in examples {
            assert_eq!(draft(example).question, None, "{example}");
        }
    }

    #[test]
    fn every_name_of_a_clause_is_published() {
        for (name, _) in CHECKS {
            assert!(COMMANDS.contains(&format!("\n- {name}: ")), "{name}");
        }
    }

    #[test]
    fn clauses_fill_the_form() {
        let cases = [
            ("check these captions", json!({})),
            ("max 17 cps", json!({ "limits": { "max_characters_per_second": 17.0 }, "checks": ["reading_speed"] })),
            (
                "Are there any gaps over 1 minute and 30 seconds?",
                json!({ "limits": { "max_gap_seconds": 90.0 }, "checks": ["gap"] }),
            ),
            (
                "captions shown at least 1 second, minimum gap of 80ms",
                json!({ "limits": { "min_seconds": 1.0, "min_gap_seconds": 0.08 }, "checks": ["duration", "gap"] }),
            ),
            (
                "check the subtitles, the video is 20 s long, no word \"damn\" or \"hell\"",
                json!({ "limits": { "forbidden_words": ["damn", "hell"] }, "media_seconds": 20.0 }),
            ),
            (
                "how many captions, and how long is it?",
                json!({ "figures": ["captions", "last_caption_ends"], "checks": [] }),
            ),
            ("gap between captions 2 and 3", json!({ "between": [2, 3], "checks": [] })),
        ];
        for (command, expect) in cases {
            for task in [format!("{command}\n\n{CAPTIONS}"), format!("{CAPTIONS}\n{command}, please")] {
                let draft = draft(&task);
                assert_eq!(draft.question, None, "{task}");
                let mut shown = json!(draft.form);
                assert_eq!(shown.as_object_mut().unwrap().remove("captions"), Some(json!(CAPTIONS)), "{task}");
                assert_eq!(shown, expect, "{task}");
            }
        }
    }

    #[test]
    fn what_is_not_clear_is_a_question() {
        let cases = [
            ("find overlaps", "captions are missing"),
            ("Evaluate https://example.org/video.mp4", "https"),
            ("check these captions for a kids channel\n\n1\n00:00:01,000 --> 00:00:03,000\nHi", "kids"),
            ("max 17 cps, max 20 cps\n\n1\n00:00:01,000 --> 00:00:03,000\nHi", "two different"),
            ("max 2 lines: Hello there", "no times"),
            ("1\n00:00:01,000 --> 00:00:03,000\nHi", "what is to be checked"),
            ("Which captions are in this file?\n\n1\n00:00:01,000 --> 00:00:03,000\nHi", "checked or measured"),
            ("How many views will it get?\n\n1\n00:00:01,000 --> 00:00:03,000\nHi", "views"),
        ];
        for (task, part) in cases {
            let question = draft(task).question.unwrap_or_default();
            assert!(question.contains(part), "{task}: {question}");
        }
    }
}
