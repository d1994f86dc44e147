//! Figures of the rows of a table: sums, means, shares, by group or as a cross table.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use crate::cells::{self, Cells, Moment, Notation, Values};
use crate::condition::{self, Condition, Verdict};
use crate::exact::Exact;
use crate::expression::Expression;
use crate::relations;
use crate::table::Table;
pub use crate::table::cell as shown;

/// Most numbers of rows that an answer names.
const BASIS_MAX: usize = 200;

/// A figure of the rows of a group.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// What is computed.
    pub measure: Measure,
    /// A column, or a formula over columns such as `qty * price` that is computed in each row. `count` and `share` count
    /// rows without it.
    #[schemars(length(min = 1, max = 200))]
    pub of: Option<String>,
    /// The divisor of `ratio` and `percentage`: a column or formula.
    #[schemars(length(min = 1, max = 200))]
    pub over: Option<String>,
    /// Conditions on the rows of this figure alone, besides those of all.
    #[schemars(length(min = 1, max = 20))]
    #[serde(rename = "where")]
    pub conditions: Option<Vec<Condition>>,
    /// Adds so many percent to the figure, such as 19 for VAT.
    #[schemars(range(min = -100.0, max = 10_000.0))]
    pub plus_percent: Option<f64>,
    /// Its name in the answer. Default: such as `sum of amount`.
    #[schemars(length(min = 1, max = 100))]
    pub name: Option<String>,
}

/// What is computed of the rows of a group. Cells without a value do not count.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::cells::names_only)]
pub enum Measure {
    /// The sum.
    #[default]
    Sum,
    /// The arithmetic mean.
    Mean,
    /// The median.
    Median,
    /// The lowest number or first date.
    Min,
    /// The highest number or last date.
    Max,
    /// Number of values, or of rows without `of`.
    Count,
    /// Number of different values.
    Distinct,
    /// Percent of the sum of all groups; with conditions of its own, percent of the same group without them. Counts rows
    /// without `of`.
    Share,
    /// The sum of `of`, divided by the sum of `over`. A weighted mean is the ratio of `rate * weight` to `weight`.
    Ratio,
    /// The same, times 100.
    Percentage,
    /// The value itself; an error if there are several. For `pivot`.
    Only,
}

/// Which rows are repeated, and which of them stays.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Deduplicate {
    /// Columns that are equal in repeated rows. Default: all.
    #[schemars(length(min = 1, max = 20))]
    pub by: Option<Vec<String>>,
    /// Which row stays: `first`, `last`, or the one with the `highest` (newest) or `lowest` value of `of`. Default: first.
    pub keep: Option<Keep>,
    /// The column of `highest` and `lowest`.
    #[schemars(length(min = 1, max = 200))]
    pub of: Option<String>,
}

/// Which of several rows stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::cells::names_only)]
pub enum Keep {
    /// The first.
    First,
    /// The last.
    Last,
    /// The one with the highest value of `of`.
    Highest,
    /// The one with the lowest value of `of`.
    Lowest,
}

/// A cross table.
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pivot {
    /// The column, or part of a date, of the rows.
    #[schemars(length(min = 1, max = 200))]
    pub rows: String,
    /// The column, or part of a date, of the columns.
    #[schemars(length(min = 1, max = 200))]
    pub columns: String,
}

/// Returns the rows that meet all conditions.
pub fn matching(conditions: &[Condition], cells: &Cells<'_>) -> Result<Vec<usize>, String> {
    let mut rows: Vec<usize> = (0..cells.table.rows.len()).collect();
    for condition in conditions {
        let verdicts = condition.verdicts(cells)?;
        if let Some(row) = rows.iter().find(|row| verdicts.get(**row) == Some(&Verdict::Unreadable)) {
            let text = condition.text();
            return Err(format!("`{text}` cannot be tested in row {}: not the same kind of value", row + 1));
        }
        rows.retain(|row| verdicts.get(*row) == Some(&Verdict::Met));
    }
    Ok(rows)
}

/// Returns a table of some rows.
pub fn picked(table: &Table, rows: &[usize]) -> Table {
    Table::new(table.columns.clone(), rows.iter().filter_map(|row| table.rows.get(*row).cloned()).collect())
}

