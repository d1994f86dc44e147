//! Supervision of a connection from its first byte to its end.

use std::fmt::Display;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;

use tokio::sync::watch;

use super::close_reason::CloseReason;
use super::connection_table::Place;
use super::deadlines::CloseAction;

/// Serves a connection until it must be closed. At a deadline, and when `stopping`
/// becomes true, calls `finish`, which ends the connection after its current requests.
/// Holds `stopping` until the connection has ended, so that the sender can wait for that.
pub(crate) async fn supervise<C, E>(
    serving: C,
    finish: impl Fn(Pin<&mut C>),
    place: Place,
    stopping: watch::Receiver<bool>,
) where
    C: Future<Output = Result<(), E>>,
    E: Display,
{
    let mut serving = pin!(serving);
    let mut deadlines = place.deadlines();
    let mut stop = stopping.clone();
    let mut stop = pin!(async move { stop.wait_for(|stop| *stop).await.is_ok() });
    let mut stopped = false;
    let mut reason = None;
    let served = poll_fn(|context| {
        if !stopped && stop.as_mut().poll(context).is_ready() {
            stopped = true;
            deadlines.close(CloseReason::Idle);
            finish(serving.as_mut());
        }
        loop {
            if let Poll::Ready(served) = serving.as_mut().poll(context) {
                return Poll::Ready(served);
            }
            match deadlines.poll(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(CloseAction::Finish(why)) => {
                    reason = Some(why);
                    finish(serving.as_mut());
                }
                Poll::Ready(CloseAction::End(why)) => {
                    reason = Some(why);
                    return Poll::Ready(Ok(()));
                }
            }
        }
    })
    .await;
    if let Err(error) = served {
        // A client that disconnects is not a server error.
        tracing::debug!(%error, "connection ended early");
    }
    if place.activity.is_flooded() {
        reason = Some(CloseReason::Flood);
    }
    if let Some(reason) = reason {
        reason.count();
    }
}
