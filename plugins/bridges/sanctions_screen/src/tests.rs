use proptest::prelude::*;
use tollbridge_sdk::{Stored, guest, testing::Doubles};

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

    #[test]
    fn any_table_is_screened_or_unavailable(rows in proptest::collection::btree_map("[a-z]{1,3}", "\\PC{0,20}|\\{\"name\": ?\"[a-z ]{0,9}\"\\}", 1..5)) {
        let rows: Vec<(&str, &str)> = rows.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let subjects = vec![Subject { name: "a b".into(), ..Subject::default() }];
        let run = || handle(&Call::default(), Input { subjects, ..Input::default() });
        match Doubles::new().table("sanctions", &rows).run(run).0 {
            Ok(output) => prop_assert_eq!((output.result.entries, output.data.len()), (rows.len(), 1)),
            Err(error) => prop_assert_eq!(error.kind(), "unavailable"),
        }
    }
}

/// A list of `count` names of `tokens` tokens of `letters` letters, nearly alike, and as many subjects as are allowed.
fn crowd(count: usize, tokens: usize, letters: usize) -> Result<Output, Error> {
    let name = |n: usize| {
        let token = |t: usize| (0..letters).map(|l| char::from(b'a' + ((n + t * 7 + l * 3) % 26) as u8)).collect();
        (0..tokens).map(token).collect::<Vec<String>>().join(" ")
    };
    let list = (0..count).map(|n| Entry { name: name(n), ..Entry::default() }).collect();
    let subjects = (0..SUBJECTS_MAX).map(|n| Subject { name: name(n), ..Subject::default() }).collect();
    handle(&Call::default(), Input { list: Some(list), subjects, ..Input::default() })
}

#[test]
fn the_largest_lists_are_answered_and_larger_ones_refused() {
    for (count, tokens, letters) in [(20_000, 1, 1), (17_000, 3, 5), (1_300, 8, 8), (150, 12, 20), (3_400, 12, 1)] {
        assert!(crowd(count, tokens, letters).is_ok(), "{count} {tokens} {letters}");
    }
    for (count, tokens, letters, field) in
        [(NAMES_MAX + 1, 1, 1, "/list"), (40_000, 3, 5, "/subjects"), (20_000, 12, 20, "/subjects")]
    {
        let error = crowd(count, tokens, letters).expect_err("too much");
        assert_eq!(error.field(), Some(field), "{count} {tokens} {letters}");
    }
}
