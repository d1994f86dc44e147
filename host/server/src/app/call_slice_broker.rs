//! Gets slices of limits that hold over all hosts: what many calls need at once is
//! asked for in one round trip.

use std::pin::Pin;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::oneshot;
use tollbridge_access::{CallSlices, GrantedSlices, SliceNeed, WindowSlice};
use tollbridge_core::time::{HOUR_MS, MINUTE_MS};
use tollbridge_postgres::{CallWindows, PostgresSettings, SliceRequest};
use tollbridge_store::Hosts;

/// Needs that are asked for together at most.
const TOGETHER_MAX: usize = 512;

/// Asks for slices, for all calls of this host.
pub(super) struct CallSliceBroker {
    hosts: Arc<Hosts>,
    windows: CallWindows,
    waiting: Mutex<Vec<(SliceNeed, oneshot::Sender<GrantedSlices>)>>,
    /// Held while the database is asked; others come together meanwhile.
    asking: tokio::sync::Mutex<()>,
}

impl CallSliceBroker {
    pub(super) fn new(settings: PostgresSettings, hosts: Arc<Hosts>) -> Self {
        let windows = CallWindows::new(settings);
        Self { hosts, windows, waiting: Mutex::default(), asking: tokio::sync::Mutex::default() }
    }

    /// Deletes windows that are over.
    pub(super) async fn tidy(&self, now_ms: u64) {
        if let Err(error) = self.windows.delete_ended(now_ms / 1000).await {
            tracing::warn!(%error, "limits of the past were not forgotten");
        }
    }

    /// Asks for what waits.
    async fn ask(&self) {
        let waiting: Vec<_> = {
            let mut waiting = self.waiting.lock();
            let count = waiting.len().min(TOGETHER_MAX);
            waiting.drain(..count).collect()
        };
        if waiting.is_empty() {
            return;
        }
        let requests: Vec<SliceRequest> = waiting.iter().flat_map(|(need, _)| requests(need)).collect();
        match self.windows.take(&requests).await {
            Ok(slices) => {
                let granted =
                    |slice: &tollbridge_postgres::Slice| WindowSlice { granted: slice.granted, taken: slice.taken };
                for ((_, reply), pair) in waiting.into_iter().zip(slices.chunks_exact(2)) {
                    if let [minute, hour] = pair {
                        let _ = reply.send([granted(minute), granted(hour)]);
                    }
                }
            }
            // Nobody is let in who cannot be counted: without the database nothing is sold either.
            Err(error) => tracing::warn!(%error, "what callers may still do is not known"),
        }
    }
}

impl CallSlices for CallSliceBroker {
    fn hosts(&self) -> u32 {
        match self.hosts.has_others() {
            true => u32::try_from(self.hosts.count()).unwrap_or(u32::MAX),
            false => 1,
        }
    }

    fn take(&self, need: SliceNeed) -> Pin<Box<dyn Future<Output = Option<GrantedSlices>> + Send + '_>> {
        Box::pin(async move {
            let (reply, mut granted) = oneshot::channel();
            self.waiting.lock().push((need, reply));
            loop {
                let _turn = self.asking.lock().await;
                match granted.try_recv() {
                    Ok(slices) => return Some(slices),
                    Err(oneshot::error::TryRecvError::Closed) => return None,
                    Err(oneshot::error::TryRecvError::Empty) => self.ask().await,
                }
            }
        })
    }
}

/// What to ask for of the minute and of the hour.
fn requests(need: &SliceNeed) -> [SliceRequest; 2] {
    let client = need.client.share().tenant.to_string();
    let of = |begins_s: u64, length_ms: u64, wanted, most| SliceRequest {
        client: client.clone(),
        begins_s,
        ends_s: begins_s.saturating_add(length_ms / 1000),
        wanted,
        most,
    };
    [
        of(need.minute_begins_s, MINUTE_MS, need.minute_wanted, need.limits.per_minute),
        of(need.hour_begins_s, HOUR_MS, need.hour_wanted, need.limits.per_hour),
    ]
}
