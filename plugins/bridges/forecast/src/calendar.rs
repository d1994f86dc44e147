//! Times to come, and the cycles that the step between points suggests.
//!
//! Where all points lie on the same day of the month, whole months apart, months are counted, else seconds.

use bridge_common::calendar::{civil_from_days, days_from_civil, month_length};
use bridge_common::median::median;
use bridge_common::series::Series;
use bridge_common::time::Timestamp;

const HOUR: f64 = 3_600.0;
const DAY: f64 = 24.0 * HOUR;
const WEEK: f64 = 7.0 * DAY;
const YEAR: f64 = 365.25 * DAY;

/// Cycles in points that the calendar suggests, the likeliest first.
#[must_use]
pub fn usual_periods(step: Option<f64>) -> Vec<usize> {
    let Some(step) = step.filter(|step| *step > 0.0) else { return Vec::new() };
    let cycles: &[f64] = match step {
        step if step < 0.9 * DAY => &[DAY, WEEK, HOUR],
        step if step < 1.1 * DAY => &[WEEK, YEAR],
        _ => &[YEAR],
    };
    let points = |cycle: &f64| {
        let exact = cycle / step;
        let whole = exact.round();
        ((exact - whole).abs() < 0.04 * whole && (2.0..=400.0).contains(&whole)).then_some(whole as usize)
    };
    cycles.iter().filter_map(points).collect()
}

/// Times of the next `steps` points, written like the series' own; empty when it has none.
#[must_use]
pub fn next_times(series: &Series, steps: usize) -> Vec<Timestamp> {
    let (Some(last), Some(end)) = (series.times.last(), series.seconds.last()) else { return Vec::new() };
    let differences = crate::stats::differences(&series.seconds, 1);
    let step = median(&differences);
    match last {
        Timestamp::Number(number) => {
            let unit = if number.abs() >= 1e11 { 1e3 } else { 1.0 };
            (1..=steps).map(|ahead| Timestamp::Number(number + unit * step * ahead as f64)).collect()
        }
        Timestamp::Text(text) => {
            let months = months_apart(&series.seconds);
            let shape = Shape::of(text);
            let at = |ahead: usize| match months {
                Some(months) => add_months(*end, months * ahead as i64),
                None => end + step * ahead as f64,
            };
            (1..=steps).map(|ahead| Timestamp::Text(shape.write(at(ahead)))).collect()
        }
    }
}

/// How a time is written: with how much of it.
enum Shape {
    Month,
    Day,
    Clock,
}

impl Shape {
    fn of(text: &str) -> Self {
        match text.trim().len() {
            7 => Self::Month,
            10 => Self::Day,
            _ => Self::Clock,
        }
    }

    /// Times of day are written in UTC.
    fn write(&self, seconds: f64) -> String {
        let whole = seconds.round().clamp(-6.2e10, 2.5e11) as i64;
        let (year, month, day) = civil_from_days(whole.div_euclid(86_400));
        let clock = whole.rem_euclid(86_400);
        match self {
            Self::Month => format!("{year:04}-{month:02}"),
            Self::Day => format!("{year:04}-{month:02}-{day:02}"),
            Self::Clock => {
                let (hour, minute, second) = (clock / 3_600, clock / 60 % 60, clock % 60);
                format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
            }
        }
    }
}

/// Whole months between all neighbours, when it is the same everywhere and the day of the month (or its being the
/// month's last) stays.
fn months_apart(seconds: &[f64]) -> Option<i64> {
    let dates: Vec<(i64, i64, i64)> = seconds.iter().map(|s| civil_from_days((s / DAY).floor() as i64)).collect();
    let same_clock = seconds.iter().all(|s| s.rem_euclid(DAY) == seconds.first().map_or(0.0, |f| f.rem_euclid(DAY)));
    let first = dates.first()?;
    let same_day = dates.iter().all(|date| date.2 == first.2);
    let last_days = dates.iter().all(|date| date.2 == month_length(date.0, date.1));
    let count = |date: &(i64, i64, i64)| date.0 * 12 + date.1;
    let mut steps = dates.iter().zip(dates.iter().skip(1)).map(|(a, b)| count(b) - count(a));
    let step = steps.next()?;
    (same_clock && (same_day || last_days) && step > 0 && steps.all(|other| other == step)).then_some(step)
}

fn add_months(seconds: f64, months: i64) -> f64 {
    let days = (seconds / DAY).floor();
    let (year, month, day) = civil_from_days(days as i64);
    let total = year * 12 + month - 1 + months;
    let (new_year, new_month) = (total.div_euclid(12), total.rem_euclid(12) + 1);
    let stays_last = day == month_length(year, month);
    let length = month_length(new_year, new_month);
    let new_day = if stays_last && day >= 28 { length } else { day.min(length) };
    days_from_civil(new_year, new_month, new_day) as f64 * DAY + (seconds - days * DAY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bridge_common::time::parse;

    fn check(times: &[&str], expect: &[&str]) {
        let series = Series {
            seconds: times.iter().filter_map(|text| parse(text)).collect(),
            times: times.iter().map(|text| Timestamp::Text((*text).to_owned())).collect(),
            ..Series::default()
        };
        let expect: Vec<Timestamp> = expect.iter().map(|text| Timestamp::Text((*text).to_owned())).collect();
        assert_eq!(next_times(&series, expect.len()), expect);
    }

    #[test]
    fn times_go_on_as_they_were() {
        check(&["2026-11", "2026-12"], &["2027-01", "2027-02"]);
        check(&["2024-01-31", "2024-02-29"], &["2024-03-31", "2024-04-30"]);
        check(&["2026-01-05", "2026-01-12"], &["2026-01-19", "2026-01-26", "2026-02-02"]);
        check(&["2026-01-01T22:00+01:00", "2026-01-01T23:00+01:00"], &["2026-01-01T23:00:00Z", "2026-01-02T00:00:00Z"]);
        check(&["2023-02-28", "2024-02-28"], &["2025-02-28"]);
    }

    #[test]
    fn calendar_suggests_cycles() {
        assert_eq!(usual_periods(Some(86_400.0)), [7, 365]);
        assert_eq!(usual_periods(Some(3_600.0)), [24, 168]);
        assert_eq!(usual_periods(Some(31.0 * 86_400.0)), [12]);
        assert_eq!(usual_periods(Some(92.0 * 86_400.0)), [4]);
        assert_eq!(usual_periods(Some(7.0 * 86_400.0)), [52]);
        assert!(usual_periods(None).is_empty());
    }
}
