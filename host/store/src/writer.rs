//! The single writer, which makes many changes durable with one write.
//!
//! Group commit: a thread blocks until a change arrives, takes all other queued changes,
//! commits once and then replies to every caller. Callers that just received a reply are
//! likely to submit again soon, so the writer waits for a moment (the group commit
//! window) while changes keep arriving: a commit costs nearly the same for few changes as
//! for many. A lone caller waits only for its own sync.
//!
//! Large values for plugins' buckets are bulk: a commit includes a bounded amount of them
//! and leaves the rest to later commits, so that they do not delay other changes.
//!
//! When a commit fails, the state on disk is unknown. The writer then reports no change
//! of that commit as made, refuses all further changes and calls `on_failure`. A panic in
//! the store counts as a failed commit: a server that cannot seal must stop.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::change::{Change, Receipt, Refusal};
use super::engine::{Sealer, Store, StoreError};
use super::last_catch_up::LastCatchUp;
use super::outbox_event::{OutboxEvent, OutboxListener};
#[cfg(any(test, feature = "testing"))]
use super::testing::steps::WriterSteps;
use crate::limits::{
    BULK_BYTES_PER_COMMIT_MAX, BULK_CHANGE_BYTES_MIN, BULK_CHANGES_QUEUED_MAX, BYTES_PER_COMMIT_MAX,
    CHANGES_PER_COMMIT_MAX, CHANGES_QUEUED_MAX,
};

/// A handle that passes changes to the writer thread. Dropping it waits until all queued
/// changes are written and the thread has ended.
pub struct Writer {
    queue: Option<mpsc::Sender<QueuedChange>>,
    thread: Option<JoinHandle<()>>,
    listener: Option<Arc<dyn OutboxListener>>,
    /// Whether other hosts write to the same ledger.
    is_shared: bool,
    last_catch_up: Arc<LastCatchUp>,
    /// The committer that tests run step by step instead of on a thread.
    #[cfg(any(test, feature = "testing"))]
    steps: Option<Arc<WriterSteps>>,
}

/// The reason a change was not made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// The change was refused; nothing was written.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The queue is full; nothing was written. The caller should try again shortly.
    #[error("too many changes are waiting to be written")]
    Busy,
    /// The outcome is unknown because the disk failed; reading the store again after a
    /// restart shows whether the change was written.
    #[error("the store has failed and is stopping")]
    Failed,
}

type Reply = oneshot::Sender<Result<Receipt, SubmitError>>;
type ReplyReceiver = oneshot::Receiver<Result<Receipt, SubmitError>>;

/// Minimum number of replies that are sent from a task of the async runtime instead of
/// the writer thread: waking each waiting task from outside the runtime costs a system
/// call.
const REPLIES_BY_TASK_MIN: usize = 8;

/// Length of one wait, and maximum number of waits, in a group commit window. Together,
/// the waits take only a fraction of the time of a commit.
const GATHER_WAIT: Duration = Duration::from_micros(100);
const GATHER_WAITS_MAX: usize = 10;
/// The group commit window closes after this many consecutive waits without a new change.
/// A few are tolerated because the expected callers may be waiting for a processor.
const FRUITLESS_WAITS_MAX: usize = 6;
/// A caller that has not submitted another change within this time after its reply is no
/// longer expected.
const WINDOW_EXPIRES: Duration = Duration::from_millis(2);
/// After `n` consecutive group commit windows without a new change, the next 2^n - 1
/// commits open no window.
const SKIP_EXPONENT_MAX: u32 = 6;

struct QueuedChange {
    change: Change,
    reply: Reply,
}

