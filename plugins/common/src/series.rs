//! A series of numbers, with times or without, from the members of a call or from a stored CSV or JSON file.
//!
//! A series has as many finite values as its rules allow; times are there for all points or for none, and never go
//! back.

mod columns;

use schemars::JsonSchema;
use serde::Deserialize;
use tollbridge_sdk::{Call, Error, serde_json};

use crate::{median::median, time::Timestamp};

/// One point.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a number, or an object with `t` and `value`; null is no value: leave gaps out, or fill them where \
                 steps must be even"
)]
pub enum Point {
    /// A value alone.
    Number(f64),
    /// A value and its time.
    Timed(Timed),
}

/// A value and its time.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timed {
    /// ISO 8601, Unix seconds or milliseconds, or any growing number.
    pub t: Timestamp,
    /// The value.
    pub value: f64,
}

/// What a bridge accepts as a series.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Fewest points.
    pub min_points: usize,
    /// Most points.
    pub max_points: usize,
    /// Whether each point must be later than the one before it; else equal times are accepted.
    pub strictly_increasing: bool,
    /// What the caller is to do where a line of a stored file has no value, for the error message.
    pub gap_advice: &'static str,
}

/// The members of an input that give or name a series.
#[derive(Debug, Clone, Copy)]
pub struct SeriesInput<'i> {
    /// The points themselves.
    pub values: Option<&'i Vec<Point>>,
    /// Id of a stored CSV or JSON file, instead of `values`.
    pub resource_id: Option<&'i String>,
    /// Name or number (from 1) of the CSV column that holds the values. Default: the last numeric one.
    pub column: Option<&'i String>,
}

/// Points in the order of their times.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// The values, all finite.
    pub values: Vec<f64>,
    /// The times, as the caller wrote them; empty when there are none.
    pub times: Vec<Timestamp>,
    /// Seconds since 1970 (or the numbers given) of each point; empty when there are no times.
    pub seconds: Vec<f64>,
    /// Median step between points in seconds, when times say it.
    pub step: Option<f64>,
    /// Steps that are longer than one and a half times the median.
    pub gaps: usize,
}

impl Series {
    /// Reads the points that the input names.
    pub fn read(call: &Call, given: SeriesInput<'_>, rules: &Rules) -> Result<Self, Error> {
        match (given.values, given.resource_id) {
            (Some(_), Some(_)) => Err(Error::invalid("/values", "give `values` or `resource_id`, not both")),
            (Some(points), None) if given.column.is_none() => Self::from_points(points, "/values", rules),
            (Some(_), None) => Err(Error::invalid("/column", "`column` is for a stored CSV file; leave it out")),
            (None, Some(_)) => Self::from_stored(call, given.column.map(String::as_str), rules),
            (None, None) => {
                Err(Error::invalid("/values", "give `values`, or `resource_id` of a stored CSV or JSON file"))
            }
        }
    }

    fn from_stored(call: &Call, column: Option<&str>, rules: &Rules) -> Result<Self, Error> {
        let text = call.stored()?.text()?.trim_start_matches('\u{feff}').trim();
        let points =
            if text.starts_with(['[', '{']) { json_points(text)? } else { columns::points(text, column, rules)? };
        Self::from_points(&points, "/resource_id", rules)
    }

    /// `field` is the pointer to report: of the member when the values came in the call, else of the resource.
    fn from_points(points: &[Point], field: &str, rules: &Rules) -> Result<Self, Error> {
        let (count, Rules { min_points, max_points, .. }) = (points.len(), *rules);
        if count < min_points {
            return Err(Error::invalid(field, format!("{count} values are too few; give at least {min_points}")));
        }
        if count > max_points {
            let message =
                format!("{count} values are more than {max_points}; send the latest, or averages of longer steps");
            return Err(Error::invalid(field, message));
        }
        let in_call = field == "/values";
        let wrong = |index: usize, member: &str, text: &str| {
            let at = if in_call { format!("{field}/{index}{member}") } else { field.to_owned() };
            let which = if in_call { String::new() } else { format!("point {index}: ") };
            Error::invalid(at, format!("{which}{text}"))
        };
        let timed = matches!(points.first(), Some(Point::Timed(_)));
        let mut series = Self::default();
        let mut seconds: Vec<f64> = Vec::new();
        for (index, point) in points.iter().enumerate() {
            let value = match point {
                Point::Number(value) if !timed => *value,
                Point::Timed(Timed { t, value }) if timed => {
                    let now = t.seconds().ok_or_else(|| wrong(index, "/t", "not an ISO 8601 time or a number"))?;
                    if let Some(text) = seconds.last().and_then(|before| disorder(*before, now, rules)) {
                        return Err(wrong(index, "/t", text));
                    }
                    seconds.push(now);
                    series.times.push(t.clone());
                    *value
                }
                _ => return Err(wrong(index, "", "give a time with every value or with none")),
            };
            if !value.is_finite() {
                return Err(wrong(index, "", "not a finite number"));
            }
            series.values.push(value);
        }
        series.seconds = seconds;
        series.measure_steps();
        Ok(series)
    }

