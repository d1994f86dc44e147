//! Which records concern whom: an index that follows behind the records, in
//! steps, so that calls pay nothing for it.
//!
//! One step reads some records and writes, for everybody whom they concern, one
//! row with their numbers, together with the place it got to.
//!
//! Invariants: whoever is a party of a record below the place is found with it;
//! the rows can be thrown away and made again from the records.
//!
//! Rows of `Collection::Parties`: `place` is the number of records taken in;
//! `{party}/{number}` has the records of one step, where the number counts
//! downwards from the step's first record, so that the newest come first.

use std::collections::BTreeMap;
use std::sync::Arc;

use tollbridge_core::limits::{PARTY_RECORDS_PER_WRITE, PARTY_STEPS_PER_REQUEST_MAX};
use tollbridge_store::{Change, Collection, Expect, Put, Refusal, Store, StoreError, SubmitError, Writer};

use super::error::LedgerError;
use super::glance::Glance;
use super::record::parties_of;
use super::records::Records;

/// No party has a name without a slash behind it here.
const PLACE: &str = "place";
/// Rows of one party that are read at a time.
const PAGE: usize = 100;

/// Finds the records of an account, an intent, a task or a withdrawal.
pub struct Parties {
    store: Arc<dyn Store>,
    writer: Arc<Writer>,
}