impl Writer {
    /// Starts the writer thread. Events are written only if `listener` listens to them;
    /// without a listener no events are written. `on_failure` is called once, when a
    /// commit fails; by then every caller has its reply and no further change is
    /// accepted.
    pub fn start(
        store: Arc<dyn Store>,
        sealer: Box<dyn Sealer>,
        listener: Option<Arc<dyn OutboxListener>>,
        on_failure: impl FnOnce(String) + Send + 'static,
    ) -> std::io::Result<Self> {
        let is_shared = store.is_shared();
        let (queue, mut committer) = Committer::new(store, sealer, listener.clone(), Box::new(on_failure));
        let last_catch_up = committer.last_catch_up.clone();
        // On a single-threaded runtime, callers that wait for replies may block the only
        // thread, so no task could send the replies.
        let many = |runtime: &Handle| runtime.runtime_flavor() == RuntimeFlavor::MultiThread;
        committer.runtime = Handle::try_current().ok().filter(many);
        let thread = std::thread::Builder::new().name("writer".to_owned()).spawn(move || committer.run())?;
        Ok(Self {
            queue: Some(queue),
            thread: Some(thread),
            listener,
            is_shared,
            last_catch_up,
            #[cfg(any(test, feature = "testing"))]
            steps: None,
        })
    }

    /// Creates a writer without a thread; a test commits submitted changes step by step.
    #[cfg(any(test, feature = "testing"))]
    pub fn in_steps(
        store: Arc<dyn Store>,
        sealer: Box<dyn Sealer>,
        listener: Option<Arc<dyn OutboxListener>>,
        on_failure: impl FnOnce(String) + Send + 'static,
    ) -> (Self, Arc<WriterSteps>) {
        let is_shared = store.is_shared();
        let (queue, committer) = Committer::new(store, sealer, listener.clone(), Box::new(on_failure));
        let last_catch_up = committer.last_catch_up.clone();
        let steps = Arc::new(WriterSteps::new(committer));
        (
            Self { queue: Some(queue), thread: None, listener, is_shared, last_catch_up, steps: Some(steps.clone()) },
            steps,
        )
    }

    /// Makes a change durable. Resolves after the sync that covers the change. A
    /// submitted change is written even if the caller stops waiting.
    pub async fn submit(&self, change: Change) -> Result<Receipt, SubmitError> {
        self.enqueue(change)?.await.unwrap_or(Err(SubmitError::Failed))
    }

    /// Resolves when reads on this host see every change that any host had made durable
    /// before the call. Returns immediately if no other host writes to this ledger.
    ///
    /// # Errors
    /// As [`Writer::submit`]; reads may then miss writes of other hosts.
    pub async fn catch_up(&self) -> Result<(), SubmitError> {
        match self.is_shared {
            true => self.submit(Change::default()).await.map(drop),
            false => Ok(()),
        }
    }

    /// Returns whether reads on this host see everything that any host had made durable up to
    /// `age` ago.
    pub fn has_caught_up_within(&self, age: Duration) -> bool {
        !self.is_shared || self.last_catch_up.is_within(age)
    }

    /// Makes a change durable, like [`Writer::submit`]; for callers outside the async
    /// runtime.
    pub fn submit_blocking(&self, change: Change) -> Result<Receipt, SubmitError> {
        #[cfg(any(test, feature = "testing"))]
        if let Some(steps) = &self.steps {
            let mut answer = self.enqueue(change)?;
            steps.step();
            return answer.try_recv().unwrap_or(Err(SubmitError::Failed));
        }
        self.enqueue(change)?.blocking_recv().unwrap_or(Err(SubmitError::Failed))
    }

    /// Returns whether any listener wants an event; events without a listener are not
    /// written.
    pub fn has_listener_for(&self, event: &OutboxEvent) -> bool {
        self.has_listener(&event.account, event.event)
    }

    /// Returns whether an event would have a listener, so that frequently run code can
    /// avoid creating the event.
    pub fn has_listener(&self, account: &str, event: &str) -> bool {
        self.listener.as_ref().is_some_and(|listener| listener.listens_to(account, event))
    }

