use agent_common::command;
use serde_json::json;
use tollbridge_sdk::testing::Doubles;

use super::*;

#[test]
fn published_examples_are_understood() {
    for example in command::examples(include_str!("../commands.md")) {
        assert_eq!(commands::draft(example).question, None, "{example}");
    }
}

/// Returns the values and notes of an answer, or the error. A task in JSON is a typed input.
fn shown(task: &str, reply: Option<&String>) -> String {
    let input: Option<Input> = serde_json::from_str(task).ok();
    let doubles = Doubles::new().bridge("pii_redaction", |input| {
        let input = serde_json::from_value(input.clone()).unwrap();
        Ok(json!(pii_redaction::handle(&Call::default(), input).unwrap()))
    });
    let doubles = reply.into_iter().fold(doubles, |doubles, reply| doubles.completion(reply));
    match doubles.run(|| run(&Call::default(), task, input)).0 {
        Ok(output) => format!("{} {}", json!(output.values), json!(output.notes)),
        Err(error) => error.message().to_owned(),
    }
}

/// Each row has a task, a part of the answer, and what a model replies.
#[test]
fn tasks_have_the_expected_answers() {
    let rows: Vec<Vec<String>> = serde_json::from_str(include_str!("../tasks.json")).unwrap();
    let wrong = |row: &Vec<String>| {
        let shown = shown(&row[0], row.get(2));
        (!shown.contains(&row[1])).then(|| format!("{}\n=> {shown}\n", row[0]))
    };
    let wrong: Vec<String> = rows.iter().filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_task_makes_the_agent_panic() {
    let pieces: Vec<&str> = "extract;all;dates;total;:;\n;Total: 5;,;\";as;(;£1.2.3;🙂;=;  ;{;|".split(';').collect();
    let mut seed = 11_u64;
    for _ in 0..300 {
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            [
                pieces[usize::try_from(seed >> 33).unwrap() % pieces.len()],
                [" ", ""][usize::from(seed.is_multiple_of(3))],
            ]
        };
        shown(&(0..14).flat_map(|_| next()).collect::<String>(), None);
    }
}
