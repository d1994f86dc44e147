use proptest::prelude::*;
use tollbridge_sdk::{Stored, guest};

use super::*;
use crate::national::Status;

tollbridge_sdk::test_cases!(handle);

fn ask(input: Input) -> Verdict {
    handle(&Call::default(), input).unwrap().result
}

fn iban(text: &str) -> Input {
    Input { iban: Some(text.to_owned()), ..Input::default() }
}

#[test]
fn known_ibans_are_valid_and_every_wrong_digit_is_found() {
    let mut countries = std::collections::BTreeSet::new();
    for good in include_str!("../data/known_good.txt").lines() {
        countries.insert(&good[..2]);
        let verdict = ask(iban(good));
        assert!(verdict.valid, "{good} {:?}", verdict.faults);
        assert_eq!(verdict.expected_check_digits.as_deref(), good.get(2..4), "{good}");
        for place in 2..good.len() {
            let mut other = good.to_owned();
            let Some(digit) = good[place..=place].chars().next().and_then(|c| c.to_digit(10)) else { continue };
            other.replace_range(place..=place, &((digit + 1) % 10).to_string());
            assert!(!ask(iban(&other)).valid, "{other}");
        }
    }
    assert_eq!(countries.len(), 90, "{countries:?}");
}

#[test]
fn a_stored_resource_is_refused() {
    let call = Call { resource: Some(Stored::default()), ..Call::default() };
    let error = guest::handle(handle, &call, br#"{"resource_id": "res_1"}"#).unwrap_err();
    assert_eq!(error.field(), Some("/resource_id"));
}

proptest! {
    #[test]
    fn any_bytes_are_answered_or_refused(bytes: Vec<u8>) {
        let _ = guest::handle(handle, &Call::default(), &bytes);
    }

    #[test]
    fn any_text_is_answered_or_refused(text in "\\PC{0,40}|[A-Z]{2}[0-9A-Z -]{0,36}|.{0,120}", country in "\\PC{0,3}|[A-Za-z]{2}", which in 0..3) {
        let input = match which {
            0 => iban(&text),
            1 => Input { resource_id: Some(text), ..Input::default() },
            _ => Input { country: Some(country), bban: Some(text), ..Input::default() },
        };
        match handle(&Call::default(), input) {
            Ok(output) => prop_assert_eq!(output.result.valid, output.result.faults.is_empty()),
            Err(error) => prop_assert_eq!(error.kind(), "invalid-input"),
        }
    }

    #[test]
    fn what_is_made_is_valid_and_reads_in_any_form(digits in "[0-9]{18}", group in 1usize..5) {
        let made = ask(Input { country: Some("de".into()), bban: Some(digits), ..Input::default() });
        prop_assert!(made.valid && made.national_check == Status::NoRule);
        let spaced: Vec<String> = made.iban.to_lowercase().chars().collect::<Vec<_>>().chunks(group).map(|c| c.iter().collect()).collect();
        let again = ask(iban(&format!("IBAN: {}", spaced.join(" "))));
        prop_assert_eq!(again.iban, made.iban);
    }
}
