use agent_common::command;
use serde_json::{Value, json};
use tollbridge_sdk::inference::Embeddings;
use tollbridge_sdk::testing::Doubles;

use super::*;

#[test]
fn published_examples_are_understood() {
    for example in command::examples(include_str!("../commands.md")) {
        assert_eq!(commands::draft(example).question, None, "{example}");
    }
}

/// Returns a vector of unit length with a clear meaning, and one without.
fn vector(sign: char) -> Vec<f32> {
    let Some(row) = "-0+".find(sign) else { return vec![0.0; 384] };
    let weights: Vec<f32> = readers::weights().skip(row * 385).take(384).collect();
    let length = weights.iter().map(|value| value * value).sum::<f32>().sqrt();
    weights.iter().map(|value| value / length).collect()
}

#[test]
fn meanings_are_clear_or_none() {
    assert_eq!(readers::weights().count(), 3 * 385);
    let expect = [Some(Feeling::Negative), Some(Feeling::Neutral), Some(Feeling::Positive), None];
    assert_eq!(['-', '0', '+', '?'].map(|sign| readers::meaning(&vector(sign))), expect);
    assert_eq!(readers::meaning(&[1.0]), None);
}

/// Returns the summary, or the error. `+`, `-` and `0` state what each reader makes of the
/// sentences, then of the texts.
fn shown(task: &str, words: &str, meanings: &str) -> String {
    let score = |sign| json!({ "compound": match sign { '+' => 0.6, '-' => -0.6, _ => 0.0 }, "words": [] });
    let rated: Vec<Value> = words.chars().map(score).collect();
    let languages = |input: &Value| {
        let count = input["texts"].as_array().map_or(0, Vec::len);
        Ok(json!({ "result": { "texts": vec![json!({ "language": "en", "reliable": true }); count] } }))
    };
    let mut doubles = Doubles::new()
        .bridge("sentiment_feed", move |_| Ok(json!({ "result": { "items": rated } })))
        .bridge("language_detection", languages);
    if !meanings.is_empty() {
        let vectors = meanings.chars().map(vector).collect();
        doubles = doubles.embedding(Embeddings { vectors, ..Embeddings::default() });
    }
    let answer = doubles.run(|| run(&Call::default(), task, None)).0;
    answer.map_or_else(|error| error.message().to_owned(), |output| output.summary)
}

/// Each row has a task, what words and meanings say, and a part of the answer.
#[test]
fn tasks_have_the_expected_answers() {
    let rows: Vec<[String; 4]> = serde_json::from_str(include_str!("../tasks.json")).unwrap();
    for [task, words, meanings, expect] in rows {
        let shown = shown(&task, &words, &meanings);
        assert!(shown.contains(&expect), "{task}\n=> {shown}");
    }
}

#[test]
fn texts_that_praise_and_blame_have_no_single_label() {
    let word = |word: &str, value: f64| Word { word: word.into(), value };
    assert!(is_divided(&[word("great", 3.1), word("awful", -2.0)]));
    assert!(!is_divided(&[word("great", 3.1), word("small", -0.4)]));
}
