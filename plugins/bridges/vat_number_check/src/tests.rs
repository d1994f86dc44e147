use proptest::prelude::*;
use tollbridge_sdk::{Stored, guest};

use super::*;
use crate::verdict::Check;

tollbridge_sdk::test_cases!(handle);

fn ask(text: &str) -> Result<Verdict, Error> {
    handle(&Call::default(), Input { vat_number: Some(text.into()), ..Input::default() }).map(|output| output.result)
}

#[test]
fn published_numbers_are_valid() {
    let mut countries = std::collections::BTreeSet::new();
    for number in include_str!("../data/known_good.txt").lines().skip(1) {
        let verdict = ask(number).unwrap();
        assert!(verdict.valid, "{number}: {:?}", verdict.faults);
        assert_eq!(verdict.check_digits, Check::Passed, "{number}");
        countries.insert(verdict.country);
    }
    assert_eq!(countries.len(), 35, "{countries:?}");
}

#[test]
fn most_wrong_digits_are_found() {
    let (mut wrong, mut missed) = (0, 0);
    for number in include_str!("../data/known_good.txt").lines().skip(1) {
        let number = plain(number);
        for (place, letter) in number.char_indices().filter(|(_, letter)| letter.is_ascii_digit()) {
            let mut other = number.clone();
            other.replace_range(place..=place, &((letter.to_digit(10).unwrap() + 1) % 10).to_string());
            wrong += 1;
            missed += usize::from(ask(&other).is_ok_and(|verdict| verdict.valid));
        }
    }
    assert!(missed * 20 < wrong, "{missed} of {wrong}");
}

#[test]
fn only_zeros_are_no_number_anywhere() {
    for number in include_str!("../data/known_good.txt").lines().skip(1) {
        let zeros: String = plain(number).chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        if zeros.starts_with("GBGD") {
            continue;
        }
        let head = &zeros[..zeros.len() - 1];
        for last in ('A'..='Z').chain(['0', zeros.chars().last().unwrap()]) {
            let verdict = ask(&format!("{head}{last}"));
            assert!(!verdict.is_ok_and(|verdict| verdict.valid), "{head}{last}");
        }
    }
    for impossible in
        ["BE0000000097", "BE0000000000", "BE000000000", "GB000000097", "DE000000000", "PT000000000", "IS00000"]
    {
        assert!(!ask(impossible).unwrap().valid, "{impossible}");
    }
}

/// Every written form that a country's pattern knows, with zeros for its digits and anything in the places that check
/// them or name an office.
fn zeros(country: &str) -> Vec<String> {
    let letters = || 'A'..='Z';
    let keys = || ('0'..='9').chain(letters());
    let mut forms: Vec<String> = (2..=13).map(|length| "0".repeat(length)).collect();
    forms.extend((1..12).flat_map(|length| (0..100).map(move |last| format!("{}{last:02}", "0".repeat(length)))));
    forms.extend(letters().map(|last| format!("00000000{last}")));
    forms.extend(letters().flat_map(|first| keys().map(move |last| format!("{first}0000000{last}"))));
    forms.extend(letters().flat_map(|first| letters().map(move |last| format!("{first}000000{last}"))));
    forms.extend(letters().flat_map(|first| letters().map(move |last| format!("{first}00000000{last}"))));
    match country {
        "AT" => forms.push("U00000000".into()),
        "FR" | "MC" => forms.extend(keys().flat_map(|a| keys().map(move |b| format!("{a}{b}000000000")))),
        "GB" | "XI" => forms.extend((0..1_000).map(|branch| format!("000000000{branch:03}"))),
        "IE" => {
            forms.extend(letters().flat_map(|last| ["", "A", "H"].map(|more| format!("0000000{last}{more}"))));
            forms.extend(letters().flat_map(|last| letters().map(move |second| format!("0{second}00000{last}"))));
        }
        "NL" => forms.extend((0..100).map(|unit| format!("000000000B{unit:02}"))),
        "NO" => forms.push("000000000MVA".into()),
        "SE" => forms.push("000000000001".into()),
        _ => {}
    }
    forms
}

#[test]
fn only_zeros_are_no_number_of_any_country() {
    let mut fitting = std::collections::BTreeSet::new();
    for country in Country::all() {
        for form in zeros(country.code) {
            let input =
                Input { vat_number: Some(form.clone()), country: Some(country.code.into()), ..Input::default() };
            let verdict = handle(&Call::default(), input).unwrap().result;
            assert!(!verdict.valid, "{} {form} is {}", country.code, verdict.vat_number);
            fitting.extend(verdict.format_ok.then_some(country.code));
        }
    }
    assert_eq!(fitting.len(), Country::all().count(), "a form of each country is tried: {fitting:?}");
}

#[test]
fn a_romanian_number_of_two_digits_is_given_out() {
    // Weight 2 times 5, times 10, mod 11 is 1: the check digit of 5.
    assert!(ask("RO51").unwrap().valid);
    assert!(!ask("RO52").unwrap().valid);
    assert!(!ask("RO00").unwrap().valid);
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
    fn any_text_is_answered_or_refused(text in "\\PC{0,30}|[A-Z]{2}[0-9A-Z+*]{0,14}", country in proptest::option::of("\\PC{0,3}|[A-Z]{2}")) {
        let input = Input { vat_number: Some(text), country, ..Input::default() };
        match handle(&Call::default(), input) {
            Ok(output) => prop_assert_eq!(output.result.valid, output.result.faults.is_empty()),
            Err(error) => prop_assert_eq!(error.kind(), "invalid-input"),
        }
    }

    #[test]
    fn every_rule_answers_for_any_text(text in "\\PC{0,14}|[0-9]{0,14}", which in 0usize..45) {
        let country = Country::all().nth(which).unwrap();
        if let Some((_, keeps)) = rule::of(country.code) {
            keeps(&text);
        }
    }
}
