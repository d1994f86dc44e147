//! Laws of the whole bridge.

use proptest::prelude::*;
use tollbridge_sdk::{Stored, guest, serde_json};

use super::*;

fn run(input: &serde_json::Value) -> Result<serde_json::Value, Error> {
    let bytes = serde_json::to_vec(input).expect("JSON writes");
    guest::handle(handle, &Call::default(), &bytes).map(|bytes| serde_json::from_slice(&bytes).expect("JSON"))
}

/// Texts with many rated words, degree words and negations.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        3 => prop::sample::select(vec!["good", "BAD", "not", "no", "very", "but", "least", "at", "kind", "of", "never",
            "so", "without", "doubt", "plunges", ":)", "!!!", "??", "😁", "sort", "the", "bomb"]).prop_map(str::to_owned),
        1 => "\\PC{1,8}",
    ];
    prop::collection::vec(word, 1..25).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..300), kind in "text/plain|application/json") {
        let _ = guest::handle(handle, &Call::default(), &bytes);
        let resource = Stored { id: "res_1".into(), content_type: kind, bytes };
        let call = Call { resource: Some(resource), ..Call::default() };
        let _ = guest::handle(handle, &call, br#"{"resource_id": "res_1"}"#);
    }

    #[test]
    fn any_options_are_answered(texts in prop::collection::vec(text(), 1..6), weight: f64, ts: f64, stamp in "[0-9T:Z+-]{0,24}",
        half_life in prop::option::of(0.0..200_000.0f64), band in -0.1..0.6f64) {
        let items: Vec<_> = texts.iter().map(|text| serde_json::json!({"text": text, "weight": weight, "ts": ts})).collect();
        let _ = run(&serde_json::json!({"items": items, "half_life_hours": half_life, "neutral_band": band, "as_of": stamp}));
        let items: Vec<_> = texts.iter().map(|text| serde_json::json!({"text": text, "ts": stamp})).collect();
        let _ = run(&serde_json::json!({"items": items, "half_life_hours": half_life}));
    }

    #[test]
    fn scores_and_index_keep_their_ranges(texts in prop::collection::vec(text(), 1..8)) {
        prop_assume!(texts.iter().all(|text| !text.trim().is_empty()));
        let answer = run(&serde_json::json!({"items": texts})).expect("an answer");
        let mut sum = 0.0;
        for item in answer["result"]["items"].as_array().expect("items") {
            let member = |name: &str| item[name].as_f64().expect("a number");
            prop_assert!(member("compound").abs() <= 1.0);
            let shares = member("positive") + member("neutral") + member("negative");
            prop_assert!((shares - 1.0).abs() < 3e-4 || shares == 0.0, "{item}");
            sum += member("compound");
        }
        let index = answer["result"]["index"]["value"].as_f64().expect("a number");
        prop_assert!((index - sum / texts.len() as f64).abs() < 2e-4);
        prop_assert_eq!(Ok(answer), run(&serde_json::json!({"items": texts})));
    }

    #[test]
    fn weights_matter_only_by_ratio(texts in prop::collection::vec(text(), 2..6), factor in 0.01..100.0f64) {
        prop_assume!(texts.iter().all(|text| !text.trim().is_empty()));
        let index = |by: f64| {
            let items: Vec<_> = texts.iter().zip(1..).map(|(text, n)| serde_json::json!({"text": text, "weight": by * f64::from(n)})).collect();
            run(&serde_json::json!({"items": items})).expect("an answer")["result"]["index"]["value"].as_f64().expect("a number")
        };
        prop_assert!((index(1.0) - index(factor)).abs() < 2e-4);
    }
}

#[test]
fn the_largest_input_is_answered() {
    let words = ["good", "but", "bad", "not", "x", "sort", "of", "12"];
    let text: String = (0..9_900).map(|i: usize| words[i % 7].chars().nth(i % 3).unwrap_or(' ')).collect();
    let items: Vec<String> = (0..50).map(|_| text.clone()).collect();
    assert!(run(&serde_json::json!({"items": items})).is_ok());
    let short: Vec<String> = (0..1_000).map(|i| format!("shares plunge {i} but analysts stay very bullish")).collect();
    let answer = run(&serde_json::json!({"items": short})).expect("an answer");
    assert!(answer.to_string().len() < 1_048_576);
    assert!(run(&serde_json::json!({"items": vec!["x"; 1_001]})).is_err());
}
