use agent_common::command;
use serde_json::json;
use tollbridge_sdk::inference::Embeddings;
use tollbridge_sdk::testing::Doubles;

use super::*;
use crate::commands::draft;
use crate::readers::tests::vector;

const COMMANDS: &str = include_str!("../commands.md");

#[test]
fn published_examples_are_understood() {
    for example in command::examples(COMMANDS) {
        assert_eq!(draft(example).unwrap().question, None, "{example}");
    }
}

/// Runs a task. `+`, `-` and `0` state what each reader makes of the sentences, then of the texts.
fn asked(task: &str, words: &str, meanings: &str) -> Result<Output, Error> {
    let rated: Vec<_> = words
        .chars()
        .map(|c| json!({ "compound": match c { '+' => 0.6, '-' => -0.6, _ => 0.0 }, "words": [] }))
        .collect();
    let vectors = meanings
        .chars()
        .map(|c| match c {
            '+' => vector(Feeling::Positive),
            '-' => vector(Feeling::Negative),
            '0' => vector(Feeling::Neutral),
            _ => vec![0.0; 384],
        })
        .collect();
    let languages = |input: &serde_json::Value| {
        let count = input["texts"].as_array().map_or(0, Vec::len);
        Ok(json!({ "result": { "texts": vec![json!({ "language": "en", "reliable": true }); count] } }))
    };
    let doubles = Doubles::new()
        .bridge("sentiment_feed", move |_| Ok(json!({ "result": { "items": rated } })))
        .bridge("language_detection", languages)
        .embedding(Embeddings { vectors, ..Embeddings::default() });
    doubles.run(|| run(&Call::default(), task, None)).0
}

fn labels(output: &Output) -> String {
    let sign = |label: Option<Feeling>| label.map_or("?", Feeling::name);
    output.items.iter().map(|item| sign(item.label)).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_label_needs_two_readers_that_agree() {
    let cases = [
        ("Positive or negative?\n- Lovely!\n- Awful!", "+-", "+-+-", "positive negative"),
        ("Positive or negative?\n- Lovely!\n- Opens at nine", "+0", "+0+0", "positive ?"),
        ("Sentiment of these comments:\nLovely\nSick!", "+-", "++++", "positive ?"),
        ("sentiment of this review: Great room. Awful bed.", "+-", "+-?", "mixed"),
        ("Is this message positive, negative or neutral?\n\nIt opens at nine.", "0", "00", "neutral"),
    ];
    for (task, words, meanings, expect) in cases {
        assert_eq!(labels(&asked(task, words, meanings).unwrap()), expect, "{task}");
    }
    let refused = asked("sentiment of this: That was something.", "+", "??").unwrap_err();
    assert!(refused.message().contains("do not agree"), "{refused:?}");
    let none = Doubles::new().run(|| run(&Call::default(), "Sentiment of this: Nice", None)).0;
    assert_eq!(none.unwrap_err().kind(), "no-provider");
}

#[test]
fn texts_that_praise_and_blame_have_no_single_label() {
    let word = |word: &str, value: f64| Word { word: word.into(), value };
    assert!(is_divided(&[word("great", 3.1), word("awful", -2.0)]));
    assert!(!is_divided(&[word("great", 3.1), word("small", -0.4)]));
}

#[test]
fn aspects_are_judged_by_their_own_sentences() {
    let task = |text: &str| format!("Sentiment about battery and screen: {text}");
    let aspects =
        |text: &str, words: &str, meanings: &str| asked(&task(text), words, meanings).map(|output| output.summary);
    let found = aspects("The screens shine. The battery is awful.", "+-", "+-?");
    assert_eq!(found, Ok("battery: negative, screen: positive.".into()));
    let shared = aspects("The screen is good, the battery bad. The battery is awful.", "+-", "+-?");
    assert_eq!(shared, Ok("battery: negative, screen: unclear.".into()));
    assert!(aspects("The battery is awful.", "-", "--").unwrap_err().message().contains("does not mention `screen`"));
}

#[test]
fn what_is_not_a_command_is_refused() {
    for (task, question) in [
        ("What is the sentiment of this review?", "which text"),
        ("How positive will the comments be in 2031: We love it", "will the comments"),
        ("Sentiment of the voice message I left you", "voice"),
        ("I love it", "does not know"),
        ("Sentiment of these reviews:\na\nb\n\nc\nd", "one text end"),
        ("positive or negative, positive or mixed?\nIt is good", "two different"),
        ("sentiment without the irony: fine", "without"),
    ] {
        let error = Doubles::new().run(|| run(&Call::default(), task, None)).0.unwrap_err();
        assert!(error.message().contains(question), "{task}: {error:?}");
    }
}