#[derive(Debug, thiserror::Error)]
pub enum PartiesError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Submit(#[from] SubmitError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("a row of the index of parties cannot be read: {0}")]
    Row(#[from] serde_json::Error),
    #[error("the records are still being sorted by party; try again shortly")]
    Behind,
    #[error("the index of parties was not read: the task ended early")]
    Task,
}

impl Parties {
    pub const fn new(store: Arc<dyn Store>, writer: Arc<Writer>) -> Self {
        Self { store, writer }
    }

    /// Takes in the records that are new; at most `steps` writes. Says whether
    /// there are more.
    pub async fn catch_up(&self, steps: usize) -> Result<bool, PartiesError> {
        for _ in 0..steps {
            let store = self.store.clone();
            let step = tokio::task::spawn_blocking(move || next_step(store.as_ref(), PARTY_RECORDS_PER_WRITE)).await;
            let Some(change) = step.map_err(|_| PartiesError::Task)?? else { return Ok(false) };
            match self.writer.submit(change).await {
                // Refused: somebody else has just taken them in.
                Ok(_) | Err(SubmitError::Refused(Refusal::Unexpected { .. })) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(true)
    }

    /// Takes in every record that is there now, as far as that goes in the time
    /// of a request.
    pub async fn up_to_date(&self) -> Result<(), PartiesError> {
        if self.catch_up(PARTY_STEPS_PER_REQUEST_MAX).await? { Err(PartiesError::Behind) } else { Ok(()) }
    }

    /// Records that concern a party, newest first, below a number.
    pub fn newest(&self, party: &str, below: Option<u64>, limit: usize) -> Result<Vec<u64>, PartiesError> {
        let prefix = format!("{party}/");
        let mut after = below.map_or_else(|| prefix.clone(), |below| row_key(party, below));
        let mut found = Vec::new();
        loop {
            let rows = self.store.list(Collection::Parties, &after, PAGE)?;
            let full = rows.len() == PAGE;
            for (key, value) in rows {
                let Some(first) = key.strip_prefix(&prefix).and_then(first_of) else { return Ok(found) };
                let offsets: Vec<u64> = serde_json::from_slice(&value)?;
                let numbers = offsets.iter().rev().map(|offset| first.saturating_add(*offset));
                for seq in numbers.filter(|seq| below.is_none_or(|below| *seq < below)) {
                    if found.len() == limit {
                        return Ok(found);
                    }
                    found.push(seq);
                }
                after = key;
            }
            if !full {
                return Ok(found);
            }
        }
    }
}

/// The change that takes in the next records, if there are any.
fn next_step(store: &dyn Store, most: u64) -> Result<Option<Change>, PartiesError> {
    let written = store.get(Collection::Parties, PLACE)?;
    let first: u64 = written.as_deref().map(serde_json::from_slice).transpose()?.unwrap_or(0);
    let end = store.head()?.size.min(first.saturating_add(most));
    if end <= first {
        return Ok(None);
    }
    let mut concerned = BTreeMap::<String, Vec<u64>>::new();
    for record in Records::new(store, first..end) {
        let (seq, bytes) = record?;
        let parties = Glance::of(&bytes).and_then(|record| parties_of(&record));
        for party in parties.map_err(|source| LedgerError::Record { seq, source })? {
            concerned.entry(party).or_default().push(seq - first);
        }
    }
    let put = |key: String, value, expect| Put { collection: Collection::Parties, key, value: Some(value), expect };
    let place = written.map_or(Expect::Absent, Expect::Exactly);
    let mut puts = vec![put(PLACE.to_owned(), serde_json::to_vec(&end)?, place)];
    for (party, offsets) in concerned {
        puts.push(put(row_key(&party, first), serde_json::to_vec(&offsets)?, Expect::Any));
    }
    Ok(Some(Change { puts, ..Change::default() }))
}

fn row_key(party: &str, first: u64) -> String {
    format!("{party}/{:020}", u64::MAX - first)
}

fn first_of(downwards: &str) -> Option<u64> {
    downwards.parse::<u64>().ok().map(|number| u64::MAX - number)
}

#[cfg(test)]
mod tests {
    use super::super::chain::Chain;
    use super::super::record::Record;
    use super::super::testing::{Book, sample};
    use super::*;
    use crate::bodies::Grant;
    use crate::entry::Entry;
    use tollbridge_core::money::Millipence;

    fn expected(book: &Book) -> BTreeMap<String, Vec<u64>> {
        let mut expected = BTreeMap::<String, Vec<u64>>::new();
        for seq in (0..book.store.head().unwrap().size).rev() {
            let record = Record::parse(&book.store.record(seq).unwrap().unwrap()).unwrap();
            for party in record.parties() {
                expected.entry(party).or_default().push(seq);
            }
        }
        expected
    }

    #[test]
    fn whoever_is_a_party_is_found_with_every_record() {
        let mut book = sample();
        let failed = |why: String| panic!("{why}");
        let writer = Writer::start(book.store.clone(), Box::new(Chain::new()), None, failed).unwrap();
        let parties = Parties::new(book.store.clone(), Arc::new(writer));
        let all = |party: &str| parties.newest(party, None, 100).unwrap();
        assert!(all("acct_caller").is_empty(), "found before it was taken in");
        let mut steps = 0;
        while let Some(change) = next_step(book.store.as_ref(), 3).unwrap() {
            book.commit(change.clone()).unwrap();
            assert!(book.commit(change).is_err(), "the same records twice");
            steps += 1;
        }
        assert_eq!(steps, book.store.head().unwrap().size.div_ceil(3));
        let wanted = expected(&book);
        assert!(wanted.len() > 2 && wanted.values().any(|records| records.len() > 4), "{wanted:?}");
        for (party, records) in wanted {
            assert_eq!(all(&party), records, "{party}");
            for (position, seq) in records.iter().enumerate() {
                let rest = parties.newest(&party, Some(*seq), 1).unwrap();
                assert_eq!(rest.first(), records.get(position + 1), "below {seq} of {party}");
            }
        }
        assert!(all("acct").is_empty(), "the beginning of a name is no name");
        assert!(all("place").is_empty());

        let more = Entry::Grant(Grant { account: "acct_new".to_owned(), amount: Millipence::new(1) });
        let (seq, _) = book.seal(&more).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        assert!(!runtime.block_on(parties.catch_up(10)).unwrap(), "there is more than there is");
        assert_eq!(all("acct_new"), [seq]);
    }
}
