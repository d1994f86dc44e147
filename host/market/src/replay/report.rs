//! The counts and individual results of a replay.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer_difference::{AnswerDifference, PointerDifference};

/// Maximum number of inputs shown per outcome.
const SHOWN_MAX: usize = 5;

/// The outcome of one input in both versions.
#[derive(Debug)]
pub(super) enum Outcome {
    Same,
    Changed(AnswerDifference),
    /// The baseline version gives a different answer each time it runs.
    Unsteady,
    /// Only the version under test failed.
    NewlyFailed(String),
    /// Only the baseline version failed.
    NewlyAnswered(String),
    FailedInBoth,
    /// The input was not run: no call slot was free, or the time was up.
    NotRun,
}

/// One replayed input.
#[derive(Debug)]
pub(super) struct ReplayedInput {
    pub(super) outcome: Outcome,
    /// Duration of the call in the version under test, if it answered.
    pub(super) took: Option<Duration>,
    /// Duration of the call in the baseline version, if it answered.
    pub(super) against_took: Option<Duration>,
    pub(super) input: String,
}

/// The results of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReplayReport {
    /// Id of the plugin: `bridges/NAME` or `agents/NAME`.
    pub plugin: String,
    /// Version under test.
    pub version: String,
    /// Baseline version, with which the version under test is compared.
    pub against: String,
    /// Number of stored inputs in this replay.
    pub inputs: usize,
    /// Number of inputs that both versions answered equally.
    pub same: usize,
    /// Number of inputs that the versions answered differently.
    pub changed: usize,
    /// Number of inputs for which the baseline version gives a different answer each
    /// time.
    pub unsteady: usize,
    /// Number of inputs that only the version under test failed to answer.
    pub newly_failed: usize,
    /// Number of inputs that only the version under test answered.
    pub newly_answered: usize,
    /// Number of inputs that neither version answered.
    pub failed_in_both: usize,
    /// Number of inputs that were not run because no call slot was free or the time was
    /// up.
    pub not_run: usize,
    /// Number of inputs that this host's key does not decrypt; not included in the other
    /// numbers.
    pub unreadable: usize,
    /// Durations of answers from the version under test.
    pub times: ReplayedTimes,
    /// Durations of answers from the baseline version.
    pub against_times: ReplayedTimes,
    /// The first few inputs of each noteworthy outcome.
    pub differences: Vec<ReplayedDifference>,
}

/// Durations of answered calls in microseconds, without queueing; `None` if none was
/// answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReplayedTimes {
    /// Median duration.
    pub p50_micros: Option<u64>,
    /// 95th percentile of the durations.
    pub p95_micros: Option<u64>,
}

/// One input with different outcomes in the two versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayedDifference {
    /// `changed`, `newly_failed` or `newly_answered`.
    pub outcome: String,
    /// Places where the answers differ.
    pub at: Vec<PointerDifference>,
    /// Number of further differing places, which are not listed.
    pub more: usize,
    /// Reason why one of the versions failed.
    pub why: Option<String>,
    /// The input, if the request asked for inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
}

/// A report in progress.
pub(super) struct ReplayTally {
    report: ReplayReport,
    show_inputs: bool,
    micros: Vec<u64>,
    against_micros: Vec<u64>,
}

impl ReplayTally {
    pub(super) const fn new(report: ReplayReport, show_inputs: bool) -> Self {
        Self { report, show_inputs, micros: Vec::new(), against_micros: Vec::new() }
    }

