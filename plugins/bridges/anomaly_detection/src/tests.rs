//! Laws of the whole bridge.

use proptest::prelude::*;
use tollbridge_sdk::{Call, Stored, guest, serde_json};

use super::*;

fn methods() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["auto", "mad", "iqr", "generalized_esd", "seasonal"])
}

/// Numbers of every size, with many equal ones.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        prop::num::f64::NORMAL,
        prop::num::f64::ANY.prop_filter("finite", |v| v.is_finite()),
        -10.0..10.0f64,
        prop::sample::select(vec![0.0, 1.0, 1.0, f64::MAX, f64::MIN, 5e-324]),
    ]
}

fn run(input: &serde_json::Value) -> Result<String, Error> {
    let bytes = serde_json::to_vec(input).expect("JSON writes");
    guest::handle(handle, &Call::default(), &bytes).map(|bytes| String::from_utf8(bytes).expect("JSON is UTF-8"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn answers_are_finite_and_the_same_twice(values in prop::collection::vec(number(), 1..120), method in methods()) {
        let input = serde_json::json!({"values": values, "method": method});
        let answer = run(&input);
        // A number that is not finite is written as null; these members are null only by design.
        if let Err(error) = &answer {
            prop_assert_eq!(error.kind(), "invalid-input", "{}", error);
        }
        if let Ok(text) = &answer {
            let output: serde_json::Value = serde_json::from_str(text).expect("JSON");
            for anomaly in output["result"]["anomalies"].as_array().expect("array") {
                for member in ["value", "score", "expected", "lower", "upper"] {
                    prop_assert!(anomaly[member].is_number(), "{member}: {text}");
                }
            }
            prop_assert!(output["bounds"]["below"].is_number() && output["method"]["threshold"].is_number(), "{text}");
            prop_assert_eq!(output["bounds"]["moving"] == false, output["bounds"]["center"].is_number());
        }
        prop_assert_eq!(answer, run(&input));
    }

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..300), text in "[-0-9eE.,;\"\\[\\]{}:a-z\n ]{0,200}") {
        let _ = guest::handle(handle, &Call::default(), &bytes);
        let _ = guest::handle(handle, &Call::default(), text.as_bytes());
        for bytes in [bytes, text.into_bytes()] {
            let resource = Stored { id: "res_1".into(), content_type: "text/csv".into(), bytes };
            let call = Call { resource: Some(resource), ..Call::default() };
            let _ = guest::handle(handle, &call, br#"{"resource_id": "res_1"}"#);
        }
    }

    #[test]
    fn any_options_are_answered(values in prop::collection::vec(-5.0..5.0f64, 1..90), method in methods(),
        threshold in prop::option::of(prop::num::f64::ANY), alpha in prop::option::of(prop::num::f64::ANY),
        period in prop::option::of(0u32..100), most in prop::option::of(0u32..9_000)) {
        let threshold = threshold.filter(|v| v.is_finite());
        let alpha = alpha.filter(|v| v.is_finite());
        let input = serde_json::json!({"values": values, "method": method, "threshold": threshold, "alpha": alpha,
            "period": period, "max_anomalies": most});
        let _ = run(&input);
    }

    #[test]
    fn scaling_by_two_scales_the_answer(values in prop::collection::vec(-1e6..1e6f64, 30..90)) {
        let indices = |factor: f64| {
            let values: Vec<f64> = values.iter().map(|v| v * factor).collect();
            let text = run(&serde_json::json!({"values": values})).expect("an answer");
            let output: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            output["result"]["anomalies"].as_array().map(|a| a.iter().map(|a| a["index"].clone()).collect::<Vec<_>>())
        };
        prop_assert_eq!(indices(1.0), indices(1024.0));
    }
}

#[test]
fn the_largest_input_is_answered() {
    let values: Vec<f64> = (0..20_000).map(|i| f64::from(i % 288) + f64::from((i * 7_919) % 101) / 10.0).collect();
    for method in ["auto", "generalized_esd"] {
        assert!(run(&serde_json::json!({"values": values, "method": method})).is_ok());
    }
    assert!(run(&serde_json::json!({"values": vec![1.0; 20_001]})).is_err());
}
