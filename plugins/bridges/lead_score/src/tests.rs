//! Laws of the whole bridge.

use proptest::prelude::*;
use tollbridge_sdk::{Stored, guest};

use super::*;

fn run(input: &serde_json::Value) -> Result<serde_json::Value, Error> {
    let call = Call { now_ms: 1_795_219_200_000, ..Call::default() };
    let bytes = guest::handle(handle, &call, &serde_json::to_vec(input).expect("JSON writes"))?;
    Ok(serde_json::from_slice(&bytes).expect("JSON"))
}

proptest! {
    #[test]
    fn contributions_add_up(title in "\\PC{0,20}", email in "[a-z.@]{0,20}", employees in prop::option::of(any::<u32>()),
        low in prop::option::of(any::<u32>()), weight in 0.0..1000.0f64, ages in prop::collection::vec(0.0..5000.0f64, 0..20),
        points in -100.0..100.0f64, half_life in 0.1..3650.0f64) {
        let events: Vec<_> = ages.iter().map(|age| serde_json::json!({"type": "x", "points": points, "at": 1_795_219_200.0 - age * 86_400.0})).collect();
        let input = serde_json::json!({"lead": {"title": title, "email": email, "employees": employees},
            "profile": {"titles": ["Head of Sales"], "employees_min": low}, "weights": {"title": weight},
            "events": events, "half_life_days": half_life});
        let answer = run(&input).expect("an answer");
        let parts = answer["result"]["contributions"].as_array().expect("parts");
        let sum: f64 = parts.iter().map(|part| part["points"].as_f64().expect("a number")).sum();
        let score = answer["result"]["score"].as_f64().expect("a number");
        prop_assert!((sum - score).abs() < 1e-9, "{answer}");
        prop_assert!((0.0..=100.0).contains(&score));
        prop_assert_eq!(&answer, &run(&input).expect("an answer"));
    }

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "\\PC{0,60}") {
        let _ = guest::handle(handle, &Call::default(), &bytes);
        let _ = run(&serde_json::json!({"resource_id": text}));
        let resource = Stored { id: "res_1".into(), content_type: String::new(), bytes };
        let call = Call { resource: Some(resource), ..Call::default() };
        let _ = guest::handle(handle, &call, br#"{"resource_id": "res_1"}"#);
    }

    #[test]
    fn older_events_never_count_more(age in 0.0..1000.0f64, more in 0.0..1000.0f64) {
        let score = |age: f64| {
            let at = 1_795_219_200.0 - age * 86_400.0;
            let answer = run(&serde_json::json!({"lead": {"name": "Ann"}, "events": [{"type": "meeting", "at": at}]}));
            answer.expect("an answer")["result"]["score"].as_f64().expect("a number")
        };
        prop_assert!(score(age + more) <= score(age));
    }
}