    fn enqueue(&self, mut change: Change) -> Result<ReplyReceiver, SubmitError> {
        change.outbox.retain(|event| self.has_listener_for(event));
        let queue = self.queue.as_ref().ok_or(SubmitError::Failed)?;
        let (reply, answer) = oneshot::channel();
        queue.try_send(QueuedChange { change, reply }).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => SubmitError::Busy,
            mpsc::error::TrySendError::Closed(_) => SubmitError::Failed,
        })?;
        #[cfg(any(test, feature = "testing"))]
        if let Some(steps) = &self.steps {
            steps.wake();
        }
        Ok(answer)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // A panic in the thread has already closed the queue.
            let _ = thread.join();
        }
    }
}

/// The part of the writer that makes changes durable, on any thread.
pub(super) struct Committer {
    store: Arc<dyn Store>,
    sealer: Box<dyn Sealer>,
    listener: Option<Arc<dyn OutboxListener>>,
    /// The queue of submitted changes; `None` once a commit has failed.
    commit_queue: Option<CommitQueue>,
    /// Async runtime whose tasks send large numbers of replies.
    runtime: Option<Handle>,
    on_failure: Option<Box<dyn FnOnce(String) + Send>>,
    last_catch_up: Arc<LastCatchUp>,
    /// Buffer for a batch. It is reused, because every allocation of this size would be a
    /// request to the operating system.
    batch: Batch,
}

impl Committer {
    fn new(
        store: Arc<dyn Store>,
        sealer: Box<dyn Sealer>,
        listener: Option<Arc<dyn OutboxListener>>,
        on_failure: Box<dyn FnOnce(String) + Send>,
    ) -> (mpsc::Sender<QueuedChange>, Self) {
        let (queue, jobs) = mpsc::channel(CHANGES_QUEUED_MAX);
        let commit_queue = Some(CommitQueue { jobs, bulk: VecDeque::new(), window: GroupCommitWindow::default() });
        let (last_catch_up, batch) = (Arc::default(), Batch::default());
        let on_failure = Some(on_failure);
        (queue, Self { store, sealer, listener, commit_queue, runtime: None, on_failure, last_catch_up, batch })
    }

    /// Commits batches until all senders of changes are dropped or a commit fails.
    fn run(mut self) {
        while let Some(commit_queue) = &mut self.commit_queue
            && let Some(job) = commit_queue.next()
        {
            commit_queue.gather(job, &mut self.batch);
            self.commit_batch();
        }
    }

    /// Commits the queued changes without waiting for further ones; returns false if
    /// there are none.
    #[cfg(any(test, feature = "testing"))]
    pub(super) fn commit_queued(&mut self) -> bool {
        let Some(commit_queue) = &mut self.commit_queue else { return false };
        commit_queue.drain(&mut self.batch);
        let any = !self.batch.changes.is_empty();
        if any {
            self.commit_batch();
        }
        any
    }

    /// Waits for this host's turn to write, if hosts take turns; changes that arrive
    /// during the wait join the batch.
    fn begin_turn(&mut self) -> Result<(), String> {
        if self.batch.writes_nothing() {
            return Ok(());
        }
        attempt("waiting for this host's turn", || self.store.begin_turn(self.sealer.as_mut()))?;
        if let Some(commit_queue) = &mut self.commit_queue {
            commit_queue.drain(&mut self.batch);
        }
        Ok(())
    }

