//! Pages: many consecutive entries of a table in one text.

/// A page: consecutive entries of a table, in the order of their keys.
///
/// ```
/// use tollbridge_sdk::{Error, tables::Table, testing::Doubles};
///
/// let doubles = Doubles::new().table("prices", &[("eu:apple", "3"), ("eu:pear", "4"), ("us:apple", "5")]);
/// let (sum, _) = doubles.run(|| {
///     let mut sum = 0;
///     for page in Table::open("prices")?.pages("eu:", Some("eu;")) {
///         sum += page.entries().filter_map(|(_, price)| price.parse::<u32>().ok()).sum::<u32>();
///     }
///     Ok::<_, Error>(sum)
/// });
/// assert_eq!(sum, Ok(7));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page(String);

impl Page {
    pub(super) const fn new(text: String) -> Self {
        Self(text)
    }

    /// Returns the page's keys and values, borrowed from its text.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (&str, &str)> {
        self.0.split_terminator('\n').filter_map(|line| line.split_once('\t'))
    }

    /// Returns the key at which the next page starts; `None` if this page is empty,
    /// because the end was reached.
    pub(super) fn next_start(&self) -> Option<String> {
        self.entries().next_back().map(|(key, _)| format!("{key}\0"))
    }
}

#[cfg(test)]
mod tests {
    use super::Page;
    use crate::{Error, tables::Table, testing::Doubles};

    #[test]
    fn pages_go_on_to_the_end() {
        let long = "x".repeat(400 << 10);
        let rows = [("a", long.as_str()), ("b", "2\tand more"), ("c", long.as_str()), ("d", long.as_str()), ("e", "5")];
        let (read, _) = Doubles::new().table("t", &rows).run(|| {
            let table = Table::open("t")?;
            let keys = |page: Page| page.entries().map(|(key, _)| key.to_owned()).collect::<String>();
            let pages: Vec<String> = table.pages("", Some("e")).map(keys).collect();
            Ok::<_, Error>((pages, table.pages("b", Some("c")).next().unwrap_or_default()))
        });
        let (pages, one) = read.expect("pages");
        assert_eq!(pages, ["abc", "d"]);
        assert_eq!(one.entries().collect::<Vec<_>>(), [("b", "2\tand more")]);
    }
}
