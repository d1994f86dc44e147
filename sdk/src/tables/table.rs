//! A host table that the plugin has opened.

use super::{
    entry::{Entry, Info},
    page::Page,
};
use crate::{error::Error, host};

/// Maximum number of keys to look up per host call.
const KEYS: usize = 1_000;

/// An open table of the host.
#[derive(Debug)]
pub struct Table(host::Table);

impl Table {
    /// Opens a table. If it is missing, the error is `unavailable` (503 E027, not
    /// charged); its text names the table and explains how the operator can supply it.
    pub fn open(name: &str) -> Result<Self, Error> {
        host::Table::open(name).map(Self)
    }

    /// Returns the description of the table.
    pub fn info(&self) -> Info {
        self.0.info()
    }

    /// Returns the value for `key`; `None` if the table has no such key.
    pub fn get(&self, key: &str) -> Option<String> {
        self.0.get(key)
    }

    /// Returns the values for `keys`, in the same order, with one host call per thousand
    /// keys. If the values of a thousand keys exceed 1 MiB together, the error is
    /// `internal`.
    pub fn get_many<K: AsRef<str>>(&self, keys: &[K]) -> Result<Vec<Option<String>>, Error> {
        let mut values = Vec::with_capacity(keys.len());
        for chunk in keys.chunks(KEYS) {
            let chunk: Vec<String> = chunk.iter().map(|key| key.as_ref().to_owned()).collect();
            values.extend(self.0.get_many(&chunk)?);
        }
        Ok(values)
    }

    /// Returns the last entry whose key is not greater than `key` (compared as bytes). If
    /// all keys have equal length, such as addresses in hexadecimal digits, this finds
    /// the range that contains an address.
    pub fn at_or_before(&self, key: &str) -> Option<Entry> {
        self.0.at_or_before(key)
    }

    /// Returns entries in order, from `start` (inclusive) on: at most `limit`, at most
    /// 1,000, and fewer if the entries are large. The result is empty only at the end of
    /// the table. To continue, call `scan` again with the last key followed by `"\0"`.
    pub fn scan(&self, start: &str, limit: u32) -> Vec<Entry> {
        self.0.scan(start, limit)
    }

    /// Returns pages of entries from `start` (inclusive) to `end` (exclusive; `None`
    /// means the end of the table). This is the fastest way to read thousands of entries,
    /// because a page is one text of at most 1 MiB whose entries are not copied one by
    /// one. Each page is fetched from the host on demand.
    pub fn pages(&self, start: &str, end: Option<&str>) -> impl Iterator<Item = Page> {
        let (mut next, end) = (Some(start.to_owned()), end.map(str::to_owned));
        std::iter::from_fn(move || {
            let page = Page::new(self.0.page(&next.take()?, end.as_deref()));
            next = page.next_start();
            next.is_some().then_some(page)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Doubles;

    #[test]
    fn look_ups_go_by_bytes() {
        let doubles = Doubles::new().table("t", &[("b", "2"), ("a", "1"), ("é", "3")]);
        let (done, _) = doubles.run(|| {
            let table = Table::open("t")?;
            assert_eq!((table.get("a"), table.get("c")), (Some("1".into()), None));
            assert_eq!(table.get_many(&["é", "x"])?, [Some("3".into()), None]);
            let before = |key: &str| table.at_or_before(key).map(|entry| entry.value);
            assert_eq!(
                [before("A"), before("a"), before("az"), before("z"), before("ü")],
                [None, Some("1".into()), Some("1".into()), Some("2".into()), Some("3".into())]
            );
            let keys = |start: &str, limit| -> String { table.scan(start, limit).into_iter().map(|e| e.key).collect() };
            assert_eq!([keys("", 2), keys("a\0", 9), keys("z", 9), keys("ü", 9)], ["ab", "bé", "é", ""]);
            assert_eq!(table.info().rows, 3);
            Ok::<_, Error>(())
        });
        assert_eq!(done, Ok(()));
    }

    #[test]
    fn many_keys_are_asked_for_in_turns() {
        let rows: Vec<(String, String)> = (0..2_500).map(|n| (format!("{n:04}"), n.to_string())).collect();
        let rows: Vec<(&str, &str)> = rows.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let keys: Vec<&str> = rows.iter().rev().map(|(key, _)| *key).collect();
        let doubles = Doubles::new().table("t", &rows);
        let (values, _) = doubles.run(|| Table::open("t").and_then(|table| table.get_many(&keys)));
        let values: Option<Vec<String>> = values.expect("values").into_iter().collect();
        assert_eq!(values.map(|values| (values.len(), values.first().cloned())), Some((2_500, Some("2499".into()))));
    }

    #[test]
    fn a_table_that_is_not_here_is_unavailable_by_name() {
        let error = Table::open("geo").map(|_| ()).expect_err("there is none");
        assert_eq!(error.kind(), "unavailable");
        assert!(error.message().contains("`geo`"), "{error}");
    }
}
