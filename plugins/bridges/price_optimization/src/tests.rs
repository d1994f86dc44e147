//! Laws of the whole bridge.

use proptest::prelude::*;
use tollbridge_sdk::{Stored, guest, serde_json};

use super::*;

fn run(input: &serde_json::Value) -> Result<serde_json::Value, Error> {
    let bytes = guest::handle(handle, &Call::default(), &serde_json::to_vec(input).expect("JSON writes"))?;
    Ok(serde_json::from_slice(&bytes).expect("JSON"))
}

fn price() -> impl Strategy<Value = f64> {
    prop_oneof![0.5..20.0f64, prop::sample::select(vec![1e-9, 1e12, 1.0, 9.99])]
}

proptest! {
    #[test]
    fn the_price_keeps_to_its_bounds(points in prop::collection::vec((price(), 1e-3..1e6f64), 8..40), cost in 0.0..10.0f64,
        change in prop::option::of(0.0..100.0f64), step in prop::sample::select(vec![0.01, 0.05, 1.0, 1e-9, 1e6]), trend: bool,
        capacity in prop::option::of(1e-3..1e6f64)) {
        let history: Vec<_> = points.iter().map(|(price, quantity)| serde_json::json!({"price": price, "quantity": quantity})).collect();
        let input = serde_json::json!({"history": history, "unit_cost": cost, "trend": trend,
            "constraints": {"max_change_percent": change, "price_step": step, "capacity": capacity}});
        let answer = run(&input);
        if let Err(error) = &answer {
            prop_assert_eq!(error.kind(), "invalid-input", "{}", error);
        }
        if let Ok(answer) = &answer {
            for row in answer["result"]["scenarios"].as_array().expect("rows") {
                prop_assert!(row["profit"].is_number() && row["quantity"]["low"].is_number(), "{row}");
            }
            if let (Some(price), Some(change)) = (answer["result"]["price"].as_f64(), change) {
                let today = answer["result"]["current_price"].as_f64().expect("a number");
                prop_assert!((price / today - 1.0).abs() <= change / 100.0 + 1e-6, "{price} {today}");
            }
        }
        prop_assert_eq!(answer, run(&input));
    }

    #[test]
    fn a_known_elasticity_gives_the_textbook_price(elasticity in -4.0..-1.5f64, cost in 4.0..6.0f64) {
        let history: Vec<_> = (0..12).map(|i| {
            let price = 4.0 + 2.0 * f64::from(i);
            serde_json::json!({"price": price, "quantity": 1e4 * price.powf(elasticity)})
        }).collect();
        let answer = run(&serde_json::json!({"history": history, "unit_cost": cost})).expect("an answer");
        let price = answer["result"]["price"].as_f64().expect("a price");
        let expect = (cost * elasticity / (1.0 + elasticity)).clamp(4.0, 26.0);
        prop_assert!((price - expect).abs() < 0.011, "{price} {expect}");
    }

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "(price,quantity\n)?([0-9.]{0,4},[0-9.]{0,4}\n){0,12}") {
        let _ = guest::handle(handle, &Call::default(), &bytes);
        for bytes in [bytes, text.into_bytes()] {
            let resource = Stored { id: "res_1".into(), content_type: String::new(), bytes };
            let call = Call { resource: Some(resource), ..Call::default() };
            let _ = guest::handle(handle, &call, br#"{"resource_id": "res_1"}"#);
        }
    }
}
