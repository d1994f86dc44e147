//! Runs blocking work outside of the runtime's async threads.

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::{JoinError, spawn_blocking};

/// Runs the work on a thread that may block. A single-threaded runtime (a command, a
/// test, the simulation) runs the work in place: there it delays no other work, and tasks
/// keep their order.
///
/// # Errors
/// The work panicked, or the runtime is stopping.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, JoinError> {
    match Handle::current().runtime_flavor() {
        RuntimeFlavor::CurrentThread => Ok(work()),
        _ => spawn_blocking(work).await,
    }
}

#[cfg(test)]
mod tests {
    use std::thread::current;

    use super::*;

    #[tokio::test]
    async fn a_runtime_of_one_thread_runs_it_in_place() {
        let here = current().id();
        assert_eq!(blocking(|| current().id()).await.unwrap(), here);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn a_runtime_of_many_runs_it_elsewhere() {
        let here = current().id();
        assert_ne!(blocking(|| current().id()).await.unwrap(), here);
    }
}
