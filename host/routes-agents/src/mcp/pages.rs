//! Paginated lists, ordered by name: a cursor is the last name of the previous page, so entries
//! that appear or disappear meanwhile shift nothing.

use rmcp::model::{CacheScope, PaginatedRequestParams};

/// Number of tools, resources or prompts on one page of their list: a registry may have
/// thousands.
const MCP_LISTED_PER_PAGE: usize = 100;

/// Time for which clients may cache lists and their entries, in milliseconds. Prices
/// seldom change, and each call states its price.
pub(crate) const KEPT_MS: u64 = 5 * 60 * 1000;
/// Cache scope of lists and their entries: only the requesting client may cache them.
pub(crate) const KEPT_BY: CacheScope = CacheScope::Private;

/// One page of names, and the cursor for the next page.
pub(crate) struct Page {
    pub names: Vec<String>,
    pub next: Option<String>,
}

impl Page {
    /// Returns the requested page.
    pub(crate) fn of(names: impl Iterator<Item = String>, request: Option<PaginatedRequestParams>) -> Self {
        let after = request.and_then(|request| request.cursor).unwrap_or_default();
        let mut names: Vec<String> = names.filter(|name| *name > after).collect();
        names.sort();
        names.dedup();
        let more = names.len() > MCP_LISTED_PER_PAGE;
        names.truncate(MCP_LISTED_PER_PAGE);
        let next = names.last().filter(|_| more).cloned();
        Self { names, next }
    }
}

/// Builds a list with its cursor and cache lifetime.
macro_rules! listed {
    ($list:ty, $items:expr, $next:expr) => {{
        let mut list = <$list>::with_all_items($items);
        list.next_cursor = $next;
        list.ttl_ms = Some($crate::mcp::pages::KEPT_MS);
        list.cache_scope = Some($crate::mcp::pages::KEPT_BY);
        list
    }};
}
pub(crate) use listed;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_follow_each_other_without_gaps() {
        let all: Vec<String> = (0..250).rev().map(|number| format!("n{number:03}")).collect();
        let (mut read, mut cursor) = (Vec::new(), None);
        loop {
            let request = PaginatedRequestParams::default().with_cursor(cursor);
            let page = Page::of(all.iter().cloned(), Some(request));
            assert!(page.names.len() <= MCP_LISTED_PER_PAGE);
            read.extend(page.names);
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(read, all.into_iter().rev().collect::<Vec<_>>());
        let twice = ["b", "a", "b"].map(str::to_owned);
        assert_eq!(Page::of(twice.into_iter(), None).names, ["a", "b"]);
    }
}
