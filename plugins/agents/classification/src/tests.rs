use agent_common::command;
use serde_json::json;
use tollbridge_sdk::inference::Embeddings;
use tollbridge_sdk::testing::Doubles;

use super::*;
use crate::commands::draft;

const COMMANDS: &str = include_str!("../commands.md");

#[test]
fn published_examples_are_understood() {
    for example in command::examples(COMMANDS) {
        assert_eq!(draft(example).unwrap().question, None, "{example}");
    }
}

/// Runs a task with the answers of the bridges and the vectors of a test.
fn asked(task: &str, found: &[Option<&str>], vectors: &[[f32; 2]], reply: Option<&str>) -> Result<Output, Error> {
    let texts: Vec<_> = found
        .iter()
        .map(|label| {
            json!({ "label": label, "scores": [{ "label": "x", "score": f64::from(u8::from(label.is_some())) }], "evidence": [] })
        })
        .collect();
    let languages = vec![json!({ "language": "en", "reliable": true }); found.len()];
    let mut doubles = Doubles::new()
        .bridge("language_detection", move |_| Ok(json!({ "result": { "texts": languages } })))
        .bridge("classification", move |_| Ok(json!({ "result": { "texts": texts } })));
    if !vectors.is_empty() {
        let vectors = vectors.iter().map(|vector| vector.to_vec()).collect();
        doubles = doubles.embedding(Embeddings { vectors, ..Embeddings::default() });
    }
    if let Some(reply) = reply {
        doubles = doubles.completion(reply);
    }
    doubles.run(|| run(&Call::default(), task, None)).0
}

fn labels(output: &Output) -> Vec<Option<&str>> {
    output.texts.iter().map(|text| text.label.as_deref()).collect()
}

const TASK: &str = "Classify as plumbing or heating:\n- There is a puddle below the sink\n- We sit here in coats";
const APART: [[f32; 2]; 2] = [[1.0, 0.0], [0.0, 1.0]];

#[test]
fn labels_need_two_readers_that_agree() {
    let vectors = |a: [f32; 2], b: [f32; 2]| [APART[0], APART[1], a, b];
    let both = asked(TASK, &[Some("plumbing"), None], &vectors([0.9, 0.4], [0.1, 0.9]), None).unwrap();
    assert_eq!(labels(&both), [Some("plumbing"), Some("heating")]);
    assert_eq!(both.texts[1].confidence, Some(0.97));
    let against = asked(TASK, &[Some("heating"), None], &vectors([0.9, 0.4], [0.1, 0.9]), None).unwrap();
    assert_eq!(labels(&against), [None, Some("heating")]);
    assert!(against.texts[0].reason.as_deref().unwrap().contains("its words suggest `heating`"));
    let close = asked(TASK, &[None, None], &vectors([0.7, 0.68], [0.7, 0.7]), None);
    assert!(close.unwrap_err().message().contains("no label is certain enough"));
    assert_eq!(asked(TASK, &[None, None], &[], None).unwrap_err().kind(), "no-provider");
}

#[test]
fn a_model_judges_with_quotations_only() {
    let close = [APART[0], APART[1], [0.7, 0.7], [0.7, 0.7]];
    let reply = |label: &str, quote: &str| {
        format!(
            r#"{{"missing":null,"found":{{"texts":[{{"text":1,"label":"plumbing","quote":"a puddle below the sink"}},{{"text":2,"label":"{label}","quote":"{quote}"}}]}}}}"#
        )
    };
    let judged = |reply: &str| asked(TASK, &[None, None], &close, Some(reply));
    let answer = judged(&reply("Heating", "in coats")).unwrap();
    assert_eq!((labels(&answer), answer.labels_from), (vec![Some("plumbing"), Some("heating")], "model"));
    for reply in [reply("windows", "in coats"), reply("heating", "the boiler"), "no JSON".to_owned()] {
        assert!(judged(&reply).is_err(), "{reply}");
    }
}

