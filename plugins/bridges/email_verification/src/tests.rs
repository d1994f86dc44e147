use proptest::prelude::*;
use tollbridge_sdk::{Stored, guest};

use super::*;
use crate::verdict::Verdict;

tollbridge_sdk::test_cases!(handle);

fn ask(email: &str) -> Result<Answer, Error> {
    handle(&Call::default(), Input { email: Some(email.into()), ..Input::default() }).map(|output| output.result)
}

#[test]
fn a_stored_resource_is_refused() {
    let call = Call { resource: Some(Stored::default()), ..Call::default() };
    let error = guest::handle(handle, &call, br#"{"resource_id": "res_1"}"#).unwrap_err();
    assert_eq!(error.field(), Some("/resource_id"));
}

#[test]
fn cases_of_isemail() {
    // Id, level and address of test/tests.xml of github.com/dominicsayers/isemail (see data/NOTICE.isemail). 160
    // has a quoted sign beyond ASCII, which RFC 6532 allows and isemail does not know.
    let cases: Vec<(u32, String, String)> = serde_json::from_str(include_str!("../data/isemail.json")).unwrap();
    assert_eq!(cases.len(), 164);
    for (id, expect, address) in cases.iter().filter(|(id, _, _)| *id != 160) {
        let got = crate::verdict::of(address).syntax.level;
        assert_eq!(got, expect, "{id} {address:?} {:?}", crate::syntax::read(address));
    }
}

proptest! {
    #[test]
    fn any_bytes_are_answered_or_refused(bytes: Vec<u8>) {
        let _ = guest::handle(handle, &Call::default(), &bytes);
    }

    #[test]
    fn any_text_is_answered_or_refused(text in "\\PC{0,40}|[a-z.\"\\\\()@ \r\n\\[\\]-]{0,40}|[a-zé.]{1,8}@[a-zé.-]{1,30}|.{0,300}") {
        match ask(&text) {
            Ok(answer) => {
                prop_assert!(answer.valid || answer.verdict == Verdict::Reject);
                prop_assert_eq!(answer.reasons.is_empty(), answer.verdict == Verdict::Accept);
            }
            Err(error) => prop_assert_eq!(error.kind(), "invalid-input"),
        }
    }

    #[test]
    fn the_normal_form_is_valid_and_its_own_normal_form(text in "[A-Za-z\"\\\\ .é\u{301}\u{37e}\u{212a}]{1,10}@[A-Za-zäΩ0-9]{1,10}\\.(com|DE|co.uk)") {
        let answer = ask(&text).unwrap();
        if answer.valid {
            let normal = answer.normalised.unwrap();
            let again = ask(&normal).unwrap();
            prop_assert!(again.valid);
            prop_assert_eq!(again.normalised, Some(normal));
        }
    }
}