    pub(super) fn add(&mut self, one: ReplayedInput) {
        let micros = |took: Duration| u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.micros.extend(one.took.map(micros));
        self.against_micros.extend(one.against_took.map(micros));
        let report = &mut self.report;
        let number = match &one.outcome {
            Outcome::Same => &mut report.same,
            Outcome::Changed(_) => &mut report.changed,
            Outcome::Unsteady => &mut report.unsteady,
            Outcome::NewlyFailed(_) => &mut report.newly_failed,
            Outcome::NewlyAnswered(_) => &mut report.newly_answered,
            Outcome::FailedInBoth => &mut report.failed_in_both,
            Outcome::NotRun => &mut report.not_run,
        };
        *number = number.saturating_add(1);
        if *number > SHOWN_MAX {
            return;
        }
        let none = AnswerDifference::default();
        let (outcome, AnswerDifference { at, more }, why) = match one.outcome {
            Outcome::Changed(difference) => ("changed", difference, None),
            Outcome::NewlyFailed(why) => ("newly_failed", none, Some(why)),
            Outcome::NewlyAnswered(why) => ("newly_answered", none, Some(why)),
            Outcome::Same | Outcome::Unsteady | Outcome::FailedInBoth | Outcome::NotRun => return,
        };
        let input = if self.show_inputs { serde_json::from_str(&one.input).ok() } else { None };
        let outcome = outcome.to_owned();
        report.differences.push(ReplayedDifference { outcome, at, more, why, input });
    }

    /// Completes the report; inputs that were not reached in time count as not run.
    pub(super) fn end(self) -> ReplayReport {
        let Self { mut report, mut micros, mut against_micros, .. } = self;
        let counted = [
            report.same,
            report.changed,
            report.unsteady,
            report.newly_failed,
            report.newly_answered,
            report.failed_in_both,
            report.not_run,
        ];
        let counted = counted.into_iter().fold(0_usize, usize::saturating_add);
        report.not_run = report.not_run.saturating_add(report.inputs.saturating_sub(counted));
        (report.times, report.against_times) = (times(&mut micros), times(&mut against_micros));
        report
    }
}

fn times(micros: &mut [u64]) -> ReplayedTimes {
    micros.sort_unstable();
    let at = |percent: usize| {
        let place = micros.len().saturating_mul(percent).div_ceil(100).checked_sub(1)?;
        micros.get(place).copied()
    };
    ReplayedTimes { p50_micros: at(50), p95_micros: at(95) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn input(outcome: Outcome, micros: Option<u64>) -> ReplayedInput {
        let took = micros.map(Duration::from_micros);
        ReplayedInput { outcome, took, against_took: took, input: "{\"a\":1}".to_owned() }
    }

    fn changed() -> Outcome {
        Outcome::Changed(AnswerDifference::of(&json!({ "x": 1 }), &json!({ "x": 2 })))
    }

    #[test]
    fn every_input_is_counted_once_and_the_first_of_each_kind_are_shown() {
        let report = ReplayReport { inputs: 120, ..ReplayReport::default() };
        let mut tally = ReplayTally::new(report, false);
        for micros in 1..=100 {
            tally.add(input(Outcome::Same, Some(micros)));
        }
        for _ in 0..10 {
            tally.add(input(changed(), None));
        }
        tally.add(input(Outcome::NewlyFailed("trapped".to_owned()), None));
        tally.add(input(Outcome::NewlyAnswered("timed out".to_owned()), None));
        tally.add(input(Outcome::NotRun, None));
        let report = tally.end();
        assert_eq!((report.same, report.changed, report.newly_failed, report.newly_answered), (100, 10, 1, 1));
        assert_eq!(report.not_run, 8, "one input without a call slot, seven out of time");
        assert_eq!(report.times, ReplayedTimes { p50_micros: Some(50), p95_micros: Some(95) });
        let shown: Vec<&str> = report.differences.iter().map(|one| one.outcome.as_str()).collect();
        assert_eq!(shown, ["changed", "changed", "changed", "changed", "changed", "newly_failed", "newly_answered"]);
        assert!(report.differences.iter().all(|one| one.input.is_none()), "inputs must be left out unless requested");
    }

    #[test]
    fn inputs_are_shown_on_request_and_a_missing_answer_has_no_time() {
        let mut tally = ReplayTally::new(ReplayReport { inputs: 1, ..ReplayReport::default() }, true);
        tally.add(input(changed(), None));
        let report = tally.end();
        assert_eq!(report.differences[0].input, Some(json!({ "a": 1 })));
        assert_eq!(report.times, ReplayedTimes::default());
    }
}
