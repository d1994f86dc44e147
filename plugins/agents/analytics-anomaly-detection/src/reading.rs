//! What a task gives to look at: one series or several, and what is asked of them.

use agent_common::request::{PieceKind, Request};
use agent_common::series::{self, Series};
use agent_common::{quantity, sentences, series_labels, time_unit};
use tollbridge_sdk::Error;

use crate::rule::{self, Rule};

/// Fewest values among which one can stand out.
const FEWEST: usize = 4;
/// Most series of one task.
const SERIES_MAX: usize = 8;

/// Words that ask for high values.
const HIGH: &[&str] = &[
    "too high",
    "unusually high",
    "spike",
    "peak",
    "surge",
    "abnormally high",
    "suspiciously high",
    "unusually large",
    "unusually long",
];

/// Words that ask for low values.
const LOW: &[&str] =
    &["too low", "unusually low", "dips", " dip ", "abnormally low", "suspiciously low", "unusually small", "collapse"];

/// Words that say that one value stands out.
const ONE: &[&str] = &[
    "one of them",
    "one of these",
    "which one",
    "the odd one",
    "one must be",
    "one price",
    "one value",
    "one reading",
    "one entry",
    "one is wrong",
    "one day is",
    "the typo",
    "a typo",
    "the outlier",
    "the error",
];

/// Words that ask where a level changes.
const LEVEL: &[&str] = &[
    "level",
    "shift",
    "step change",
    "change point",
    "changepoint",
    "regime",
    "since when",
    "permanent",
    "structural break",
    "new normal",
    "jumped to a new",
    "baseline change",
];

/// Words that ask for what stands out.
const FIND: &[&str] = &[
    "outlier",
    "anomal",
    "unusual",
    "odd",
    "strange",
    "abnormal",
    "stand",
    "wrong",
    "suspicious",
    "error",
    "typo",
    "exception",
    "spike",
    "attack",
    "special",
    "weird",
    "deviat",
    "irregular",
    "cannot be right",
    "out of the ordinary",
    "normal",
    "off",
    "flag",
    "auff",
    "extrem",
    "inusual",
    "atípic",
    "ungew",
    "shift",
    "level",
    "peculiar",
    "glitch",
    "outside",
    "above",
    "below",
];

/// Words that ask for a reason.
const WHY: &[&str] = &[
    "motive",
    "what caused",
    "the cause",
    "the reason",
    "reason for",
    "what is behind",
    "who is to blame",
    "whose fault",
    "explain why",
    "tell me why",
];

/// Words that change the values first.
const ADJUSTS: &[&str] = &[
    "take these",
    "take those",
    "take them off",
    "subtract",
    "deduct",
    "before you judge",
    "not counting",
    "without counting",
    "adjust for",
    "corrected for",
    "net of",
];

/// What is looked at.
#[derive(Debug)]
pub struct Reading {
    pub series: Vec<Series>,
    pub rule: Option<Rule>,
    pub direction: Option<&'static str>,
    /// The task says that there is one.
    pub one: bool,
    /// The task asks where a level changes.
    pub level: bool,
}

/// Reads a task in words.
pub fn read(task: &str) -> Result<Reading, Error> {
    let plain = agent_common::html::plain(task).map(tidy);
    let task = &numbered(plain.as_deref().unwrap_or(task));
    let request = Request::read(task);
    let asked = asked(task, &request);
    refuse(task, &asked)?;
    let mut found = series::read(task, &request);
    found.retain(|series| series.values.iter().all(|value| value.is_finite()));
    let longest = found.iter().map(|series| series.values.len()).max().unwrap_or(0);
    if longest < FEWEST {
        let text = match longest {
            0 => "there are no numbers in the task to look at; give the values, with their dates or names if they have some, such as `Mon 12, Tue 11, Wed 40, Thu 12`".to_owned(),
            count => format!("{count} values are too few to say what is unusual; give at least {FEWEST}"),
        };
        return Err(Error::invalid("/values", text));
    }
    found.retain(|series| series.values.len() >= FEWEST);
    let named = named(&found, &asked);
    let mut chosen = if named.is_empty() { found } else { named };
    if chosen.len() > SERIES_MAX {
        let text = format!("there are {} series; name at most {SERIES_MAX} of them", chosen.len());
        return Err(Error::invalid("/values", text));
    }
    if asks_for_people(&asked, &chosen) {
        let text =
            "the values name times, not people, so who it was cannot be told from them; ask which times stand out";
        return Err(Error::invalid("/task", text));
    }
    for series in &mut chosen {
        if series.labels.is_empty() {
            let unit = time_unit::told(task);
            series.labels = series_labels::told(task, series.values.len(), unit).unwrap_or_default();
        }
    }
    let lower = asked.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let high = has(HIGH);
    let low = has(LOW);
    Ok(Reading {
        rule: rule::read(&asked),
        direction: match (high, low) {
            (true, false) => Some("high"),
            (false, true) => Some("low"),
            _ => None,
        },
        one: ONE.iter().any(|word| says(&lower, word)),
        level: has(LEVEL),
        series: chosen,
    })
}

