//! An index of records by party: an account, an intent, a task or a withdrawal. It is
//! updated in the background (see `indexer`).
//!
//! Invariant: every record below the cursor can be found by each of its parties.
//!
//! Rows of `Collection::Parties`: `place` is the cursor. A row `{party}/{number}` lists a
//! party's records among those that one write indexed. `number` decreases as record
//! numbers grow, so that the newest records sort first.

use std::collections::BTreeMap;
use std::ops::Range;

use tollbridge_store::{Collection, Db, Expect, Put, Rows, Store, StoreError};

use super::error::LedgerError;
use super::indexer::{IndexError, LedgerIndex, LedgerIndexer};
use super::record_summary::RecordSummary;
use super::records::Records;

/// Maximum number of records whose parties are indexed in one write.
const PARTY_RECORDS_PER_WRITE: u64 = 2_000;
/// Maximum number of writes of the party index that one request waits for. 500 writes
/// index a million records in about ten seconds; a larger backlog arises only after a
/// long pause.
const PARTY_STEPS_PER_REQUEST_MAX: usize = 500;

/// Number of rows of one party that are read at a time.
const PAGE: usize = 100;

/// Finds the records that concern a party.
pub struct Parties {
    db: Db,
    indexer: LedgerIndexer<PartyIndex>,
}

/// The reason why the records of a party cannot be found.
#[derive(Debug, thiserror::Error)]
pub enum PartiesError {
    /// The index cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The index could not be brought up to date.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A record cannot be read.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A row is not in the format of the index.
    #[error("a row of the index of parties cannot be read: {0}")]
    Row(#[from] serde_json::Error),
    /// The index is too far behind to catch up within one request.
    #[error("the index of parties is catching up; try again shortly")]
    Behind,
    /// The process is stopping.
    #[error("the index of parties was not read: the task ended early")]
    Task,
}

impl Parties {
    /// Creates the index for the ledger in the same store.
    pub fn new(db: Db) -> Self {
        Self { indexer: LedgerIndexer::new(db.clone(), PartyIndex), db }
    }

    /// Indexes new records in at most `steps` writes. Returns whether some records are
    /// still not indexed.
    pub async fn catch_up(&self, steps: usize) -> Result<bool, IndexError> {
        self.indexer.catch_up(steps).await
    }

    /// Indexes all existing records, or fails if that takes longer than one request
    /// allows.
    pub async fn up_to_date(&self) -> Result<(), PartiesError> {
        if self.catch_up(PARTY_STEPS_PER_REQUEST_MAX).await? { Err(PartiesError::Behind) } else { Ok(()) }
    }

    /// Returns the numbers of a party's records, newest first, at most `limit`; only
    /// numbers smaller than `below`, if given.
    pub fn newest(&self, party: &str, below: Option<u64>, limit: usize) -> Result<Vec<u64>, PartiesError> {
        let prefix = format!("{party}/");
        let after = below.map_or_else(|| prefix.clone(), |below| row_key(party, below));
        let mut numbers = Vec::new();
        let rows = Rows::of(self.db.store(), Collection::Parties).with_prefix(prefix.as_str());
        for row in rows.after(after).with_page_size(PAGE) {
            let (key, value) = row?;
            let Some(first) = key.strip_prefix(&prefix).and_then(first_of) else { break };
            let offsets: Vec<u64> = serde_json::from_slice(&value)?;
            let newest_first = offsets.iter().rev().map(|offset| first.saturating_add(*offset));
            numbers.extend(newest_first.filter(|seq| below.is_none_or(|below| *seq < below)));
            if numbers.len() >= limit {
                numbers.truncate(limit);
                break;
            }
        }
        Ok(numbers)
    }
}

/// The index of records by party.
struct PartyIndex;

impl LedgerIndex for PartyIndex {
    const COLLECTION: Collection = Collection::Parties;
    // All other keys contain a slash, so none can equal the cursor's.
    const CURSOR: &'static str = "place";
    const RULE: &'static str = "";
    const RECORDS_PER_STEP: u64 = PARTY_RECORDS_PER_WRITE;

    fn rows(&self, store: &dyn Store, records: Range<u64>) -> Result<Vec<Put>, IndexError> {
        let first = records.start;
        let mut by_party = BTreeMap::<String, Vec<u64>>::new();
        for record in Records::new(store, records) {
            let (seq, bytes) = record?;
            let parties = RecordSummary::of(&bytes).and_then(|record| record.parties());
            for party in parties.map_err(|source| LedgerError::Record { seq, source })? {
                by_party.entry(party).or_default().push(seq - first);
            }
        }
        let put = |(party, offsets): (String, Vec<u64>)| {
            let (key, value) = (row_key(&party, first), Some(serde_json::to_vec(&offsets)?));
            Ok(Put { collection: Collection::Parties, key, value, expect: Expect::Any })
        };
        by_party.into_iter().map(put).collect()
    }
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
    use std::sync::Arc;

    use tollbridge_store::Writer;

    use super::*;
    use crate::bodies::TestCredit;
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

    fn catch_up(parties: &Parties) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        assert!(!runtime.block_on(parties.catch_up(10)).unwrap(), "catching up must index all records");
    }

    #[test]
    fn every_party_is_found_with_all_its_records() {
        let mut book = sample();
        let failed = |why: String| panic!("{why}");
        let writer = Writer::start(book.store.clone(), Box::new(Chain::new()), None, failed).unwrap();
        let parties = Parties::new(Db::new(book.store.clone(), Arc::new(writer)));
        let all = |party: &str| parties.newest(party, None, 100).unwrap();
        assert!(all("acct_caller").is_empty(), "a record was found before it was indexed");
        catch_up(&parties);
        let by_party = expected(&book);
        assert!(by_party.len() > 2 && by_party.values().any(|records| records.len() > 4), "{by_party:?}");
        for (party, records) in by_party {
            assert_eq!(all(&party), records, "{party}");
            for (position, seq) in records.iter().enumerate() {
                let rest = parties.newest(&party, Some(*seq), 1).unwrap();
                assert_eq!(rest.first(), records.get(position + 1), "below {seq} of {party}");
            }
        }
        assert!(all("acct").is_empty(), "a prefix of a name must not match");
        assert!(all("place").is_empty());

        let more = Entry::Grant(TestCredit { account: "acct_new".to_owned(), amount: Millipence::new(1) });
        let (seq, _) = book.seal(&more).unwrap();
        catch_up(&parties);
        assert_eq!(all("acct_new"), [seq]);
    }
}