/// Returns the rows that stay if repeated ones are left out.
pub fn without_repeats(table: &Table, ask: &Deduplicate, notation: Notation) -> Result<Vec<usize>, String> {
    let columns = ask.by.as_ref().unwrap_or(&table.columns);
    let keys = relations::keys(columns, &Cells::new(table, notation))?;
    let mut order: Vec<usize> = (0..keys.len()).collect();
    match (ask.keep.unwrap_or(Keep::First), &ask.of) {
        (Keep::First, None) => {}
        (Keep::Last, None) => order.reverse(),
        (keep @ (Keep::Highest | Keep::Lowest), Some(of)) => {
            let mut indexed = table.clone();
            indexed.columns.push("#".into());
            indexed.rows.iter_mut().enumerate().for_each(|(at, row)| row.push(at.to_string()));
            relations::sort(&mut indexed, &[(of.clone(), keep == Keep::Highest)], notation, None)?;
            order = indexed.rows.iter().filter_map(|row| row.last()?.parse().ok()).collect();
        }
        _ => return Err("`highest` and `lowest` need `of`; `first` and `last` do not have it".into()),
    }
    let mut known = BTreeSet::new();
    let mut kept: Vec<usize> = order.into_iter().filter(|row| known.insert(keys.get(*row))).collect();
    kept.sort_unstable();
    Ok(kept)
}

/// A figure whose columns are read.
#[derive(Debug)]
pub struct Ready {
    /// Its name.
    pub name: String,
    ask: Figure,
    numbers: Vec<Option<Exact>>,
    moments: Vec<Option<Moment>>,
    texts: Vec<String>,
    over: Vec<Option<Exact>>,
    met: Vec<bool>,
}

/// Returns the name of a figure.
pub fn name(ask: &Figure) -> String {
    let of = ask.of.clone().unwrap_or_else(|| "rows".into());
    let over = ask.over.clone().unwrap_or_default();
    let mut name = match ask.measure {
        Measure::Sum => format!("sum of {of}"),
        Measure::Mean => format!("mean of {of}"),
        Measure::Median => format!("median of {of}"),
        Measure::Min => format!("minimum of {of}"),
        Measure::Max => format!("maximum of {of}"),
        Measure::Count => format!("count of {of}"),
        Measure::Distinct => format!("different values of {of}"),
        Measure::Share => format!("share of {of} in percent"),
        Measure::Ratio => format!("ratio of {of} to {over}"),
        Measure::Percentage => format!("{of} in percent of {over}"),
        Measure::Only => of,
    };
    if let Some(conditions) = &ask.conditions {
        let texts: Vec<String> = conditions.iter().map(Condition::text).collect();
        name.push_str(&format!(" where {}", texts.join(" and ")));
    }
    if let Some(percent) = ask.plus_percent {
        name.push_str(&format!(" plus {percent} %"));
    }
    ask.name.clone().unwrap_or(name)
}

impl Ready {
    /// Reads the columns of a figure.
    pub fn new(ask: &Figure, cells: &Cells<'_>) -> Result<Self, String> {
        let counts = matches!(ask.measure, Measure::Count | Measure::Share);
        let ratio = matches!(ask.measure, Measure::Ratio | Measure::Percentage);
        if (ask.of.is_none() && !counts) || ratio != ask.over.is_some() {
            return Err(format!("the figure `{}` needs other members: `of`, and `over` only for ratios", name(ask)));
        }
        let mut ready = Self {
            name: name(ask),
            ask: ask.clone(),
            numbers: Vec::new(),
            moments: Vec::new(),
            texts: Vec::new(),
            over: Vec::new(),
            met: vec![true; cells.table.rows.len()],
        };
        let column = ask.of.as_ref().and_then(|of| cells.table.column(of));
        let moments = match (ask.measure, column) {
            (Measure::Min | Measure::Max, Some(at)) => matches!(cells.values(at)?, Values::Moments(_)),
            _ => false,
        };
        match (&ask.of, column) {
            (Some(_), Some(at)) if moments => {
                ready.moments = cells.moments(at)?;
                ready.texts = cells.table.cells(at).into_iter().map(str::to_owned).collect();
            }
            (Some(of), _) if matches!(ask.measure, Measure::Count | Measure::Distinct | Measure::Only) => {
                ready.texts = condition::key(of, cells)?;
            }
            (Some(of), _) => ready.numbers = formula(of, cells)?,
            (None, _) => {}
        }
        if let Some(over) = &ask.over {
            ready.over = formula(over, cells)?;
        }
        if let Some(conditions) = &ask.conditions {
            let rows = matching(conditions, cells)?;
            ready.met = (0..cells.table.rows.len()).map(|row| rows.contains(&row)).collect();
        }
        Ok(ready)
    }

