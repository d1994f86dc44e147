//! Laws of the whole bridge.

use proptest::prelude::*;
use tollbridge_sdk::{Stored, guest, serde_json};

use super::*;

const METHODS: [&str; 8] =
    ["auto", "seasonal_naive", "drift", "ets", "theta", "decomposition", "autoregression", "combination"];

fn run(input: &serde_json::Value) -> Result<String, Error> {
    let bytes = serde_json::to_vec(input).expect("JSON writes");
    guest::handle(handle, &Call::default(), &bytes).map(|bytes| String::from_utf8(bytes).expect("JSON is UTF-8"))
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        prop::num::f64::NORMAL,
        -10.0..10.0f64,
        0.0..1e6f64,
        prop::sample::select(vec![0.0, 1.0, 1.0, f64::MAX, f64::MIN, 5e-324]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn answers_are_finite_ordered_and_the_same_twice(
        values in prop::collection::vec(number(), 6..70), method in prop::sample::select(METHODS.to_vec()),
        period in prop::option::of(1u32..12), horizon in prop::option::of(1u32..30)) {
        let input = serde_json::json!({"values": values, "method": method, "period": period, "horizon": horizon});
        let answer = run(&input);
        if let Err(error) = &answer {
            prop_assert_eq!(error.kind(), "invalid-input", "{}", error);
        }
        if let Ok(text) = &answer {
            let output: serde_json::Value = serde_json::from_str(text).expect("JSON");
            for point in output["result"]["points"].as_array().expect("points") {
                let value = point["value"].as_f64().expect("a number");
                for interval in point["intervals"].as_array().expect("intervals") {
                    let (low, high) = (interval["lower"].as_f64().expect("low"), interval["upper"].as_f64().expect("high"));
                    prop_assert!(low <= value && value <= high, "{text}");
                }
            }
        }
        prop_assert_eq!(answer, run(&input));
    }

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..300), text in "[-0-9eE.,;\"\\[\\]{}:a-z\n ]{0,200}") {
        let _ = guest::handle(handle, &Call::default(), &bytes);
        for bytes in [bytes, text.into_bytes()] {
            let resource = Stored { id: "res_1".into(), content_type: "text/csv".into(), bytes };
            let call = Call { resource: Some(resource), ..Call::default() };
            let _ = guest::handle(handle, &call, br#"{"resource_id": "res_1"}"#);
        }
    }

    #[test]
    fn any_times_are_answered(start in -1e13..1e13f64, step in 1e-3..1e12f64, level in prop::num::f64::ANY) {
        let points: Vec<_> = (0..12).map(|i| serde_json::json!({"t": start + step * f64::from(i), "value": i % 4})).collect();
        let level = Some(level).filter(|level| level.is_finite()).unwrap_or(0.9);
        let _ = run(&serde_json::json!({"values": points, "levels": [level]}));
    }

    #[test]
    fn scaling_by_a_power_of_two_scales_the_answer(values in prop::collection::vec(1.0..1e6f64, 12..40)) {
        let scaled = |factor: f64| -> Vec<f64> {
            let values: Vec<f64> = values.iter().map(|v| v * factor).collect();
            let text = run(&serde_json::json!({"values": values, "period": 4})).expect("an answer");
            let output: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            let points = output["result"]["points"].as_array().expect("points").clone();
            points.iter().map(|point| point["value"].as_f64().expect("number") / factor).collect()
        };
        for (a, b) in scaled(1.0).into_iter().zip(scaled(1024.0)) {
            prop_assert!((a - b).abs() <= 1e-8 * a.abs().max(1.0), "{a} {b}");
        }
    }
}

#[test]
fn the_largest_input_is_answered() {
    let at = |i: u32| 50.0 + f64::from(i % 24) + f64::from((i * 7_919) % 101) / 10.0;
    let values: Vec<f64> = (0..10_000).map(at).collect();
    assert!(run(&serde_json::json!({"values": values, "horizon": 400})).is_ok());
    assert!(run(&serde_json::json!({"values": vec![1.0; 10_001]})).is_err());
}
