use proptest::prelude::*;
use tollbridge_sdk::{Stored, guest};

use super::*;

tollbridge_sdk::test_cases!(handle);

fn ask(text: &str) -> Result<serde_json::Value, Error> {
    let call = Call { now_ms: 1_795_219_200_000, ..Call::default() };
    let bytes = guest::handle(handle, &call, text.as_bytes())?;
    Ok(serde_json::from_slice(&bytes).unwrap())
}

#[test]
fn every_country_and_region_answers_alone() {
    let book = Book::open().unwrap();
    assert!(book.countries.len() >= 130, "{}", book.countries.len());
    for (code, country) in &book.countries {
        for key in country.regions.keys().map(|part| format!("{code}-{part}")).chain([(*code).to_owned()]) {
            let answer = ask(&format!(r#"{{"resource_id": "{key}"}}"#)).unwrap();
            assert!(!answer["data"].as_array().unwrap().is_empty(), "{key}");
            assert_eq!(answer["result"]["country"], **code, "{key}");
        }
    }
}

#[test]
fn answers_fit_the_manifest() {
    // 64 KiB of output; the US with all its states is the longest.
    let longest = ask(r#"{"resource_id": "US"}"#).unwrap().to_string();
    assert!(longest.len() < 32_768, "{}", longest.len());
}

#[test]
fn a_stored_resource_is_refused() {
    let call = Call { resource: Some(Stored::default()), ..Call::default() };
    let error = guest::handle(handle, &call, br#"{"resource_id": "res_1"}"#).unwrap_err();
    assert_eq!(error.field(), Some("/resource_id"));
}

fn maybe(text: &'static str) -> impl Strategy<Value = Option<String>> {
    prop_oneof![Just(None), text.prop_map(Some), "\\PC{0,12}".prop_map(Some)]
}

proptest! {
    #[test]
    fn any_bytes_are_answered_or_refused(bytes: Vec<u8>) {
        let _ = guest::handle(handle, &Call::default(), &bytes);
    }

    #[test]
    fn any_input_is_answered_or_refused(
        resource_id in maybe("[A-Z]{2}(-[A-Z]{2})?"),
        country in maybe("US|CA|ES|FR|LI|GB"),
        region in maybe("[A-Z]{2}"),
        rate_percent in maybe("[0-9]{1,3}(\\.[0-9]{1,6})?"),
        amount in maybe("-?[0-9]{1,16}(\\.[0-9]{1,3})?"),
        amount_minor: Option<i64>,
        inclusive: Option<bool>,
        date in maybe("20[0-9]{2}-[01][0-9]-[0-3][0-9]"),
        kind in 0..5usize,
        now_ms: u64,
    ) {
        let kinds = [None, Some(Kind::Standard), Some(Kind::Reduced), Some(Kind::SuperReduced), Some(Kind::Parking)];
        let input = Input { resource_id, country, region, rate_type: kinds[kind], rate_percent, amount, amount_minor, inclusive, date };
        let call = Call { now_ms, ..Call::default() };
        match handle(&call, input) {
            Ok(output) => if let Some(charge) = output.result.computed {
                prop_assert_eq!(charge.net_minor + charge.tax_minor, charge.gross_minor);
            },
            Err(error) => prop_assert!(matches!(error.kind(), "invalid-input" | "not-found"), "{}", error),
        }
    }
}
