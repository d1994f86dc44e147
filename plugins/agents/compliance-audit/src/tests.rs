use serde_json::{Value, json};
use tollbridge_sdk::testing::Doubles;
use tollbridge_sdk::{Call, Error};

use crate::{Input, Output, run};

fn real<I: serde::de::DeserializeOwned, O: serde::Serialize>(
    handle: impl Fn(&Call, I) -> Result<O, Error>,
) -> impl Fn(&Value) -> Result<Value, tollbridge_sdk::bridges::Error> {
    move |input| match handle(&Call::default(), serde_json::from_value(input.clone()).unwrap()) {
        Ok(output) => Ok(serde_json::to_value(output).unwrap()),
        Err(error) => Err(tollbridge_sdk::bridges::Error::InvalidInput {
            field: String::new(),
            message: error.message().to_owned(),
        }),
    }
}

fn ask(task: &str, input: Option<Input>) -> Result<Output, Error> {
    let doubles = Doubles::new()
        .bridge("pii_redaction", real(pii_redaction::handle))
        .bridge("vat_number_check", real(vat_number_check::handle))
        .bridge("iban_validation", real(iban_validation::handle));
    doubles.run(|| run(&Call::default(), task, input)).0
}

fn shown(answer: Result<Output, Error>) -> String {
    match answer {
        Err(error) => format!("refused: {}", error.message()),
        Ok(output) => {
            let texts = output.redacted.into_iter().flatten().map(|document| document.text);
            std::iter::once(output.summary).chain(texts).collect::<Vec<_>>().join(" | ").replace('\n', " | ")
        }
    }
}

#[test]
fn tasks_in_words() {
    let cases = [
        (
            "Is the VAT number valid: Our supplier has the VAT number DE136695976.",
            "valid VAT number: yes, \"DE136695976\"",
        ),
        ("Is the VAT number valid?\n\nVAT: DE136695978", "valid VAT number: no, 1 found, 1 of them not valid"),
        ("Are the IBANs valid: AT61 1904 3002 3457 3201", "valid IBAN: yes, \"AT61 1904 3002 3457 3201\""),
        (
            "Items: IBAN, e-mail address, date\n\nPay GB29 NWBK 6016 1331 9268 19 ONLY by 3 May 2024.",
            "IBAN: yes, \"GB29 NWBK 6016 1331 9268 19\" | e-mail address: no, nothing of this form is in the document | date: yes, \"3 May 2024\"",
        ),
        ("Check for phone number: Call 0170 5550199 now", "phone number: yes, \"0170 5550199\""),
        (
            "Check for a phone number: The plot 421 700 33 11 9 is for sale",
            "refused: `phone number`: `421 700 33 11 9` could be a phone number",
        ),
        (
            "Are the fields batch number, operator and second check by filled in?\n\nbatch number = B24\noperator = L. Tamm\nsecond check by =",
            "batch number: yes, \"batch number: B24\" | operator: yes, \"operator: L. Tamm\" | second check by: no, its label has no value",
        ),
        (
            "Check the labels date of birth and religion.\nName: ___\nDate of birth: ______",
            "date of birth: yes, \"Date of birth: ______\" | religion: no, the document has no such label",
        ),
        (
            "Are the fields deposit and handover date filled in: Handover date is 1 October. Deposit: £5",
            "refused: `handover date`: the document has these words",
        ),
        (
            "Does it contain the exact words \"Funded by the Trust.\"?\n\nAdmission free. Funded by the Trust. No phones.",
            "Funded by the Trust.: yes, \"Funded by the Trust.\"",
        ),
        (
            "Does it contain the exact words \"Keep out of reach of children\"?\n\nKeep away from children.",
            "Keep out of reach of children: no, the document does not have it word for word",
        ),
        (
            "Items: \"keep out\"\n\nKEEP OUT of reach",
            "refused: `\"keep out\"`: the document has these words with other capitals",
        ),
        (
            "Items: governing law\n\nThe courts of Cork decide, under Irish rules.",
            "refused: `governing law`: the document has no such label",
        ),
        (
            "Redact e-mail addresses and phone numbers: call +44 20 7946 0018 or write to jo@b.example",
            "email: yes, 1 value replaced | phone: yes, 1 value replaced | call [PHONE] or write to [EMAIL]",
        ),
        (
            "Redact personal data with asterisks\n\nWrite to jo@b.example",
            "email: yes, 1 value replaced | Write to **@*.*******",
        ),
        (
            "Redact phone numbers: The plot 421 700 33 11 9 is for sale",
            "refused: `421 700 33 11 9` could be a phone number",
        ),
    ];
    for (task, expect) in cases {
        let answer = shown(ask(task, None));
        assert!(answer.starts_with(expect), "{task}: {answer}");
    }
}

#[test]
fn several_documents_have_items_of_their_own() {
    let input = json!({
        "documents": [{ "name": "a", "text": "IBAN: GB29 NWBK 6016 1331 9268 19" }, { "name": "b", "text": "Term: 5 years" }],
        "checklist": ["IBAN"], "labels": ["term"]
    });
    let answer = shown(ask("", serde_json::from_value(input).unwrap()));
    assert_eq!(
        answer,
        "IBAN (a): yes, \"GB29 NWBK 6016 1331 9268 19\" | term (a): no, the document has no such label | IBAN (b): no, there is none | term (b): yes, \"Term: 5 years\""
    );
}

#[test]
fn a_model_must_quote_and_cannot_deny_what_the_words_mention() {
    let judge = |reply: &str| {
        let task = "Items: pets, subletting\n\nKeeping a dog needs consent. No subletting without a word to us.";
        let doubles = Doubles::new().bridge("pii_redaction", real(pii_redaction::handle)).completion(reply);
        doubles.run(|| run(&Call::default(), task, None)).0
    };
    let reply = |quote: &str, present: bool| {
        let second = if present { r#""No subletting without""# } else { "null" };
        format!(
            r#"{{"missing":null,"found":{{"items":[{{"item":"pets","present":true,"quote":"{quote}"}},{{"item":"subletting","present":{present},"quote":{second}}}]}}}}"#
        )
    };
    assert_eq!(
        shown(judge(&reply("Keeping a dog", true))),
        "pets: yes, \"Keeping a dog\" | subletting: yes, \"No subletting without\""
    );
    assert!(judge(&reply("cats are fine", true)).is_err());
    assert!(judge(&reply("Keeping a dog", false)).is_err());
}