    /// Returns the rows that count, from 1.
    pub fn basis(&self, rows: &[usize], origin: &[usize]) -> Vec<usize> {
        self.own(rows).iter().take(BASIS_MAX).filter_map(|row| origin.get(*row)).map(|row| row + 1).collect()
    }

    fn own(&self, rows: &[usize]) -> Vec<usize> {
        rows.iter().copied().filter(|row| self.met.get(*row) == Some(&true)).collect()
    }

    fn amounts(&self, rows: &[usize]) -> Vec<Exact> {
        rows.iter().filter_map(|row| self.numbers.get(*row).copied().flatten()).collect()
    }

    fn texts(&self, rows: &[usize]) -> Vec<&str> {
        let texts = rows.iter().filter_map(|row| self.texts.get(*row));
        texts.map(|text| text.trim()).filter(|text| !cells::is_blank(text)).collect()
    }

    /// Returns the figure of some rows; `all` are those of all groups.
    pub fn value(&self, rows: &[usize], all: &[usize]) -> Result<Value, String> {
        let own = self.own(rows);
        let mut numbers = self.amounts(&own);
        let several = || format!("`{}` has several values for one cell; name a measure such as sum", self.name);
        let value = match self.ask.measure {
            Measure::Sum => total(&numbers),
            Measure::Mean => total(&numbers).and_then(|sum| sum.over(whole(numbers.len()))),
            Measure::Median => {
                numbers.sort();
                let upper = numbers.get(numbers.len() / 2).copied();
                let lower = numbers.len().checked_sub(1).and_then(|last| numbers.get(last / 2).copied());
                lower.zip(upper).and_then(|(lower, upper)| lower.plus(upper)?.over(whole(2)))
            }
            Measure::Min | Measure::Max if !self.moments.is_empty() => return Ok(self.extreme(&own)),
            Measure::Min => numbers.into_iter().min(),
            Measure::Max => numbers.into_iter().max(),
            Measure::Count => Some(whole(if self.ask.of.is_none() { own.len() } else { self.texts(&own).len() })),
            Measure::Distinct => Some(whole(self.texts(&own).into_iter().collect::<BTreeSet<_>>().len())),
            Measure::Share => {
                let base = if self.ask.conditions.is_some() { rows } else { all };
                let weigh = |rows: &[usize]| {
                    if self.ask.of.is_none() { Some(whole(rows.len())) } else { total(&self.amounts(rows)) }
                };
                quotient(weigh(&own), weigh(base), 100)
            }
            Measure::Ratio | Measure::Percentage => {
                let known =
                    |row: &usize| self.over.get(*row).copied().flatten().filter(|_| !self.amounts(&[*row]).is_empty());
                let both: Vec<usize> = own.iter().copied().filter(|row| known(row).is_some()).collect();
                let over: Vec<Exact> = both.iter().filter_map(known).collect();
                let times = if self.ask.measure == Measure::Ratio { 1 } else { 100 };
                quotient(total(&self.amounts(&both)), total(&over), times)
            }
            Measure::Only => {
                let texts = self.texts(&own);
                let text = texts.first().copied().unwrap_or_default();
                return if texts.len() > 1 { Err(several()) } else { Ok(Value::from(text)) };
            }
        };
        let factor = self.ask.plus_percent.and_then(|percent| Exact::read(&percent.to_string()));
        let plus = |value: Exact| match factor {
            Some(percent) => value.times(whole(100).plus(percent)?)?.over(whole(100)),
            None => Some(value),
        };
        Ok(number(value.and_then(plus)))
    }

    /// Returns the first or last date, as written.
    fn extreme(&self, rows: &[usize]) -> Value {
        let dated = rows.iter().filter_map(|row| Some((self.moments.get(*row).copied().flatten()?, *row)));
        let row = if self.ask.measure == Measure::Min { dated.min() } else { dated.max() };
        row.and_then(|(_, row)| self.texts.get(row)).map_or(Value::Null, |text| Value::from(text.as_str()))
    }
}

fn formula(text: &str, cells: &Cells<'_>) -> Result<Vec<Option<Exact>>, String> {
    condition::formula(&Expression::parse(text, &cells.table.columns)?, cells)
}

fn whole(count: usize) -> Exact {
    Exact::whole(i64::try_from(count).unwrap_or(i64::MAX))
}

