//! A future that runs to completion even if its caller is dropped.
//!
//! A client that disconnects drops the future of its request at any await point. Work
//! that has begun to spend money must not stop half-way, but a separate task for every
//! call would cost a wake-up each. The future therefore runs where it is awaited, and a
//! task completes it only if it is dropped.
//!
//! Invariant: once polled, the future runs to its end, unless it panics or the runtime
//! stops.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use tokio::runtime::Handle;

/// A future that a task completes if it is dropped; see the module documentation.
pub struct Finish<T: Send + 'static>(Option<BoxFuture<'static, T>>);

impl<T: Send + 'static> Finish<T> {
    /// Wraps the future `rest`, which runs to its end even if the wrapper is dropped.
    pub fn new(rest: impl Future<Output = T> + Send + 'static) -> Self {
        Self(Some(Box::pin(rest)))
    }
}

impl<T: Send + 'static> Future for Finish<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        // Move the future out while it is polled, because it must not be polled again
        // after a panic.
        let Some(mut rest) = self.0.take() else { return Poll::Pending };
        let polled = rest.as_mut().poll(context);
        if polled.is_pending() {
            self.0 = Some(rest);
        }
        polled
    }
}

impl<T: Send + 'static> Drop for Finish<T> {
    fn drop(&mut self) {
        if let Some(rest) = self.0.take()
            && let Ok(runtime) = Handle::try_current()
        {
            drop(runtime.spawn(rest));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use futures_util::FutureExt;
    use tokio::sync::{Notify, oneshot};

    use super::*;

    #[tokio::test]
    async fn gives_what_the_future_gives() {
        assert_eq!(Finish::new(async { 7 }).await, 7);
    }

    #[tokio::test]
    async fn goes_on_when_it_is_dropped_half_way() {
        let (go, ended) = (Arc::new(Notify::new()), Arc::new(AtomicBool::new(false)));
        let (done, wait) = oneshot::channel();
        let (gate, flag) = (go.clone(), ended.clone());
        let mut rest = Finish::new(async move {
            gate.notified().await;
            flag.store(true, Ordering::SeqCst);
            let _ = done.send(());
        });
        assert!((&mut rest).now_or_never().is_none());
        drop(rest);
        assert!(!ended.load(Ordering::SeqCst));
        go.notify_one();
        wait.await.unwrap();
        assert!(ended.load(Ordering::SeqCst));
    }

    #[tokio::test]
    async fn a_panic_ends_it() {
        let rest = std::panic::AssertUnwindSafe(Finish::<()>::new(async { panic!("on purpose") }));
        assert!(rest.catch_unwind().await.is_err());
    }
}
