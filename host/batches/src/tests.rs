//! Tests of batches over a real store and a fake provider: answers, costs, and recovery after a
//! crash.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tollbridge_store::{Collection, Db};

use super::batch::{Batch, BatchStatus, RequestMark};
use super::endpoint::BatchEndpoint;
use super::service::{Batches, BatchesError, NewBatch};
use super::stored_file::{FileError, FilePurpose};
use super::stored_files::NewFile;
use super::testing::{NOW, World, line, passing_time};
use crate::limits::{
    BATCH_WINDOW_MS, BATCHES_OPEN_PER_ACCOUNT_MAX, FILE_KEPT_MS, FILE_LINE_BYTES_MAX, FILE_LINES_MAX,
    FILE_TIDIED_AFTER_MS,
};

const ACCOUNT: &str = "acct_a";

fn input(count: usize) -> Vec<u8> {
    (1..=count).map(|number| line(&format!("line-{number}"))).collect::<String>().into_bytes()
}

async fn upload(batches: &Batches, account: &str, content: &[u8]) -> Result<String, FileError> {
    let new = NewFile { name: "in.jsonl".to_owned(), purpose: FilePurpose::Batch, kept_ms: FILE_KEPT_MS };
    batches.files().create(account, new, content, NOW).await.map(|file| file.id)
}

async fn begin(batches: &Arc<Batches>, account: &str, file: &str) -> Result<Batch, BatchesError> {
    let new = NewBatch {
        input_file_id: file.to_owned(),
        endpoint: BatchEndpoint::ChatCompletions,
        metadata: std::collections::BTreeMap::new(),
        results_kept_ms: FILE_KEPT_MS,
        key: account.to_owned(),
        mark: RequestMark::default(),
    };
    batches.create(account, new, NOW).await
}

