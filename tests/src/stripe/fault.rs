//! Faults in the communication between Tollbridge and Stripe.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use tokio::sync::Notify;

/// A fault in one request or its answer.
#[derive(Clone)]
pub enum Fault {
    /// The request is lost in transit: it has no effect and gets no answer.
    LostBefore,
    /// The request takes effect, and the answer is lost.
    LostAfter,
    /// The request has no effect and is answered with 500, which is stored under the
    /// idempotency key.
    ErrorBefore,
    /// The request takes effect but is answered with 500, which is stored under the
    /// idempotency key.
    ErrorAfter,
    /// The request is answered with 409, as if another request with the same key were in
    /// flight.
    Conflict,
    /// The request has no effect and is answered with 429.
    TooMany,
    /// The request has no effect and is answered with 404, and nothing is stored; as for
    /// a key without read permission, or a missing route.
    Missing,
    /// The request waits at the gate before it takes effect.
    WaitBefore(Gate),
    /// The request takes effect, and its answer waits at the gate.
    WaitAfter(Gate),
}

/// A gate that holds a request until the test has seen it and opens the gate.
#[derive(Clone, Default)]
pub struct Gate {
    reached: Arc<Notify>,
    open: Arc<Notify>,
}

impl Gate {
    /// Waits until a request has reached the gate.
    pub async fn reached(&self) {
        self.reached.notified().await;
    }

    /// Lets the waiting request continue.
    pub fn open(&self) {
        self.open.notify_one();
    }

    pub(super) async fn pass(&self) {
        self.reached.notify_one();
        self.open.notified().await;
    }
}

/// Queued faults, by method and path prefix.
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
