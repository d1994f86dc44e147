//! What is computed for a series: its values without gaps, and the steps that are wanted.

use agent_common::figures;
use agent_common::time_unit::Unit;
use tollbridge_sdk::Error;

use crate::input::{Input, Series};
use crate::output::{ForecastPoint, Total};
use crate::periods::{self, Period};

/// Fewest values of a series.
const FEWEST: usize = 4;
/// Most steps ahead.
const STEPS_MAX: usize = 400;
/// A value is far out if it is this many ranges of the others away from all of them.
const FAR_OUT: f64 = 2.0;

/// What is computed for a series.
#[derive(Debug, Default)]
pub struct Plan {
    pub name: Option<String>,
    /// The values, without gaps at their ends.
    pub values: Vec<f64>,
    /// Their labels.
    pub labels: Vec<String>,
    pub unit: Option<Unit>,
    /// Labels of the steps ahead.
    pub future: Vec<String>,
    /// The first step that is listed.
    pub from: u32,
    /// The last step that is listed; none if the method or the target decides.
    pub until: Option<u32>,
    /// Steps to compute.
    pub horizon: Option<u32>,
    pub period: Option<u32>,
    pub minimum: Option<f64>,
    pub maximum: Option<f64>,
    pub totals: Vec<Wanted>,
    pub changed: Vec<String>,
}

/// A total that is wanted.
#[derive(Debug, Default)]
pub struct Wanted {
    label: String,
    /// The first past value in it; none if it begins ahead.
    past: Option<usize>,
    /// The first and the last step in it.
    steps: (u32, u32),
}

impl Wanted {
    /// Returns the sum.
    pub fn sum(&self, values: &[f64], points: &[ForecastPoint]) -> Total {
        let actual: f64 = self.past.map_or(0.0, |first| values.iter().skip(first).sum());
        let ahead = points.iter().filter(|point| (self.steps.0..=self.steps.1).contains(&point.step));
        let steps = u32::try_from(ahead.clone().count()).unwrap_or(0);
        let value = figures::round(actual + ahead.map(|point| point.value).sum::<f64>());
        Total { label: self.label.clone(), value, actual: figures::round(actual), steps }
    }
}

/// Returns what is computed for each series of an input.
pub fn plans(input: &Input) -> Result<Vec<Plan>, Error> {
    let all = input.all();
    if all.is_empty() {
        return Err(Error::invalid("/values", "give at least 4 numbers in order of time"));
    }
    if [input.horizon.is_some(), input.until.is_some()] == [true, true] {
        return Err(Error::invalid("/until", "give `horizon` or `until`, not both"));
    }
    all.iter().map(|series| plan(series, input)).collect()
}

fn plan(series: &Series, input: &Input) -> Result<Plan, Error> {
    let count = series.values.len();
    let named = input.frequency.as_deref().map(|name| {
        let text = format!("`{name}` is not known; use hour, day, working day, week, month, quarter or year");
        periods::unit(name).ok_or_else(|| Error::invalid("/frequency", text))
    });
    let named = named.transpose()?;
    let mut labels = series.labels.clone();
    if let Some(start) = input.start.as_deref() {
        let first = labels.first().map(|first| periods::wanted(first, "/labels"));
        if first.is_some_and(|first| first != periods::wanted(start, "/start")) {
            return Err(Error::invalid("/start", "the labels begin with another period; give `labels` or `start`"));
        }
        if labels.is_empty() {
            labels = periods::from_start(start, named, count)?;
        }
    }
    if !labels.is_empty() && labels.len() != count {
        let text = format!("{} labels for {count} values; give as many labels as values, or none", labels.len());
        return Err(Error::invalid("/labels", text));
    }
    let borrowed: Vec<&str> = labels.iter().map(String::as_str).collect();
    let stepped = if labels.is_empty() { None } else { periods::even(&borrowed)? };
    if let (Some(named), Some(stepped)) = (named, stepped)
        && named != stepped
        && (named, stepped) != (Unit::Day, Unit::WorkingDay)
    {
        let text = format!("the labels are one {} apart, not one {}", stepped.name(), named.name());
        return Err(Error::invalid("/frequency", text));
    }
    let mut plan = Plan {
        name: series.name.clone(),
        unit: stepped.or(named),
        period: input.period,
        minimum: input.minimum,
        maximum: input.maximum,
        ..Plan::default()
    };
    let values = plan.without_ignored(series, &labels, input.ignore.as_deref())?;
    plan.fill(&values, &labels)?;
    let ahead: Vec<&str> = plan.labels.iter().map(String::as_str).collect();
    let future = if ahead.len() < 2 { Vec::new() } else { periods::future(&ahead, STEPS_MAX) };
    plan.set_steps(input, &future)?;
    plan.set_totals(input, &periods::all(&plan.labels.iter().map(String::as_str).collect::<Vec<_>>()), &future)?;
    plan.future = future.into_iter().map(|(label, _)| label).collect();
    plan.check(input)?;
    Ok(plan)
}

