//! Errors of files and batches.

use axum::http::HeaderValue;
use tollbridge_api::error::{ApiError, Code, internal, not_found};
use tollbridge_batches::{BatchRowsError, BatchesError, FileError};
use tollbridge_store::SubmitError;

use crate::errors::SHOULD_RETRY;

/// Maps a file error to the API error that the client sees.
pub(crate) fn file_error(error: FileError) -> ApiError {
    let message = error.to_string();
    match error {
        FileError::Empty | FileError::TooManyLines | FileError::LineTooLong { .. } => {
            ApiError::invalid("/file", message)
        }
        // Retrying helps only after the client has deleted files or the batch has ended,
        // so clients should not retry.
        FileError::Full { .. } | FileError::InUse(_) => ApiError::invalid("", message),
        FileError::NotInput(_) => ApiError::invalid("/input_file_id", message),
        FileError::Unknown(_) => not_found(message),
        FileError::Submit(SubmitError::Busy) => ApiError::new(Code::Overloaded, message).retry_after(1),
        FileError::NoRandomness | FileError::Store(_) | FileError::Submit(_) => internal(&message),
    }
}

/// Maps a batch error to the API error that the client sees.
pub(crate) fn batches_error(error: BatchesError) -> ApiError {
    let message = error.to_string();
    match error {
        BatchesError::File(error) => file_error(error),
        BatchesError::Invalid { field, .. } => ApiError::invalid(&field, message),
        BatchesError::Unknown(_) => not_found(message),
        // Client libraries would retry within seconds, long before an open batch ends.
        BatchesError::TooManyOpen => {
            let no = HeaderValue::from_static("false");
            ApiError::new(Code::RateLimited, message).retry_after(60).header(SHOULD_RETRY, no)
        }
        BatchesError::ServerFull => ApiError::new(Code::Overloaded, message).retry_after(30),
        BatchesError::Ended(_) | BatchesError::NotEnded(_) => ApiError::invalid("", message),
        BatchesError::KeyReused => ApiError::new(Code::IdempotencyReused, message),
        BatchesError::Rows(BatchRowsError::Submit(SubmitError::Busy)) => {
            ApiError::new(Code::Overloaded, message).retry_after(1)
        }
        BatchesError::Rows(_) => internal(&message),
    }
}
