//! Tests that every record is indexed once, by the current indexing rule only.

use std::collections::BTreeMap;

use tollbridge_store::{Rows, Writer};

use super::super::chain::Chain;
use super::super::testing::{Book, sample};
use super::*;

/// An index with one row for each record, under the second indexing rule.
struct Seen;

impl LedgerIndex for Seen {
    const COLLECTION: Collection = Collection::Reputation;
    const CURSOR: &'static str = "v2/cursor";
    const RULE: &'static str = "v2/";
    const RECORDS_PER_STEP: u64 = 3;

    fn rows(&self, _: &dyn Store, records: Range<u64>) -> Result<Vec<Put>, IndexError> {
        let put = |seq| Put {
            collection: Self::COLLECTION,
            key: format!("v2/{seq:03}"),
            value: Some(vec![1]),
            // Indexing a record a second time fails.
            expect: Expect::Absent,
        };
        Ok(records.map(put).collect())
    }
}

fn rows(book: &Book) -> BTreeMap<String, Vec<u8>> {
    Rows::of(book.store.as_ref(), Collection::Reputation).map(Result::unwrap).collect()
}

fn indexer(book: &Book) -> LedgerIndexer<Seen> {
    let failed = |why: String| panic!("{why}");
    let writer = Writer::start(book.store.clone(), Box::new(Chain::new()), None, failed).unwrap();
    LedgerIndexer::new(Db::new(book.store.clone(), Arc::new(writer)), Seen)
}

#[tokio::test]
async fn steps_stop_at_the_limit_and_go_on_from_the_cursor() {
    let book = sample();
    let size = book.store.head().unwrap().size;
    let indexer = indexer(&book);
    assert!(indexer.catch_up(1).await.unwrap());
    assert_eq!(rows(&book).len(), 3 + 1);
    assert!(!indexer.catch_up_to(5, 9).await.unwrap());
    assert_eq!(rows(&book)["v2/cursor"], b"5");
    assert!(!indexer.catch_up(100).await.unwrap());
    assert_eq!(rows(&book).len() as u64, size + 1);
    // A second run has nothing to index; an indexer created again continues at the
    // cursor.
    assert!(!indexer.catch_up(100).await.unwrap());
    drop(indexer);
    assert!(!super::tests::indexer(&book).catch_up(100).await.unwrap());
}

#[tokio::test]
async fn rows_of_an_earlier_rule_are_replaced() {
    let mut book = sample();
    let put = |key: &str| Put {
        collection: Collection::Reputation,
        key: key.to_owned(),
        value: Some(b"7".to_vec()),
        expect: Expect::Any,
    };
    book.commit(Change { puts: vec![put("cursor"), put("v1/x")], ..Change::default() }).unwrap();
    assert!(!indexer(&book).catch_up(100).await.unwrap());
    let rows = rows(&book);
    assert!(rows.keys().all(|key| key.starts_with("v2/")), "{rows:?}");
    assert_eq!(rows.len() as u64, book.store.head().unwrap().size + 1);
}
