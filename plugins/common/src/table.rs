//! Lookup in a compiled-in text table: lines `key<TAB>value`, sorted by the bytes of the key.
//!
//! Bisection on the text itself: nothing is built when a call starts, and each call starts afresh.

/// The value of a key.
#[must_use]
pub fn find<'t>(table: &'t str, key: &str) -> Option<&'t str> {
    let (mut low, mut high) = (0, table.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let start = table.as_bytes().get(..middle)?.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let rest = table.get(start..)?;
        let line = rest.split('\n').next()?;
        let (name, value) = line.split_once('\t').unwrap_or((line, ""));
        match key.as_bytes().cmp(name.as_bytes()) {
            std::cmp::Ordering::Equal => return Some(value),
            std::cmp::Ordering::Less => high = start,
            std::cmp::Ordering::Greater => low = start + line.len() + 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_found_and_nothing_else() {
        const TABLE: &str = "a\t1\nab\t\nb\t-2\né\t3\n";
        for line in TABLE.lines() {
            let (key, value) = line.split_once('\t').unwrap();
            assert_eq!(find(TABLE, key), Some(value));
        }
        for missing in ["", "aa", "c", "ü", "a\t1", "\n"] {
            assert_eq!(find(TABLE, missing), None, "{missing:?}");
        }
        assert_eq!(find("", "a"), None);
    }
}
