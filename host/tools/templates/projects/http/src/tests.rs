//! Tests with simulated responses of the service; they make no requests to the internet.

use tollbridge_sdk::http::{Request, Response};
use tollbridge_sdk::testing::{Doubles, Recorded};

use super::*;

fn ask(answer: impl Fn(&Request) -> Result<Response, Error> + 'static) -> (Result<Output, Error>, Recorded) {
    let input = Input { from: "gbp".into(), to: "EUR".into() };
    Doubles::new().http(answer).run(|| handle(&Call::default(), input))
}

fn answers(status: u16, body: &'static str) -> impl Fn(&Request) -> Result<Response, Error> {
    move |_| Ok(Response { status, body: body.into(), ..Response::default() })
}

#[test]
fn a_rate_is_passed_on_with_its_day() {
    let body = r#"{"amount":1.0,"base":"GBP","date":"2026-01-30","rates":{"EUR":1.1525}}"#;
    let (output, recorded) = ask(answers(200, body));
    let output = output.expect("a rate");
    assert_eq!((output.rate, output.date.as_str()), (1.1525, "2026-01-30"));
    let asked: Vec<&str> = recorded.requests.iter().map(|request| request.url.as_str()).collect();
    assert_eq!(asked, ["https://api.frankfurter.dev/v1/latest?base=GBP&symbols=EUR"]);
}

#[test]
fn a_service_that_is_away_or_talks_nonsense_costs_nothing() {
    let (away, _) = ask(|_| Err(Error::upstream("connection refused")));
    let away = away.expect_err("no rate");
    assert_eq!((away.kind(), away.message().contains("cannot be reached: connection refused")), ("upstream", true));
    for answer in [answers(500, ""), answers(200, "<html>"), answers(200, r#"{"date":"2026-01-30","rates":{}}"#)] {
        assert_eq!(ask(answer).0.expect_err("no rate").kind(), "upstream");
    }
}

#[test]
fn a_currency_without_a_rate_is_not_found() {
    assert_eq!(ask(answers(404, r#"{"message":"not found"}"#)).0.expect_err("no rate").kind(), "not-found");
}