async fn ended(batches: &Batches, id: &str) -> Batch {
    for _ in 0..2_000 {
        let batch = batches.find(ACCOUNT, id, false).unwrap();
        let is_closed = !batches.rows.open().unwrap().iter().any(|(_, open)| open == id);
        if !batch.status.is_open() && is_closed {
            return batch;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the batch does not end: {:?}", batches.find(ACCOUNT, id, false));
}

/// Returns the lines of a result file, as JSON.
async fn read(batches: &Batches, id: Option<&str>) -> Vec<Value> {
    use futures_util::StreamExt;
    let Some(id) = id else { return Vec::new() };
    let file = batches.files().find(ACCOUNT, id, NOW).unwrap();
    let pieces: Vec<_> = batches.files().content(ACCOUNT, std::slice::from_ref(&file)).collect().await;
    let bytes = pieces.into_iter().map(Result::unwrap).collect::<Vec<_>>().concat();
    assert_eq!(bytes.len() as u64, file.bytes);
    String::from_utf8(bytes).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn names(lines: &[Value]) -> BTreeSet<String> {
    lines.iter().map(|line| line["custom_id"].as_str().unwrap().to_owned()).collect()
}

fn rows(db: &Db, collection: Collection, prefix: &str) -> usize {
    let rows = db.list(collection, prefix, 1_000_000).unwrap();
    rows.iter().filter(|(key, _)| key.starts_with(prefix)).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_line_is_answered_and_charged_once() {
    let world = World::start(ACCOUNT, 1_000_000).await;
    let batches = world.batches();
    let before = world.db.head().unwrap().size;
    let file = upload(&batches, ACCOUNT, &input(25)).await.unwrap();
    let batch = begin(&batches, ACCOUNT, &file).await.unwrap();
    assert_eq!(batch.status, BatchStatus::Validating);
    let over = ended(&batches, &batch.id).await;
    assert_eq!((over.status, over.counts.total, over.counts.succeeded), (BatchStatus::Completed, 25, 25));
    assert_eq!(over.error_file_id, None);
    let lines = read(&batches, over.output_file_id.as_deref()).await;
    assert_eq!((lines.len(), names(&lines).len()), (25, 25));
    assert_eq!(lines[0]["response"]["body"]["choices"][0]["message"]["content"], "hello");
    assert_eq!(lines[0]["response"]["status_code"], 200);
    assert_eq!((world.provider.requests(), world.db.head().unwrap().size), (25, before + 25));
    // The rows that were needed while the batch ran are deleted.
    assert_eq!((rows(&world.db, Collection::Batches, "m/"), rows(&world.db, Collection::Batches, "o/")), (0, 0));
    // The batch and its files are invisible to other accounts.
    assert!(matches!(batches.find("acct_b", &batch.id, false), Err(BatchesError::Unknown(_))));
    assert!(matches!(batches.cancel("acct_b", &batch.id, false).await, Err(BatchesError::Unknown(_))));
    let output = over.output_file_id.unwrap();
    assert!(matches!(batches.files().find("acct_b", &output, NOW), Err(FileError::Unknown(_))));
    assert!(batches.delete_file("acct_b", &output, NOW).await.is_err());
    assert!(begin(&batches, "acct_b", &file).await.is_err());
    // Deleting a file deletes all of its rows.
    for file in [&file, &output] {
        batches.delete_file(ACCOUNT, file, NOW).await.unwrap();
    }
    assert_eq!(rows(&world.db, Collection::Files, ""), 0);
}

#[test]
fn a_crash_loses_no_line_and_charges_none_twice() {
    let runtime = || tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let providers = runtime();
    let world = providers.block_on(World::start(ACCOUNT, 10_000_000));
    world.provider.slow(Duration::from_millis(3));
    let before = world.db.head().unwrap().size;
    let first = runtime();
    let id = first.block_on(async {
        let batches = world.batches();
        let file = upload(&batches, ACCOUNT, &input(120)).await.unwrap();
        let batch = begin(&batches, ACCOUNT, &file).await.unwrap();
        while world.provider.requests() < 20 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        batch.id
    });
    // Simulates a crash: every task of the runtime is dropped at its current await point.
    first.shutdown_timeout(Duration::from_secs(5));
    for crash in 0..3 {
        let next = runtime();
        next.block_on(async {
            world.batches().recover().unwrap();
            tokio::time::sleep(Duration::from_millis(20 + 7 * crash)).await;
        });
        next.shutdown_timeout(Duration::from_secs(5));
    }
    runtime().block_on(async {
        let batches = world.batches();
        batches.recover().unwrap();
        let over = ended(&batches, &id).await;
        assert_eq!((over.status, over.counts.succeeded), (BatchStatus::Completed, 120));
        let lines = read(&batches, over.output_file_id.as_deref()).await;
        assert_eq!((lines.len(), names(&lines).len()), (120, 120));
    });
    assert_eq!(world.db.head().unwrap().size, before + 120, "each line has one record");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_credit_the_rest_is_refused_at_once() {
    // The worst case of a line costs about 10,000 millipence, its actual cost is 2,100.
    let world = World::start(ACCOUNT, 50_000).await;
    let batches = world.batches_at(passing_time);
    let file = upload(&batches, ACCOUNT, &input(200)).await.unwrap();
    let id = begin(&batches, ACCOUNT, &file).await.unwrap().id;
    let over = ended(&batches, &id).await;
    assert_eq!(over.status, BatchStatus::Completed);
    assert!(over.counts.succeeded > 0 && over.counts.errored > 0, "{:?}", over.counts);
    assert_eq!(over.counts.done(), 200);
    let errors = read(&batches, over.error_file_id.as_deref()).await;
    assert!(errors.iter().all(|line| line["response"]["status_code"] == 402), "{:?}", errors.first());
    let answers = read(&batches, over.output_file_id.as_deref()).await;
    assert_eq!(names(&answers).union(&names(&errors)).count(), 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_batch_keeps_what_was_answered() {
    let world = World::start(ACCOUNT, 1_000_000).await;
    world.provider.slow(Duration::from_millis(20));
    let batches = world.batches();
    let file = upload(&batches, ACCOUNT, &input(500)).await.unwrap();
    let id = begin(&batches, ACCOUNT, &file).await.unwrap().id;
    while world.provider.requests() < 10 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(matches!(batches.delete_file(ACCOUNT, &file, NOW).await, Err(BatchesError::File(FileError::InUse(_)))));
    let cancelled = batches.cancel(ACCOUNT, &id, false).await.unwrap();
    assert!(matches!(cancelled.status, BatchStatus::Cancelling | BatchStatus::Cancelled));
    let over = ended(&batches, &id).await;
    assert_eq!((over.status, over.counts.done()), (BatchStatus::Cancelled, 500));
    assert_eq!(over.counts.succeeded, world.provider.requests());
    assert!(over.counts.cancelled > 400, "{:?}", over.counts);
    assert_eq!(batches.cancel(ACCOUNT, &id, false).await.unwrap().status, BatchStatus::Cancelled);
    let errors = read(&batches, over.error_file_id.as_deref()).await;
    assert!(errors.iter().all(|line| line["error"]["code"] == "batch_cancelled" && line["response"].is_null()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_whose_time_is_over_keeps_what_was_answered() {
    static CLOCK: AtomicU64 = AtomicU64::new(NOW);
    let world = World::start(ACCOUNT, 1_000_000).await;
    world.provider.slow(Duration::from_millis(20));
    let batches = world.batches_at(|| CLOCK.load(Ordering::SeqCst));
    let file = upload(&batches, ACCOUNT, &input(300)).await.unwrap();
    let id = begin(&batches, ACCOUNT, &file).await.unwrap().id;
    while world.provider.requests() < 8 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    CLOCK.store(NOW + BATCH_WINDOW_MS, Ordering::SeqCst);
    let over = ended(&batches, &id).await;
    assert_eq!((over.status, over.counts.done()), (BatchStatus::Expired, 300));
    assert!(over.counts.succeeded >= 4 && over.counts.expired > 0, "{:?}", over.counts);
    assert_eq!(batches.files.line(ACCOUNT, &over.refused, 300).unwrap().map(|line| line.ends_with(b"\n")), Some(true));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_with_a_wrong_line_asks_none() {
    let world = World::start(ACCOUNT, 1_000_000).await;
    let batches = world.batches();
    let content = [input(2), b"{\"custom_id\": \"line-1\"}\n".to_vec()].concat();
    let file = upload(&batches, ACCOUNT, &content).await.unwrap();
    let id = begin(&batches, ACCOUNT, &file).await.unwrap().id;
    let over = ended(&batches, &id).await;
    assert_eq!((over.status, world.provider.requests()), (BatchStatus::Failed, 0));
    assert_eq!((over.errors[0].line, over.errors[0].code.as_str()), (Some(3), "missing_required_parameter"));
    assert_eq!((over.output_file_id, over.error_file_id), (None, None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn open_batches_of_an_account_are_bounded() {
    let world = World::start(ACCOUNT, 1_000_000).await;
    world.provider.slow(Duration::from_millis(300));
    let batches = world.batches();
    let file = upload(&batches, ACCOUNT, &input(40)).await.unwrap();
    for _ in 0..BATCHES_OPEN_PER_ACCOUNT_MAX {
        begin(&batches, ACCOUNT, &file).await.unwrap();
    }
    assert!(matches!(begin(&batches, ACCOUNT, &file).await, Err(BatchesError::TooManyOpen)));
    let others = upload(&batches, "acct_b", &input(1)).await.unwrap();
    begin(&batches, "acct_b", &others).await.unwrap();
    assert!(world.provider.at_once() <= 5, "the lines of one account use few slots");
    batches.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repeat_begins_no_second_batch() {
    let world = World::start(ACCOUNT, 1_000_000).await;
    let batches = world.batches();
    let file = upload(&batches, ACCOUNT, &input(1)).await.unwrap();
    let create = |key: Option<&str>, is_repeat: bool| {
        let new = NewBatch {
            input_file_id: file.clone(),
            endpoint: BatchEndpoint::ChatCompletions,
            metadata: std::collections::BTreeMap::new(),
            results_kept_ms: FILE_KEPT_MS,
            key: ACCOUNT.to_owned(),
            mark: RequestMark::new(key.map(str::to_owned), b"content", is_repeat),
        };
        batches.create(ACCOUNT, new, NOW)
    };
    let first = create(Some("k"), false).await.unwrap().id;
    assert_eq!(create(Some("k"), false).await.unwrap().id, first);
    assert_eq!(create(None, true).await.unwrap().id, first);
    assert_ne!(create(None, false).await.unwrap().id, first);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_come_in_one_body_and_leave_in_one_answer() {
    use futures_util::StreamExt;
    let world = World::start(ACCOUNT, 1_000_000).await;
    let batches = world.batches();
    let params = json!({"model": "small", "max_tokens": 5, "messages": [{"role": "user", "content": "hello"}]});
    let body = json!({"requests": [{"custom_id": "a", "params": params}, {"custom_id": "b", "params": {}}]});
    let mark = || RequestMark::new(Some("k".to_owned()), b"x", false);
    let body = body.to_string();
    let create = || batches.create_of_messages(ACCOUNT, body.as_bytes(), ACCOUNT.to_owned(), mark(), NOW);
    let id = create().await.unwrap().id;
    assert_eq!(create().await.unwrap().id, id);
    for _ in 0..1_000 {
        if !batches.find(ACCOUNT, &id, true).unwrap().status.is_open() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let files = batches.results(ACCOUNT, &id).unwrap();
    let pieces: Vec<_> = batches.files().content(ACCOUNT, &files).collect().await;
    let bytes = pieces.into_iter().map(Result::unwrap).collect::<Vec<_>>().concat();
    let lines: Vec<Value> =
        String::from_utf8(bytes).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["custom_id"], &lines[0]["result"]["type"]), (&json!("a"), &json!("succeeded")));
    assert_eq!(lines[0]["result"]["message"]["content"][0]["text"], "hello");
    assert_eq!((&lines[1]["custom_id"], &lines[1]["result"]["type"]), (&json!("b"), &json!("errored")));
    // Clients cannot see the files of a message batch.
    assert!(batches.files().list(ACCOUNT, NOW).unwrap().is_empty());
    assert!(batches.files().find(ACCOUNT, &files[0].id, NOW).is_err());
    batches.delete(ACCOUNT, &id).await.unwrap();
    assert_eq!(rows(&world.db, Collection::Files, ""), 0);
}

#[tokio::test]
async fn files_are_bounded_and_go_when_their_time_is_over() {
    let world = World::start(ACCOUNT, 0).await;
    let batches = world.batches();
    let upload = |content: Vec<u8>| {
        let batches = batches.clone();
        async move { upload(&batches, ACCOUNT, &content).await }
    };
    assert!(matches!(upload(Vec::new()).await, Err(FileError::Empty)));
    let many = b"\n".repeat(usize::try_from(FILE_LINES_MAX).unwrap() + 1);
    assert!(matches!(upload(many).await, Err(FileError::TooManyLines)));
    let long = [b"{}\n".to_vec(), vec![b'x'; FILE_LINE_BYTES_MAX + 1]].concat();
    assert!(matches!(upload(long).await, Err(FileError::LineTooLong { line: 2 })));
    let id = upload(b"{}\n{}".to_vec()).await.unwrap();
    let files = batches.files();
    assert_eq!(files.find(ACCOUNT, &id, NOW).unwrap().bytes, 5);
    for wrong in ["", "../x", "a/b", "file-é"] {
        assert!(matches!(files.find(ACCOUNT, wrong, NOW), Err(FileError::Unknown(_))));
    }
    let end = NOW + FILE_KEPT_MS;
    assert!(files.find(ACCOUNT, &id, end).is_err() && files.list(ACCOUNT, end).unwrap().is_empty());
    batches.delete_expired(end).await.unwrap();
    assert!(rows(&world.db, Collection::Files, "l/") == 2, "the lines must remain while a batch may still read them");
    batches.delete_expired(end + FILE_TIDIED_AFTER_MS).await.unwrap();
    assert_eq!(rows(&world.db, Collection::Files, ""), 0);
}