impl Plan {
    /// Returns the values without those that the caller ignores.
    fn without_ignored(
        &mut self,
        series: &Series,
        labels: &[String],
        ignore: Option<&[String]>,
    ) -> Result<Vec<Option<f64>>, Error> {
        let mut values = series.values.clone();
        for name in ignore.unwrap_or_default() {
            let same = |label: &String| {
                let period = periods::wanted(name, "").ok();
                label.trim().eq_ignore_ascii_case(name.trim())
                    || period.is_some() && period == periods::read(label, None)
            };
            let position = name.trim().parse::<usize>().ok().and_then(|n| n.checked_sub(1));
            let counted = labels.iter().any(|label| label.trim().parse::<f64>().is_ok());
            let at = labels.iter().position(same).or(position.filter(|_| !counted));
            let Some(value) = at.and_then(|at| values.get_mut(at)) else {
                return Err(Error::invalid("/ignore", format!("no value has the label or position `{name}`")));
            };
            *value = None;
            self.changed.push(format!("{name} was left out"));
        }
        Ok(values)
    }

    /// Cuts off the gaps at the ends and fills those between values.
    fn fill(&mut self, values: &[Option<f64>], labels: &[String]) -> Result<(), Error> {
        let known: Vec<usize> = (0..values.len()).filter(|at| values.get(*at).is_some_and(Option::is_some)).collect();
        let (Some(first), Some(last)) = (known.first().copied(), known.last().copied()) else {
            return Err(Error::invalid("/values", "no value is left; give at least 4 numbers in order of time"));
        };
        let gaps = last + 1 - first - known.len();
        if known.len() < FEWEST || gaps * 3 > known.len() {
            let count = figures::count(known.len(), "number", "numbers");
            let text = format!(
                "{count} and {gaps} gaps; give at least 4 numbers in order of time, and at least 3 for each gap"
            );
            return Err(Error::invalid("/values", text));
        }
        let value = |at: usize| values.get(at).copied().flatten();
        for at in first..=last {
            let filled = value(at).unwrap_or_else(|| self.between(values, at));
            if value(at).is_none() {
                let name = labels.get(at).cloned().unwrap_or_else(|| format!("value {}", at + 1));
                self.changed.push(format!("{name} was taken as {}", figures::figure(filled)));
            }
            self.values.push(filled);
        }
        if self.values.iter().any(|value| !value.is_finite() || value.abs() > 1e300) {
            return Err(Error::invalid("/values", "a value is too large; give values below 1e300"));
        }
        self.labels = labels.iter().skip(first).take(last + 1 - first).cloned().collect();
        Ok(())
    }

    /// Returns the value at a gap: the mean of the values one cycle before and after, or the
    /// point on the line between its neighbours.
    fn between(&self, values: &[Option<f64>], at: usize) -> f64 {
        let value = |at: Option<usize>| at.and_then(|at| values.get(at).copied().flatten());
        let cycle = self.period.map(|period| period as usize).filter(|period| *period > 1);
        if let Some(cycle) = cycle
            && let (Some(before), Some(after)) = (value(at.checked_sub(cycle)), value(Some(at + cycle)))
        {
            return f64::midpoint(before, after);
        }
        let left = (1..=at).find_map(|back| Some((back, value(at.checked_sub(back))?)));
        let right = (1..values.len()).find_map(|on| Some((on, value(Some(at + on))?)));
        let (Some((back, before)), Some((on, after))) = (left, right) else { return f64::NAN };
        let share = f64::from(u32::try_from(back).unwrap_or(0)) / f64::from(u32::try_from(back + on).unwrap_or(1));
        figures::round(before + (after - before) * share)
    }

