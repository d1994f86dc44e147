//! Laws of the whole bridge.

use proptest::prelude::*;
use tollbridge_sdk::{Stored, guest, serde_json};

use super::*;

fn run(input: &serde_json::Value) -> Result<serde_json::Value, Error> {
    let bytes = serde_json::to_vec(input).expect("JSON writes");
    guest::handle(handle, &Call::default(), &bytes).map(|bytes| serde_json::from_slice(&bytes).expect("JSON"))
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-e ]{1,30}", "(pay|bill|crash|login|error|the| ){1,12}", "\\PC{1,20}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..300), kind in "text/plain|application/json") {
        let _ = guest::handle(handle, &Call::default(), &bytes);
        let call = Call { resource: Some(Stored { id: "res_1".into(), content_type: kind, bytes }), ..Call::default() };
        let _ = guest::handle(handle, &call, br#"{"resource_id": "res_1"}"#);
        let _ = guest::handle(handle, &call, br#"{"resource_id": "res_1", "labels": [{"name": "a"}, {"name": "b"}]}"#);
    }

    #[test]
    fn scores_are_ordered_and_in_range(texts in prop::collection::vec(text(), 1..4), names in prop::collection::vec(text(), 2..4),
        examples in prop::collection::vec(prop::collection::vec(text(), 0..5), 4), method in "auto|naive_bayes|centroid",
        features in "auto|words|subwords", least in prop::option::of(-0.2..1.2f64)) {
        let labels: Vec<_> = names.iter().zip(&examples).map(|(name, examples)| serde_json::json!({"name": name, "examples": examples})).collect();
        let input = serde_json::json!({"texts": texts, "labels": labels, "method": method, "features": features, "min_score": least});
        let answer = run(&input);
        if let Err(error) = &answer {
            prop_assert_eq!(error.kind(), "invalid-input", "{}", error);
        }
        if let Ok(answer) = &answer {
            for text in answer["result"]["texts"].as_array().expect("texts") {
                let scores: Vec<f64> = text["scores"].as_array().expect("scores").iter().map(|s| s["score"].as_f64().expect("a number")).collect();
                prop_assert!(scores.windows(2).all(|pair| pair[0] >= pair[1]) && scores.iter().all(|s| (0.0..=1.0).contains(s)));
                if answer["method"]["name"] == "naive_bayes" {
                    prop_assert!((scores.iter().sum::<f64>() - 1.0).abs() < 1e-5);
                }
                prop_assert!(text["label"].is_null() || text["label"] == text["scores"][0]["label"]);
            }
        }
        prop_assert_eq!(answer, run(&input));
    }

    #[test]
    fn an_example_gets_its_own_label(a in "[a-f]{3,8}( [a-f]{3,8}){0,4}", b in "[m-r]{3,8}( [m-r]{3,8}){0,4}", method in "naive_bayes|centroid") {
        let labels = serde_json::json!([{"name": "one", "examples": [a]}, {"name": "two", "examples": [b]}]);
        let answer = run(&serde_json::json!({"texts": [a, b], "labels": labels, "method": method})).expect("an answer");
        prop_assert_eq!(&answer["result"]["texts"][0]["label"], "one");
        prop_assert_eq!(&answer["result"]["texts"][1]["label"], "two");
    }
}

#[test]
fn the_largest_input_is_answered() {
    let word = |n: usize| format!("w{:x}", n.wrapping_mul(2_654_435_761) % 60_000);
    let text = |from: usize, count: usize| (from..from + count).map(word).collect::<Vec<_>>().join(" ");
    let labels: Vec<_> = (0..50)
        .map(|label| {
            let examples: Vec<String> = (0..20).map(|n| text(label * 1_000 + n * 13, 15)).collect();
            serde_json::json!({"name": format!("label {label}"), "examples": examples})
        })
        .collect();
    let texts: Vec<String> = (0..200).map(|n| text(n * 150, 150)).collect();
    let answer = run(&serde_json::json!({"texts": texts, "labels": labels})).expect("an answer");
    assert!(answer.to_string().len() < 1_048_576, "{}", answer.to_string().len());
}
