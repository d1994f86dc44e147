//! Decides the next step of a task, from its row and whether it is sealed.
//!
//! These functions do no I/O, so that the model of `task_model.rs` uses the
//! service's own decisions.
//!
//! Invariant: a task whose answer is sealed is completed, whatever its row
//! says.

use super::task::TaskRow;

/// The step when a queued task becomes due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AttemptStep {
    /// Do nothing: the task has ended.
    Skip,
    /// Close the row: the answer is already sealed.
    Close,
    /// Run an attempt.
    Run,
}

/// The step when a task is to be canceled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CancelStep {
    /// Report that the task has ended.
    TooLate,
    /// Close the row: the answer is already sealed.
    Close,
    /// Refuse: the task is running, and its seal does not depend on its row.
    Refuse,
    /// End the task without an answer.
    End,
}

/// Decides the step of a due task. `sealed` tells whether its answer is sealed.
pub(super) const fn attempt_step(row: &TaskRow, sealed: bool) -> AttemptStep {
    match (row.state.is_open(), sealed) {
        (false, _) => AttemptStep::Skip,
        (true, true) => AttemptStep::Close,
        (true, false) => AttemptStep::Run,
    }
}

/// Decides the step of a cancellation. `detached` tells whether the task was
/// running before its row was written.
pub(super) const fn cancel_step(row: &TaskRow, detached: bool, sealed: bool) -> CancelStep {
    match (row.state.is_open(), detached, sealed) {
        (false, ..) => CancelStep::TooLate,
        (true, true, _) => CancelStep::Refuse,
        (true, false, true) => CancelStep::Close,
        (true, false, false) => CancelStep::End,
    }
}
