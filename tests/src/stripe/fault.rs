//! What can go wrong between us and Stripe.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use tokio::sync::Notify;

/// One thing that goes wrong.
#[derive(Clone)]
pub enum Fault {
    /// The request is lost on its way: nothing happens, and no answer comes.
    LostBefore,
    /// It is done, and the answer is lost.
    LostAfter,
    /// 500 without an effect, kept under the idempotency key.
    ErrorBefore,
    /// 500 although it was done, kept under the idempotency key.
    ErrorAfter,
    /// 409: a request under the same key is in flight.
    Conflict,
    /// 429.
    TooMany,
    /// 404, nothing done and nothing kept: a key without the right to look, a
    /// route that is away.
    Missing,
    /// Waits at the gate before anything is done.
    WaitBefore(Gate),
    /// It is done; the answer waits at the gate.
    WaitAfter(Gate),
}

/// Where a request waits until the test has seen it and lets it go.
#[derive(Clone, Default)]
pub struct Gate {
    reached: Arc<Notify>,
    open: Arc<Notify>,
}

impl Gate {
    /// Waits until a request has come this far.
    pub async fn reached(&self) {
        self.reached.notified().await;
    }

    /// Lets it go on.
    pub fn open(&self) {
        self.open.notify_one();
    }

    pub(super) async fn pass(&self) {
        self.reached.notify_one();
        self.open.notified().await;
    }
}

/// Faults that are still to come, by method and beginning of the path.
#[derive(Default)]
pub(super) struct Faults(HashMap<(String, String), VecDeque<Fault>>);

impl Faults {
    pub(super) fn add(&mut self, method: &str, path: &str, faults: &[Fault]) {
        self.0.entry((method.to_owned(), path.to_owned())).or_default().extend(faults.iter().cloned());
    }

    pub(super) fn take(&mut self, method: &str, path: &str) -> Option<Fault> {
        let due =
            self.0.iter_mut().find(|((of, start), queue)| of == method && path.starts_with(start) && !queue.is_empty());
        due.and_then(|(_, queue)| queue.pop_front())
    }
}
