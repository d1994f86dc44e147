//! Batches for unit tests.

use std::collections::BTreeMap;

use super::batch::{Batch, BatchCounts, BatchStatus, BatchTimes, RequestMark};
use super::endpoint::BatchEndpoint;

/// A batch that was just accepted.
pub(super) fn batch(endpoint: BatchEndpoint) -> Batch {
    Batch {
        id: "batch_0123".to_owned(),
        endpoint,
        input_file_id: "file-in".to_owned(),
        status: BatchStatus::Validating,
        errors: Vec::new(),
        output_file_id: None,
        error_file_id: None,
        created_ms: 1_780_000_000_000,
        times: BatchTimes::default(),
        counts: BatchCounts::default(),
        metadata: BTreeMap::new(),
        key: String::new(),
        output: "file-out".to_owned(),
        refused: "file-err".to_owned(),
        results_kept_ms: 86_400_000,
        rest: None,
        request: RequestMark::default(),
    }
}
