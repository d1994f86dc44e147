//! What is done next about a task, from its row and whether it is sealed.
//!
//! These functions read and write nothing, so that the model of `task_model.rs`
//! goes through the very decisions of the service.
//!
//! Invariant: a task whose answer is sealed is completed, whatever its row says.

use super::task::TaskRow;

/// What the turn of a queued task does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AttemptStep {
    /// It has ended.
    Skip,
    /// Its answer is sealed: only the row is behind.
    Close,
    /// It is tried.
    Run,
}

/// What the wish to cancel a task does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CancelStep {
    /// It has ended.
    TooLate,
    /// Its answer is sealed: only the row is behind.
    Close,
    /// It runs, and its seal does not depend on its row.
    Refuse,
    /// It ends without an answer.
    End,
}

/// What the turn of a task does. `sealed` says whether its answer is.
pub(super) const fn attempt_step(row: &TaskRow, sealed: bool) -> AttemptStep {
    match (row.state.is_open(), sealed) {
        (false, _) => AttemptStep::Skip,
        (true, true) => AttemptStep::Close,
        (true, false) => AttemptStep::Run,
    }
}

/// What the wish to cancel a task does. `detached` says that it runs since before
/// its row was written.
pub(super) const fn cancel_step(row: &TaskRow, detached: bool, sealed: bool) -> CancelStep {
    match (row.state.is_open(), detached, sealed) {
        (false, ..) => CancelStep::TooLate,
        (true, true, _) => CancelStep::Refuse,
        (true, false, true) => CancelStep::Close,
        (true, false, false) => CancelStep::End,
    }
}
