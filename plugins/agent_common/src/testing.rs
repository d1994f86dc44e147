//! Checks of an agent's list of commands, for its tests.

use serde_json::Value;

use crate::command;

/// Asserts that a published list has examples and that all of them are understood: that
/// `question` returns none for them.
#[track_caller]
pub fn examples_are_understood(commands: &str, question: impl Fn(&str) -> Option<String>) {
    let examples = command::examples(commands);
    assert!(!examples.is_empty(), "the list has no example between lines of three backticks");
    for example in examples {
        assert_eq!(question(example), None, "{example}");
    }
}

/// Asserts the outcomes of tasks in words. `rows` is a JSON list of `[task, expected]`: the
/// outcome contains the expected text, or is empty if that is empty.
#[track_caller]
pub fn outcomes_are_expected(rows: &str, outcome: impl Fn(&str) -> String) {
    typed_outcomes_are_expected(rows, |task, _| outcome(task));
}

/// Asserts the outcomes of tasks in words and of typed inputs, in the same form. `outcome`
/// gets an empty task for a typed input.
#[track_caller]
pub fn typed_outcomes_are_expected(rows: &str, outcome: impl Fn(&str, Option<Value>) -> String) {
    let rows: Result<Vec<(Value, String)>, _> = serde_json::from_str(rows);
    assert!(rows.as_ref().is_ok_and(|rows| !rows.is_empty()), "no list of [task, expected]: {rows:?}");
    let wrong = rows.unwrap_or_default().into_iter().filter_map(|(task, expected)| {
        let input = task.is_object().then(|| task.clone());
        let shown = outcome(task.as_str().unwrap_or_default(), input);
        let right = shown.contains(&expected) && (!expected.is_empty() || shown.is_empty());
        (!right).then(|| format!("{task}\n=> {shown}\nexpected: {expected}\n"))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMANDS: &str = "- add: `add {n:number}`\n\n```\nadd 5\n```\n";

    #[test]
    fn tables_of_tasks_are_checked() {
        examples_are_understood(COMMANDS, |task| (task != "add 5").then(|| "what?".into()));
        outcomes_are_expected(r#"[["add 5", "5"], ["", ""]]"#, |task| task.to_owned());
    }

    #[test]
    #[should_panic(expected = "expected: 6")]
    fn another_outcome_is_shown() {
        outcomes_are_expected(r#"[["add 5", "6"]]"#, |task| task.to_owned());
    }
}
