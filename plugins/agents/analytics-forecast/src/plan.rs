//! What is computed for a series: its values without gaps, and the steps that are wanted.

use agent_common::figures::{count, figure, round};
use agent_common::time_unit::Unit;
use tollbridge_sdk::Error;

use crate::input::{Input, Series};
use crate::methods::float;
use crate::output::Basis;
use crate::periods::{self, Calendar, STEPS_MAX};

/// Fewest values of a series.
const FEWEST: usize = 4;
/// A value is far out if it is this many ranges of the others away from all of them.
const FAR_OUT: f64 = 2.0;

/// What is computed for a series.
#[derive(Debug)]
pub struct Plan<'i> {
    pub input: &'i Input,
    /// The values without gaps at their ends.
    pub basis: Basis,
    pub calendar: Calendar,
    /// The first step that is listed.
    pub from: u32,
    /// The last step that is listed; none if the method or the target decides.
    pub until: Option<u32>,
    /// Steps to compute.
    pub horizon: Option<u32>,
}

/// Returns what is computed for each series of an input.
pub fn plans(input: &Input) -> Result<Vec<Plan<'_>>, Error> {
    let all = input.all();
    if all.is_empty() {
        return Err(Error::invalid("/values", "give at least 4 numbers in order of time"));
    }
    if input.horizon.is_some() && input.until.is_some() {
        return Err(Error::invalid("/until", "give `horizon` or `until`, not both"));
    }
    all.into_iter().map(|series| plan(series, input)).collect()
}

fn plan(mut series: Series, input: &Input) -> Result<Plan<'_>, Error> {
    let unit = input.frequency.as_deref().map(|name| {
        let text = format!("`{name}` is not known; use hour, day, working day, week, month, quarter or year");
        periods::unit(name).ok_or_else(|| Error::invalid("/frequency", text))
    });
    let unit = unit.transpose()?;
    set_labels(&mut series, input, unit)?;
    let calendar = Calendar::new(&series.labels)?;
    if let (Some(unit), Some(own)) = (unit, calendar.unit)
        && unit != own
        && (unit, own) != (Unit::Day, Unit::WorkingDay)
    {
        let text = format!("the labels are one {} apart, not one {}", own.name(), unit.name());
        return Err(Error::invalid("/frequency", text));
    }
    let changed = ignore(&mut series, &calendar, input)?;
    let basis = filled(series, input.period, changed)?;
    let calendar = Calendar::new(&basis.labels)?;
    let calendar = Calendar { unit: calendar.unit.or(unit), ..calendar };
    let from = input.from.as_ref().map(|label| calendar.steps_in(label, "/from")).transpose()?;
    let from = from.map_or(1, |(first, _)| first);
    let until = input.until.as_ref().map(|label| calendar.steps_in(label, "/until")).transpose()?;
    let mut until = until.map(|(_, last)| last).or(input.horizon);
    if until.is_some_and(|until| until < from) {
        return Err(Error::invalid("/from", "the first step is behind the last one"));
    }
    let most = u32::try_from(basis.values.len().min(STEPS_MAX)).ok();
    let mut horizon = until.or(input.target.and(most));
    for label in input.totals.iter().flatten().filter(|label| !is_all(label)) {
        let (_, (_, last)) = calendar.total(label)?;
        (horizon, until) = (horizon.max(Some(last)), until.max(Some(last)));
    }
    let plan = Plan { input, basis, calendar, from, until, horizon };
    plan.check()?;
    Ok(plan)
}

/// Returns whether a total is that of all listed steps.
pub fn is_all(label: &str) -> bool {
    label.trim().eq_ignore_ascii_case("all")
}

fn set_labels(series: &mut Series, input: &Input, unit: Option<Unit>) -> Result<(), Error> {
    let (count, labels) = (series.values.len(), &mut series.labels);
    if let Some(start) = &input.start {
        let first = labels.first().map(|first| periods::read(first, "/labels"));
        if first.is_some_and(|first| first != periods::read(start, "/start")) {
            return Err(Error::invalid("/start", "the labels begin with another period; give `labels` or `start`"));
        }
        if labels.is_empty() {
            *labels = periods::from_start(start, unit, count)?;
        }
    }
    if !labels.is_empty() && labels.len() != count {
        let text = format!("{} labels for {count} values; give as many labels as values, or none", labels.len());
        return Err(Error::invalid("/labels", text));
    }
    Ok(())
}

