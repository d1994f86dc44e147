//! The closed list of commands in words.

use agent_common::command::{Grammar, Reading};
use agent_common::form::{self, Draft};
use agent_common::sequence;
use agent_common::slots::Common;
use tollbridge_sdk::Error;

use crate::input::{Direction, Find, Input, Sensitivity, Series};
use crate::limits::Limits;

/// The published list.
const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`find outliers`, `find level changes`, `find values outside 10 to 20`, `find values above 90`, each \
    followed by the numbers";

/// Reads a task in words.
///
/// # Errors
/// A table that is no series.
pub fn draft(task: &str) -> Result<Draft<Input>, Error> {
    let grammar = Grammar::new(COMMANDS);
    let read = sequence::read(task, &grammar, &Common)?;
    let mut series: Vec<Series> =
        read.series.into_iter().map(|one| Series { name: one.name, values: one.values, labels: one.labels }).collect();
    let mut form = options(&read.reading);
    if series.is_empty() {
        series.extend(
            read.reading.all("list").map(|found| Series { values: found.numbers("values"), ..Series::default() }),
        );
    }
    let question = form::unread(&read.reading.unread, SHOWN)
        .or_else(|| {
            series.is_empty().then(|| {
                "which numbers? Give at least 3 in order of time behind the command, as a list or a table".into()
            })
        })
        .or_else(|| conflict(&read.reading));
    if series.len() == 1 && series.iter().all(|one| one.name.is_none()) {
        let one = series.remove(0);
        form.values = Some(one.values);
        form.labels = (!one.labels.is_empty()).then_some(one.labels);
    } else if !series.is_empty() {
        form.series = Some(series);
    }
    Ok(Draft { form, question })
}

fn options(reading: &Reading) -> Input {
    let has = |name: &str| reading.all(name).next().is_some();
    let number = |name: &str, slot: &str| reading.all(name).next().and_then(|found| found.text(slot).parse().ok());
    let limits = Limits {
        lower: number("between", "low").or(number("below", "n")),
        upper: number("between", "high").or(number("above", "n")),
        deviations: number("deviations", "n"),
        quartile_ranges: has("quartiles").then(|| number("quartiles", "n").unwrap_or(1.5)),
        percent_of_median: number("median", "n"),
        step: number("step", "n"),
        step_percent: number("steppercent", "n"),
    };
    Input {
        limits: (limits != Limits::default()).then_some(limits),
        find: match (has("points"), has("levels")) {
            (true, false) => Some(Find::Points),
            (false, true) => Some(Find::Levels),
            _ => None,
        },
        direction: if has("high") { Some(Direction::High) } else { has("low").then_some(Direction::Low) },
        sensitivity: if has("highsensitivity") {
            Some(Sensitivity::High)
        } else {
            has("lowsensitivity").then_some(Sensitivity::Low)
        },
        period: reading.all("period").next().and_then(|found| found.count("n")),
        ..Input::default()
    }
}

/// Returns the question about clauses that contradict each other.
fn conflict(reading: &Reading) -> Option<String> {
    let names = ["between", "above", "below", "deviations", "quartiles", "median", "step", "steppercent", "period"];
    let twice = names.iter().find_map(|name| reading.one(name).err());
    let both = |a: &str, b: &str| reading.all(a).next().is_some() && reading.all(b).next().is_some();
    twice.or_else(|| {
        let text = "two limits or directions contradict each other; which one applies?";
        (both("high", "low") || both("between", "above") || both("between", "below")).then(|| text.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use agent_common::command;

    use super::*;

    #[test]
    fn published_examples_are_understood() {
        for example in command::examples(COMMANDS) {
            assert_eq!(draft(example).unwrap().question, None, "{example}");
        }
    }

    #[test]
    fn words_that_are_no_command_are_refused_with_the_input_that_was_understood() {
        let draft = draft("Find outliers the night nurse made: 5, 6, 5, 60").unwrap();
        assert!(draft.question.unwrap().contains("the night nurse made"));
        assert_eq!(draft.form.values, Some(vec![5.0, 6.0, 5.0, 60.0]));
    }
}
