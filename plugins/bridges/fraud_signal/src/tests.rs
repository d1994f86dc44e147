//! Laws of the whole bridge.

use proptest::prelude::*;
use serde_json::{Value, json};
use tollbridge_sdk::{guest, testing::Doubles};

use super::*;

fn run(call: &Call, input: &Value) -> Result<Value, Error> {
    let bytes = serde_json::to_vec(input).unwrap();
    guest::handle(handle, call, &bytes).map(|bytes| serde_json::from_slice(&bytes).unwrap())
}

fn caller(now_ms: u64) -> Call {
    Call { caller: Some("c".into()), now_ms, ..Call::default() }
}

#[test]
fn velocity_raises_the_score() {
    let (last, _) = Doubles::new().run(|| {
        let mut last = Value::Null;
        for step in 0..12u64 {
            let account = format!("user{step}");
            last = run(&caller(1_000_000_000 + step), &json!({"ip": "81.2.69.142", "account": account})).unwrap();
        }
        last
    });
    assert_eq!(last["result"]["velocity"]["calls_hour"], 12);
    assert_eq!(last["result"]["velocity"]["accounts_of_address"], 12);
    assert_eq!((&last["result"]["score"], &last["result"]["level"]), (&json!(50), &json!("medium")));
    assert_eq!(last["result"]["depends_on_history"], true);
}

#[test]
fn without_history_nothing_is_written() {
    let (answer, recorded) = Doubles::new().run(|| run(&caller(5), &json!({"ip": "8.8.8.8", "history": false})));
    assert_eq!(answer.unwrap()["result"]["depends_on_history"], false);
    assert!(recorded.buckets.is_empty());
}

#[test]
fn without_a_key_nothing_is_counted() {
    let (answer, recorded) = Doubles::new().run(|| run(&Call::default(), &json!({"ip": "8.8.8.8"})));
    let checks = answer.unwrap()["result"]["checks"].clone();
    let velocity = checks.as_array().unwrap().iter().find(|check| check["name"] == "velocity").unwrap().clone();
    assert_eq!(
        (&velocity["done"], &velocity["reason"]),
        (&json!(false), &json!("calls without a key are not counted"))
    );
    assert!(recorded.buckets.is_empty());
}

#[test]
fn a_broken_memory_is_an_error_not_a_trap() {
    let doubles = (0..400).fold(Doubles::new(), |doubles, n| doubles.kv("caller", &format!("address/{n}"), b"{"));
    let (answer, _) = doubles.run(|| run(&caller(5), &json!({"ip": "8.8.8.8"})));
    assert_eq!(answer.unwrap_err().kind(), "internal");
}

#[test]
fn no_level_is_low_without_every_list() {
    let level = |ip: &str| {
        let (answer, _) = Doubles::new().run(|| run(&caller(5), &json!({"ip": ip, "history": false})));
        answer.unwrap()["result"]["level"].clone()
    };
    // Residential, data centre, and no client's.
    for (ip, expect) in [("81.2.69.142", "unknown"), ("52.95.110.1", "medium"), ("10.0.0.1", "high")] {
        assert_eq!(level(ip), expect, "{ip}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        let _ = guest::handle(handle, &caller(1), &bytes);
    }

    #[test]
    fn any_address_is_scored(v4: [u8; 4], v6: [u16; 8], six: bool, now: u64, country in prop::option::of("[A-Za-z]{2}"), email in prop::option::of("[a-z]{1,5}@(mailinator.com|[a-z.]{1,9})")) {
        let ip = if six { std::net::Ipv6Addr::from(v6).to_string() } else { std::net::Ipv4Addr::from(v4).to_string() };
        let input = json!({"ip": ip, "billing_country": country, "email": email});
        let (answer, _) = Doubles::new().run(|| run(&caller(now), &input));
        let (again, _) = Doubles::new().run(|| run(&caller(now), &input));
        prop_assert_eq!(&answer, &again);
        match answer {
            Ok(answer) => {
                let result = &answer["result"];
                let sum: u64 = result["signals"].as_array().unwrap().iter().filter_map(|signal| signal["weight"].as_u64()).sum();
                prop_assert_eq!(result["score"].as_u64(), Some(sum.min(100)));
                prop_assert_ne!(&result["level"], "low");
            }
            Err(error) => prop_assert_eq!(error.kind(), "invalid-input", "{}", error),
        }
    }

    #[test]
    fn any_text_is_answered(ip in "\\PC{0,40}", email in "\\PC{0,40}", account in "\\PC{0,40}") {
        let (answer, _) = Doubles::new().run(|| run(&caller(1), &json!({"resource_id": ip, "email": email, "account": account})));
        if let Err(error) = answer {
            prop_assert_eq!(error.kind(), "invalid-input", "{}", error);
        }
    }
}
