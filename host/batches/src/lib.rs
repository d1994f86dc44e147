//! Batches: many requests in a file, each answered by the gateway like a direct call within
//! a day, with the results in files.
//!
//! `Batches` creates and shows batches, `runner` runs a batch from beginning to end,
//! `line_attempt` sends one line, `finish` ends a batch. `StoredFiles` stores the lines and
//! the results.
//!
//! Invariant: a line has one result, written in the change that bills it. The crate never
//! imports plugins, the catalog or HTTP routes.

mod batch;
mod batch_rows;
mod endpoint;
mod finish;
#[cfg(test)]
mod fuzz_tests;
mod host;
pub mod limits;
mod line;
mod line_attempt;
mod line_outcome;
mod line_queue;
mod line_rows;
mod line_step;
mod message_batch;
mod progress;
mod runner;
mod service;
mod stored_file;
mod stored_files;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod views;

pub use batch::{Batch, BatchCounts, BatchStatus, BatchTimes, RequestMark};
pub use batch_rows::BatchRowsError;
pub use endpoint::BatchEndpoint;
pub use host::{BatchHost, LineCaller, LineRefusal};
pub use line::BatchError;
pub use service::{Batches, BatchesError, NewBatch};
pub use stored_file::{FileError, FilePurpose, StoredFile};
pub use stored_files::{NewFile, StoredFiles};
pub use views::{BatchView, FileView, MessageBatchView};