    /// Sets the first and the last step, and how many are computed.
    fn set_steps(&mut self, input: &Input, future: &[(String, Period)]) -> Result<(), Error> {
        let first = |label: &String| -> Result<u32, Error> { Ok(self.steps_in(label, "/from", future)?.0) };
        self.from = input.from.as_ref().map(first).transpose()?.unwrap_or(1);
        self.until = match (&input.until, input.horizon) {
            (Some(label), _) => Some(self.steps_in(label, "/until", future)?.1),
            (None, horizon) => horizon,
        };
        if self.until.is_some_and(|until| until < self.from) {
            return Err(Error::invalid("/from", "the first step is behind the last one"));
        }
        self.horizon = self.until;
        if self.until.is_none() && input.target.is_some() {
            self.horizon = u32::try_from(self.values.len().min(STEPS_MAX)).ok();
        }
        Ok(())
    }

    /// Returns the first and the last step inside a period.
    fn steps_in(&self, label: &str, field: &str, future: &[(String, Period)]) -> Result<(u32, u32), Error> {
        let wanted = periods::wanted(label, field)?;
        let first = future.iter().position(|(_, step)| periods::inside(*step, wanted));
        let Some(first) = first else {
            let text = match self.labels.last() {
                Some(last) => format!("no step after `{last}` is in `{label}`; give a later period of the same kind"),
                None => {
                    "the values have no labels; give `labels`, or `start` and `frequency`, or a `horizon`".to_owned()
                }
            };
            return Err(Error::invalid(field, text));
        };
        let length = future.iter().skip(first).take_while(|(_, step)| periods::inside(*step, wanted)).count();
        let step = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Ok((step(first + 1), step(first + length)))
    }

    fn set_totals(&mut self, input: &Input, past: &[Period], future: &[(String, Period)]) -> Result<(), Error> {
        for label in input.totals.iter().flatten() {
            if label.trim().eq_ignore_ascii_case("all") {
                let steps = (self.from, self.until.unwrap_or(u32::MAX));
                self.totals.push(Wanted { label: label.clone(), past: None, steps });
                continue;
            }
            let wanted = periods::wanted(label, "/totals")?;
            let steps = self.steps_in(label, "/totals", future)?;
            let before = past.iter().rev().take_while(|step| steps.0 == 1 && periods::inside(**step, wanted)).count();
            let first = past.len() - before;
            let start = past.get(first).copied().or_else(|| future.get(steps.0 as usize - 1).map(|(_, step)| *step));
            let end = future.get(steps.1 as usize - 1).map(|(_, step)| *step);
            let count = before + (steps.1 + 1 - steps.0) as usize;
            let whole = match (periods::span(wanted), start.and_then(periods::span), end.and_then(periods::span)) {
                (Some(wanted), Some(start), Some(end)) => wanted == (start.0, end.1),
                _ => {
                    matches!((wanted, end), (Period::Quarter(None, _), Some(Period::Month(..))) if count == 3)
                        || end.is_some_and(|end| std::mem::discriminant(&end) == std::mem::discriminant(&wanted))
                }
            };
            if !whole {
                let text = format!("the series does not cover `{label}` from its beginning to its end");
                return Err(Error::invalid("/totals", text));
            }
            self.horizon = Some(self.horizon.unwrap_or(1).max(steps.1));
            self.until = Some(self.until.unwrap_or(1).max(steps.1));
            self.totals.push(Wanted { label: label.clone(), past: (before > 0).then_some(first), steps });
        }
        Ok(())
    }

