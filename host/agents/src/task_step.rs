//! Decides the next step of a task from its row and from whether its answer is sealed.
//!
//! These functions do no I/O, so that the model in `task_model.rs` uses the service's own
//! decisions.
//!
//! Invariant: a task whose answer is sealed is completed, whatever its row says.

use super::task::TaskRow;

/// The next step of a task that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AttemptStep {
    /// Do nothing: the task has ended.
    Skip,
    /// Close the row as completed: the answer is already sealed.
    Close,
    /// Make an attempt to run the task.
    Run,
}

/// The next step of a task that is to be canceled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CancelStep {
    /// Report that the task has already ended.
    TooLate,
    /// Close the row as completed: the answer is already sealed.
    Close,
    /// Refuse: the task is running, and its answer will be sealed whatever its row says.
    Refuse,
    /// End the task as canceled.
    End,
}

/// Decides the step of a due task. `sealed` is true if the task's answer is sealed.
pub(super) const fn attempt_step(row: &TaskRow, sealed: bool) -> AttemptStep {
    match (row.state.is_open(), sealed) {
        (false, _) => AttemptStep::Skip,
        (true, true) => AttemptStep::Close,
        (true, false) => AttemptStep::Run,
    }
}

/// Decides the step of a cancellation. `detached` is true if the task already ran when
/// its row was created, and `sealed` is true if its answer is sealed.
pub(super) const fn cancel_step(row: &TaskRow, detached: bool, sealed: bool) -> CancelStep {
    match (row.state.is_open(), detached, sealed) {
        (false, ..) => CancelStep::TooLate,
        (true, true, _) => CancelStep::Refuse,
        (true, false, true) => CancelStep::Close,
        (true, false, false) => CancelStep::End,
    }
}
