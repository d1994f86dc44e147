//! Figures of rows and groups.

use std::collections::BTreeMap;

use agent_common::dates::MONTH_NAMES;
use agent_common::exact::Exact;
use agent_common::formula::{Formula, Step};
use agent_common::sheet::{Kind, Sheet, is_empty};

use crate::query::{Ask, Key, Measure, Op, Query, Unit};

/// A group and its figures, in the order of the asks.
#[derive(Debug, Clone)]
pub struct GroupFigures {
    pub of: Vec<(String, String)>,
    pub rows: Vec<usize>,
    pub values: Vec<Option<Exact>>,
}

/// The value of one ask over rows; `whole` are the rows that shares are of.
pub fn figure(sheet: &Sheet, ask: &Ask, rows: &[usize], whole: &[usize]) -> Option<Exact> {
    let own: Vec<usize> =
        rows.iter().copied().filter(|row| ask.filters.iter().all(|filter| filter.holds(sheet, *row))).collect();
    let rows_of = |count: usize| Some(Exact::whole(i64::try_from(count).ok()?));
    let hundred =
        |value: Exact| if ask.percent || ask.op == Op::Share { value.times(Exact::whole(100)) } else { Some(value) };
    match (&ask.measure, ask.op) {
        (Measure::Rows, Op::Share) => hundred(rows_of(own.len())?.over(rows_of(whole.len())?)?),
        (Measure::Rows, _) => rows_of(own.len()),
        (Measure::Of(formula), Op::Share) => hundred(total(sheet, formula, &own)?.over(total(sheet, formula, whole)?)?),
        (Measure::Of(Formula::Column(column)), Op::Distinct) => {
            let all: std::collections::BTreeSet<String> =
                own.iter().map(|row| sheet.cell(*row, *column).to_lowercase()).filter(|cell| !is_empty(cell)).collect();
            rows_of(all.len())
        }
        (Measure::Of(Formula::Both(above, Step::Over, below)), Op::Sum | Op::Mean) => {
            // A ratio of a group is that of its sums; where a part is missing the row does not count.
            let both: Vec<usize> = own
                .iter()
                .copied()
                .filter(|row| value(sheet, above, *row).is_some() && value(sheet, below, *row).is_some())
                .collect();
            hundred(total(sheet, above, &both)?.over(total(sheet, below, &both)?)?)
        }
        (Measure::Of(formula), op) => {
            let values: Vec<Exact> = own.iter().filter_map(|row| value(sheet, formula, *row)).collect();
            hundred(of_values(op, values)?)
        }
    }
}

fn of_values(op: Op, mut values: Vec<Exact>) -> Option<Exact> {
    let count = Exact::whole(i64::try_from(values.len()).ok()?);
    let sum = |values: &[Exact]| values.iter().try_fold(Exact::default(), |sum, value| sum.plus(*value));
    match op {
        Op::Count => Some(count),
        Op::Sum if values.is_empty() => None,
        Op::Sum => sum(&values),
        Op::Mean => sum(&values)?.over(count),
        Op::Min => values.into_iter().min(),
        Op::Max => values.into_iter().max(),
        Op::Median => {
            values.sort_unstable();
            let middle = values.len() / 2;
            let upper = *values.get(middle)?;
            if values.len() % 2 == 1 {
                Some(upper)
            } else {
                upper.plus(*values.get(middle.checked_sub(1)?)?)?.over(Exact::whole(2))
            }
        }
        Op::Distinct | Op::Share => None,
    }
}

pub fn value(sheet: &Sheet, formula: &Formula, row: usize) -> Option<Exact> {
    formula.value(&|column| sheet.number(row, column))
}

fn total(sheet: &Sheet, formula: &Formula, rows: &[usize]) -> Option<Exact> {
    rows.iter().filter_map(|row| value(sheet, formula, *row)).try_fold(Exact::default(), Exact::plus)
}

/// Rows by the values of the keys, in the order in which they come, with their figures.
pub fn groups(sheet: &Sheet, query: &Query, keys: &[Key], rows: &[usize]) -> Vec<GroupFigures> {
    let mut places: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    let mut found: Vec<GroupFigures> = Vec::new();
    for row in rows {
        let of: Vec<(String, String)> = keys.iter().flat_map(|key| names(sheet, *key, *row)).collect();
        let identity = of.iter().map(|(_, value)| agent_common::columns::fold(value)).collect();
        let place = *places.entry(identity).or_insert_with(|| {
            found.push(GroupFigures { of, rows: Vec::new(), values: Vec::new() });
            found.len() - 1
        });
        if let Some(group) = found.get_mut(place) {
            group.rows.push(*row);
        }
    }
    for group in &mut found {
        group.values = query.asks.iter().map(|ask| figure(sheet, ask, &group.rows, rows)).collect();
    }
    found
}

/// The name of a group and, for spans of the calendar, the other way to say it.
fn names(sheet: &Sheet, key: Key, row: usize) -> Vec<(String, String)> {
    const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    let own = sheet.cell(row, key.column);
    let text = |name: &str, value: String| vec![(name.to_owned(), value)];
    let (Some(unit), Some(day)) = (key.unit, sheet.day(row, key.column)) else {
        // `7a` and `007` are names, though they can be read as numbers.
        let name =
            own.contains(char::is_alphabetic) || (own.len() > 1 && own.starts_with('0') && !own.contains(['.', ',']));
        let number = sheet.number(row, key.column).filter(|_| sheet.kind(key.column) == Kind::Number && !name);
        return text(sheet.name(key.column), number.map_or_else(|| own.to_owned(), Exact::text));
    };
    match unit {
        Unit::Year => text("year", day.year.to_string()),
        Unit::Quarter => text("quarter", format!("{}-Q{}", day.year, day.month.div_ceil(3))),
        Unit::Month => {
            let name =
                usize::try_from(day.month).ok().and_then(|month| MONTH_NAMES.get(month.checked_sub(1)?)).unwrap_or(&"");
            vec![("month".into(), format!("{}-{:02}", day.year, day.month)), ("name".into(), (*name).to_owned())]
        }
        Unit::Week => {
            let thursday = day.plus_days(3 - i64::from(day.weekday()));
            let first = agent_common::dates::Date::new(thursday.year, 1, 1).unwrap_or(thursday);
            text("week", format!("{}-W{:02}", thursday.year, (thursday.days() - first.days()) / 7 + 1))
        }
        Unit::Weekday => text(
            "weekday",
            usize::try_from(i64::from(day.weekday())).ok().and_then(|at| DAYS.get(at)).unwrap_or(&"").to_string(),
        ),
    }
}
