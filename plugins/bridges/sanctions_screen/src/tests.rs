use proptest::prelude::*;
use tollbridge_sdk::{Stored, guest};

use super::*;

tollbridge_sdk::test_cases!(handle);

proptest! {
    #[test]
    fn any_bytes_are_answered_or_refused(bytes: Vec<u8>, text in "(id|name|dob|,|\"|;|\n|[a-z]{1,4}){0,30}") {
        let _ = guest::handle(handle, &Call::default(), &bytes);
        for bytes in [bytes, text.into_bytes()] {
            let call = Call { resource: Some(Stored { id: "res_1".into(), bytes, ..Stored::default() }), ..Call::default() };
            let subjects = vec![Subject { name: "a b".into(), ..Subject::default() }];
            let _ = handle(&call, Input { resource_id: Some("res_1".into()), subjects, ..Input::default() });
        }
    }

    #[test]
    fn a_listed_name_is_found(name in "[A-Z][a-z]{2,9} [A-Z][a-z]{2,9}", others in proptest::collection::vec("\\PC{1,20}", 0..5)) {
        let entry = |name: &String| Entry { name: format!("x{name}"), ..Entry::default() };
        let mut list: Vec<Entry> = others.iter().map(entry).collect();
        list.push(Entry { name: name.clone(), ..Entry::default() });
        let subjects = vec![Subject { name: name.to_uppercase(), ..Subject::default() }];
        let output = handle(&Call::default(), Input { list: Some(list), subjects, ..Input::default() }).unwrap();
        prop_assert_eq!(output.result.subjects[0].matches[0].name_score, 1.0);
    }
}
