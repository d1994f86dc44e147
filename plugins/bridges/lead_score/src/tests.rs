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

    /// Good signs are added to a lead one by one, in any order; the score never falls.
    #[test]
    fn more_good_signs_never_lower_the_score(order in Just((0..GOOD.len()).collect::<Vec<_>>()).prop_shuffle(),
        ages in prop::collection::vec(0.0..90.0f64, 4), weights in prop::option::of(prop::collection::vec(0.5..100.0f64, 3))) {
        let mut lead = serde_json::json!({});
        let mut events: Option<Vec<serde_json::Value>> = None;
        let mut before = 0.0;
        for sign in order.into_iter().filter_map(|place| GOOD.get(place)) {
            match sign {
                Sign::Member(name, value) => lead[*name] = serde_json::from_str(value).expect("JSON"),
                Sign::Event(kind) => {
                    let events = events.get_or_insert_default();
                    let age = ages.get(events.len()).copied().unwrap_or(1.0);
                    events.push(serde_json::json!({"type": kind, "at": 1_795_219_200.0 - age * 86_400.0}));
                }
            }
            let weights = weights.as_ref().map(|w| serde_json::json!({"email": w[0], "engagement": w[1], "completeness": w[2]}));
            let profile = serde_json::json!({"titles": ["Head of Sales"], "industries": ["Software"], "countries": ["GB"],
                "employees_min": 50, "employees_max": 500});
            let input = serde_json::json!({"lead": lead, "profile": profile, "events": events, "weights": weights});
            let score = run(&input).expect("an answer")["result"]["score"].as_f64().expect("a number");
            prop_assert!(score >= before, "{before} fell to {score} with {input}");
            before = score;
        }
    }
}

/// Something that speaks for a lead, or at least not against it.
enum Sign {
    Member(&'static str, &'static str),
    Event(&'static str),
}

const GOOD: [Sign; 13] = [
    Sign::Member("name", "\"Ann Lee\""),
    Sign::Member("email", "\"ann@example.org\""),
    Sign::Member("phone", "\"+44 20 7946 0000\""),
    Sign::Member("title", "\"Head of Sales\""),
    Sign::Member("company", "\"Example\""),
    // A website at another domain than the address: known is still more than unknown.
    Sign::Member("website", "\"https://example.com\""),
    Sign::Member("industry", "\"software\""),
    Sign::Member("country", "\"gb\""),
    Sign::Member("employees", "120"),
    Sign::Event("page_view"),
    Sign::Event("email_open"),
    Sign::Event("pricing_page"),
    Sign::Event("demo_request"),
];
