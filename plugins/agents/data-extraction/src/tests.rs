use serde_json::{Value, json};
use tollbridge_sdk::testing::Doubles;
use tollbridge_sdk::{Call, Error};

use crate::{Input, Output, run};

fn ask(task: &str, input: Option<Input>) -> Result<Output, Error> {
    let doubles = Doubles::new().bridge("pii_redaction", |input| {
        let input = serde_json::from_value(input.clone()).unwrap();
        Ok(serde_json::to_value(pii_redaction::handle(&Call::default(), input).unwrap()).unwrap())
    });
    doubles.run(|| run(&Call::default(), task, input)).0
}

fn values(task: &str) -> Value {
    ask(task, None).map_or_else(|error| json!(format!("refused: {}", error.message())), |output| json!(output.values))
}

#[test]
fn tasks_in_words() {
    let cases = [
        (
            "Extract case number, judge, hearing date as a date and courtroom:\nNOTICE OF HEARING\nCase number: K04AB118\nJudge: Dr. Farrow\nHearing date: 22 January 2025\nCourtroom: 5",
            json!({"case number": "K04AB118", "judge": "Dr. Farrow", "hearing date": "2025-01-22", "courtroom": "5"}),
        ),
        (
            "From this invoice please get Rechnungsnummer and Gesamtbetrag as a number\n\nRechnungsnummer: 2024-0877\nMwSt: 444,60 EUR\nGesamtbetrag: 2.784,60 EUR",
            json!({"Rechnungsnummer": "2024-0877", "Gesamtbetrag": 2784.6}),
        ),
        (
            "host = db1\nport = 5432\n\nextract host, port as number and password as JSON, leave missing fields empty",
            json!({"host": "db1", "port": 5432, "password": null}),
        ),
        (
            "Extract meter number, old reading (number), new reading (number)\n\nMeter number    1ESY116\nOld reading     14,208 kWh\nNew reading     17,655 kWh",
            json!({"meter number": "1ESY116", "old reading": 14208, "new reading": 17655}),
        ),
        (
            "Get hostnames and email of owner from this table\nid,hostname,os,email of owner\n1,print-04,Debian 12,a@rdg.example\n2,scan-01,Debian 11,b@rdg.example",
            json!({"hostnames": ["print-04", "scan-01"], "email of owner": ["a@rdg.example", "b@rdg.example"]}),
        ),
        (
            "extract all amounts: Deposit was $250, the second of $1,175.50 came in and a late fee of 35 EUR.",
            json!({"amounts": ["$250", "$1,175.50", "35 EUR"]}),
        ),
        (
            "extract all links and all dates: See https://a.example/x?y=1, since 3 May 2024 (http://b.example:80/).",
            json!({"links": ["https://a.example/x?y=1", "http://b.example:80/"], "dates": ["2024-05-03"]}),
        ),
        (
            "Give me all e-mail addresses, phone numbers and IBANs from this letter\n\nCall +44 20 7946 0018, mail jo@b.example, pay to GB29 NWBK 6016 1331 9268 19.",
            json!({"e-mail addresses": ["jo@b.example"], "phone numbers": ["+44 20 7946 0018"], "IBANs": ["GB29 NWBK 6016 1331 9268 19"]}),
        ),
        (
            "pull flight, from, to and seat\n\nFlight: SK 1462   From: CPH   To: OSL\nDeparture: 18:25   Gate: B7   Seat: 14C",
            json!({"flight": "SK 1462", "from": "CPH", "to": "OSL", "seat": "14C"}),
        ),
        (
            "extract summary and location\nBEGIN:VEVENT\nSUMMARY:Band rehearsal\nLOCATION:Old Fire Station, hall\nEND:VEVENT",
            json!({"summary": "Band rehearsal", "location": "Old Fire Station, hall"}),
        ),
    ];
    for (task, expect) in cases {
        assert_eq!(values(task), expect, "{task}");
    }
}

const REFUSED: [(&str, &str); 8] = [
    (
        "extract all amounts: The fee of £1.2m was waived, not the £30.",
        "some amounts of money are not digits with a currency sign or code",
    ),
    (
        "extract version and author: {\"name\": \"tidy\", \"version\": \"2.4.1\", \"author\": {\"name\": \"P. L.\"}}",
        "`author`: the text has the words `author`, but not as a label with a value",
    ),
    (
        "extract total: Total: 5 EUR\nVAT: 1 EUR\nTotal: 6 EUR",
        "`total`: the text has several values for it, such as \"5 EUR\" and \"6 EUR\"",
    ),
    (
        "extract due date (date): Due date: 03/04/2024",
        "`due date`: `03/04/2024` can be two days; state the order of day and month",
    ),
    (
        "extract deposit, leave missing fields empty: The deposit of 50 pounds is due.\nRent: 500",
        "`deposit`: the text has the words `deposit`, but not as a label with a value",
    ),
    (
        "extract price from this table\nitem;price\nA;5\nB;6;7",
        "`price`: the line `B;6;7` has 3 cells, and the lines above it have 2; give every row the same number of cells",
    ),
    (
        "list all phone numbers in this text: driver is Kris, 0151 2345678, dispatch office 0421 700 3311",
        "`0421 700 3311` could be a phone number or another number",
    ),
    (
        "extract all IBANs: pay GB29 NWBK 6016 1331 9268 19 or GB30 NWBK 6016 1331 9268 19",
        "`GB30 NWBK 6016 1331 9268 19` looks like an IBAN, but its check digits are wrong",
    ),
];

#[test]
fn unclear_tasks_are_refused() {
    for (task, expect) in REFUSED {
        assert_eq!(values(task), json!(format!("refused: {expect}")), "{task}");
    }
}

#[test]
fn typed_input_takes_single_values_by_their_form() {
    let input = |fields: Value| {
        serde_json::from_value(
            json!({ "text": "Paid on 3 May 2024. Write to jo@b.example.\nRef: 7\nRef: 8", "fields": fields }),
        )
    };
    let ask = |fields: Value| ask("", input(fields).unwrap()).unwrap();
    let output = ask(json!([
        { "name": "contact", "kind": "email" }, { "name": "date", "kind": "date" }, { "name": "due", "kind": "date" },
        { "name": "ref" }, { "name": "refs", "label": "ref", "kind": "number", "all": true }
    ]));
    let expect = json!({ "contact": "jo@b.example", "date": "2024-05-03", "due": null, "ref": null, "refs": [7, 8] });
    assert_eq!(json!(output.values), expect);
    assert!(output.notes["ref"].contains("several") && output.notes["contact"].contains("only email"));
}

#[test]
fn no_task_makes_the_agent_panic() {
    let pieces = [
        "extract", "all", "dates", "total", ":", "\n", "Total: 5", ",", "\"", "as", "(", "£1.2.3", "🙂", "=", "  ",
        "{", "|",
    ];
    let mut seed = 11_u64;
    for _ in 0..300 {
        let mut task = String::new();
        for _ in 0..14 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            task.push_str(pieces[usize::try_from(seed >> 33).unwrap() % pieces.len()]);
            task.push_str(if seed.is_multiple_of(3) { "" } else { " " });
        }
        let _ = ask(&task, None);
    }
}
