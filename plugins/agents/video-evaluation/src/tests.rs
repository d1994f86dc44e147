use agent_common::testing;
use serde_json::json;
use tollbridge_sdk::testing::Doubles;

use super::*;

#[test]
fn published_examples_are_understood() {
    testing::examples_are_understood(include_str!("../commands.md"), |task| commands::draft(task).question);
}

/// Returns the summary, or the kinds of the findings with their captions, or the error.
fn shown(task: &str) -> String {
    let doubles = Doubles::new()
        .bridge("summarization", |_| Ok(json!({ "result": { "summary": "" } })))
        .bridge("sentiment_feed", |_| Ok(json!({ "result": { "index": { "value": 0.0 } } })))
        .bridge("media_probe", |input| {
            let input = serde_json::from_value(input.clone()).unwrap();
            Ok(json!(media_probe::handle(&Call::default(), input).unwrap()))
        });
    match doubles.run(|| run(&Call::default(), task, None)).0 {
        Ok(output) => {
            let finding = |one: &Finding| format!("{}@{}", one.kind, one.cue.unwrap_or(0));
            let findings: Vec<String> = output.findings.iter().map(finding).collect();
            format!("[{}] {}", findings.join(" "), output.summary)
        }
        Err(error) => error.message().to_owned(),
    }
}

#[test]
fn tasks_have_the_expected_answers() {
    testing::outcomes_are_expected(include_str!("../tasks.json"), shown);
}

#[test]
fn every_kind_of_the_bridge_has_checks() {
    let names = include_str!("../kinds.txt").lines().map(|line| line.split(' ').next().unwrap());
    assert!(names.into_iter().all(|name| finding::kind(name).is_some_and(|(checks, _)| !checks.is_empty())));
}
