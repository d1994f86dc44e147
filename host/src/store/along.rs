//! Changes that are in no hurry. They ride with the next commit, and make one
//! of their own only when none comes by for a moment: a commit costs two syncs,
//! for which a call would have to wait.
//!
//! Invariant: a change is in here, in the writer's queue, or made; whoever
//! takes it out carries it on.

use std::collections::VecDeque;
use std::time::Duration;

use parking_lot::Mutex;

use super::writer::Job;
use crate::limits::CHANGES_QUEUED_MAX;

/// How long a change waits for company: no longer than a commit or two take on
/// a slow disk.
pub(super) const PATIENCE: Duration = Duration::from_millis(10);

/// What waits for the next commit.
#[derive(Default)]
pub(super) struct Along(Mutex<State>);

#[derive(Default)]
struct State {
    jobs: VecDeque<(u64, Job)>,
    next: u64,
}

impl Along {
    /// Puts a change in; the ticket is for `take`. None when there is no room.
    pub(super) fn put(&self, job: Job) -> Option<u64> {
        let mut state = self.0.lock();
        if state.jobs.len() >= CHANGES_QUEUED_MAX {
            return None;
        }
        let ticket = state.next;
        state.next = ticket.wrapping_add(1);
        state.jobs.push_back((ticket, job));
        Some(ticket)
    }

    /// Takes a change back, if no commit has taken it.
    pub(super) fn take(&self, ticket: u64) -> Option<Job> {
        let mut state = self.0.lock();
        let place = state.jobs.iter().position(|(own, _)| *own == ticket)?;
        state.jobs.remove(place).map(|(_, job)| job)
    }

    /// The oldest of those that wait.
    pub(super) fn pop(&self) -> Option<Job> {
        self.0.lock().jobs.pop_front().map(|(_, job)| job)
    }
}
