//! The single writer: many changes, one durable write.
//!
//! A thread of its own blocks for the first change, takes whatever else is
//! waiting, commits once and then answers everybody. Who was just answered is
//! likely to be back soon, so the writer waits a moment for as many, as long as
//! they keep coming: a commit costs nearly the same for few as for many. A lone
//! caller waits for its own sync only.
//!
//! When a commit fails nothing is known about what is on disk, so the writer
//! answers nobody as done, refuses all that follows and tells the owner to stop.
//! A panic below it counts as such a failure: a server that can no longer seal
//! must not stay up.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::{mpsc, oneshot};
use tollbridge_core::limits::{BYTES_PER_COMMIT_MAX, CHANGES_PER_COMMIT_MAX, CHANGES_QUEUED_MAX};

use super::change::{Change, Receipt, Refusal};
use super::engine::Store;
use super::outbox_event::{Audience, Outgoing};
use super::sealing::Sealer;

/// Hands changes to the writer thread. Dropping it drains the queue, then joins.
pub struct Writer {
    queue: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
    audience: Listening,
}

/// Who listens to the outbox, once somebody does.
type Listening = Arc<OnceLock<Arc<dyn Audience>>>;

/// Why a change was not made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// Nothing was written.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Nothing was written; try again shortly.
    #[error("too many changes are waiting to be written")]
    Busy,
    /// Unknown whether it was written: the disk failed. Reading the store again
    /// after a restart tells.
    #[error("the store has failed and is stopping")]
    Failed,
}

type Reply = oneshot::Sender<Result<Receipt, SubmitError>>;
type Answered = oneshot::Receiver<Result<Receipt, SubmitError>>;

/// From so many on, replies are sent by a task of the runtime: waking its tasks
/// from outside costs a system call each.
const REPLIES_BY_TASK_MIN: usize = 8;

/// How long the writer waits for who may be back, and how often: some time of a
/// commit in all.
const GATHER_WAIT: Duration = Duration::from_micros(100);
const GATHER_WAITS_MAX: usize = 10;
/// After so many in a row without anybody it goes on: whoever is to come may be
/// waiting for a processor.
const GATHER_VAIN_MAX: usize = 6;
/// Who has not come back by then has something else to do.
const CROWD_GONE: Duration = Duration::from_millis(2);
/// After so many waits in vain, one commit of 2 to the power of it waits.
const VAIN_MAX: u32 = 6;

struct Job {
    change: Change,
    reply: Reply,
}

impl Writer {
    /// Starts the thread. `on_failure` is called once, when a commit fails; by
    /// then everybody who waited knows and nothing more is accepted.
    pub fn start(
        store: Arc<dyn Store>,
        sealer: Box<dyn Sealer>,
        on_failure: impl FnOnce(String) + Send + 'static,
    ) -> std::io::Result<Self> {
        let (queue, jobs) = mpsc::channel(CHANGES_QUEUED_MAX);
        // A runtime of one thread may be blocked by who waits for the reply.
        let many = |runtime: &Handle| runtime.runtime_flavor() == RuntimeFlavor::MultiThread;
        let runtime = Handle::try_current().ok().filter(many);
        let audience = Listening::default();
        let told = audience.clone();
        let inlet = Inlet { jobs, crowd: Crowd::default() };
        let thread = std::thread::Builder::new()
            .name("writer".to_owned())
            .spawn(move || run(store.as_ref(), sealer, inlet, runtime.as_ref(), &told, on_failure))?;
        Ok(Self { queue: Some(queue), thread: Some(thread), audience })
    }

    /// From now on only events that this audience listens to are written, and
    /// it is told of each. Before, none are written. Counts once.
    pub fn attend(&self, audience: Arc<dyn Audience>) {
        // A second audience would be a slip of the pen; the first one stays.
        let _ = self.audience.set(audience);
    }

