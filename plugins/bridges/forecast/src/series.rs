//! The points to look at, from the call's values or from a stored CSV or JSON file.
//!
//! A series has [`FEWEST_POINTS`] to [`MOST_POINTS`] finite values; times are there for all points or for none,
//! and never go back.

use tollbridge_sdk::{Call, Error, serde_json};

use crate::csv;
use crate::input::{FEWEST_POINTS, Input, MOST_POINTS, Point, Timed};
use crate::stats::median;
use crate::time::Moment;

/// Points in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    pub values: Vec<f64>,
    /// As the caller wrote them; empty when there are none.
    pub times: Vec<Moment>,
    /// Median step between points in seconds, when times say it.
    pub step: Option<f64>,
    /// Seconds since 1970 (or the numbers given) of each point; empty when there are no times.
    pub seconds: Vec<f64>,
    /// Steps that are longer than one and a half times the median.
    pub gaps: usize,
}

impl Series {
    /// Reads the points that the input names.
    pub fn read(call: &Call, input: &Input) -> Result<Self, Error> {
        match (&input.values, &input.resource_id) {
            (Some(_), Some(_)) => Err(Error::invalid("/values", "give `values` or `resource_id`, not both")),
            (Some(points), None) if input.column.is_none() => Self::from_points(points, "/values"),
            (Some(_), None) => Err(Error::invalid("/column", "`column` is for a stored CSV file; leave it out")),
            (None, Some(_)) => Self::from_stored(call, input.column.as_deref()),
            (None, None) => {
                Err(Error::invalid("/values", "give `values`, or `resource_id` of a stored CSV or JSON file"))
            }
        }
    }

    fn from_stored(call: &Call, column: Option<&str>) -> Result<Self, Error> {
        let stored = call.stored()?;
        let text = stored.text()?;
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.starts_with(['[', '{']) {
            return Self::from_points(&json_points(text)?, "/resource_id");
        }
        let points = csv::points(text, column)?;
        Self::from_points(&points, "/resource_id")
    }

    /// `field` is the pointer to report: of the member when the values came in the call, else of the resource.
    fn from_points(points: &[Point], field: &str) -> Result<Self, Error> {
        if points.len() < FEWEST_POINTS {
            let message = format!("{} values are too few to forecast; give at least {FEWEST_POINTS}", points.len());
            return Err(Error::invalid(field, message));
        }
        if points.len() > MOST_POINTS {
            let message = format!(
                "{} values are more than {MOST_POINTS}; send the latest, or averages over longer steps",
                points.len()
            );
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
                    if seconds.last().is_some_and(|before| *before >= now) {
                        return Err(wrong(
                            index,
                            "/t",
                            "not later than the point before it; sort the points by time, one for each",
                        ));
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
        series.measure_steps(&seconds);
        series.seconds = seconds;
        Ok(series)
    }

    fn measure_steps(&mut self, seconds: &[f64]) {
        let steps: Vec<f64> = seconds.iter().zip(seconds.iter().skip(1)).map(|(a, b)| b - a).collect();
        let usual = median(&steps);
        if usual > 0.0 {
            self.gaps = steps.iter().filter(|step| **step > 1.5 * usual).count();
            self.step = self.times.first().is_some_and(Moment::is_calendar).then_some(usual);
        }
    }
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

    fn stored(text: &str) -> Result<Series, Error> {
        let resource = Stored { id: "res_1".into(), content_type: String::new(), bytes: text.as_bytes().to_vec() };
        let input = Input { resource_id: Some("res_1".into()), ..Input::default() };
        Series::read(&Call { resource: Some(resource), ..Call::default() }, &input)
    }

    #[test]
    fn reads_each_shape() {
        let numbers = "1\n2\n3\n4\n5\n6\n";
        for text in ["[1, 2, 3, 4, 5, 6]", "{\"values\": [1, 2, 3, 4, 5, 6]}", numbers, &format!("v\n{numbers}")] {
            assert_eq!(stored(text).map(|s| s.values), Ok(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), "{text}");
        }
    }

    #[test]
    fn names_what_is_wrong() {
        for (text, expect) in [
            ("[1, null]", "fill gaps"),
            ("[1, 2]", "at least 6"),
            ("[1, {\"t\": 1, \"value\": 2}, 1, 1, 1, 1]", "point 1"),
            ("a,b\nx,y\n", "no numeric column"),
            ("t,v\n2026-01-02,1\n2026-01-01,2\n2026-01-01,2\n2026-01-01,2\n2026-01-01,2\n2026-01-01,2", "sort"),
            ("v\n1\nNaN\n", "line 3"),
        ] {
            let error = stored(text).expect_err(text);
            assert!(error.message().contains(expect), "{text}: {error}");
            assert_eq!(error.field(), Some("/resource_id"));
        }
    }
}
