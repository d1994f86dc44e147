//! Tests of the writer with test engines that count commits, stall or fail.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use parking_lot::Mutex;
use redb::backends::InMemoryBackend;
use tollbridge_core::money::Millipence;

use super::*;
use crate::change::{Expect, KvWrite, Put, StoredAnswer};
use crate::collection::Collection;
use crate::engine::StoreError;
use crate::redb_engine::RedbStore;
use crate::sealing::Hash;
use crate::sealing::{Draft, Posting};
use crate::testing::changes::Numbered;
use crate::testing::watched::{Committed, Watch, Watched};

/// The result that the test chooses for the next commit.
enum Act {
    /// The engine commits normally.
    Commit,
    Fail,
    Panic,
}

/// An observer that counts commits. With a gate, each commit waits for the test to choose
/// its result.
struct Gated {
    gate: Option<Mutex<Receiver<Act>>>,
    commits: AtomicUsize,
    batches: Mutex<Vec<usize>>,
}

impl Watch for Gated {
    fn commit(&self, engine: &RedbStore, changes: &[Change], sealer: &mut dyn Sealer) -> Committed {
        self.commits.fetch_add(1, Ordering::SeqCst);
        self.batches.lock().push(changes.len());
        // If the test has dropped its sender, commit normally.
        match self.gate.as_ref().map_or(Act::Commit, |gate| gate.lock().recv().unwrap_or(Act::Commit)) {
            Act::Commit => engine.commit(changes, sealer),
            Act::Fail => Err(StoreError { doing: "committing", source: "the disk failed".into() }),
            Act::Panic => panic!("the engine panics on purpose"),
        }
    }
}

struct Bench {
    store: Arc<Watched<Gated>>,
    writer: Arc<Writer>,
    acts: Option<Sender<Act>>,
    failures: Arc<Mutex<Vec<String>>>,
}

fn bench(gated: bool) -> Bench {
    let (acts, gate) = channel();
    let gate = gated.then(|| Mutex::new(gate));
    let inner = RedbStore::with_backend(InMemoryBackend::new()).unwrap();
    let watch = Gated { gate, commits: AtomicUsize::new(0), batches: Mutex::default() };
    let store = Arc::new(Watched::new(inner, watch));
    let failures: Arc<Mutex<Vec<String>>> = Arc::default();
    let failure_log = failures.clone();
    let writer =
        Writer::start(store.clone(), Box::new(Numbered(0)), None, move |why| failure_log.lock().push(why)).unwrap();
    Bench { store, writer: Arc::new(writer), acts: gated.then_some(acts), failures }
}

impl Bench {
    fn act(&self, act: Act) {
        self.acts.as_ref().unwrap().send(act).unwrap();
    }

    /// Submits a change in a separate task, without waiting for the outcome.
    fn send(&self, change: Change) -> tokio::task::JoinHandle<Result<Receipt, SubmitError>> {
        let writer = self.writer.clone();
        tokio::spawn(async move { writer.submit(change).await })
    }

