//! What a replay has found, counted.

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::answer_difference::{AnswerDifference, PointerDifference};

/// Inputs that are shown of each outcome.
const SHOWN_MAX: usize = 5;

/// What became of one input in both versions.
#[derive(Debug)]
pub(super) enum Outcome {
    Same,
    Changed(AnswerDifference),
    /// The version that it is compared with answers otherwise each time.
    Unsteady,
    /// Only the version that is tried failed.
    NewlyFailed(String),
    /// Only the version that it is compared with failed.
    NewlyAnswered(String),
    FailedInBoth,
    /// There was no place to run it, or no time.
    NotRun,
}

/// One input that was run.
#[derive(Debug)]
pub(super) struct ReplayedInput {
    pub(super) outcome: Outcome,
    /// What the version took that is tried, if it answered.
    pub(super) took: Option<Duration>,
    /// Likewise of the version that it is compared with.
    pub(super) against_took: Option<Duration>,
    pub(super) input: String,
}

/// What a replay has found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReplayReport {
    /// `bridges/NAME` or `agents/NAME`.
    pub plugin: String,
    /// The version that was tried.
    pub version: String,
    /// The version that it is compared with.
    pub against: String,
    /// Kept inputs that there were.
    pub inputs: usize,
    /// Answers that are the same.
    pub same: usize,
    /// Answers that differ.
    pub changed: usize,
    /// Inputs that the version that is compared with answers otherwise each time.
    pub unsteady: usize,
    /// Inputs that only the version that is tried failed to answer.
    pub newly_failed: usize,
    /// Inputs that only the version that is tried answered.
    pub newly_answered: usize,
    /// Inputs that neither answered.
    pub failed_in_both: usize,
    /// Inputs for which there was no place or no time.
    pub not_run: usize,
    /// Inputs that this host's key does not open; of no other number above.
    pub unreadable: usize,
    /// Times of the version that was tried, of what it answered.
    pub times: ReplayedTimes,
    /// Times of the version that it is compared with.
    pub against_times: ReplayedTimes,
    /// The first inputs of each outcome that are no matter of course.
    pub differences: Vec<ReplayedDifference>,
}

/// What answers took, in microseconds, without waiting; none of no answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReplayedTimes {
    /// Half of them took at most so long.
    pub p50_micros: Option<u64>,
    /// 95 of 100.
    pub p95_micros: Option<u64>,
}

/// One input that both versions did not answer alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReplayedDifference {
    /// `changed`, `newly_failed` or `newly_answered`.
    pub outcome: &'static str,
    /// Where the answers differ.
    pub at: Vec<PointerDifference>,
    /// Places beyond those.
    pub more: usize,
    /// Why one of them failed.
    pub why: Option<String>,
    /// The input, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
}

/// A report as it grows.
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
        report.differences.push(ReplayedDifference { outcome, at, more, why, input });
    }

    /// The report of all, also of inputs that there was no time for.
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
        assert_eq!(report.not_run, 8, "one without a place, seven without time");
        assert_eq!(report.times, ReplayedTimes { p50_micros: Some(50), p95_micros: Some(95) });
        let shown: Vec<&str> = report.differences.iter().map(|one| one.outcome).collect();
        assert_eq!(shown, ["changed", "changed", "changed", "changed", "changed", "newly_failed", "newly_answered"]);
        assert!(report.differences.iter().all(|one| one.input.is_none()), "an input nobody asked for");
    }

    #[test]
    fn inputs_are_shown_to_whoever_asks_and_no_answer_has_no_time() {
        let mut tally = ReplayTally::new(ReplayReport { inputs: 1, ..ReplayReport::default() }, true);
        tally.add(input(changed(), None));
        let report = tally.end();
        assert_eq!(report.differences[0].input, Some(json!({ "a": 1 })));
        assert_eq!(report.times, ReplayedTimes::default());
    }
}
