//! The closed list of commands in words.

use agent_common::command::Grammar;
use agent_common::form::Draft;
use agent_common::sequence::{self, Sequence};
use agent_common::slots::Common;
use tollbridge_sdk::Error;

use crate::input::{Find, Input, Series};

/// The published list.
pub const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`find outliers`, `find level changes`, `find values outside 10 to 20`, `find values above 90`, each \
    followed by the numbers";

/// Reads a task in words.
///
/// # Errors
/// A table that is no series.
pub fn draft(task: &str) -> Result<Draft<Input>, Error> {
    let read = sequence::read(task, &Grammar::new(COMMANDS), &Common)?;
    let mut draft = read.reading.draft::<Input>(SHOWN);
    let asks = |name: &str| read.reading.all(name).next().is_some();
    draft.form.find = match (asks("points"), asks("levels")) {
        (true, false) => Some(Find::Points),
        (false, true) => Some(Find::Levels),
        _ => None,
    };
    let twice = draft.form.values.is_some() && !read.series.is_empty();
    match <[Sequence; 1]>::try_from(read.series) {
        Ok([Sequence { name: None, values, labels }]) => {
            draft.form.values = Some(values);
            draft.form.labels = (!labels.is_empty()).then_some(labels);
        }
        other => {
            let all = other.map_or_else(|all| all, Vec::from).into_iter();
            let all: Vec<Series> =
                all.map(|Sequence { name, values, labels }| Series { name, values, labels }).collect();
            draft.form.series = (!all.is_empty()).then_some(all);
        }
    }
    let none = draft.form.values.is_none() && draft.form.series.is_none();
    let missing = "which numbers? Give at least 3 in order of time behind the command, as a list or a table";
    let both = "there are numbers inside and behind the command; which are the series?";
    let problem = none.then_some(missing).or(twice.then_some(both));
    draft.question = draft.question.or(problem.map(str::to_owned));
    Ok(draft)
}