#[test]
fn rules_in_words_are_applied_without_a_model() {
    let cases: [(&str, &[&str]); 12] = [
        (
            "Texts that mention invoice, refund or payment go to FINANCE, texts that mention login go to ACCESS, the rest goes to OTHER:\n1. My refund is late\n2. Opening hours?\n3. login broken",
            &["FINANCE", "OTHER", "ACCESS"],
        ),
        (
            "label each line: under 500 is small, from 500 to 5000 is medium, over 5000 is large\nR-1: 499.99\nR-2: 5,000.00\nR-3: 12,310.50",
            &["small", "medium", "large"],
        ),
        (
            "more than 10 words is long, otherwise short\nThe cat slept on the warm roof.\nWhen the rain finally stopped, the children ran outside to look for puddles.",
            &["short", "long"],
        ),
        (
            "Please sort: starting with \"EL-\" is electronics, starting with \"TO-\" is toys, everything else is unknown\nEL-20031\nZX-9001\nTO-7",
            &["electronics", "unknown", "toys"],
        ),
        (
            "9 or more is promoter, 7 to 8 is passive, at most 6 is detractor:\nAnna: 10\nBilal: 4\nChiara: 7",
            &["promoter", "detractor", "passive"],
        ),
        (
            "ending with \"?\" is question, ending with \"!\" is exclamation, otherwise statement\nWhere are you?\nWhat a day!\nIt rains.",
            &["question", "exclamation", "statement"],
        ),
        (
            "\"contains nuts\" if the text mentions almond, hazelnut or walnut, otherwise \"nut free\":\n- sugar, ground almond\n- flour, butter",
            &["contains nuts", "nut free"],
        ),
        (
            "Sort this message: urgent if it contains fire or leak; normal otherwise\n\nThere is a gas leak.\nCome now.",
            &["urgent"],
        ),
        (
            "Triage each ticket: below 16 is junior, 16 to 59 is adult, 60 or more is senior\nMia, 9\nTom, 34\nGerald, 71",
            &["junior", "adult", "senior"],
        ),
        (
            "any message containing \"server down\" is P1, anything else is P3:\nserver down again\nserver room key",
            &["P1", "P3"],
        ),
        ("less than 0 is frost, at least 0 is mild\n-3.5 °C\n4 °C", &["frost", "mild"]),
        ("more than 20 characters is long, otherwise short\nshort\na line that is much longer", &["short", "long"]),
    ];
    for (task, expect) in cases {
        let output = Doubles::new().run(|| run(&Call::default(), task, None)).0;
        let output = output.unwrap_or_else(|error| panic!("{task}: {error:?}"));
        let expect: Vec<Option<&str>> = expect.iter().copied().map(Some).collect();
        assert_eq!(labels(&output), expect, "{task}");
    }
}

#[test]
fn typed_labels_apply_to_the_lines_of_the_task() {
    let input = json!({ "labels": [{ "name": "x", "rule": { "words": ["fire"] } }, { "name": "y", "rule": { "otherwise": true } }] });
    let input = serde_json::from_value(input).ok();
    let output = Doubles::new().run(|| run(&Call::default(), "- a fire\n- a flood", input)).0.unwrap();
    assert_eq!(labels(&output), [Some("x"), Some("y")]);
}

#[test]
fn what_is_not_a_command_is_refused() {
    for (task, question) in [
        ("Classify as bug or question, but ignore jokes: It crashes", "ignore"),
        ("Classify the attached file as A, B or C", "attached"),
        ("Classify as A or B", "which texts"),
        ("Classify this mail: Hello", "which labels"),
        ("Classify as x, b or c, labels d or e: text", "two lists"),
        (
            "texts that mention server are critical, texts that mention server are minor:\nthe server hums",
            "fits the rules",
        ),
        ("texts that mention a1 are x, texts that mention b1 are x:\na1", "two rules"),
        ("Sort as A or B:\none line\nnext line\n\nanother\nblock", "one text end"),
        ("Sort as A or B:\na | b\nc | d", "which column"),
        ("over 5 is high, otherwise low\n3 of 4", "exactly one number"),
        ("Classify as spam or ham focusing on tone: Hi", "tone"),
        ("Is it true? \"Yes\"", "true"),
    ] {
        let error = Doubles::new().run(|| run(&Call::default(), task, None)).0.unwrap_err();
        assert!(error.message().contains(question), "{task}: {error:?}");
    }
}

#[test]
fn no_text_makes_the_reader_fail() {
    let pieces =
        ["classify", "as", "\"", "a", "b1", ",", "or", "/", ":", "\n", "\n\n", "- ", "mention", "is", "5", "words"];
    let mut seed = 11_u64;
    for _ in 0..200 {
        let mut text = String::new();
        for _ in 0..18 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            text.push_str(pieces[usize::try_from(seed >> 33).unwrap() % pieces.len()]);
            text.push(' ');
        }
        assert!(draft(&text).is_ok());
    }
}
