//! An iterator over records in order, which reads the store page by page.

use std::ops::Range;
use std::vec::IntoIter;

use tollbridge_store::Store;

use super::error::LedgerError;

/// Number of records read at once.
const PAGE: usize = 256;

/// An iterator over the bytes of records. A missing record is an error and ends the
/// iteration.
pub struct Records<'s> {
    store: &'s dyn Store,
    left: Range<u64>,
    page: IntoIter<Vec<u8>>,
}

impl<'s> Records<'s> {
    /// Returns an iterator over the records with these numbers.
    pub fn new(store: &'s dyn Store, range: Range<u64>) -> Self {
        Self { store, left: range, page: Vec::new().into_iter() }
    }

    fn turn(&mut self) -> Result<Vec<u8>, LedgerError> {
        let page_size = usize::try_from(self.left.end - self.left.start).unwrap_or(PAGE).min(PAGE);
        self.page = self.store.records(self.left.start, page_size)?.into_iter();
        self.page.next().ok_or(LedgerError::MissingRecord { seq: self.left.start })
    }
}

impl Iterator for Records<'_> {
    type Item = Result<(u64, Vec<u8>), LedgerError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.left.is_empty() {
            return None;
        }
        let bytes = self.page.next().map_or_else(|| self.turn(), Ok);
        let seq = self.left.start;
        match &bytes {
            Ok(_) => self.left.start = seq.saturating_add(1),
            Err(_) => self.left = 0..0,
        }
        Some(bytes.map(|bytes| (seq, bytes)))
    }
}