    fn commit_batch(&mut self) {
        let began = tokio::time::Instant::now();
        let committed = self
            .begin_turn()
            .and_then(|()| attempt("committing", || self.store.commit(&self.batch.changes, self.sealer.as_mut())));
        let replies = std::mem::take(&mut self.batch.replies);
        match committed {
            Ok(outcomes) => {
                self.last_catch_up.began(began);
                metrics::counter!("tollbridge_commits_total").increment(1);
                metrics::counter!("tollbridge_changes_total").increment(u64::try_from(outcomes.len()).unwrap_or(0));
                if let Some(CommitQueue { jobs, window, .. }) = &mut self.commit_queue {
                    window.answered(outcomes.len(), jobs.len(), Instant::now());
                }
                let written = events_written(&self.batch.changes, &outcomes);
                // Reply before notifying the listener, so that callers do not wait for it.
                reply_all(replies, outcomes, self.runtime.as_ref());
                if let Some(listener) = &self.listener {
                    written.into_iter().for_each(|(account, count)| listener.written(account, count));
                }
                self.batch.changes.clear();
                (self.batch.bytes, self.batch.bulk_bytes) = (0, 0);
            }
            Err(why) => {
                // Close the queue first: queued changes must not wait for ever, and no caller
                // that sees the failure can queue another.
                self.commit_queue = None;
                for reply in replies {
                    let _ = reply.send(Err(SubmitError::Failed));
                }
                if let Some(on_failure) = self.on_failure.take() {
                    on_failure(why);
                }
            }
        }
    }
}

/// Counts the events that became durable, by account.
fn events_written<'c>(changes: &'c [Change], outcomes: &[Result<Receipt, Refusal>]) -> HashMap<&'c str, usize> {
    let mut counts = HashMap::new();
    let committed = changes.iter().zip(outcomes).filter(|(_, outcome)| outcome.is_ok());
    for event in committed.flat_map(|(change, _)| &change.outbox) {
        *counts.entry(event.account.as_str()).or_default() += 1;
    }
    counts
}

fn reply_all(replies: Vec<Reply>, outcomes: Vec<Result<Receipt, Refusal>>, runtime: Option<&Handle>) {
    let many = replies.len() >= REPLIES_BY_TASK_MIN;
    let send = move || {
        for (reply, outcome) in replies.into_iter().zip(outcomes) {
            // The caller may no longer be waiting; the change is made anyway.
            let _ = reply.send(outcome.map_err(SubmitError::from));
        }
    };
    match runtime.filter(|_| many) {
        Some(runtime) => drop(runtime.spawn(async move { send() })),
        None => send(),
    }
}

/// The queue of submitted changes, and the window that groups them into commits.
struct CommitQueue {
    jobs: mpsc::Receiver<QueuedChange>,
    /// Bulk changes deferred because they did not fit into earlier commits.
    bulk: VecDeque<QueuedChange>,
    window: GroupCommitWindow,
}

/// A prediction of how many changes arrive soon: those queued during the last commit,
/// plus one from each caller that the commit answered. After windows without a new
/// change, no window is opened for some commits.
#[derive(Debug, Default)]
struct GroupCommitWindow {
    expected: usize,
    since: Option<Instant>,
    /// Number of consecutive windows in which no change arrived.
    fruitless: u32,
    /// Number of upcoming commits before which no window is opened.
    skips: u32,
}

impl GroupCommitWindow {
    fn answered(&mut self, answered: usize, waiting: usize, now: Instant) {
        self.expected = answered.saturating_add(waiting);
        self.since = Some(now);
    }

    /// Returns the maximum number of changes that the next commit waits for.
    fn target(&mut self, now: Instant) -> usize {
        let fresh = self.since.take().is_some_and(|since| now.saturating_duration_since(since) < WINDOW_EXPIRES);
        if !fresh {
            return 0;
        }
        if self.skips > 0 {
            self.skips -= 1;
            return 0;
        }
        self.expected
    }

    /// Records whether any change arrived while the window was open.
    fn closed(&mut self, came: bool) {
        self.fruitless = if came { 0 } else { SKIP_EXPONENT_MAX.min(self.fruitless + 1) };
        self.skips = (1 << self.fruitless) - 1;
    }
}

/// Changes that are committed together, and the channels for their replies.
#[derive(Default)]
struct Batch {
    changes: Vec<Change>,
    replies: Vec<Reply>,
    bytes: usize,
    /// Total size of the bulk changes in this batch.
    bulk_bytes: usize,
}

impl CommitQueue {
    /// Returns a deferred bulk change, or waits for a new change.
    fn next(&mut self) -> Option<QueuedChange> {
        self.bulk.pop_front().or_else(|| self.jobs.blocking_recv())
    }

