//! Waiting for asynchronous effects.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// Calls `ask` repeatedly until it returns a value, and returns that value and the
/// elapsed time. After `seconds` without a value, fails with the message `what`.
pub async fn eventually<T, F, A>(what: &str, seconds: u64, mut ask: F) -> Result<(T, Duration)>
where
    F: FnMut() -> A,
    A: Future<Output = Result<Option<T>>>,
{
    let began = Instant::now();
    loop {
        if let Some(found) = ask().await? {
            return Ok((found, began.elapsed()));
        }
        if began.elapsed() > Duration::from_secs(seconds) {
            bail!("not within {seconds} s: {what}");
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
