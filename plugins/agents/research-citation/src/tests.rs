use agent_common::command;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tollbridge_sdk::Call;
use tollbridge_sdk::testing::Doubles;

use crate::commands::{self, COMMANDS};
use crate::input::Source;
use crate::style::{self, Style};
use crate::work::Work;
use crate::{claims, run};

/// Returns the refusal, or the findings and references; `judged` is what a model finds.
fn answer(task: &str, judged: Option<Value>) -> String {
    let doubles = Doubles::new()
        .bridge("citation_check", |input| {
            let input = serde_json::from_value(input.clone()).unwrap();
            Ok(serde_json::to_value(citation_check::handle(&Call::default(), input).unwrap()).unwrap())
        })
        .bridge("validation", |_| Ok(json!({ "result": { "valid": true } })));
    let doubles = match judged {
        Some(found) => doubles.completion(&json!({ "missing": null, "found": found }).to_string()),
        None => doubles,
    };
    match doubles.run(|| run(&Call::default(), task, None)).0 {
        Err(error) => format!("refused: {}", error.message()),
        Ok(output) => {
            let claims = output.claims.iter().map(|claim| format!("{:?}", claim.finding));
            let reference = |reference: &crate::Reference| match &reference.formatted {
                Some(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
                None => format!("{} {}", reference.text, if reference.ok { "ok" } else { "wrong" }),
            };
            claims.chain(output.references.iter().map(reference)).collect::<Vec<_>>().join(" | ")
        }
    }
}

fn rows<T: DeserializeOwned>(name: &str) -> Vec<T> {
    let mut all: Value = serde_json::from_str(include_str!("../tasks.json")).unwrap();
    serde_json::from_value(all[name].take()).unwrap()
}

#[test]
fn tasks_are_answered_or_refused() {
    let tasks = rows::<(String, String)>("tasks").into_iter().map(|(task, expect)| (task, None, expect));
    for (task, judged, expect) in tasks.chain(rows::<(String, Option<Value>, String)>("judged")) {
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

#[test]
fn only_the_same_words_decide() {
    for [claim, text, expect] in rows::<[String; 3]>("claims") {
        let checked = claims::check(&claim, &[Source { id: "s".into(), text }]);
        let finding = checked.map_or_else(|_| "open".to_owned(), |checked| format!("{:?}", checked.finding));
        assert_eq!(finding, expect, "{claim}");
    }
}

#[test]
fn works_of_all_kinds_in_each_style() {
    for (style, expect) in rows::<(Style, Vec<String>)>("styles") {
        let written = rows::<Work>("works").iter().map(|work| style::write(work, style, 1)).collect::<Vec<_>>();
        assert_eq!(written, expect, "{style:?}");
    }
}