fn total(numbers: &[Exact]) -> Option<Exact> {
    numbers.iter().try_fold(Exact::default(), |sum, number| sum.plus(*number))
}

fn quotient(a: Option<Exact>, b: Option<Exact>, times: usize) -> Option<Exact> {
    a?.times(whole(times))?.over(b?)
}

/// Returns a number of a result, to six decimals.
fn number(value: Option<Exact>) -> Value {
    let read = |value: Exact| {
        let rounded = value.rounded(6);
        let whole = rounded.is_whole().then(|| rounded.text().parse::<i64>().ok().map(Value::from)).flatten();
        whole.or_else(|| Number::from_f64(rounded.number()).map(Value::Number))
    };
    value.and_then(read).unwrap_or(Value::Null)
}

/// The rows of each group, by the texts of its keys.
pub type Groups = BTreeMap<Vec<String>, Vec<usize>>;

/// Returns the groups of all rows.
pub fn groups(by: &[String], cells: &Cells<'_>) -> Result<Groups, String> {
    let mut groups = Groups::new();
    if by.is_empty() {
        groups.insert(Vec::new(), (0..cells.table.rows.len()).collect());
    }
    for (row, key) in relations::keys(by, cells)?.into_iter().enumerate().filter(|_| !by.is_empty()) {
        groups.entry(key).or_default().push(row);
    }
    Ok(groups)
}

/// Returns a cross table of one figure.
pub fn pivot(ask: &Pivot, figure: &Figure, cells: &Cells<'_>) -> Result<Table, String> {
    let ready = Ready::new(figure, cells)?;
    let groups = groups(&[ask.rows.clone(), ask.columns.clone()], cells)?;
    let all: Vec<usize> = (0..cells.table.rows.len()).collect();
    let at = |place: usize| move |key: &Vec<String>| key.get(place).cloned().unwrap_or_default();
    let names: BTreeSet<String> = groups.keys().map(at(1)).collect();
    let labels: BTreeSet<String> = groups.keys().map(at(0)).collect();
    let mut rows = Vec::new();
    for label in labels {
        let mut row = vec![label.clone()];
        for name in &names {
            let here = groups.get(&vec![label.clone(), name.clone()]);
            row.push(here.map(|rows| ready.value(rows, &all)).transpose()?.as_ref().map(shown).unwrap_or_default());
        }
        rows.push(row);
    }
    Ok(Table::new([ask.rows.clone()].into_iter().chain(names).collect(), rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    #[test]
    fn figures_of_rows() {
        let table = crate::cells::table(
            "city,qty,price,day,late\nA,2,0.1,2024-05-01,yes\nB,3,0.2,2024-05-03,no\nA,,5,2024-04-02,yes\nA,4,1,,no",
        );
        let table = table.unwrap();
        let cells = Cells::new(&table, Notation::default());
        let all = [0, 1, 2, 3];
        for (ask, expect) in rows::<(Figure, String)>(include_str!("../cases/measures.json")) {
            let value = Ready::new(&ask, &cells).and_then(|ready| ready.value(&all, &all));
            assert_eq!(value.map_or("error".into(), |value| shown(&value)), expect, "{ask:?}");
        }
    }

    #[test]
    fn cross_tables_and_repeats() {
        let table = crate::cells::table("y,s,n\n2,b,1\n1,a,2\n1,b,3\n1,b,3").unwrap();
        let cells = Cells::new(&table, Notation::default());
        let ask = Pivot { rows: "y".into(), columns: "s".into() };
        let sum = Figure { of: Some("n".into()), ..Figure::default() };
        let crossed = pivot(&ask, &sum, &cells).unwrap();
        assert_eq!(
            (crossed.columns, crossed.rows),
            (
                ["y", "a", "b"].map(str::to_owned).to_vec(),
                [["1", "2", "6"], ["2", "", "1"]].map(|row| row.map(str::to_owned).to_vec()).to_vec()
            )
        );
        let kept = |json: &str| without_repeats(&table, &serde_json::from_str(json).unwrap(), Notation::default());
        assert_eq!(kept("{}"), Ok(vec![0, 1, 2]));
        assert_eq!(kept(r#"{"by": ["y"], "keep": "last"}"#), Ok(vec![0, 3]));
        assert_eq!(kept(r#"{"by": ["y"], "keep": "lowest", "of": "n"}"#), Ok(vec![0, 1]));
    }
}
