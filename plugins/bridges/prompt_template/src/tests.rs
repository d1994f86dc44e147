use proptest::prelude::*;
use serde_json::json;
use tollbridge_sdk::{Stored, guest};

use super::*;

tollbridge_sdk::test_cases!(handle);

fn template(text: &str) -> Input {
    Input { template: Some(text.into()), ..Input::default() }
}

fn short(text: &str) -> String {
    handle(&Call::default(), template(text)).unwrap().result.optimised[0].content.clone()
}

#[test]
fn what_is_shortened() {
    for (text, expect) in [
        ("Please  sort the list.", "Sort the list."),
        ("In order to win, please run.  ", "To win, run."),
        ("a\n\n\n\nb\n\n", "a\n\nb"),
        ("Write short answers only. Write short answers only!", "Write short answers only."),
        ("Say \"please  wait\" in `in order  to`.", "Say \"please  wait\" in `in order  to`."),
        ("```\nplease  x\n\n\n\n```\nplease x", "```\nplease  x\n\n\n\n```\nx"),
        ("    indented  code", "    indented code"),
        ("| a  | b  |", "| a  | b  |"),
        ("It is important to note that cats sleep.", "Cats sleep."),
        ("Do it, please.", "Do it."),
        ("displeased kindlyness", "displeased kindlyness"),
        (
            "{{#if a}}Use the long form here.{{/if}} {{#if b}}Use the long form here.{{/if}}",
            "{{#if a}}Use the long form here.{{/if}} {{#if b}}Use the long form here.{{/if}}",
        ),
    ] {
        assert_eq!(short(text), expect, "{text}");
    }
}

#[test]
fn longest_answer_fits_the_manifest() {
    let text = "please \"\\ ".repeat(6_000);
    let mut input = template(&format!("{text}{{{{a}}}}"));
    input.variables = Some(serde_json::from_value(json!({"a": "\"".repeat(60_000)})).unwrap());
    let bytes = serde_json::to_vec(&handle(&Call::default(), input).unwrap()).unwrap().len();
    assert!(bytes < 1 << 20, "{bytes}");
}

fn prompt() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        proptest::sample::select(vec![
            "please ",
            "Please note that ",
            "in order to ",
            "Use a list here. ",
            "Never use a list here. ",
            "\n",
            "\n\n\n",
            "  ",
            "```\n",
            "`",
            "\"",
            "{{a}}",
            "{{#if a}}",
            "{{else}}",
            "{{/if}}",
            "{{#each b}}",
            "{{this}}",
            "{{/each}}",
            "\\{{",
            "é",
            ". ",
            "| ",
            "At most 3 words. ",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,5}",
    ];
    proptest::collection::vec(piece, 0..25).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_bytes_are_answered_or_refused(bytes: Vec<u8>) {
        let _ = guest::handle(handle, &Call::default(), &bytes);
        let call = Call { resource: Some(Stored { id: "res_1".into(), bytes, ..Stored::default() }), ..Call::default() };
        let _ = handle(&call, Input { resource_id: Some("res_1".into()), ..Input::default() });
    }

    #[test]
    fn any_prompt_is_answered_and_a_second_run_changes_nothing(text in prompt(), a in "\\PC{0,9}", b in proptest::collection::vec("\\PC{0,3}", 0..3)) {
        let mut input = template(&text);
        input.variables = Some(serde_json::from_value(json!({"a": a, "b": b, "c": 1})).unwrap());
        match handle(&Call::default(), input) {
            Ok(output) => {
                prop_assert!(output.result.template_size.after.bytes <= output.result.template_size.before.bytes);
                let once = &output.result.optimised[0].content;
                if !once.trim().is_empty() {
                    prop_assert_eq!(&short(once), once);
                }
            }
            Err(error) => prop_assert_eq!(error.kind(), "invalid-input"),
        }
    }
}