    fn measure_steps(&mut self) {
        let steps: Vec<f64> = self.seconds.iter().zip(self.seconds.iter().skip(1)).map(|(a, b)| b - a).collect();
        let usual = median(&steps);
        if usual > 0.0 {
            self.gaps = steps.iter().filter(|step| **step > 1.5 * usual).count();
            self.step = self.times.first().is_some_and(Timestamp::is_calendar).then_some(usual);
        }
    }
}

/// What is wrong with a time after another.
fn disorder(before: f64, now: f64, rules: &Rules) -> Option<&'static str> {
    if before > now {
        return Some("earlier than the point before it; sort the points by time");
    }
    let repeated = "not later than the point before it; sort the points by time, one for each";
    (rules.strictly_increasing && before >= now).then_some(repeated)
}

fn json_points(text: &str) -> Result<Vec<Point>, Error> {
    #[derive(serde::Deserialize)]
    struct Wrapped {
        values: Vec<Point>,
    }
    let wrong = |error: serde_json::Error| {
        Error::invalid(
            "/resource_id",
            format!("the stored JSON is not an array of numbers or of {{t, value}}: {error}"),
        )
    };
    if text.starts_with('[') {
        return serde_json::from_str(text).map_err(wrong);
    }
    serde_json::from_str::<Wrapped>(text).map(|wrapped| wrapped.values).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tollbridge_sdk::Stored;

    const RULES: Rules = Rules { min_points: 2, max_points: 10, strictly_increasing: false, gap_advice: "fill gaps" };

    fn stored_by(text: &str, rules: &Rules) -> Result<Series, Error> {
        let resource = Stored { id: "res_1".into(), content_type: String::new(), bytes: text.as_bytes().to_vec() };
        let given = SeriesInput { values: None, resource_id: Some(&resource.id.clone()), column: None };
        Series::read(&Call { resource: Some(resource), ..Call::default() }, given, rules)
    }

    fn stored(text: &str) -> Result<Series, Error> {
        stored_by(text, &RULES)
    }

    #[test]
    fn reads_each_shape() {
        for text in ["[1, 2, 3]", "{\"values\": [1, 2, 3]}", "1\n2\n3\n", "v\n1\n2\n3", "name;v\nx;1\ny;2\nz;3"] {
            assert_eq!(stored(text).map(|s| s.values), Ok(vec![1.0, 2.0, 3.0]), "{text}");
        }
        let series =
            stored("t,v\n2026-01-01 00:00,1\n2026-01-01 01:00,2\n2026-01-01 04:00,3\n2026-01-01 05:00,4").unwrap();
        assert_eq!((series.step, series.gaps, series.times.len()), (Some(3_600.0), 1, 4));
    }

    #[test]
    fn names_what_is_wrong() {
        for (text, expect) in [
            ("[1, null]", "leave gaps out"),
            ("[1]", "at least 2"),
            ("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]", "more than 10"),
            ("[1, {\"t\": 1, \"value\": 2}]", "point 1"),
            ("a,b\nx,y\n", "no numeric column"),
            ("t,v\n2026-01-02,1\n2026-01-01,2", "sort"),
            ("v\n1\nNaN\n", "line 3: \"NaN\" is not a number; fill gaps"),
        ] {
            let error = stored(text).expect_err(text);
            assert!(error.message().contains(expect), "{text}: {error}");
            assert_eq!(error.field(), Some("/resource_id"));
        }
    }

    #[test]
    fn the_same_time_twice_is_refused_where_rules_say_so() {
        let text = "t,v\n2026-01-01,1\n2026-01-01,2";
        assert!(stored(text).is_ok());
        let error = stored_by(text, &Rules { strictly_increasing: true, ..RULES }).expect_err("refused");
        assert!(error.message().contains("one for each"), "{error}");
        assert_eq!((median(&[5.0, 1.0, 3.0]), median(&[1.0, 2.0]), median(&[])), (3.0, 1.5, 0.0));
    }
}
