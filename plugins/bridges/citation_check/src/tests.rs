use proptest::prelude::*;
use tollbridge_sdk::{Stored, guest};

use super::*;

tollbridge_sdk::test_cases!(handle);

fn one(text: &str) -> Reference {
    check::check(0, text, Some(Style::Bibtex))
}

#[test]
fn identifiers_in_running_text() {
    let kinds = |text: &str| -> Vec<(Kind, String, bool)> {
        one(text).identifiers.into_iter().map(|i| (i.kind, i.normalised, i.valid)).collect()
    };
    for (text, expect) in [
        ("(see doi:10.1000/182).", vec![(Kind::Doi, "10.1000/182", true)]),
        (
            "https://doi.org/10.1002/(SICI)1097-4679(199611)52:6%3C1::AID-JCLP1%3E3.0.CO;2-B",
            vec![(Kind::Doi, "10.1002/(sici)1097-4679(199611)52:6<1::aid-jclp1>3.0.co;2-b", true)],
        ),
        ("10.1007/978-3-16-148410-0_5", vec![(Kind::Doi, "10.1007/978-3-16-148410-0_5", true)]),
        (
            "ISBN-13: 978-3-16-148410-0, ISBN 0-306-40615-2.",
            vec![(Kind::Isbn, "9783161484100", true), (Kind::Isbn, "9780306406157", true)],
        ),
        ("ISSN (online): 2049-3630; pp. 1998-2003", vec![(Kind::Issn, "2049-3630", true)]),
        (
            "arXiv:hep-th/9901001v3 and https://arxiv.org/pdf/1706.03762.pdf.",
            vec![(Kind::Arxiv, "hep-th/9901001", true), (Kind::Arxiv, "1706.03762", true)],
        ),
        ("PMID: 12140307; PMC2323551", vec![(Kind::Pmid, "12140307", true), (Kind::Pmcid, "PMC2323551", true)]),
        (
            "https://orcid.org/0000-0002-1825-0097, 0000-0002-1825-0098",
            vec![(Kind::Orcid, "0000-0002-1825-0097", true), (Kind::Orcid, "0000-0002-1825-0098", false)],
        ),
        ("1422-4586-3573-0476", vec![(Kind::Orcid, "1422-4586-3573-0476", false)]),
        ("0000000218250097", vec![(Kind::Orcid, "0000-0002-1825-0097", true)]),
        ("0009-0005-6000-7479", vec![(Kind::Orcid, "0009-0005-6000-7479", true)]),
        ("978-3-905673-82- 1", vec![(Kind::Isbn, "9783905673821", true)]),
        ("see http://Example.org/a(b)?utm_medium=x.", vec![(Kind::Url, "http://example.org/a(b)", true)]),
        ("version 10.2 of 10.12/x, 2019-2020, 978", vec![]),
    ] {
        let got = kinds(text);
        let got: Vec<(Kind, &str, bool)> =
            got.iter().map(|(kind, text, valid)| (*kind, text.as_str(), *valid)).collect();
        assert_eq!(got, expect, "{text}");
    }
}

#[test]
fn longest_answer_fits_the_manifest() {
    let short = "10.1000/1 ".repeat(49);
    let long = format!("doi:10.1000/{}", "é".repeat(1_900));
    let entry = format!(
        "@book{{k, author={{A, B}}, title={{T}}, doi={{10.1000/{}}}, url={{http://a.b/{}}} }}",
        "é".repeat(900),
        "é".repeat(900)
    );
    let nested = format!("{}{}", "10.1000/".repeat(250), ")".repeat(1_990));
    for text in [short, long, entry, nested] {
        let references = vec![text.clone(); (BYTES_MAX / text.len()).min(REFERENCES_MAX)];
        let input = Input { references: Some(references), style: Some(Style::Apa), ..Input::default() };
        let output = handle(&Call::default(), input).unwrap();
        let bytes = serde_json::to_vec(&output).unwrap().len();
        assert!(bytes < 1 << 20, "{bytes}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_answered_or_refused(bytes: Vec<u8>) {
        let _ = guest::handle(handle, &Call::default(), &bytes);
        let call = Call { resource: Some(Stored { id: "res_1".into(), bytes, ..Stored::default() }), ..Call::default() };
        let _ = handle(&call, Input { resource_id: Some("res_1".into()), ..Input::default() });
    }

    #[test]
    fn any_text_is_answered(text in "\\PC{1,60}|[a-zé@{}\"=,#\\\\ ]{1,60}|(ISBN|doi:10.1000/|arXiv:|PMID |ISSN |https://|@a\\{k,t=)[0-9Xx/.%é()-]{0,30}|[A-Z][a-z]{1,5}, [A-Z]\\. \\([0-9]{4}\\)\\. .{0,40}", style in 0..4usize) {
        let styles = [None, Some(Style::Apa), Some(Style::Vancouver), Some(Style::Bibtex)];
        let input = Input { references: Some(vec![text.clone()]), style: styles[style], ..Input::default() };
        match handle(&Call::default(), input) {
            Ok(output) => for found in &output.result.references[0].identifiers {
                let there: String = text.chars().skip(found.start).take(found.text.chars().count()).collect();
                prop_assert_eq!(&there, &found.text);
                prop_assert_eq!(found.valid, found.fault.is_none());
            },
            Err(error) => prop_assert_eq!(error.kind(), "invalid-input"),
        }
    }

    #[test]
    fn what_is_written_as_bibtex_reads_the_same(family in "[A-Z][a-z]{1,8}", title in "[A-Z][a-z]{2,8}( [a-z]{2,6}){0,3}", year in 1500u32..2100, volume in 1u32..999) {
        let text = format!("{family}, A. B. ({year}). {title}. Journal of Things, {volume}(2), 1–9.");
        let first = one(&text);
        let again = one(first.formatted.as_deref().unwrap());
        prop_assert_eq!(again.csl, first.csl);
    }

    #[test]
    fn a_normal_form_is_its_own_normal_form(body in "[0-9]{9}") {
        let isbn = format!("ISBN {body}{}", number::check_digit(&body).unwrap());
        let first = one(&isbn);
        let again = one(&format!("ISBN {}", first.identifiers[0].normalised));
        prop_assert_eq!(&again.identifiers[0].normalised, &first.identifiers[0].normalised);
    }
}
