//! An iterator over the rows of a collection, which it reads page by page.

use std::collections::VecDeque;

use crate::collection::Collection;
use crate::engine::{Store, StoreError};

/// Number of rows per read of the store, unless the caller sets a lower one.
const ROWS_PER_PAGE: usize = 500;

/// An iterator over (key, value) in key order that holds one page in memory. Each page is one
/// consistent read; rows written while the iterator runs may or may not appear. The iterator
/// ends after an error.
pub struct Rows<'s> {
    store: &'s dyn Store,
    collection: Collection,
    prefix: String,
    after: String,
    page_size: usize,
    page: VecDeque<(String, Vec<u8>)>,
    is_last_page: bool,
}

impl<'s> Rows<'s> {
    /// Iterates over every row of a collection.
    pub fn of(store: &'s dyn Store, collection: Collection) -> Self {
        let (prefix, after) = (String::new(), String::new());
        Self { store, collection, prefix, after, page_size: ROWS_PER_PAGE, page: VecDeque::new(), is_last_page: false }
    }

    /// Limits the iterator to keys that start with a prefix and are longer than it.
    #[must_use]
    pub fn with_prefix(self, prefix: impl Into<String>) -> Self {
        let prefix = prefix.into();
        Self { after: prefix.clone(), prefix, ..self }
    }

    /// Limits the iterator to rows whose keys are after a given key.
    #[must_use]
    pub fn after(self, key: impl Into<String>) -> Self {
        Self { after: key.into(), ..self }
    }

    /// Sets the number of rows per read, for callers that seldom need many rows.
    #[must_use]
    pub fn with_page_size(self, page_size: usize) -> Self {
        Self { page_size: page_size.max(1), ..self }
    }

    fn read_page(&mut self) -> Result<(), StoreError> {
        let page = self.store.list(self.collection, &self.after, self.page_size)?;
        self.is_last_page = page.len() < self.page_size;
        if let Some((key, _)) = page.last() {
            self.after.clone_from(key);
        }
        self.page = page.into();
        Ok(())
    }
}

impl Iterator for Rows<'_> {
    type Item = Result<(String, Vec<u8>), StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.page.is_empty()
            && !self.is_last_page
            && let Err(error) = self.read_page()
        {
            self.is_last_page = true;
            return Some(Err(error));
        }
        let row = self.page.pop_front().filter(|(key, _)| key.starts_with(&self.prefix));
        if row.is_none() {
            // Keys are in order, so no later row has the prefix either.
            self.is_last_page = true;
            self.page.clear();
        }
        row.map(Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::{Change, Expect, Put};
    use crate::redb_engine::RedbStore;
    use crate::testing::changes::Numbered;

    fn store(keys: &[String]) -> RedbStore {
        let store = RedbStore::in_memory().unwrap();
        let put = |key: &String| Put {
            collection: Collection::Accounts,
            key: key.clone(),
            value: Some(key.clone().into_bytes()),
            expect: Expect::Any,
        };
        let change = Change { puts: keys.iter().map(put).collect(), ..Change::default() };
        store.commit(&[change], &mut Numbered(0)).unwrap().remove(0).unwrap();
        store
    }

    fn keys(rows: Rows<'_>) -> Vec<String> {
        rows.map(|row| row.unwrap().0).collect()
    }

    #[test]
    fn every_row_appears_once_whatever_the_number_of_pages() {
        for count in [0, 1, ROWS_PER_PAGE - 1, ROWS_PER_PAGE, ROWS_PER_PAGE + 1, 3 * ROWS_PER_PAGE] {
            let all: Vec<String> = (0..count).map(|number| format!("k{number:05}")).collect();
            assert_eq!(keys(Rows::of(&store(&all), Collection::Accounts)), all);
        }
    }

    #[test]
    fn a_prefix_and_a_start_bound_what_appears() {
        let all = ["a", "b/", "b/1", "b/2", "b0", "c"].map(str::to_owned);
        let store = store(&all);
        let rows = || Rows::of(&store, Collection::Accounts);
        assert_eq!(keys(rows().with_prefix("b/")), ["b/1", "b/2"]);
        assert_eq!(keys(rows().with_prefix("b/").after("b/1")), ["b/2"]);
        assert_eq!(keys(rows().after("b/2")), ["b0", "c"]);
        assert!(keys(rows().with_prefix("d")).is_empty());
        assert!(keys(Rows::of(&store, Collection::Keys)).is_empty());
    }
}
