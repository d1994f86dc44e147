use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

const ABOUT: &str = r##"#{"version":"1","as_of":"2026-01-01","licence":"CC0-1.0","source":"by hand"}"##;

fn text(rows: &[(&str, &str)]) -> Vec<u8> {
    let rows = rows.iter().map(|(key, value)| format!("{key}\t{value}\n"));
    std::iter::once(format!("{ABOUT}\n")).chain(rows).collect::<String>().into_bytes()
}

#[test]
fn a_table_answers_by_bytes() {
    let table = Table::parse(text(&[("A", "1"), ("a", ""), ("é", "3\tx")])).unwrap();
    assert_eq!((table.rows(), table.about().licence.as_str()), (3, "CC0-1.0"));
    assert_eq!(
        [table.get("A"), table.get("a"), table.get("é"), table.get("b")],
        [Some("1"), Some(""), Some("3\tx"), None]
    );
    assert_eq!(table.at_or_before("@"), None);
    assert_eq!(table.at_or_before("Z"), Some(("A", "1")));
    assert_eq!(table.at_or_before("é"), Some(("é", "3\tx")));
    let keys = |from: &str| table.starting_at(from).map(|(key, _)| key).collect::<String>();
    assert_eq!([keys(""), keys("A\0"), keys("é"), keys("ü")], ["Aaé", "aé", "é", ""]);
    assert_eq!(Table::parse(text(&[])).unwrap().rows(), 0);
}

#[test]
fn errors_name_the_line() {
    let long = "k".repeat(TABLE_KEY_BYTES_MAX + 1);
    let wide = "v".repeat(TABLE_VALUE_BYTES_MAX + 1);
    let row = |row: &str| format!("{ABOUT}\na\t1\n{row}").into_bytes();
    for (bytes, expect) in [
        (Vec::new(), "line 1: must be #"),
        (b"a\t1\n".to_vec(), "line 1: must be #"),
        (b"#{}\n".to_vec(), "missing field `version`"),
        (ABOUT.as_bytes().to_vec(), "line 1: must be #"),
        (ABOUT.replace("CC0-1.0", " ").into_bytes().into_iter().chain([b'\n']).collect(), "none empty"),
        (ABOUT.replace("as_of", "as-of").into_bytes().into_iter().chain([b'\n']).collect(), "as-of"),
        (row("b 2\n"), "line 3: must be a key, a tab and a value"),
        (row("\n"), "line 3: must be a key, a tab and a value"),
        (row("\t2\n"), "line 3: a key must have 1 to"),
        (row(&format!("{long}\t2\n")), "line 3: a key must have 1 to"),
        (row(&format!("b\t{wide}\n")), "line 3: a value may have at most"),
        (row("b\t2\r\n"), "line 3: ends in a carriage return"),
        (row("b\t2"), "line 3: the last line must end in a line feed"),
        (row("a\t2\n"), "line 3: has the key of the line before"),
        (row("A\t2\n"), "line 3: is not in order; sort"),
        (row("b\t2\n\u{0}").into_iter().chain(*b"\xff\t1\n").collect(), "line 4: is not UTF-8"),
        (vec![b'#'; TABLE_BYTES_MAX + 1], "at most"),
    ] {
        let fault = Table::parse(bytes).unwrap_err().to_string();
        assert!(fault.contains(expect), "{expect}: {fault}");
    }
}

proptest! {
    /// A table returns the same entries as a sorted map.
    #[test]
    fn finds_what_a_map_finds(
        rows in prop::collection::btree_map("[a-cé]{1,4}", "[^\r\n]{0,5}", 0..40),
        keys in prop::collection::vec("[a-dé]{0,5}", 1..40),
    ) {
        let rows: BTreeMap<String, String> = rows;
        let pairs: Vec<(&str, &str)> = rows.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let table = Table::parse(text(&pairs)).unwrap();
        for key in keys {
            prop_assert_eq!(table.get(&key), rows.get(&key).map(String::as_str));
            let before = rows.range(..=key.clone()).next_back().map(|(key, value)| (key.as_str(), value.as_str()));
            prop_assert_eq!(table.at_or_before(&key), before);
            let after: Vec<_> = rows.range(key.clone()..).map(|(key, value)| (key.as_str(), value.as_str())).collect();
            prop_assert_eq!(table.starting_at(&key).collect::<Vec<_>>(), after);
        }
    }

    /// Consecutive pages contain every line of a range once and in order, and no page is too long.
    #[test]
    fn pages_are_the_lines_of_a_range(
        rows in prop::collection::btree_map("[a-cé]{1,4}", "[^\r\n]{0,5}", 0..40),
        (start, end) in ("[a-dé]{0,5}", prop::option::of("[a-dé]{0,5}")),
        max in 32_usize..100,
    ) {
        let rows: BTreeMap<String, String> = rows;
        let pairs: Vec<(&str, &str)> = rows.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let table = Table::parse(text(&pairs)).unwrap();
        let (mut read, mut from) = (String::new(), start.clone());
        loop {
            let page = table.page(&from, end.as_deref(), max);
            prop_assert!(page.len() <= max && (page.is_empty() || page.ends_with('\n')));
            let Some(last) = page.lines().next_back() else { break };
            from = format!("{}\0", last.split_once('\t').unwrap().0);
            read.push_str(page);
        }
        let is_before_end = |key: &String| end.as_ref().is_none_or(|end| key < end);
        let within = rows.range(start..).take_while(|(key, _)| is_before_end(key));
        let expected: String = within.map(|(key, value)| format!("{key}\t{value}\n")).collect();
        prop_assert_eq!(read, expected);
    }

    /// Arbitrary bytes are parsed or rejected without a panic.
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), head in any::<bool>()) {
        let head = if head { text(&[("a", "1")]) } else { Vec::new() };
        if let Ok(table) = Table::parse([head, bytes].concat()) {
            prop_assert_eq!(table.starting_at("").count(), table.rows());
        }
    }
}
