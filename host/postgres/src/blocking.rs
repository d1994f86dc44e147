//! A single-threaded async runtime for callers that block.

use std::time::Duration;

use tokio::runtime::Runtime;

use crate::error::PostgresError;

/// An async runtime on which a caller blocks until a database operation completes. It may
/// be dropped anywhere, even inside another runtime.
pub(crate) struct BlockingRuntime(Option<Runtime>);

impl BlockingRuntime {
    pub(crate) fn new() -> Result<Self, PostgresError> {
        Ok(Self(Some(tokio::runtime::Builder::new_current_thread().enable_all().build()?)))
    }

    /// Blocks until a future completes, for at most the given time.
    pub(crate) fn wait<T>(
        &self,
        at_most: Duration,
        future: impl Future<Output = Result<T, PostgresError>>,
    ) -> Result<T, PostgresError> {
        let Some(runtime) = &self.0 else { return Err(PostgresError::TimeOut(0)) };
        let ended = runtime.block_on(async { tokio::time::timeout(at_most, future).await });
        ended.unwrap_or(Err(PostgresError::TimeOut(at_most.as_secs())))
    }
}

impl Drop for BlockingRuntime {
    fn drop(&mut self) {
        // The drop may happen inside another runtime, which must not be blocked.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