    /// Makes a change durable. Resolves after the sync that covers it. Once
    /// submitted the change is made whether or not the caller keeps waiting.
    pub async fn submit(&self, change: Change) -> Result<Receipt, SubmitError> {
        self.enqueue(change)?.await.unwrap_or(Err(SubmitError::Failed))
    }

    /// `submit` for code outside the async runtime.
    pub fn submit_blocking(&self, change: Change) -> Result<Receipt, SubmitError> {
        self.enqueue(change)?.blocking_recv().unwrap_or(Err(SubmitError::Failed))
    }

    /// Whether anybody listens to an event; what nobody hears is not written.
    pub fn is_heard(&self, event: &Outgoing) -> bool {
        self.hears(&event.account, event.event)
    }

    /// Likewise before there is one: on a busy path it is not even made.
    pub fn hears(&self, account: &str, event: &str) -> bool {
        self.audience.get().is_some_and(|audience| audience.listens(account, event))
    }

    fn enqueue(&self, mut change: Change) -> Result<Answered, SubmitError> {
        change.outbox.retain(|event| self.is_heard(event));
        let queue = self.queue.as_ref().ok_or(SubmitError::Failed)?;
        let (reply, answer) = oneshot::channel();
        queue.try_send(Job { change, reply }).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => SubmitError::Busy,
            mpsc::error::TrySendError::Closed(_) => SubmitError::Failed,
        })?;
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

fn run(
    store: &dyn Store,
    mut sealer: Box<dyn Sealer>,
    mut inlet: Inlet,
    runtime: Option<&Handle>,
    audience: &Listening,
    on_failure: impl FnOnce(String),
) {
    // Kept from batch to batch: as large as it is, its memory would come fresh
    // from the system every time.
    let mut batch = Batch::default();
    while let Some(job) = inlet.jobs.blocking_recv() {
        inlet.gather(job, &mut batch);
        let replies = std::mem::take(&mut batch.replies);
        match commit(store, &batch.changes, sealer.as_mut()) {
            Ok(outcomes) => {
                metrics::counter!("tollbridge_commits_total").increment(1);
                metrics::counter!("tollbridge_changes_total").increment(u64::try_from(outcomes.len()).unwrap_or(0));
                inlet.crowd.answered(outcomes.len(), inlet.jobs.len(), Instant::now());
                let told = told(&batch.changes, &outcomes);
                // Nobody waits for who listens.
                answer(replies, outcomes, runtime);
                if let Some(audience) = audience.get() {
                    told.into_iter().for_each(|(account, count)| audience.written(account, count));
                }
                batch.changes.clear();
                batch.bytes = 0;
            }
            Err(why) => {
                // First of all: what waits in the queue must not wait for ever,
                // and whoever hears of the failure must not get anything in.
                drop(inlet);
                for reply in replies {
                    let _ = reply.send(Err(SubmitError::Failed));
                }
                on_failure(why);
                return;
            }
        }
    }
}

/// For whom how many events are durable now.
fn told<'c>(changes: &'c [Change], outcomes: &[Result<Receipt, Refusal>]) -> HashMap<&'c str, usize> {
    let mut told = HashMap::new();
    let written = changes.iter().zip(outcomes).filter(|(_, outcome)| outcome.is_ok());
    for event in written.flat_map(|(change, _)| &change.outbox) {
        *told.entry(event.account.as_str()).or_default() += 1;
    }
    told
}

fn answer(replies: Vec<Reply>, outcomes: Vec<Result<Receipt, Refusal>>, runtime: Option<&Handle>) {
    let many = replies.len() >= REPLIES_BY_TASK_MIN;
    let send = move || {
        for (reply, outcome) in replies.into_iter().zip(outcomes) {
            // The caller may have gone; the change is made all the same.
            let _ = reply.send(outcome.map_err(SubmitError::from));
        }
    };
    match runtime.filter(|_| many) {
        Some(runtime) => drop(runtime.spawn(async move { send() })),
        None => send(),
    }
}

