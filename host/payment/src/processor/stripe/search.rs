//! Searches for objects whose creation was requested but not confirmed.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::super::error::{LookupError, ProcessorError};
use super::client::StripeClient;
use super::http::unexpected;

/// Maximum number of list pages read: ten thousand objects at a hundred per page.
const LIST_PAGES_MAX: usize = 100;
/// The search covers objects created up to this many seconds before the request, because
/// clocks differ.
const LOST_BEFORE_S: u64 = 3_600;
/// The search covers objects created up to this many seconds after the request: a lost
/// request is repeated for at most 23 hours, and clocks differ.
const LOST_AFTER_S: u64 = 2 * 86_400;

/// An object of Stripe's that can be listed.
pub(super) trait Listed: DeserializeOwned {
    /// Returns the object's id, after which the next page of a list starts.
    fn id(&self) -> &str;
}

#[derive(Deserialize)]
struct Page<T> {
    data: Vec<T>,
    has_more: bool,
}

/// Passes to `take` the objects created around the time of a request (Unix milliseconds),
/// until `take` returns a result.
pub(super) async fn search_around<T: Listed, R>(
    client: &StripeClient,
    path: &str,
    asked_ms: u64,
    mut take: impl FnMut(T) -> Result<Option<R>, ProcessorError>,
) -> Result<Option<R>, LookupError> {
    let asked_s = asked_ms / 1000;
    let from = asked_s.saturating_sub(LOST_BEFORE_S).to_string();
    let until = asked_s.saturating_add(LOST_AFTER_S).to_string();
    let mut after = None::<String>;
    for _ in 0..LIST_PAGES_MAX {
        let mut query = vec![("limit", "100"), ("created[gte]", from.as_str()), ("created[lte]", until.as_str())];
        query.extend(after.as_deref().map(|id| ("starting_after", id)));
        let page: Page<T> = client.get(path, &query).await?;
        after = page.data.last().map(|object| object.id().to_owned());
        for object in page.data {
            if let Some(result) = take(object)? {
                return Ok(Some(result));
            }
        }
        if !page.has_more || after.is_none() {
            return Ok(None);
        }
    }
    Err(unexpected("more objects than the search limit").into())
}