/// Removes the values that the caller ignores; returns these changes in words.
fn ignore(series: &mut Series, calendar: &Calendar, input: &Input) -> Result<Vec<String>, Error> {
    let mut changed = Vec::new();
    for name in input.ignore.iter().flatten() {
        let labels = &series.labels;
        let named = labels.iter().position(|label| label.trim().eq_ignore_ascii_case(name.trim()));
        let period = periods::read(name, "").ok();
        let at = named.or_else(|| calendar.past.iter().position(|one| Some(*one) == period));
        // Among labels that are numbers, a number is no position.
        let is_number = |label: &String| label.trim().parse::<f64>().is_ok();
        let position = name.trim().parse::<usize>().ok().filter(|_| !labels.iter().any(is_number));
        let at = at.or_else(|| position?.checked_sub(1));
        let text = || format!("no value has the label or position `{name}`");
        let value = at.and_then(|at| series.values.get_mut(at));
        *value.ok_or_else(|| Error::invalid("/ignore", text()))? = None;
        changed.push(format!("{name} was left out"));
    }
    Ok(changed)
}

/// Cuts off the gaps at the ends and fills those between values.
fn filled(series: Series, cycle: Option<u32>, mut changed: Vec<String>) -> Result<Basis, Error> {
    let Series { name, values: given, labels } = series;
    let known: Vec<usize> = (0..).zip(&given).filter(|(_, value)| value.is_some()).map(|(at, _)| at).collect();
    let (first, last) = (known.first().copied().unwrap_or(0), known.last().copied().unwrap_or(0));
    let gaps = (last + 1 - first).saturating_sub(known.len());
    if known.len() < FEWEST || gaps * 3 > known.len() {
        let text = format!("{} and {gaps} gaps", count(known.len(), "number", "numbers"));
        let text = format!("{text}; give at least 4 numbers in order of time, and at least 3 for each gap");
        return Err(Error::invalid("/values", text));
    }
    let mut values = Vec::new();
    for (at, value) in given.iter().enumerate().take(last + 1).skip(first) {
        let filled = value.or_else(|| between(&given, at, cycle)).unwrap_or_default();
        if value.is_none() {
            let name = labels.get(at).cloned().unwrap_or_else(|| format!("value {}", at + 1));
            changed.push(format!("{name} was taken as {}", figure(filled)));
        }
        if filled.abs() > 1e300 {
            return Err(Error::invalid("/values", "a value is too large; give values below 1e300"));
        }
        values.push(filled);
    }
    Ok(Basis { series: name, values, labels: labels.into_iter().take(last + 1).skip(first).collect(), changed })
}

/// Returns the value at a gap: the mean of the values one cycle before and after, or the
/// point on the line between its neighbours.
fn between(values: &[Option<f64>], at: usize, cycle: Option<u32>) -> Option<f64> {
    let value = |at: usize| values.get(at).copied().flatten();
    let cycle = cycle.filter(|cycle| *cycle > 1).map(|cycle| cycle as usize);
    let around = cycle.and_then(|cycle| value(at.checked_sub(cycle)?).zip(value(at + cycle)));
    if let Some((before, after)) = around {
        return Some(f64::midpoint(before, after));
    }
    let left = (0..at).rev().find(|left| value(*left).is_some())?;
    let right = (at..values.len()).find(|right| value(*right).is_some())?;
    let (before, after) = (value(left)?, value(right)?);
    Some(round(before + (after - before) * (float(at - left) / float(right - left))))
}

impl Plan<'_> {
    fn check(&self) -> Result<(), Error> {
        let Basis { values, labels, .. } = &self.basis;
        let (count, horizon) = (values.len(), self.horizon.unwrap_or(1) as usize);
        if horizon > count.min(STEPS_MAX) {
            let text = format!("{horizon} steps ahead are too many for {count} values");
            let text = format!("{text}; give as many values as steps, or ask for fewer");
            return Err(Error::invalid("/horizon", text));
        }
        if let Some(target) = self.input.target.filter(|target| values.last() == Some(target)) {
            let text = format!("the last value is {} already; give another target", figure(target));
            return Err(Error::invalid("/target", text));
        }
        if let Some((value, at)) = far_out(values).filter(|_| self.input.ignore.is_none()) {
            let name = labels.get(at).cloned().unwrap_or_else(|| (at + 1).to_string());
            let value = figure(value);
            let text = format!(
                "`{name}` ({value}) is far from all other values and would bend the forecast; leave it out with \
                 `ignore: [\"{name}\"]`, or keep it with `ignore: []`"
            );
            return Err(Error::invalid("/ignore", text));
        }
        Ok(())
    }
}

/// Returns the one value that is far from all others, and its position.
fn far_out(values: &[f64]) -> Option<(f64, usize)> {
    let mut order: Vec<(f64, usize)> = values.iter().copied().zip(0..).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let [lowest, second, .., before, highest] = order.as_slice() else { return None };
    let is_far = |gap: f64, range: f64| range > 0.0 && gap > FAR_OUT * range;
    let high = is_far(highest.0 - before.0, before.0 - lowest.0).then_some(*highest);
    high.or_else(|| is_far(second.0 - lowest.0, highest.0 - second.0).then_some(*lowest))
}