    async fn until(&self, what: &str, done: impl Fn(&Self) -> bool) {
        for _ in 0..2_000 {
            if done(self) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("timed out: {what}");
    }

    fn commits(&self) -> usize {
        self.store.commits.load(Ordering::SeqCst)
    }
}

fn tx(number: usize) -> Hash {
    let mut tx = [0; 32];
    tx[..8].copy_from_slice(&(number as u64).to_be_bytes());
    tx
}

fn sale(number: usize) -> Change {
    let posting = |account: &str, amount| Posting {
        account: account.to_owned(),
        amount: Millipence::new(amount),
        guarded: amount > 0,
    };
    let record = Draft {
        kind: "event",
        tx: tx(number),
        time_ms: 1,
        postings: vec![posting("sandbox:grants", -5), posting("credit:a", 5)],
        body: b"{}".to_vec(),
    };
    Change { record: Some(record), ..Change::default() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_gets_its_own_receipt_and_many_share_a_write() {
    let bench = bench(true);
    let first = bench.send(sale(0));
    bench.until("the first is being committed", |bench| bench.commits() == 1).await;
    let tasks: Vec<_> = (1..600).map(|number| bench.send(sale(number % 500))).collect();
    let queued = |bench: &Bench| {
        let queue = bench.writer.queue.as_ref().unwrap();
        queue.max_capacity() - queue.capacity() == 599
    };
    bench.until("all are queued", queued).await;
    (0..2).for_each(|_| bench.act(Act::Commit));
    let mut outcomes = vec![first.await.unwrap()];
    for task in tasks {
        outcomes.push(task.await.unwrap());
    }
    assert_eq!(*bench.store.batches.lock(), [1, 599]);
    let mut sealed = 0;
    for (position, outcome) in outcomes.iter().enumerate() {
        let known = bench.store.seq_of_tx(&tx(position % 500)).unwrap().unwrap();
        match outcome {
            Ok(Receipt { sealed: Some((seq, seal)) }) => {
                assert_eq!((*seq, Some(*seq)), (known, bench.store.seq_of_seal(seal).unwrap()));
                sealed += 1;
            }
            other => assert_eq!(*other, Err(SubmitError::Refused(Refusal::Duplicate { seq: known }))),
        }
    }
    assert_eq!((sealed, bench.store.head().unwrap().size), (500, 500));
    assert_eq!(bench.store.balance("credit:a").unwrap(), Millipence::new(2_500));
    assert!(bench.failures.lock().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_crowd_needs_fewer_commits_than_changes() {
    let bench = bench(false);
    let tasks: Vec<_> = (0..2_000).map(|number| bench.send(sale(number))).collect();
    for task in tasks {
        assert!(task.await.unwrap().is_ok());
    }
    let batches = bench.store.batches.lock().clone();
    assert_eq!(batches.iter().sum::<usize>(), 2_000);
    assert!(batches.len() < 1_000, "{} commits", batches.len());
    assert!(batches.iter().all(|changes| *changes <= CHANGES_PER_COMMIT_MAX));
}

#[tokio::test]
async fn a_full_queue_is_busy_and_recovers() {
    let bench = bench(true);
    let first = bench.send(sale(0));
    bench.until("the first is being committed", |bench| bench.commits() == 1).await;
    let waiting: Vec<_> = (1..=CHANGES_QUEUED_MAX).map(|number| bench.send(sale(number))).collect();
    bench.until("the queue is full", |bench| bench.writer.queue.as_ref().unwrap().capacity() == 0).await;
    assert_eq!(bench.writer.submit(sale(1_000_000)).await, Err(SubmitError::Busy));
    (0..=CHANGES_QUEUED_MAX.div_ceil(CHANGES_PER_COMMIT_MAX)).for_each(|_| bench.act(Act::Commit));
    assert!(first.await.unwrap().is_ok());
    for task in waiting {
        assert!(task.await.unwrap().is_ok());
    }
    assert_eq!(bench.store.seq_of_tx(&tx(1_000_000)).unwrap(), None, "a change refused as busy was not made");
    bench.act(Act::Commit);
    assert!(bench.writer.submit(sale(1_000_000)).await.is_ok());
}

/// Checks that after a failed or panicking commit no caller receives a success.
async fn check_failure(act: Act, says: &str) {
    let bench = bench(true);
    let first = bench.send(sale(0));
    bench.until("the first is being committed", |bench| bench.commits() == 1).await;
    let waiting: Vec<_> = (1..50).map(|number| bench.send(sale(number))).collect();
    bench
        .until("all are queued", |bench| bench.writer.queue.as_ref().unwrap().capacity() == CHANGES_QUEUED_MAX - 49)
        .await;
    bench.act(act);
    assert_eq!(first.await.unwrap(), Err(SubmitError::Failed));
    for task in waiting {
        assert_eq!(task.await.unwrap(), Err(SubmitError::Failed));
    }
    for number in 50..60 {
        assert_eq!(bench.writer.submit(sale(number)).await, Err(SubmitError::Failed));
    }
    bench.until("the owner is notified", |bench| !bench.failures.lock().is_empty()).await;
    let Bench { store, writer, failures, .. } = bench;
    drop(writer);
    assert_eq!(store.commits.load(Ordering::SeqCst), 1, "the writer does not retry");
    let failures = failures.lock();
    assert!(failures.len() == 1 && failures[0].contains(says), "{failures:?}");
}

#[tokio::test]
async fn after_a_failed_commit_nothing_is_accepted() {
    check_failure(Act::Fail, "the disk failed").await;
}

#[tokio::test]
async fn a_panic_is_a_failure_too() {
    check_failure(Act::Panic, "panicked").await;
}

#[tokio::test]
async fn a_cancelled_wait_does_not_cancel_the_change() {
    let bench = bench(true);
    let first = bench.send(sale(0));
    bench.until("it is being committed", |bench| bench.commits() == 1).await;
    let second = bench.send(sale(1));
    bench.until("it is queued", |bench| bench.writer.queue.as_ref().unwrap().capacity() < CHANGES_QUEUED_MAX).await;
    first.abort();
    second.abort();
    assert!(first.await.unwrap_err().is_cancelled() && second.await.unwrap_err().is_cancelled());
    (0..2).for_each(|_| bench.act(Act::Commit));
    bench.until("both are made", |bench| bench.store.head().unwrap().size == 2).await;
}

#[tokio::test]
async fn dropping_the_writer_drains_the_queue() {
    let bench = bench(true);
    let receivers: Vec<_> = (0..20).map(|number| bench.writer.enqueue(sale(number)).unwrap()).collect();
    let Bench { store, writer, acts, .. } = bench;
    drop(acts);
    tokio::task::spawn_blocking(move || drop(writer)).await.unwrap();
    assert_eq!(store.head().unwrap().size, 20);
    for receiver in receivers {
        assert!(receiver.await.unwrap().is_ok());
    }
}

#[tokio::test]
async fn large_changes_share_a_write_only_up_to_a_size() {
    let bench = bench(true);
    let first = bench.send(sale(0));
    bench.until("the first is being committed", |bench| bench.commits() == 1).await;
    let large = |number: usize| {
        let third = vec![0; BYTES_PER_COMMIT_MAX / 12];
        let put = Put {
            collection: Collection::Resources,
            key: number.to_string(),
            value: Some(third.clone()),
            expect: Expect::Any,
        };
        let second = Put { key: format!("second {number}"), ..put.clone() };
        let answer = StoredAnswer {
            intent: None,
            fingerprint: [0; 32],
            content_type: "text/plain".into(),
            expires_ms: 0,
            body: third.into(),
        };
        Change { puts: vec![put, second], answer: Some(answer), ..sale(number) }
    };
    let waiting: Vec<_> = (1..=10).map(|number| bench.send(large(number))).collect();
    bench
        .until("all are queued", |bench| bench.writer.queue.as_ref().unwrap().capacity() == CHANGES_QUEUED_MAX - 10)
        .await;
    (0..4).for_each(|_| bench.act(Act::Commit));
    assert!(first.await.unwrap().is_ok());
    for task in waiting {
        assert!(task.await.unwrap().is_ok());
    }
    assert_eq!(*bench.store.batches.lock(), [1, 5, 5]);
}

/// Bulk writes of plugins are deferred to later commits; records are not.
#[tokio::test]
async fn bulk_delays_no_seal() {
    let bench = bench(true);
    let first = bench.send(sale(0));
    bench.until("the first is being committed", |bench| bench.commits() == 1).await;
    let bulk = |number: usize| {
        let value = Some(vec![0; BULK_BYTES_PER_COMMIT_MAX / 2]);
        let write = KvWrite { bucket: "b".to_owned(), key: number.to_string(), value };
        Change { kv: vec![write], ..sale(number) }
    };
    let bulks: Vec<_> = (1..=6).map(|number| bench.send(bulk(number))).collect();
    let sales: Vec<_> = (7..=9).map(|number| bench.send(sale(number))).collect();
    bench
        .until("all are queued", |bench| bench.writer.queue.as_ref().unwrap().capacity() == CHANGES_QUEUED_MAX - 9)
        .await;
    (0..2).for_each(|_| bench.act(Act::Commit));
    assert!(first.await.unwrap().is_ok());
    for sale in sales {
        assert!(sale.await.unwrap().is_ok(), "sealed with the next commit");
    }
    (0..2).for_each(|_| bench.act(Act::Commit));
    for bulk in bulks {
        assert!(bulk.await.unwrap().is_ok());
    }
    assert_eq!(*bench.store.batches.lock(), [1, 5, 2, 2]);
}

#[test]
fn the_writer_waits_for_just_answered_submitters() {
    let (now, mut window) = (Instant::now(), GroupCommitWindow::default());
    assert_eq!(window.target(now), 0);
    window.answered(20, 12, now);
    assert_eq!(window.target(now + WINDOW_EXPIRES / 2), 32);
    window.closed(true);
    window.answered(1, 0, now);
    // The expected number is one, which the lone caller's change already meets.
    assert_eq!(window.target(now), 1);
    window.answered(20, 12, now);
    assert_eq!(window.target(now + WINDOW_EXPIRES), 0);
}

#[test]
fn the_writer_waits_less_and_less_for_absent_submitters() {
    let (now, mut window, mut waits) = (Instant::now(), GroupCommitWindow::default(), Vec::new());
    for commit in 0..300 {
        window.answered(1, 1, now);
        if window.target(now) > 1 {
            waits.push(commit);
            window.closed(false);
        }
    }
    assert_eq!(waits, [0, 2, 6, 14, 30, 62, 126, 190, 254]);
    // One window in which a change arrives resets the backoff.
    window.closed(true);
    window.answered(1, 1, now);
    assert_eq!(window.target(now), 2);
}
