//! Lists of an account's own tasks, in pages, newest first.
//!
//! Invariants: a page and its count cover the caller's account only; a page has a bounded
//! size, and a request scans a bounded part of the list. If the scan reaches its bound,
//! the page is shorter and its token continues the scan there.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::error::HandlerError;
use super::request_context::RequestContext;
use super::rpc_error::RpcError;
use super::task::{A2aTask, A2aTaskState};
use super::task_index::{IndexEntry, read_cursor};
use super::tasks::A2aTasks;

/// The filters and the page of a request for tasks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TaskQuery {
    pub(super) context_id: Option<String>,
    pub(super) state: Option<StateFilter>,
    /// Only tasks changed at or after this time are listed, Unix time in milliseconds.
    pub(super) changed_since_ms: u64,
    pub(super) page_size: usize,
    /// The position in the list after which the page begins.
    pub(super) after: Option<String>,
    /// The number of history messages to return with each task.
    pub(super) history_length: Option<usize>,
    /// Whether tasks include their answers.
    pub(super) with_artifacts: bool,
}

/// A state to filter by. `Never` is a state of the protocol that no task of this server
/// has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StateFilter {
    Known(A2aTaskState),
    Never,
}

/// A page of tasks.
pub(crate) struct TaskPage {
    pub(super) tasks: Vec<A2aTask>,
    /// The token of the next page; empty on the last page.
    pub(super) next: String,
    /// The number of matching tasks on all pages; a lower bound if the scan reached its
    /// limit.
    pub(super) total: usize,
}

/// The current states of tasks whose agents are working; their stored rows may be
/// outdated.
type LiveStates = BTreeMap<String, A2aTaskState>;

/// Returns the page of the caller's tasks that match the query.
pub(super) async fn find_page(
    tasks: &A2aTasks,
    context: &RequestContext,
    query: &TaskQuery,
) -> Result<TaskPage, HandlerError> {
    let account = context.account.as_str();
    let live = live_states(tasks, context).await?;
    let fits = |entry: &IndexEntry| query.fits(entry, &live, context.now_ms);
    let mut total = 0_usize;
    tasks.store.walk(account, None, |entry| {
        total = total.saturating_add(usize::from(fits(&entry)));
        entry.updated_ms >= query.changed_since_ms
    })?;
    let (mut page, mut last, mut more) = (Vec::new(), None, false);
    let ended_early = tasks.store.walk(account, query.after.as_deref(), |entry| {
        if fits(&entry) {
            if page.len() >= query.page_size {
                more = true;
                return false;
            }
            page.push(entry.id);
        }
        last = Some(entry.cursor);
        entry.updated_ms >= query.changed_since_ms
    })?;
    let mut listed = Vec::with_capacity(page.len());
    for id in page {
        // Shows the current state, even if the task has changed since the scan; an
        // expired task is skipped.
        listed.extend(tasks.reconcile(account, &id, context.now_ms).await?);
    }
    let next = last.filter(|_| more || ended_early).map_or_else(String::new, |cursor| token(&cursor));
    Ok(TaskPage { tasks: listed, next, total })
}

/// Returns the states of tasks whose agents are working. If an agent has finished, this
/// also stores the final state of its task, so that the task is listed in its new
/// position.
async fn live_states(tasks: &A2aTasks, context: &RequestContext) -> Result<LiveStates, HandlerError> {
    let mut live = BTreeMap::new();
    for id in tasks.store.pending_of(&context.account)? {
        if let Some(task) = tasks.reconcile(&context.account, &id, context.now_ms).await? {
            live.insert(id, task.state);
        }
    }
    Ok(live)
}

impl TaskQuery {
    fn fits(&self, entry: &IndexEntry, live: &LiveStates, now_ms: u64) -> bool {
        let state = live.get(&entry.id).copied().unwrap_or(entry.summary.state);
        entry.summary.expires_ms > now_ms
            && entry.updated_ms >= self.changed_since_ms
            && self.context_id.as_ref().is_none_or(|context| *context == entry.summary.context_id)
            && self.state.is_none_or(|wanted| wanted == StateFilter::Known(state))
    }
}

/// Encodes a position in the list as a page token.
fn token(cursor: &str) -> String {
    URL_SAFE_NO_PAD.encode(cursor)
}

/// Decodes the position in a page token.
pub(super) fn read_token(token: &str) -> Result<String, RpcError> {
    let wrong = || RpcError::params("/params/pageToken", "`pageToken` was not issued by this server");
    let bytes = URL_SAFE_NO_PAD.decode(token).map_err(|_| wrong())?;
    let cursor = String::from_utf8(bytes).map_err(|_| wrong())?;
    if read_cursor(&cursor).is_none() { Err(wrong()) } else { Ok(cursor) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::a2a::task_index::Summary;

    fn query() -> TaskQuery {
        TaskQuery {
            context_id: None,
            state: None,
            changed_since_ms: 0,
            page_size: 50,
            after: None,
            history_length: None,
            with_artifacts: false,
        }
    }

    #[test]
    fn filters_hold_together() {
        let summary = Summary { context_id: "c".to_owned(), state: A2aTaskState::Submitted, expires_ms: 10_000 };
        let entry = IndexEntry { id: "t".to_owned(), updated_ms: 500, summary, cursor: String::new() };
        let working = LiveStates::from([("t".to_owned(), A2aTaskState::Working)]);
        let none = LiveStates::new();
        let state = |state| TaskQuery { state: Some(state), ..query() };
        let context = |id: &str| TaskQuery { context_id: Some(id.to_owned()), ..query() };
        for (query, live, now_ms, expect) in [
            (query(), &none, 0, true),
            (query(), &none, 10_000, false),
            (context("c"), &none, 0, true),
            (context("d"), &none, 0, false),
            (state(StateFilter::Known(A2aTaskState::Submitted)), &none, 0, true),
            (state(StateFilter::Known(A2aTaskState::Submitted)), &working, 0, false),
            (state(StateFilter::Known(A2aTaskState::Working)), &working, 0, true),
            (state(StateFilter::Never), &none, 0, false),
            (TaskQuery { changed_since_ms: 500, ..query() }, &none, 0, true),
            (TaskQuery { changed_since_ms: 501, ..query() }, &none, 0, false),
        ] {
            assert_eq!(query.fits(&entry, live, now_ms), expect, "{query:?}");
        }
    }

    #[test]
    fn tokens_are_those_of_this_server() {
        let cursor = "18446742373709551615/task_1";
        assert_eq!(read_token(&token(cursor)).unwrap(), cursor);
        for wrong in ["", "x", "....", &token("task_1")] {
            assert_eq!(read_token(wrong).unwrap_err().data["details"]["field"], "/params/pageToken", "{wrong}");
        }
    }
}
