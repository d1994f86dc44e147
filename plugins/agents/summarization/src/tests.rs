use agent_common::command;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tollbridge_sdk::testing::Doubles;
use tollbridge_sdk::{Call, Error, bridges};

use crate::commands::{self, COMMANDS};
use crate::{Input, run};

const SENTENCES: [&str; 4] =
    ["The price of tea rose by 3 %.", "It rained.", "Tea is now at 4.20 euros in all shops.", "All shops agreed."];
const NOTICE: &str = "Notice is hereby given that the footbridge at Marl Lane shall remain inaccessible to pedestrians \
    from 4 May until 19 May owing to the renewal of its decking. Wheelchair users are requested to avail themselves of \
    the crossing at Tern Road, which Mr Okafor shall attend.";

/// Ranks the sentences by their length.
fn rank(call: &Value) -> Result<Value, bridges::Error> {
    let text = call["text"].as_str().unwrap_or_default();
    let mut found: Vec<(usize, &str)> = SENTENCES.iter().filter_map(|one| Some((text.find(one)?, *one))).collect();
    found.sort_by_key(|(_, one)| std::cmp::Reverse(one.len()));
    let total = found.len();
    found.truncate(usize::try_from(call["max_sentences"].as_u64().unwrap_or(3)).unwrap_or(3));
    let ranked = |((at, one), order): (&(usize, &str), usize)| json!({ "text": one, "start_char": at, "order": order });
    let sentences: Vec<Value> = found.iter().zip(1..).map(ranked).collect();
    Ok(json!({ "result": { "sentences": sentences, "sentences_total": total, "characters_total": text.len() } }))
}

/// Returns the summary or the refusal, and the number of prompts.
fn answer(task: &str, input: Option<Input>, reply: Option<&str>) -> (String, usize) {
    let english = |_: &Value| Ok(json!({ "result": { "texts": [{ "language": "en", "reliable": true }] } }));
    let doubles = Doubles::new().bridge("language_detection", english).bridge("summarization", rank);
    let doubles = match reply {
        Some(reply) => doubles.completion(&format!(r#"{{"missing":null,"found":{{"sentences":[{reply}]}}}}"#)),
        None => doubles,
    };
    let (answer, recorded) = doubles.run(|| run(&Call::default(), task, input));
    let refused = |error: Error| format!("refused: {}", error.message());
    (answer.map_or_else(refused, |output| output.summary), recorded.prompts.len())
}

fn rows<T: DeserializeOwned>(name: &str) -> Vec<T> {
    let mut all: Value = serde_json::from_str(include_str!("../tasks.json")).unwrap();
    serde_json::from_value(all[name].take()).unwrap()
}

#[test]
fn published_examples_are_understood() {
    let examples = command::examples(COMMANDS);
    assert_eq!(examples.len(), 7);
    for example in examples {
        assert_eq!(commands::draft(example).question, None, "{example}");
    }
}

#[test]
fn clauses_fill_the_form() {
    for (command, expect) in rows::<(String, Value)>("forms") {
        let draft = commands::draft(&format!("{}\n\n{}", command, SENTENCES.join(" ")));
        let mut form = json!(draft.form);
        let text = form.as_object_mut().unwrap().remove("text");
        assert_eq!((draft.question, text, form), (None, Some(json!(SENTENCES.join(" "))), expect), "{command}");
    }
}

#[test]
fn what_is_not_clear_is_a_question() {
    for (task, expect) in rows::<(String, String)>("questions") {
        let question = commands::draft(&task).question.unwrap_or_default();
        assert!(question.contains(&expect), "{task}: {question}");
    }
}

#[test]
fn lengths_and_wishes_are_kept_or_refused() {
    for (mut members, expect) in rows::<(Value, String)>("answers") {
        members["text"] = json!(SENTENCES.join(" "));
        let (text, _) = answer("", Some(serde_json::from_value(members.clone()).unwrap()), None);
        assert!(text == expect || (text.starts_with("refused: ") && text.contains(&expect)), "{members}: {text}");
    }
}

#[test]
fn a_model_writes_it_in_other_words_with_the_numbers_names_and_length_of_the_task() {
    let written = "The footbridge at Marl Lane is closed from 4 May until 19 May.";
    for style in ["plain language", "a way my aunt grasps"] {
        let task = format!("Rewrite this in {style}, in one sentence:\n\n{NOTICE}");
        let (refusal, _) = answer(&task, None, None);
        assert!(refusal.starts_with("refused"), "{refusal}");
        assert_eq!(answer(&task, None, Some(&json!(written).to_string())), (written.to_owned(), 1));
        for reply in rows::<String>("invented") {
            assert_eq!(answer(&task, None, Some(&reply)).0, refusal, "{reply}");
        }
    }
    let missing = answer("Summarise the attached minutes in plain language.", None, Some(r#""It went well.""#));
    assert!(missing.0.starts_with("refused") && missing.1 == 0, "{missing:?}");
}