    /// Fills an empty batch with `first` and the changes that are queued or arrive during
    /// the window.
    fn gather(&mut self, first: QueuedChange, batch: &mut Batch) {
        let target = self.window.target(Instant::now());
        batch.add(first);
        self.drain(batch);
        let queued = batch.changes.len();
        let mut fruitless = 0;
        for _ in 0..GATHER_WAITS_MAX {
            let before = batch.changes.len();
            if before >= target || !batch.has_room() || batch.writes_nothing() {
                break;
            }
            std::thread::sleep(GATHER_WAIT);
            self.drain(batch);
            fruitless = if batch.changes.len() > before { 0 } else { fruitless + 1 };
            if fruitless == FRUITLESS_WAITS_MAX {
                break;
            }
        }
        if queued < target {
            self.window.closed(batch.changes.len() > queued);
        }
    }

    fn drain(&mut self, batch: &mut Batch) {
        while let Some(job) = self.bulk.pop_front_if(|job| batch.has_room_for(&job.change)) {
            batch.add(job);
        }
        while batch.has_room()
            && let Ok(job) = self.jobs.try_recv()
        {
            if batch.has_room_for(&job.change) {
                batch.add(job);
            } else if self.bulk.len() < BULK_CHANGES_QUEUED_MAX {
                self.bulk.push_back(job);
            } else {
                let _ = job.reply.send(Err(SubmitError::Busy));
            }
        }
    }
}

impl Batch {
    /// Returns whether all changes in the batch are empty. Such a batch only applies
    /// other hosts' writes and need not wait for further changes.
    fn writes_nothing(&self) -> bool {
        self.changes.iter().all(Change::is_empty)
    }

    fn add(&mut self, job: QueuedChange) {
        self.bytes = self.bytes.saturating_add(weight(&job.change));
        self.bulk_bytes = self.bulk_bytes.saturating_add(bulk_weight(&job.change));
        self.changes.push(job.change);
        self.replies.push(job.reply);
    }

    const fn has_room(&self) -> bool {
        self.changes.len() < CHANGES_PER_COMMIT_MAX && self.bytes < BYTES_PER_COMMIT_MAX
    }

    fn has_room_for(&self, change: &Change) -> bool {
        let bulk = bulk_weight(change);
        bulk == 0 || self.bulk_bytes.saturating_add(bulk) <= BULK_BYTES_PER_COMMIT_MAX
    }
}

/// Returns the number of bytes that a change writes into plugins' buckets, or 0 if they
/// are too few to count as bulk.
fn bulk_weight(change: &Change) -> usize {
    let bytes = change.kv.iter().filter_map(|write| write.value.as_ref()).map(Vec::len).sum();
    if bytes >= BULK_CHANGE_BYTES_MIN { bytes } else { 0 }
}

/// Returns the total size of the parts of a change that clients control.
fn weight(change: &Change) -> usize {
    let answer = change.answer.as_ref().map_or(0, |answer| answer.body.len());
    let rows = change.puts.iter().filter_map(|put| put.value.as_ref());
    let keys = change.kv.iter().filter_map(|write| write.value.as_ref());
    let events = change.outbox.iter().map(|event| &event.data);
    rows.chain(keys).chain(events).fold(answer, |sum, value| sum.saturating_add(value.len()))
}

/// Runs an operation of the store; converts an error or a panic into a message.
fn attempt<T>(doing: &'static str, act: impl FnOnce() -> Result<T, StoreError>) -> Result<T, String> {
    // After a panic, neither the store nor the sealer is used again.
    match catch_unwind(AssertUnwindSafe(act)) {
        Ok(outcome) => outcome.map_err(|error| format!("{error}: {:?}", error.source)),
        Err(_) => Err(format!("{doing}: the store or the ledger panicked")),
    }
}

#[cfg(test)]
#[path = "writer_tests.rs"]
mod tests;
