use agent_common::command;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tollbridge_sdk::testing::Doubles;
use tollbridge_sdk::{Call, Error, bridges};

use crate::commands::{self, COMMANDS};
use crate::run;

fn real<I: serde::de::DeserializeOwned, O: serde::Serialize>(
    handle: impl Fn(&Call, I) -> Result<O, Error>,
) -> impl Fn(&Value) -> Result<Value, bridges::Error> {
    move |input| match handle(&Call::default(), serde_json::from_value(input.clone()).unwrap()) {
        Ok(output) => Ok(serde_json::to_value(output).unwrap()),
        Err(error) => Err(bridges::Error::InvalidInput { field: String::new(), message: error.message().to_owned() }),
    }
}

/// Returns the refusal, or the summary with the redacted documents. A task that is an
/// object is typed input; `judged` is what a model finds.
fn answer(task: &Value, judged: Option<Value>) -> String {
    let doubles = Doubles::new()
        .bridge("pii_redaction", real(pii_redaction::handle))
        .bridge("vat_number_check", real(vat_number_check::handle))
        .bridge("iban_validation", real(iban_validation::handle));
    let reply = |found: Value| json!({ "missing": null, "found": found }).to_string();
    let doubles = match judged {
        Some(found) => doubles.completion(&reply(found)),
        None => doubles,
    };
    let input = serde_json::from_value(task.clone()).ok();
    match doubles.run(|| run(&Call::default(), task.as_str().unwrap_or_default(), input)).0 {
        Err(error) => format!("refused: {}", error.message()),
        Ok(output) => {
            let texts = output.redacted.into_iter().flatten().map(|document| document.text);
            std::iter::once(output.summary).chain(texts).collect::<Vec<_>>().join(" | ").replace('\n', " | ")
        }
    }
}

fn rows<T: DeserializeOwned>(name: &str) -> Vec<T> {
    let mut all: Value = serde_json::from_str(include_str!("../tasks.json")).unwrap();
    serde_json::from_value(all[name].take()).unwrap()
}

#[test]
fn tasks_are_answered_or_refused() {
    let answers = rows::<(Value, String)>("answers").into_iter().map(|(task, expect)| (task, None, expect));
    for (task, judged, expect) in answers.chain(rows::<(Value, Option<Value>, String)>("judged")) {
        let answer = answer(&task, judged);
        assert!(answer.starts_with(&expect), "{task}: {answer}");
    }
}

#[test]
fn words_are_understood_or_a_question() {
    for example in command::examples(COMMANDS) {
        assert_eq!(commands::draft(example).question, None, "{example}");
    }
    for [task, expect] in rows::<[String; 2]>("questions") {
        let question = commands::draft(&task).question.unwrap_or_default();
        assert!(question.contains(&expect), "{task}: {question}");
    }
}
