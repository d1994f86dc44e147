//! Runs one batch: checks and answers its lines, and stores the results.
//!
//! Invariant: once the batch stops starting lines, the lines in flight are awaited, so
//! that no result is written after the end of the batch.

use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt};
use tollbridge_core::blocking::blocking;
use tollbridge_core::fair_limiter::{FairPermit, FairShare};

use super::batch::{Batch, BatchStatus};
use super::batch_rows::BatchRowsError;
use super::line::{BatchError, LineChecker};
use super::line_attempt::{LineEnd, OpenBatch};
use super::line_outcome::LineOutcome;
use super::line_queue::LineQueue;
use super::progress::BatchProgress;
use super::service::Batches;

/// Maximum size of the results of one batch. Above it, no further lines are sent, so that
/// long answers do not fill the disk.
const BATCH_RESULT_BYTES_MAX: u64 = 128 << 20;

/// Time-out of one wait for a concurrency slot, after which the wait is repeated.
const SLOT_TIMEOUT: Duration = Duration::from_secs(3_600);

impl Batches {
    /// Runs a batch until it ends or the process stops.
    pub(super) async fn run(&self, account: &str, id: &str, progress: &BatchProgress) -> Result<(), BatchRowsError> {
        let Some(mut batch) = self.rows.find(account, id)? else { return Ok(()) };
        if batch.status == BatchStatus::Validating {
            let Some(checked) = self.validate(account, batch, progress).await? else { return Ok(()) };
            batch = checked;
        }
        for mark in self.rows.marks(id)?.values() {
            progress.add(mark);
        }
        let open = OpenBatch { account, batch: &batch, progress };
        if batch.status == BatchStatus::InProgress && !self.answer_lines(&open).await? {
            return Ok(());
        }
        self.finish(account, id, progress).await
    }

    /// Checks all lines before any is sent. Returns `None` if the batch was deleted, or
    /// if the server is stopping, so that the check is repeated at the next start.
    async fn validate(
        &self,
        account: &str,
        batch: Batch,
        progress: &BatchProgress,
    ) -> Result<Option<Batch>, BatchRowsError> {
        let share = self.share(account, &batch);
        // A batch that was cancelled while it waited for a slot is not checked.
        let slot = self.slot(&share, progress).await;
        if *self.closing.borrow() {
            return Ok(None);
        }
        let checked = if slot.is_some() { self.check_lines(account, &batch).await? } else { Ok(0) };
        drop(slot);
        let now_ms = (self.now_ms)();
        let note = |batch: &mut Batch| {
            if batch.status != BatchStatus::Validating {
                return false;
            }
            match &checked {
                Ok(total) => {
                    batch.status = BatchStatus::InProgress;
                    batch.counts.total = *total;
                    batch.times.in_progress_ms = Some(now_ms);
                }
                Err(errors) => {
                    batch.status = BatchStatus::Failed;
                    batch.errors.clone_from(errors);
                    batch.times.ended_ms = Some(now_ms);
                }
            }
            true
        };
        self.rows.update(account, &batch.id, note).await
    }

    async fn check_lines(&self, account: &str, batch: &Batch) -> Result<Result<u64, Vec<BatchError>>, BatchRowsError> {
        let (files, account) = (self.files.clone(), account.to_owned());
        let (input, endpoint) = (batch.input_file_id.clone(), batch.endpoint);
        let checking = blocking(move || {
            let mut checker = LineChecker::new(endpoint);
            for number in 1.. {
                let Some(text) = files.line(&account, &input, number)? else { break };
                if !checker.add(number, &text) {
                    break;
                }
            }
            Ok(checker.finish())
        });
        // A panic is an internal defect; the check is repeated at the next start.
        checking.await.unwrap_or_else(|_| Err(tollbridge_store::SubmitError::Failed.into()))
    }

    /// Answers the lines; returns whether the batch can be finished, or false if the
    /// process is stopping.
    async fn answer_lines(&self, open: &OpenBatch<'_>) -> Result<bool, BatchRowsError> {
        let marked = self.rows.marks(&open.batch.id)?;
        let mut queue = LineQueue::new(open.batch.counts.total, |line| marked.contains_key(&line));
        drop(marked);
        let (mut stopping, mut closing) = (open.progress.stopping(), self.closing.subscribe());
        let mut running = FuturesUnordered::new();
        let expires_ms = open.batch.expires_ms();
        while !*closing.borrow() {
            let now_ms = (self.now_ms)();
            let is_over = *stopping.borrow() || now_ms >= expires_ms || is_full(open.progress);
            // The batch is not done while lines are running, even if the queue is empty:
            // a failed line returns to the queue for a retry.
            if is_over || running.is_empty() && queue.is_empty() {
                break;
            }
            while running.len() < queue.at_once()
                && let Some((line, tries)) = queue.take(now_ms)
            {
                running.push(Box::pin(self.attempt(open, line, tries)));
            }
            let mut wait = Duration::from_millis(expires_ms.saturating_sub(now_ms));
            if running.len() < queue.at_once() {
                wait = queue.wait(now_ms, wait);
            }
            tokio::select! {
                Some(end) = running.next(), if !running.is_empty() => self.note(open, &mut queue, end),
                () = tokio::time::sleep(wait) => {}
                _ = stopping.changed() => {}
                _ = closing.changed() => {}
            }
        }
        // Lines that still wait for a slot are not sent; lines in flight are finished.
        open.progress.stop();
        while let Some(end) = running.next().await {
            self.note(open, &mut queue, end);
        }
        Ok(!*closing.borrow())
    }

    fn note(&self, open: &OpenBatch<'_>, queue: &mut LineQueue, end: LineEnd) {
        match end {
            LineEnd::Done(mark) => {
                open.progress.add(&mark);
                // Only an answer shows that the providers work again.
                if mark.outcome == LineOutcome::Succeeded {
                    queue.answered();
                }
            }
            LineEnd::Retry { line, after_ms, tries, is_outage } => {
                let now_ms = (self.now_ms)();
                if is_outage {
                    queue.failed(now_ms);
                }
                queue.put_back(line, tries, now_ms.saturating_add(after_ms));
            }
            LineEnd::NotSent => {}
        }
    }

    /// Returns the tenant whose concurrency slots a batch uses.
    pub(super) fn share(&self, account: &str, batch: &Batch) -> FairShare {
        let caller = self.host.caller(&batch.key, batch.endpoint, (self.now_ms)());
        caller.map_or_else(|_| FairShare::single(account), |caller| caller.share)
    }

    /// Waits for a concurrency slot; `None` if no further line may be started.
    pub(super) async fn slot(&self, share: &FairShare, progress: &BatchProgress) -> Option<FairPermit> {
        let (mut stopping, mut closing) = (progress.stopping(), self.closing.subscribe());
        loop {
            if *stopping.borrow() || *closing.borrow() {
                return None;
            }
            tokio::select! {
                permit = self.slots.acquire(share, SLOT_TIMEOUT) => match permit {
                    Ok(permit) => return Some(permit),
                    // The queue is full, although its limit covers all lines that may
                    // wait; retry after a second.
                    Err(_) => tokio::time::sleep(Duration::from_secs(1)).await,
                },
                _ = stopping.changed() => {}
                _ = closing.changed() => {}
            }
        }
    }
}

/// Returns whether the batch's results have reached their size limit.
pub(super) fn is_full(progress: &BatchProgress) -> bool {
    progress.bytes() >= BATCH_RESULT_BYTES_MAX
}
