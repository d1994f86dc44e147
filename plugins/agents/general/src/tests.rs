use agent_common::command;
use tollbridge_sdk::testing::Doubles;

use super::*;

const COMMANDS: &str = include_str!("../commands.md");

#[test]
fn published_examples_are_understood() {
    for example in command::examples(COMMANDS) {
        assert!(commands::read(example).unwrap().is_some(), "{example}");
    }
}

fn summary(task: &str) -> String {
    match Doubles::new().run(|| run(&Call::default(), task, None)).0 {
        Ok(output) => output.summary,
        Err(error) => format!("{}: {}", error.kind(), error.message()),
    }
}

#[test]
fn arithmetic_is_exact() {
    let cases = [
        ("17 % of 340", "17 % of 340 is 57.8."),
        ("What is 17% VAT on £340?", "17 % of £340 is £57.80; the total is £397.80."),
        ("add 20% to 99.99 EUR", "EUR 99.99 plus 20 % (EUR 19.998) is EUR 119.988."),
        ("25% off $80", "$80 less 25 % ($20) is $60."),
        ("1,190 including 19% VAT", "1190 with 19 % included is 1000 net and 190 tax."),
        ("percentage change from 80 to 92", "From 80 to 92 is 15 %."),
        ("what percent of 250 is 40", "40 is 16 % of 250."),
        ("sum of 12, 15 and 19.5", "The sum of 3 numbers is 46.5."),
        ("Average of £12.50, £15 and £19", "The average of 3 numbers is £15.50."),
        ("median of 9, 1, 5, 7", "The median of 4 numbers is 6."),
        ("How much is (12.5 + 7.5) * 3 - 4 / 2?", "( 12.5 + 7.5 ) * 3 - 4 / 2 = 58"),
        ("Please convert 5 miles to km", "5 miles = 8.04672 km"),
        ("how many minutes are in 2.5 hours?", "2.5 hours = 150 minutes"),
        ("convert 98.6 °F to °C", "98.6 F = 37 C"),
        ("£80 with a 25% discount", "£80 less 25 % (£20) is £60."),
        ("what's 100 plus 7.5%", "100 plus 7.5 % (7.5) is 107.5."),
        ("1,200 divided by 7", "1,200 divided by 7 = 171.4285714286"),
        ("sum of 1,200, -300 and 0.25", "The sum of 3 numbers is 900.25."),
        ("is this card number 4111 1111 1111 1111 valid?", "The card number 4111 1111 1111 1111 is valid."),
    ];
    for (task, expect) in cases {
        assert_eq!(summary(task), expect, "{task}");
    }
}

#[test]
fn what_could_mean_two_things_is_no_command() {
    for task in [
        "20% from 80",
        "100 with 20%",
        "17% on 340",
        "1,20 + 3",
        "2024-05-01 - 3",
        "10 x 5 cm",
        "average of 12% and 18%",
        "convert 5 pounds to euros",
        "5 - 3 %",
        "convert 5 tons to kg",
    ] {
        assert_eq!(commands::read(task), Ok(None), "{task}");
    }
}

#[test]
fn what_has_no_result_is_refused() {
    for (task, expect) in [
        ("sum of £5 and $3", "no exact result"),
        ("convert 5 kg to km", "no exact result"),
        ("17 % of 340. 5 + 5", "several commands"),
        ("check the card number 4111", "12 to 19 digits"),
        ("What is the capital of Spain?", "unavailable"),
    ] {
        let found = summary(task);
        assert!(found.contains(expect) || found.starts_with("invalid-input: which skill"), "{task}: {found}");
    }
}

#[test]
fn identifiers_are_checked_by_bridges() {
    let asked = |task: &str, bridge: &str, result: Value| {
        let answer = json!({ "result": result });
        let doubles = Doubles::new().bridge(bridge, move |_| Ok(answer.clone()));
        let (output, recorded) = doubles.run(|| run(&Call::default(), task, None));
        (
            output.map(|output| output.summary),
            recorded.calls.first().and_then(|call| call.input.clone()).unwrap_or_default(),
        )
    };
    let valid = json!({ "valid": true });
    let iban = asked("Check the IBAN DE89 3704 0044 0532 0130 00", "iban_validation", valid.clone());
    assert_eq!(iban.0, Ok("The IBAN DE89 3704 0044 0532 0130 00 is valid.".into()));
    assert!(iban.1.contains("DE89 3704 0044 0532 0130 00"));
    let email = asked("Is this e-mail address valid: ann.bee@example.org?", "email_verification", valid);
    assert_eq!(email.1, r#"{"email":"ann.bee@example.org"}"#);
    let isbn = json!({ "references": [{ "identifiers": [{ "valid": false }] }] });
    let isbn = asked("Validate ISBN 978-3-16-148410-1", "citation_check", isbn);
    assert_eq!(isbn.0, Ok("The identifier 978-3-16-148410-1 is not valid.".into()));
    let none = asked("check the DOI 10.1000/182", "citation_check", json!({ "references": [{ "identifiers": [] }] }));
    assert!(none.0.unwrap_err().message().contains("not one ISBN"));
}

#[test]
fn texts_that_are_no_answer_are_refused() {
    let asked = |reply: &'static str, language: &'static str| {
        let languages = json!({ "result": { "texts": [{ "language": "en", "reliable": true }, { "language": language, "reliable": true }] } });
        let doubles = Doubles::new()
            .bridge("model_inference", move |_| Ok(json!({ "result": { "text": reply, "model": "m" } })))
            .bridge("language_detection", move |_| Ok(languages.clone()));
        doubles.run(|| run(&Call::default(), "What is the capital of France?", None)).0
    };
    assert_eq!(asked("Paris is its capital.", "en").map(|output| output.skill), Ok("model".into()));
    for (reply, language) in [
        ("what is the capital of France", "en"),
        ("I'm sorry, I cannot tell.", "en"),
        ("Столица Франции — Париж.", "ru"),
        ("Die Hauptstadt ist Paris.", "de"),
    ] {
        assert!(asked(reply, language).is_err(), "{reply}");
    }
}