/// The lines of a page without the blanks of its tags.
fn tidy(text: String) -> String {
    let cells =
        |line: &str| line.split('\t').map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join("\t");
    text.lines().map(cells).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// `no. 12: 5` without the stop, which would end a sentence.
fn numbered(task: &str) -> String {
    let marks = agent_common::patterns::all(r"(?i)\b((?:no|nr)\. ?\d{1,4}) ?[:=]", task);
    marks.into_iter().fold(task.to_owned(), |text, mark| {
        let bare = mark.replacen(['.'], "", 1);
        text.replace(&format!("{mark}:"), &format!("{bare}:")).replace(&format!("{mark} ="), &format!("{bare} ="))
    })
}

/// Whether people are asked for, and the values are told apart by times alone.
fn asks_for_people(asked: &str, series: &[Series]) -> bool {
    let lower = asked.to_lowercase();
    let person = r"\b(?:who|whose|whom|wer|qui|quién)\b|\bwhich (?:person|employee|colleague|worker|driver|customer|waiter|cashier|nurse|pupil|student)\b|name of the (?:person|employee|colleague|culprit|thief)";
    let timed = |label: &String| {
        agent_common::periods::read(label, None).is_some()
            || agent_common::dates::read(label, None).is_some()
            || label.chars().all(|c| c.is_ascii_digit() || matches!(c, ':' | '.' | '-' | '/' | 'h' | ' '))
    };
    agent_common::patterns::is_match(person, &lower)
        && series.iter().all(|one| one.labels.iter().all(timed))
        && series.iter().filter(|one| one.name.is_some()).count() < 2
}

/// The words that ask, without sentences full of numbers.
fn asked(task: &str, request: &Request) -> String {
    let prose: Vec<&str> =
        request.material.iter().filter(|one| one.kind == PieceKind::Prose).map(|one| one.text.as_str()).collect();
    let text = format!("{}\n{}", request.instruction, prose.join("\n"));
    let text = if text.trim().is_empty() { task.to_owned() } else { text };
    let few = |text: &str| quantity::scan(text).iter().filter(|q| !q.ordinal).count() < 5;
    let mut parts: Vec<&str> = Vec::new();
    for line in text.lines() {
        for sentence in sentences::split(line).iter().map(|one| one.text) {
            let (head, tail) = sentence.split_once(':').unwrap_or((sentence, ""));
            if few(sentence) {
                parts.push(sentence);
            } else {
                parts.extend([head, tail].into_iter().filter(|part| few(part)));
            }
        }
    }
    parts.join("\n")
}

/// Whether the words stand there whole: `the outlier` is not `the outliers`.
fn says(text: &str, words: &str) -> bool {
    let end = |at: usize| text.get(at + words.len()..).and_then(|rest| rest.chars().next());
    text.match_indices(words).any(|(at, _)| end(at).is_none_or(|next| !next.is_alphanumeric()))
}

fn named(found: &[Series], asked: &str) -> Vec<Series> {
    if found.len() < 2 {
        return Vec::new();
    }
    let lower = asked.to_lowercase().replace(['_', '-'], " ");
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric() && c != ' ').collect();
    let is_named = |series: &&Series| {
        series.name.as_ref().is_some_and(|name| {
            let name = name.to_lowercase().replace(['_', '-'], " ");
            let name = name.trim();
            name.len() > 1 && words.iter().any(|part| format!(" {part} ").contains(&format!(" {name} ")))
        })
    };
    found.iter().filter(is_named).cloned().collect()
}

