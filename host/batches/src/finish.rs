//! The end of a batch: lines that were not sent get their results, and the result files
//! become visible.
//!
//! Invariants: when a batch has ended, every line has a result; finishing is idempotent.

use std::collections::BTreeMap;

use tollbridge_store::Put;

use super::batch::{Batch, BatchCounts, BatchStatus};
use super::batch_rows::BatchRowsError;
use super::line::BatchLine;
use super::line_outcome::LineOutcome;
use super::line_rows::{LineMark, LineRows};
use super::progress::BatchProgress;
use super::runner::is_full;
use super::service::Batches;
use super::stored_file::{FilePurpose, StoredFile};
use crate::limits::{FILE_BYTES_PER_CHANGE, FILE_ROWS_PER_CHANGE};

impl Batches {
    /// Finishes a batch that has no line in flight.
    pub(super) async fn finish(&self, account: &str, id: &str, progress: &BatchProgress) -> Result<(), BatchRowsError> {
        let now_ms = (self.now_ms)();
        let decide = |batch: &mut Batch| {
            if !batch.status.is_open() || batch.rest.is_some() {
                return false;
            }
            let rest = match batch.status {
                BatchStatus::Cancelling => LineOutcome::Cancelled,
                // If every line has a result, no line gets this outcome. `Errored` then
                // makes the batch `completed`, even after its completion window.
                _ if progress.counts().done() >= batch.counts.total => LineOutcome::Errored,
                _ if is_full(progress) => LineOutcome::Errored,
                _ => LineOutcome::Expired,
            };
            if batch.status == BatchStatus::InProgress {
                batch.status = BatchStatus::Finalizing;
            }
            batch.rest = Some(rest);
            batch.times.finalizing_ms = Some(now_ms);
            true
        };
        let Some(batch) = self.rows.update(account, id, decide).await? else { return Ok(()) };
        if batch.status.is_open() {
            self.write_rest(account, &batch, progress).await?;
            self.end(account, batch.clone()).await?;
        }
        self.rows.close(account, &batch).await
    }

    async fn write_rest(&self, account: &str, batch: &Batch, progress: &BatchProgress) -> Result<(), BatchRowsError> {
        let outcome = batch.rest.unwrap_or(LineOutcome::Errored);
        let marks = self.rows.marks(&batch.id)?;
        let (mut puts, mut bytes) = (Vec::<Put>::new(), 0_usize);
        for number in (1..=batch.counts.total).filter(|number| !marks.contains_key(number)) {
            let text = self.files.line(account, &batch.input_file_id, number)?.unwrap_or_default();
            let custom_id = BatchLine::read(&text, batch.endpoint).map(|line| line.custom_id).unwrap_or_default();
            let rows = LineRows::new(account, batch, number, custom_id).not_sent(outcome);
            bytes = rows.iter().filter_map(|put| put.value.as_ref()).map(Vec::len).fold(bytes, usize::saturating_add);
            puts.extend(rows);
            if bytes >= FILE_BYTES_PER_CHANGE || puts.len() >= FILE_ROWS_PER_CHANGE {
                self.rows.submit(std::mem::take(&mut puts)).await?;
                bytes = 0;
            }
        }
        if !puts.is_empty() {
            self.rows.submit(puts).await?;
        }
        // Count again, now with the results that were just written.
        progress.clear();
        for mark in self.rows.marks(&batch.id)?.values() {
            progress.add(mark);
        }
        Ok(())
    }

    /// Writes the ended batch and its result files in one change.
    async fn end(&self, account: &str, mut batch: Batch) -> Result<(), BatchRowsError> {
        let marks = self.rows.marks(&batch.id)?;
        let now_ms = (self.now_ms)();
        batch.counts = BatchCounts { total: batch.counts.total, ..BatchCounts::default() };
        for mark in marks.values() {
            batch.counts.add(mark.outcome);
        }
        let mut puts = Vec::new();
        for (is_output, id) in [(true, batch.output.clone()), (false, batch.refused.clone())] {
            let Some(file) = result_file(&batch, &marks, is_output, id, now_ms) else { continue };
            let (file, rows) = file.finished(account)?;
            puts.extend(rows);
            let named = if is_output { &mut batch.output_file_id } else { &mut batch.error_file_id };
            *named = Some(file.id);
        }
        batch.status = batch.final_status();
        batch.times.ended_ms = Some(now_ms);
        self.rows.end(account, &batch, puts).await
    }
}

/// Returns the file with a batch's answers, or the file with its other results; `None` if
/// the file would be empty.
fn result_file(
    batch: &Batch,
    marks: &BTreeMap<u64, LineMark>,
    is_output: bool,
    id: String,
    now_ms: u64,
) -> Option<StoredFile> {
    let of = |mark: &LineMark| (mark.outcome == LineOutcome::Succeeded) == is_output;
    // A result keeps the number of its input line, so the last number may exceed the
    // number of lines in this file.
    let lines = marks.iter().filter(|(_, mark)| of(mark)).map(|(number, _)| *number).max()?;
    let (purpose, kind) = match batch.is_of_messages() {
        true => (FilePurpose::MessageBatch, "results"),
        false => (FilePurpose::BatchOutput, if is_output { "output" } else { "error" }),
    };
    let name = format!("{}_{kind}.jsonl", batch.id);
    let mut file = StoredFile::new(id, &name, purpose, now_ms, batch.results_kept_ms);
    file.lines = lines;
    file.bytes = marks.values().filter(|mark| of(mark)).map(|mark| mark.size).fold(0, u64::saturating_add);
    Some(file)
}
