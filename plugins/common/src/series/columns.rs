//! Points from CSV text: comma, semicolon or tab between cells, quotes around cells, a header or none.
//!
//! Every error points at `/resource_id` (or `/column`) and names the line, counted from 1.

use tollbridge_sdk::Error;

use super::{Point, Rules, Timed};
use crate::time::{Timestamp, parse};

/// Most cells that are read of a line.
const MOST_CELLS: usize = 256;

/// The points of a CSV file: values of one column, with times when the first column holds them.
pub(super) fn points(text: &str, column: Option<&str>, rules: &Rules) -> Result<Vec<Point>, Error> {
    let separator = separator(text.lines().next().unwrap_or_default());
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let rows: Vec<(usize, Vec<String>)> =
        lines.take(rules.max_points + 2).map(|(n, line)| (n + 1, cells(line, separator))).collect();
    let (header, body) = match rows.split_first() {
        Some(((_, first), rest)) if first.iter().all(|cell| number(cell).is_none()) => (Some(first), rest),
        _ => (None, rows.as_slice()),
    };
    let Some((_, sample)) = body.first() else {
        return Err(Error::invalid("/resource_id", "the stored CSV has no lines with values"));
    };
    let place = match column {
        Some(column) => named(column, header, sample.len())?,
        None => {
            let last = sample.iter().rposition(|cell| number(cell).is_some());
            let none = "the stored CSV has no numeric column in its first line of values";
            last.ok_or_else(|| Error::invalid("/resource_id", none))?
        }
    };
    let timed = place != 0 && sample.first().is_some_and(|cell| moment(cell, header).is_some());
    let read = |(line, row): &(usize, Vec<String>)| {
        let wrong = |text: String| Error::invalid("/resource_id", format!("line {line}: {text}"));
        let cell = row.get(place).map(String::as_str).unwrap_or_default();
        let value = number(cell).ok_or_else(|| {
            let cell: String = cell.chars().take(40).collect();
            wrong(format!("\"{cell}\" is not a number; {}", rules.gap_advice))
        })?;
        if !timed {
            return Ok(Point::Number(value));
        }
        let first = row.first().map(String::as_str).unwrap_or_default();
        let t = moment(first, header).ok_or_else(|| wrong("the first cell is not an ISO 8601 time".into()))?;
        Ok(Point::Timed(Timed { t, value }))
    };
    body.iter().map(read).collect()
}

/// A cell as a time: ISO 8601, or a number when the header calls the column a time.
fn moment(cell: &str, header: Option<&Vec<String>>) -> Option<Timestamp> {
    if parse(cell.trim()).is_some() {
        return Some(Timestamp::Text(cell.trim().to_owned()));
    }
    let name = header.and_then(|header| header.first()).map(|name| name.trim().to_ascii_lowercase())?;
    let is_time = ["t", "ts", "time", "timestamp", "date", "datetime", "epoch"].contains(&name.as_str());
    is_time.then(|| number(cell).map(Timestamp::Number))?
}

/// The place of a column given by name or by number from 1.
fn named(column: &str, header: Option<&Vec<String>>, width: usize) -> Result<usize, Error> {
    let by_name = header.and_then(|header| header.iter().position(|name| name.trim() == column.trim()));
    let by_number = column.trim().parse::<usize>().ok().filter(|n| (1..=width).contains(n)).map(|n| n - 1);
    by_name.or(by_number).ok_or_else(|| {
        let names = header.map_or_else(|| format!("1 to {width}"), |header| header.join(", "));
        let names: String = names.chars().take(300).collect();
        Error::invalid("/column", format!("the stored CSV has no such column; it has {names}"))
    })
}

fn number(cell: &str) -> Option<f64> {
    cell.trim().parse::<f64>().ok().filter(|value| value.is_finite())
}

/// The separator that occurs most in the first line; a comma when none does.
fn separator(line: &str) -> char {
    let count = |separator: char| line.chars().filter(|c| *c == separator).count();
    [';', '\t'].into_iter().fold(',', |best, next| if count(next) > count(best) { next } else { best })
}

fn cells(line: &str, separator: char) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let full = cells.len() >= MOST_CELLS;
        let Some(cell) = cells.last_mut() else { break };
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            c if c == separator && !quoted && !full => cells.push(String::new()),
            c => cell.push(c),
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_separators() {
        assert_eq!(cells("a,\"b,\"\"c\"\"\",d", ','), ["a", "b,\"c\"", "d"]);
        assert_eq!((separator("a;b;c"), separator("a\tb"), separator("a")), (';', '\t', ','));
    }

    #[test]
    fn columns_by_name_or_number() {
        let text = "t,load,temp\n2026-01-01,1,10\n2026-01-02,2,20\n";
        let values = |column: Option<&str>| {
            let read = |p: &Point| match p {
                Point::Number(v) => *v,
                Point::Timed(p) => p.value,
            };
            points(text, column, &Rules { min_points: 1, max_points: 10, strictly_increasing: false, gap_advice: "" })
                .map(|points| points.iter().map(read).collect::<Vec<_>>())
        };
        assert_eq!(values(None), Ok(vec![10.0, 20.0]));
        assert_eq!(values(Some("load")), Ok(vec![1.0, 2.0]));
        assert_eq!(values(Some("2")), Ok(vec![1.0, 2.0]));
        assert_eq!(values(Some("x")).map_err(|e| e.field().map(str::to_owned)), Err(Some("/column".into())));
    }
}