/// An error where a task wants what values do not tell.
pub fn check(task: &str) -> Result<(), Error> {
    refuse(task, &asked(task, &Request::read(task)))
}

fn refuse(task: &str, asked: &str) -> Result<(), Error> {
    let lower = asked.to_lowercase().replace('’', "'");
    let all = task.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let finds = has(FIND);
    if has(&["forecast", "predict", "extrapolat", "next month", "next week", "next year", "next six", "next three"])
        && !finds
    {
        let text = "this agent finds what stands out in values that were measured; ask the agent for forecasts for what comes next";
        return Err(Error::invalid("/task", text));
    }
    let why = has(WHY) || lower.split(['\n', '.', '?', '!', ',']).any(|part| part.trim().starts_with("why "));
    if why {
        let text = "numbers show that a value stands out, not the reason why; ask which values stand out";
        return Err(Error::invalid("/task", text));
    }
    if agent_common::patterns::is_match(
        r"\b(?:lying|lies about|cheat\w*|stole|steals?|stealing|guilty|dishonest|to blame|manipulated by)\b",
        &lower,
    ) {
        let text = "numbers show that a value stands out, not what somebody did or meant; ask which values stand out";
        return Err(Error::invalid("/task", text));
    }
    if let Some(word) = ADJUSTS.iter().find(|word| all.contains(**word)) {
        let text = format!("the values are to be changed first (\"{word}\"); give them as they shall count");
        return Err(Error::invalid("/values", text));
    }
    if has(&[
        "sum of",
        "average of",
        "translate",
        "summarise",
        "summarize",
        "sort the",
        "calculate the mean",
        "what is the mean",
        "what is the average",
        "draw a",
        "plot ",
    ]) && !finds
    {
        let text = "this agent finds what stands out in a series of numbers; ask which values are unusual";
        return Err(Error::invalid("/task", text));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_several() {
        assert!(says("mark the outlier", "the outlier") && !says("mark the outliers", "the outlier"));
    }

    #[test]
    fn what_is_looked_at() {
        let cases = [
            (
                "Failed logins per hour, 0h to 13h: 11, 12, 11, 13, 12, 11, 12, 47, 49, 12, 11, 13, 12, 11. When was the attack?",
                "14 ",
            ),
            ("Which readings are outside 2 to 8?\ntime,temp\n08:00,4\n09:00,5\n10:00,9\n11:00,5", "4 rule"),
            ("> volunteers per Saturday\n> 33 35 34 36 33 34 35 34 3\n\nThe flood day, please.", "9 "),
            ("day,visits,sales\nMon,5,50\nTue,6,51\nWed,5,12\nThu,6,50\n\nanything odd in sales?", "4 "),
            ("a,b\nMon,5\nTue,6\nWed,5\nThu,60\nlevel shift?", "4 level"),
            ("Find the anomalies in our data.", "no numbers"),
            ("values: 10; 12. outliers?", "too few"),
            ("Forecast the next six months: 20, 22, 21, 23, 24, 25.", "comes next"),
            ("Sales on Tuesday dropped from 100 to 60. What was the customers' motive?", "reason"),
            (
                "Mon good, Tue good, Wed bad, Thu good. Numeric outlier score for Wednesday with two decimals?",
                "no numbers",
            ),
        ];
        for (task, expect) in cases {
            let told = match read(task) {
                Ok(reading) => {
                    let counts: Vec<String> = reading.series.iter().map(|one| one.values.len().to_string()).collect();
                    let rule = if reading.rule.is_some() { "rule" } else { "" };
                    format!("{} {rule}{}", counts.join("+"), if reading.level { "level" } else { "" })
                }
                Err(error) => format!("{error:?}"),
            };
            assert!(told.contains(expect) && told.len() < 400, "{task}\n{told}");
        }
    }
}
