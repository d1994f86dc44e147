//! Obtains slices of call limits from the database. The limits apply to all hosts
//! together, so each host requests a slice of them.

use std::pin::Pin;
use std::sync::Arc;

use tollbridge_access::{CallSlices, GrantedSlices, SliceNeed, WindowSlice};
use tollbridge_core::time::{HOUR_MS, MINUTE_MS};
use tollbridge_postgres::{CallWindows, PostgresSettings, Slice, SliceRequest};
use tollbridge_store::Hosts;

/// A client of the database for slices of call limits.
pub(super) struct CallSliceBroker {
    hosts: Arc<Hosts>,
    windows: CallWindows,
}

impl CallSliceBroker {
    pub(super) fn new(settings: PostgresSettings, hosts: Arc<Hosts>) -> Self {
        Self { hosts, windows: CallWindows::new(settings) }
    }

    /// Deletes limit windows (minutes and hours) that have ended.
    pub(super) async fn clean_up(&self, now_ms: u64) {
        if let Err(error) = self.windows.delete_ended(now_ms / 1000).await {
            tracing::warn!(%error, "cannot delete ended limit windows");
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

    fn take<'a>(
        &'a self,
        needs: &'a [SliceNeed],
    ) -> Pin<Box<dyn Future<Output = Option<Vec<GrantedSlices>>> + Send + 'a>> {
        Box::pin(async move {
            let requests: Vec<SliceRequest> = needs.iter().flat_map(requests).collect();
            let granted = |slice: &Slice| WindowSlice { granted: slice.granted, taken: slice.taken };
            match self.windows.take(&requests).await {
                Ok(slices) => {
                    let (pairs, _) = slices.as_chunks::<2>();
                    Some(pairs.iter().map(|pair| pair.each_ref().map(granted)).collect())
                }
                // Admit no caller whose calls cannot be counted. Little is lost: without
                // the database no call can be sold either.
                Err(error) => {
                    tracing::warn!(%error, "cannot read the remaining limits of callers");
                    None
                }
            }
        })
    }
}

/// Builds the requests for the minute's and the hour's slice.
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