/// Where changes come in.
struct Inlet {
    jobs: mpsc::Receiver<Job>,
    crowd: Crowd,
}

/// Who is likely to come soon: those who came during the last commit, and those
/// whom it answered. Whoever is waited for in vain is waited for less often.
#[derive(Debug, Default)]
struct Crowd {
    expected: usize,
    since: Option<Instant>,
    /// Waits in vain in a row, and commits that do not wait for it.
    vain: u32,
    skips: u32,
}

impl Crowd {
    fn answered(&mut self, answered: usize, waiting: usize, now: Instant) {
        self.expected = answered.saturating_add(waiting);
        self.since = Some(now);
    }

    /// Up to how many changes the next commit waits for more.
    fn patience(&mut self, now: Instant) -> usize {
        let fresh = self.since.take().is_some_and(|since| now.saturating_duration_since(since) < CROWD_GONE);
        if !fresh {
            return 0;
        }
        if self.skips > 0 {
            self.skips -= 1;
            return 0;
        }
        self.expected
    }

    /// How a wait ended.
    fn waited(&mut self, came: bool) {
        self.vain = if came { 0 } else { VAIN_MAX.min(self.vain + 1) };
        self.skips = (1 << self.vain) - 1;
    }
}

/// Changes that share a commit, and who waits for them.
#[derive(Default)]
struct Batch {
    changes: Vec<Change>,
    replies: Vec<Reply>,
    bytes: usize,
}

impl Inlet {
    /// A job and those that come with it, within the bounds of one batch, into
    /// an empty one.
    fn gather(&mut self, first: Job, batch: &mut Batch) {
        let patience = self.crowd.patience(Instant::now());
        batch.add(first);
        self.drain(batch);
        let found = batch.changes.len();
        let mut vain = 0;
        for _ in 0..GATHER_WAITS_MAX {
            let before = batch.changes.len();
            if before >= patience || !batch.has_room() {
                break;
            }
            std::thread::sleep(GATHER_WAIT);
            self.drain(batch);
            vain = if batch.changes.len() > before { 0 } else { vain + 1 };
            if vain == GATHER_VAIN_MAX {
                break;
            }
        }
        if found < patience {
            self.crowd.waited(batch.changes.len() > found);
        }
    }

    fn drain(&mut self, batch: &mut Batch) {
        while batch.has_room()
            && let Ok(job) = self.jobs.try_recv()
        {
            batch.add(job);
        }
    }
}

impl Batch {
    fn add(&mut self, job: Job) {
        self.bytes = self.bytes.saturating_add(weight(&job.change));
        self.changes.push(job.change);
        self.replies.push(job.reply);
    }

    const fn has_room(&self) -> bool {
        self.changes.len() < CHANGES_PER_COMMIT_MAX && self.bytes < BYTES_PER_COMMIT_MAX
    }
}

/// Bytes of a change that strangers can make large.
fn weight(change: &Change) -> usize {
    let answer = change.answer.as_ref().map_or(0, |answer| answer.body.len());
    let rows = change.puts.iter().filter_map(|put| put.value.as_ref());
    let keys = change.kv.iter().filter_map(|write| write.value.as_ref());
    let events = change.outbox.iter().map(|event| &event.data);
    rows.chain(keys).chain(events).fold(answer, |sum, value| sum.saturating_add(value.len()))
}

/// Commits; an error and a panic alike become the text of the failure.
fn commit(
    store: &dyn Store,
    changes: &[Change],
    sealer: &mut dyn Sealer,
) -> Result<Vec<Result<Receipt, Refusal>>, String> {
    // Neither store nor sealer is used again after a panic.
    match catch_unwind(AssertUnwindSafe(|| store.commit(changes, sealer))) {
        Ok(outcome) => outcome.map_err(|error| format!("{error}: {:?}", error.source)),
        Err(_) => Err("committing: the store or the ledger panicked".to_owned()),
    }
}

#[cfg(test)]
#[path = "writer_tests.rs"]
mod tests;
