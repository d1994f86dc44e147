//! Runs each stream of an HTTP/2 connection as a task, and resets a stream if its client
//! does not read the response.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::rt::Executor;
use metrics::counter;
use tokio::time::{Instant, Sleep, sleep};

use super::answer_body::Progress;

/// Time that a client gets back in its allowance for each chunk that it reads. A chunk is
/// up to 8 KiB, so a client that reads at least 4 KiB per second is never cut off.
const HTTP2_PIECE_MS: u64 = 2_000;

/// The executor; see the module documentation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamExecutor {
    /// Maximum total time for which a client may delay one response.
    pub(crate) unread: Duration,
}

impl<F: Future<Output: Send + 'static> + Send + 'static> Executor<F> for StreamExecutor {
    fn execute(&self, stream: F) {
        tokio::spawn(within_allowance(stream, self.unread));
    }
}

/// Runs a stream. If its client has delayed the response for too long, the stream is
/// dropped and thereby reset; the connection's other streams continue.
async fn within_allowance<F: Future>(stream: F, unread: Duration) {
    let mut stream = pin!(stream);
    let mut allowance = Allowance::new(unread);
    poll_fn(|context| {
        // Discard the progress that another task left on this thread.
        Progress::take();
        if stream.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        allowance.poll(context, Progress::take())
    })
    .await;
}

/// The time for which a client may still delay a response.
#[derive(Debug)]
struct Allowance {
    most: Duration,
    left: Duration,
    /// Start of the current wait for the client, and its timer.
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl Allowance {
    const fn new(most: Duration) -> Self {
        Self { most, left: most, waiting: None }
    }

    /// Resolves when the client has used up its time.
    fn poll(&mut self, context: &mut Context<'_>, progress: Progress) -> Poll<()> {
        if progress.waits_for_us || progress.pieces > 0 {
            if let Some((since, _)) = self.waiting.take() {
                self.left = self.left.saturating_sub(since.elapsed());
            }
            let back = Duration::from_millis(HTTP2_PIECE_MS).saturating_mul(progress.pieces);
            self.left = self.left.saturating_add(back).min(self.most);
        }
        if progress.waits_for_us {
            return Poll::Pending;
        }
        let left = self.left;
        let (_, timer) = self.waiting.get_or_insert_with(|| (Instant::now(), Box::pin(sleep(left))));
        let over = timer.as_mut().poll(context);
        if over.is_ready() {
            counter!("tollbridge_http2_streams_unread_total").increment(1);
        }
        over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNREAD: Duration = Duration::from_secs(30);
    const TAKEN: Progress = Progress { waits_for_us: false, pieces: 1 };
    const NOTHING: Progress = Progress { waits_for_us: false, pieces: 0 };
    const OURS: Progress = Progress { waits_for_us: true, pieces: 0 };

    /// Returns whether the allowance is not used up within `seconds`, if the first poll
    /// reports the progress `first` and later polls report none.
    async fn lasts(allowance: &mut Allowance, first: Progress, seconds: u64) -> bool {
        let mut next = first;
        let waiting = poll_fn(|context| allowance.poll(context, std::mem::replace(&mut next, NOTHING)));
        tokio::time::timeout(Duration::from_secs(seconds), waiting).await.is_err()
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_has_half_a_minute() {
        let mut allowance = Allowance::new(UNREAD);
        assert!(lasts(&mut allowance, NOTHING, 29).await);
        assert!(!lasts(&mut allowance, NOTHING, 2).await);
        // Waiting for a call, or for the next event, does not use up the client's time.
        let mut allowance = Allowance::new(UNREAD);
        for _ in 0..100 {
            let ours = poll_fn(|context| allowance.poll(context, OURS));
            assert!(tokio::time::timeout(Duration::from_secs(60), ours).await.is_err());
        }
        assert!(lasts(&mut allowance, NOTHING, 29).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_client_stays_and_a_dripping_one_is_closed() {
        let mut slow = Allowance::new(UNREAD);
        for piece in 0..1000 {
            assert!(lasts(&mut slow, TAKEN, 2).await, "piece {piece}");
        }
        let mut dripping = Allowance::new(UNREAD);
        let mut taken = 0_u32;
        while lasts(&mut dripping, TAKEN, 10).await {
            taken += 1;
        }
        assert!(taken < 5, "{taken} pieces in {} s", taken * 10);
    }
}
