//! A wrapper that polls its future again at once if the future woke itself.
//!
//! The handler and the connection of a request run in one task and wake each other: the
//! handler asks for the body, and the connection passes it on. Without this wrapper, each
//! wake-up would pass through the scheduler's queue, and would often move the call to
//! another thread with a cold cache.
//!
//! Invariant: no wake-up is lost; a wake-up during or right after a poll leads to another
//! poll.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::task::AtomicWaker;

/// Maximum number of polls in a row; afterwards, other tasks run, even if a body arrives
/// in many pieces.
const POLLS_MAX: usize = 8;

/// The future wrapper; see the module documentation.
pub(crate) struct Eager<F> {
    future: Pin<Box<F>>,
    flag: Arc<WakeFlag>,
    waker: Waker,
}

#[derive(Default)]
struct WakeFlag {
    polling: AtomicBool,
    woken: AtomicBool,
    outer: AtomicWaker,
}

impl Wake for WakeFlag {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.woken.store(true, Ordering::SeqCst);
        if !self.polling.load(Ordering::SeqCst) {
            self.outer.wake();
        }
    }
}

impl<F: Future> Eager<F> {
    /// Wraps a future.
    pub(crate) fn new(future: F) -> Self {
        let flag = Arc::new(WakeFlag::default());
        Self { future: Box::pin(future), waker: flag.clone().into(), flag }
    }
}

impl<F: Future> Future for Eager<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Self { future, flag, waker } = &mut *self;
        flag.outer.register(context.waker());
        flag.polling.store(true, Ordering::SeqCst);
        let mut inner = Context::from_waker(waker);
        for _ in 0..POLLS_MAX {
            // A swap instead of a plain store: the poll must see all writes that were
            // made before the flag was set.
            flag.woken.swap(false, Ordering::SeqCst);
            if let Poll::Ready(output) = future.as_mut().poll(&mut inner) {
                return Poll::Ready(output);
            }
            if !flag.woken.load(Ordering::SeqCst) {
                break;
            }
        }
        flag.polling.store(false, Ordering::SeqCst);
        if flag.woken.load(Ordering::SeqCst) {
            context.waker().wake_by_ref();
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::time::Duration;

    use futures_util::future::poll_fn;
    use tokio::sync::mpsc;

    use super::*;

    /// A waker that counts wake-ups.
    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Returns a future that wakes itself `times` times before it is ready.
    fn self_waking(times: usize) -> impl Future<Output = usize> {
        let mut polls = 0;
        poll_fn(move |context| {
            polls += 1;
            if polls > times {
                return Poll::Ready(polls);
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
    }

    #[test]
    fn a_self_waking_future_is_polled_again_a_limited_number_of_times() {
        let count = Arc::new(Count::default());
        let waker = count.clone().into();
        let mut context = Context::from_waker(&waker);
        let mut short = Eager::new(self_waking(3));
        assert_eq!(Pin::new(&mut short).poll(&mut context), Poll::Ready(4));
        assert_eq!(count.0.load(Ordering::SeqCst), 0);
        let mut long = Eager::new(self_waking(POLLS_MAX + 3));
        assert_eq!(Pin::new(&mut long).poll(&mut context), Poll::Pending);
        assert_eq!(count.0.load(Ordering::SeqCst), 1);
        assert_eq!(Pin::new(&mut long).poll(&mut context), Poll::Ready(POLLS_MAX + 4));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn no_wake_up_of_other_threads_is_lost() {
        const SENT: usize = 20_000;
        let pairs = (0..8).map(|_| {
            let (to, mut from) = mpsc::channel::<usize>(1);
            tokio::spawn(async move {
                for number in 0..SENT {
                    to.send(number).await.unwrap();
                }
            });
            tokio::spawn(Eager::new(async move {
                let mut received = 0;
                while from.recv().await.is_some() {
                    received += 1;
                }
                received
            }))
        });
        for received in pairs.collect::<Vec<_>>() {
            let received = tokio::time::timeout(Duration::from_secs(60), received).await;
            assert_eq!(received.unwrap().unwrap(), SENT);
        }
    }
}
