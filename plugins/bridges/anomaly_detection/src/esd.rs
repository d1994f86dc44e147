//! Rosner's generalized extreme Studentized deviate test (Technometrics 25, 1983), for an unknown number of
//! outliers up to a stated maximum in a sample that is otherwise about normal.
//!
//! Candidates are removed one by one, always the one farthest from the mean. The number of outliers is the last
//! step whose statistic exceeds its critical value, which is what protects the test against masking.

use bridge_common::student::upper_quantile;

/// The largest share of a sample that may be called outliers, as a divisor: one in this many.
const LARGEST_SHARE: usize = 10;
/// With fewer values the test's critical values are not trustworthy (Rosner recommends 25, and 15 as the least).
pub const FEWEST: usize = 15;

/// One step of the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Place of the value removed in this step, in the order that was handed in.
    pub index: usize,
    /// Its distance from the mean in standard deviations of what was left then.
    pub statistic: f64,
    /// The critical value of this step.
    pub critical: f64,
}

/// What the test found.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The outliers in order of removal; empty when there are none.
    pub outliers: Vec<Step>,
    /// Mean of the values that are left.
    pub mean: f64,
    /// Standard deviation of the values that are left.
    pub deviation: f64,
    /// Critical value by which the next one would have had to be exceeded.
    pub critical: f64,
    /// How many outliers were tested for at most.
    pub tested: usize,
}

/// The default for the largest number of outliers tested for.
#[must_use]
pub fn default_maximum(count: usize) -> usize {
    (count / LARGEST_SHARE).max(10).min(count / 2)
}

/// Runs the test at significance `alpha` for at most `maximum` outliers (cut to half of the values).
#[must_use]
pub fn generalized_esd(values: &[f64], alpha: f64, maximum: usize) -> Outcome {
    let mut ordered: Vec<(f64, usize)> = values.iter().copied().zip(0..).collect();
    ordered.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut rest = ordered.as_slice();
    let maximum = maximum.min(values.len() / 2);
    let mut steps: Vec<Step> = Vec::new();
    let mut clean = rest;
    let mut outliers = 0;
    for number in 1..=maximum {
        let (Some((&first, after_first)), Some((&last, before_last))) = (rest.split_first(), rest.split_last()) else {
            break;
        };
        let (mean, deviation) = moments(rest);
        if deviation <= 0.0 {
            break;
        }
        let from_top = last.0 - mean >= mean - first.0;
        let ((value, index), next) = if from_top { (last, before_last) } else { (first, after_first) };
        let statistic = (value - mean).abs() / deviation;
        let critical = critical_value(values.len(), number, alpha);
        steps.push(Step { index, statistic, critical });
        rest = next;
        if statistic > critical {
            outliers = number;
            clean = rest;
        }
    }
    steps.truncate(outliers);
    let (mean, deviation) = moments(clean);
    let critical = critical_value(values.len(), outliers + 1, alpha);
    Outcome { outliers: steps, mean, deviation, critical, tested: maximum }
}

/// Mean and sample standard deviation in two passes.
fn moments(values: &[(f64, usize)]) -> (f64, f64) {
    let count = values.len().max(1) as f64;
    let mean = values.iter().map(|(v, _)| v).sum::<f64>() / count;
    let squares: f64 = values.iter().map(|(v, _)| (v - mean) * (v - mean)).sum();
    (mean, (squares / (count - 1.0).max(1.0)).sqrt())
}

/// λ of step `number` among `count` values.
fn critical_value(count: usize, number: usize, alpha: f64) -> f64 {
    let left = count.saturating_sub(number) as f64;
    let freedom = (left - 1.0).max(1.0);
    let t = upper_quantile(alpha / (2.0 * (left + 1.0)), freedom);
    left * t / ((freedom + t * t) * (left + 1.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rosner's data as the NIST/SEMATECH e-Handbook (1.3.5.17.3) prints them, with its table of statistics and
    /// critical values, which it cuts to three decimals.
    #[test]
    fn reproduces_the_handbook_table() {
        let values = [
            -0.25, 0.68, 0.94, 1.15, 1.20, 1.26, 1.26, 1.34, 1.38, 1.43, 1.49, 1.49, 1.55, 1.56, 1.58, 1.65, 1.69,
            1.70, 1.76, 1.77, 1.81, 1.91, 1.94, 1.96, 1.99, 2.06, 2.09, 2.10, 2.14, 2.15, 2.23, 2.24, 2.26, 2.35, 2.37,
            2.40, 2.47, 2.54, 2.62, 2.64, 2.90, 2.92, 2.92, 2.93, 3.21, 3.26, 3.30, 3.59, 3.68, 4.30, 4.64, 5.34, 5.42,
            6.01,
        ];
        let outcome = generalized_esd(&values, 0.05, 10);
        let expect = [(53, 3.118, 3.158), (52, 2.942, 3.151), (51, 3.179, 3.143)];
        assert_eq!(outcome.outliers.len(), expect.len());
        for (step, (index, statistic, critical)) in outcome.outliers.iter().zip(expect) {
            assert_eq!(step.index, index);
            assert!((step.statistic - statistic).abs() < 1e-3 && (step.critical - critical).abs() < 1e-3, "{step:?}");
        }
        assert!((outcome.critical - 3.136).abs() < 1e-3);
    }

    #[test]
    fn nothing_in_equal_or_few_values() {
        assert!(generalized_esd(&[], 0.05, 10).outliers.is_empty());
        assert!(generalized_esd(&[7.0; 40], 0.05, 10).outliers.is_empty());
    }
}
