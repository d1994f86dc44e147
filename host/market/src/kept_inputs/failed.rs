//! Inputs of recent failed calls, so that a plugin's author can reproduce the failure.
//!
//! Invariants: inputs are stored in memory only, and only for plugins for which the
//! operator enabled this; they are bounded in number, bytes and time, and do not contain
//! the caller's account and address.

use std::collections::{HashMap, VecDeque};

use parking_lot::Mutex;

/// Maximum number of inputs of failed calls of one plugin that are kept in memory: enough
/// to find the call behind a complaint.
const FAILED_INPUTS_MAX: usize = 32;
/// Maximum number of bytes of the failed inputs of one plugin.
const FAILED_INPUTS_BYTES_MAX: usize = 512 << 10;

/// A call that failed in a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedInput {
    /// Id of the failed request.
    pub request_id: String,
    /// Version of the plugin that failed.
    pub version: String,
    /// Time of the call, Unix milliseconds.
    pub at_ms: u64,
    /// Reason of the failure, as shown to the operator.
    pub why: String,
    /// Input as the JSON text of an object; for an agent, the object includes the `task`.
    pub body: String,
}

/// Inputs of failed calls by the plugin's row key, oldest first.
#[derive(Debug, Default)]
pub(super) struct FailedInputs(Mutex<HashMap<String, VecDeque<FailedInput>>>);

impl FailedInputs {
    /// Stores an input and drops the oldest ones above the limits.
    pub(super) fn keep(&self, plugin: String, input: FailedInput) {
        let mut plugins = self.0.lock();
        let inputs = plugins.entry(plugin).or_default();
        inputs.push_back(input);
        let mut bytes = inputs.iter().fold(0_usize, |sum, one| sum.saturating_add(one.body.len()));
        while inputs.len() > FAILED_INPUTS_MAX || bytes > FAILED_INPUTS_BYTES_MAX {
            let Some(oldest) = inputs.pop_front() else { return };
            bytes = bytes.saturating_sub(oldest.body.len());
        }
    }

    /// Returns the input of a request, unless it is older than `since_ms`.
    pub(super) fn find(&self, plugin: &str, request_id: &str, since_ms: u64) -> Option<FailedInput> {
        let plugins = self.0.lock();
        let found = plugins.get(plugin)?.iter().find(|input| input.request_id == request_id)?;
        (found.at_ms >= since_ms).then(|| found.clone())
    }

    /// Drops the expired inputs of each plugin: those older than the time that `since_ms`
    /// returns for it.
    pub(super) fn clean_up(&self, since_ms: impl Fn(&str) -> u64) {
        self.0.lock().retain(|plugin, inputs| {
            let since_ms = since_ms(plugin);
            inputs.retain(|input| input.at_ms >= since_ms);
            !inputs.is_empty()
        });
    }

    /// Drops all inputs of a plugin; returns their number.
    pub(super) fn forget(&self, plugin: &str) -> usize {
        self.0.lock().remove(plugin).map_or(0, |inputs| inputs.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(number: usize, bytes: usize) -> FailedInput {
        FailedInput {
            request_id: format!("req_{number}"),
            version: "1.0.0".to_owned(),
            at_ms: number as u64,
            why: "trapped".to_owned(),
            body: "x".repeat(bytes),
        }
    }

    #[test]
    fn the_last_failures_are_found_by_their_requests() {
        let inputs = FailedInputs::default();
        for number in 0..=FAILED_INPUTS_MAX {
            inputs.keep("bridge/a".to_owned(), failed(number, 10));
        }
        assert!(inputs.find("bridge/a", "req_0", 0).is_none(), "the oldest was dropped");
        assert_eq!(inputs.find("bridge/a", "req_1", 0), Some(failed(1, 10)));
        assert!(inputs.find("bridge/a", "req_1", 2).is_none() && inputs.find("bridge/b", "req_1", 0).is_none());
        inputs.clean_up(|_| 3);
        assert!(inputs.find("bridge/a", "req_2", 0).is_none() && inputs.find("bridge/a", "req_3", 0).is_some());
        assert_eq!((inputs.forget("bridge/a"), inputs.forget("bridge/a")), (FAILED_INPUTS_MAX - 2, 0));
    }

    #[test]
    fn large_ones_are_fewer() {
        let inputs = FailedInputs::default();
        for number in 0..4 {
            inputs.keep("bridge/a".to_owned(), failed(number, FAILED_INPUTS_BYTES_MAX / 2));
        }
        assert!(inputs.find("bridge/a", "req_1", 0).is_none() && inputs.find("bridge/a", "req_2", 0).is_some());
    }
}
