//! One attempt to answer one line of a batch.

use bytes::Bytes;
use tollbridge_gateway::{ClientRequest, GatewayError, RoutingPriority};
use tollbridge_store::{Put, Refusal, SubmitError};

use super::batch::Batch;
use super::batch_rows::BatchRowsError;
use super::host::LineCaller;
use super::line::BatchLine;
use super::line_rows::{LineMark, LineRows};
use super::line_step::{LineAttempts, LineStep, line_step};
use super::progress::BatchProgress;
use super::service::Batches;

/// Delay before a line is retried after an internal failure.
const INTERNAL_FAILURE_DELAY_MS: u64 = 60_000;

/// A batch whose lines are being answered.
pub(super) struct OpenBatch<'b> {
    pub(super) account: &'b str,
    pub(super) batch: &'b Batch,
    pub(super) progress: &'b BatchProgress,
}

/// The outcome of an attempt at a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineEnd {
    /// The line has its result.
    Done(LineMark),
    /// The line will be retried.
    Retry { line: u64, after_ms: u64, tries: LineAttempts, is_outage: bool },
    /// The line was not sent, because the batch starts no further lines.
    NotSent,
}

impl Batches {
    pub(super) async fn attempt(&self, open: &OpenBatch<'_>, line: u64, tries: LineAttempts) -> LineEnd {
        match self.try_line(open, line, tries).await {
            Ok(end) => end,
            Err(error) => {
                tracing::error!(batch = open.batch.id, line, %error, "the result of a batch line was not written; retrying");
                LineEnd::Retry { line, after_ms: INTERNAL_FAILURE_DELAY_MS, tries, is_outage: false }
            }
        }
    }

    async fn try_line(&self, open: &OpenBatch<'_>, line: u64, tries: LineAttempts) -> Result<LineEnd, BatchRowsError> {
        let OpenBatch { account, batch, progress } = *open;
        let Some(slot) = self.slot(&self.share(account, batch), progress).await else {
            return Ok(LineEnd::NotSent);
        };
        // An earlier attempt with an unknown outcome may have written the result.
        if let Some(mark) = self.rows.mark(&batch.id, line)? {
            return Ok(LineEnd::Done(mark));
        }
        // Reads the line only once it has a concurrency slot, so that few lines are in
        // memory.
        let text = self.files.line(account, &batch.input_file_id, line)?.unwrap_or_default();
        let (rows, body) = match BatchLine::read(&text, batch.endpoint) {
            Ok(read) => {
                (LineRows::new(account, batch, line, read.custom_id), Bytes::copy_from_slice(read.body.as_bytes()))
            }
            Err(error) => {
                // The line was valid when the batch was checked, so its row has been lost
                // since.
                let rows = LineRows::new(account, batch, line, String::new());
                let lost = GatewayError::Invalid { field: String::new(), message: error.message };
                return self.write(open, line, rows.refused(&self.host.refusal(lost, batch.endpoint))).await;
            }
        };
        drop(text);
        let caller = self.host.check(&body, batch.endpoint);
        let caller = caller.and_then(|()| self.host.caller(&batch.key, batch.endpoint, (self.now_ms)()));
        let caller = match caller {
            Ok(caller) => caller,
            Err(refusal) => return self.write(open, line, rows.refused(&refusal)).await,
        };
        let request = self.request(batch, &rows, caller, body);
        let for_answer = rows.clone();
        let answered = self.gateway.answer_line(request, move |body| for_answer.answered(body)).await;
        drop(slot);
        let error = match answered {
            Ok(()) => return self.done(open, line),
            Err(error) => error,
        };
        match line_step(&error, tries) {
            LineStep::Retry { after_ms, tries, is_outage } => Ok(LineEnd::Retry { line, after_ms, tries, is_outage }),
            LineStep::Refuse => {
                let refusal = self.host.refusal(error, batch.endpoint);
                self.write(open, line, rows.refused(&refusal)).await
            }
        }
    }

    fn request(&self, batch: &Batch, rows: &LineRows, caller: LineCaller, body: Bytes) -> ClientRequest {
        let (format, endpoint) = batch.endpoint.target();
        ClientRequest {
            caller: caller.billed,
            request_id: rows.request_id(),
            now_ms: (self.now_ms)(),
            endpoint,
            format,
            body,
            recording: None,
            priority: RoutingPriority::Balanced,
            idempotency_key: Some(rows.idempotency_key()),
            repeat: false,
        }
    }

    /// Writes the result of a line that is not charged.
    async fn write(&self, open: &OpenBatch<'_>, line: u64, puts: Vec<Put>) -> Result<LineEnd, BatchRowsError> {
        match self.rows.submit(puts).await {
            // An earlier attempt has already written a result for the line.
            Ok(()) | Err(BatchRowsError::Submit(SubmitError::Refused(Refusal::Unexpected { .. }))) => {
                self.done(open, line)
            }
            Err(error) => Err(error),
        }
    }

    fn done(&self, open: &OpenBatch<'_>, line: u64) -> Result<LineEnd, BatchRowsError> {
        match self.rows.mark(&open.batch.id, line)? {
            Some(mark) => Ok(LineEnd::Done(mark)),
            None => Err(SubmitError::Failed.into()),
        }
    }
}
