//! Limits that the request sets itself: `above 100`, `outside 20 to 30`, `more than 2 standard deviations`.

use agent_common::quantity;

use crate::stats;

/// A rule of the person's own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    /// Values above or below a bound stand out.
    Bounds { low: Option<f64>, high: Option<f64> },
    /// So many standard deviations from the mean.
    Deviations(f64),
    /// So many percent from the mean, or from the median.
    Percent { share: f64, median: bool },
    /// So many percent from the value before.
    Change(f64),
    /// Outside the fences of Tukey.
    Fences,
}

const ABOVE: [&str; 14] = [
    "above ",
    "over ",
    "more than ",
    "greater than ",
    "exceeding ",
    "exceeds ",
    "exceed ",
    "higher than ",
    "> ",
    ">",
    "bigger than ",
    "larger than ",
    "über ",
    "at most ",
];
const BELOW: [&str; 9] =
    ["below ", "under ", "less than ", "lower than ", "fewer than ", "smaller than ", "< ", "<", "unter "];
const BETWEEN: [&str; 16] = [
    "outside of ",
    "outside the range ",
    "outside ",
    "not between ",
    "between ",
    "range of ",
    "range is ",
    "range ",
    "limits are ",
    "limits ",
    "limits: ",
    "tolerance ",
    "allowed: ",
    "allowed are ",
    "within ",
    "should be ",
];

/// Reads the words that ask.
pub fn read(asked: &str) -> Option<Rule> {
    let lower = asked.to_lowercase().replace('−', "-");
    if lower.contains("iqr")
        || lower.contains("tukey")
        || lower.contains("interquartile")
        || lower.contains("box plot")
        || lower.contains("boxplot")
    {
        return Some(Rule::Fences);
    }
    if let Some(count) = deviations(&lower) {
        return Some(Rule::Deviations(count));
    }
    if let Some(rule) = percent(&lower) {
        return Some(rule);
    }
    let rule = bounds(&lower)?;
    Some(rule)
}

/// The first amount at the beginning of a text.
fn first(text: &str) -> Option<quantity::Quantity> {
    quantity::scan(text).into_iter().next().filter(|q| q.start < 3 && !q.ordinal)
}

fn deviations(lower: &str) -> Option<f64> {
    let names = ["standard deviation", "sigma", "σ", " sd", "std dev", "stdev", "stddev", "standardabweichung"];
    let at = names.iter().filter_map(|name| lower.find(name)).min()?;
    let before = lower.get(..at)?;
    let found = quantity::scan(before).into_iter().next_back()?;
    (before.len() - found.end < 4 && (0.5..=6.0).contains(&found.value)).then_some(found.value)
}

fn percent(lower: &str) -> Option<Rule> {
    let found = quantity::scan(lower).into_iter().find(|q| q.percent && q.value > 0.0)?;
    let after = lower.get(found.end..)?;
    let before = lower.get(..found.start)?;
    let far = ["more than ", "over ", "at least ", "exceeding ", "by ", "> ", ">", "than "]
        .iter()
        .any(|word| before.ends_with(word));
    if !far {
        return None;
    }
    let near: String = after.chars().take(60).collect();
    if ["previous", "day before", "week before", "month before", "prior", "one before", "before it", "last one"]
        .iter()
        .any(|w| near.contains(w))
    {
        return Some(Rule::Change(found.value));
    }
    let median = near.contains("median");
    (median || near.contains("mean") || near.contains("average"))
        .then_some(Rule::Percent { share: found.value, median })
}

fn bounds(lower: &str) -> Option<Rule> {
    for word in BETWEEN {
        for (at, _) in lower.match_indices(word) {
            let rest = lower.get(at + word.len()..)?;
            let Some(low) = first(rest) else { continue };
            let after = rest.get(low.end..)?;
            let Some(joint) = [" to ", " and ", "-", "–", " - ", " – ", " bis ", "..", " or "]
                .iter()
                .find(|sign| after.starts_with(**sign))
            else {
                continue;
            };
            if let Some(high) = first(after.get(joint.len()..)?)
                && high.value.abs() > low.value
            {
                return Some(Rule::Bounds { low: Some(low.value), high: Some(high.value.abs()) });
            }
        }
    }
    let bound = |words: &[&str]| {
        words.iter().find_map(|word| {
            lower.match_indices(word).find_map(|(at, _)| {
                let amount = first(lower.get(at + word.len()..)?)?;
                let counts = lower.get(at + word.len() + amount.end..).unwrap_or_default().trim_start();
                // `more than two of these` counts, it is no bound.
                let counted =
                    ["of ", "outlier", "anomal", "value", "point", "time", "x "].iter().any(|w| counts.starts_with(w));
                (!amount.percent && !counted && !amount.in_words).then_some(amount.value)
            })
        })
    };
    let (high, low) = (bound(&ABOVE), bound(&BELOW));
    (high.is_some() || low.is_some()).then_some(Rule::Bounds { low, high })
}

/// What a rule says is usual at each place: low and high end.
pub fn usual(rule: Rule, values: &[f64]) -> Option<Vec<(f64, f64)>> {
    let all = |low: f64, high: f64| Some(vec![(low, high); values.len()]);
    match rule {
        Rule::Bounds { low, high } => all(low.unwrap_or(f64::MIN), high.unwrap_or(f64::MAX)),
        Rule::Deviations(count) => {
            let (mean, deviation) = stats::moments(values);
            all(mean - count * deviation, mean + count * deviation)
        }
        Rule::Percent { share, median } => {
            let center = if median { stats::median(values) } else { stats::moments(values).0 };
            let reach = center.abs() * share / 100.0;
            all(center - reach, center + reach)
        }
        Rule::Change(share) => {
            let before = values.iter().zip(values.iter().skip(1)).map(|(before, _)| {
                let reach = before.abs() * share / 100.0;
                (before - reach, before + reach)
            });
            Some(std::iter::once((f64::MIN, f64::MAX)).chain(before).collect())
        }
        Rule::Fences => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_the_person() {
        let bounds = |low, high| Some(Rule::Bounds { low, high });
        let cases = [
            ("flag everything above 100", bounds(None, Some(100.0))),
            ("which readings are outside 2 to 8 °C?", bounds(Some(2.0), Some(8.0))),
            ("values must be between 6.5 and 7.5", bounds(Some(6.5), Some(7.5))),
            ("list values below 20 or above 80", bounds(Some(20.0), Some(80.0))),
            ("more than 2 standard deviations from the mean", Some(Rule::Deviations(2.0))),
            ("use 3 sigma", Some(Rule::Deviations(3.0))),
            ("more than 20% from the average", Some(Rule::Percent { share: 20.0, median: false })),
            ("changed by more than 10 % from the previous day", Some(Rule::Change(10.0))),
            ("use the IQR rule", Some(Rule::Fences)),
            ("Two or more of these look wrong", None),
            ("anything unusual?", None),
            ("more than two outliers?", None),
        ];
        for (asked, expect) in cases {
            assert_eq!(read(asked), expect, "{asked}");
        }
        assert_eq!(usual(Rule::Change(10.0), &[10.0, 12.0]).map(|u| u.get(1).copied()), Some(Some((9.0, 11.0))));
    }
}