    fn check(&self, input: &Input) -> Result<(), Error> {
        let (count, horizon) = (self.values.len(), self.horizon.unwrap_or(1) as usize);
        if horizon > count.min(STEPS_MAX) {
            let text = format!(
                "{horizon} steps ahead are too many for {count} values; give as many values as steps, or ask for fewer"
            );
            return Err(Error::invalid("/horizon", text));
        }
        let target = input.target.zip(self.values.last().copied());
        if let Some((target, last)) = target.filter(|(target, last)| target == last) {
            let text = format!("the last value is {} already; give another target", figures::figure(last.max(target)));
            return Err(Error::invalid("/target", text));
        }
        if input.ignore.is_none()
            && let Some(at) = far_out(&self.values)
        {
            let name = self.labels.get(at).cloned().unwrap_or_else(|| (at + 1).to_string());
            let value = figures::figure(self.values.get(at).copied().unwrap_or_default());
            let text = format!(
                "`{name}` ({value}) is far from all other values and would bend the forecast; leave it out with \
                 `ignore: [\"{name}\"]`, or keep it with `ignore: []`"
            );
            return Err(Error::invalid("/ignore", text));
        }
        Ok(())
    }
}

/// Returns the one value that is far from all others.
fn far_out(values: &[f64]) -> Option<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    let value = |at: usize| values.get(at).copied().unwrap_or_default();
    order.sort_by(|a, b| value(*a).total_cmp(&value(*b)));
    let [lowest, second, .., before, highest] = order.as_slice() else { return None };
    let far = |at: usize, low: usize, high: usize| {
        let (low, high) = (value(low), value(high));
        let gap = (value(at) - high).max(low - value(at));
        high > low && gap > FAR_OUT * (high - low)
    };
    let high = far(*highest, *lowest, *before).then_some(*highest);
    high.or_else(|| far(*lowest, *second, *highest).then_some(*lowest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn months(count: usize) -> Input {
        let values = (0..count).map(|at| Some(f64::from(u32::try_from(at).unwrap()) + 10.0)).collect();
        Input { values: Some(values), start: Some("2024-01".into()), ..Input::default() }
    }

    fn steps(input: &Input) -> Result<(u32, Option<u32>), String> {
        plans(input).map(|plans| (plans[0].from, plans[0].until)).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn steps_by_label() {
        let until = |label: &str| steps(&Input { until: Some(label.into()), ..months(8) });
        assert_eq!(until("2024-12"), Ok((1, Some(4))));
        assert_eq!(until("Q4 2024"), Ok((1, Some(4))));
        assert_eq!(until("December"), Ok((1, Some(4))));
        let other = Input { labels: Some((1..=8).map(|month| format!("2023-{month:02}")).collect()), ..months(8) };
        assert!(steps(&other).is_err());
        assert!(until("2024-03").is_err() && until("2026").is_err() && until("soon").is_err());
        let both = Input { from: Some("Nov 2024".into()), until: Some("Dec 2024".into()), ..months(8) };
        assert_eq!(steps(&both), Ok((3, Some(4))));
    }

    #[test]
    fn totals_include_the_past_and_must_be_whole() {
        let total = |label: &str| plans(&Input { totals: Some(vec![label.into()]), ..months(8) });
        let found = &total("2024").unwrap()[0];
        assert_eq!((found.totals[0].past, found.totals[0].steps, found.horizon), (Some(0), (1, 4), Some(4)));
        assert_eq!(total("Q4 2024").unwrap()[0].totals[0].steps, (2, 4));
        let found = &total("Q3 2024").unwrap()[0];
        assert_eq!((found.totals[0].past, found.totals[0].steps), (Some(6), (1, 1)));
        assert!(total("Q2 2024").is_err());
    }

    #[test]
    fn gaps_are_filled_and_cut() {
        let mut input = months(8);
        input.ignore = Some(vec!["3".into(), "August 2024".into()]);
        let plan = &plans(&input).unwrap()[0];
        assert_eq!((plan.values.len(), plan.values[2], plan.labels.last().unwrap().as_str()), (7, 12.0, "2024-07"));
        assert_eq!(far_out(&[310.0, 305.0, 312.0, 308.0, 5300.0, 311.0]), Some(4));
        assert_eq!(far_out(&[310.0, 330.0, 325.0, 620.0, 335.0, 352.0, 350.0, 668.0]), None);
        let odd = Input { values: Some([310.0, 305.0, 312.0, 308.0, 5300.0].map(Some).to_vec()), ..Input::default() };
        assert!(steps(&odd).unwrap_err().contains("ignore"));
    }
}
