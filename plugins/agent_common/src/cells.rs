//! The cells of a table as numbers, dates and texts, read strictly: a way of writing that
//! can mean two things is an error.

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::dates::{self, Date, Order};
use crate::exact::Exact;
use crate::quantity::Style;
use crate::table::Table;

/// How numbers and dates are written, if the cells do not show it.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Notation {
    /// The decimal sign, `point` or `comma`. Default: as the cells show; an error if they can mean both.
    pub decimal: Option<DecimalSign>,
    /// Whether `01/02/2024` is in February (`day_first`) or in January (`month_first`). Default: as the cells show; an
    /// error if they can mean both.
    pub dates: Option<DayOrder>,
}

/// The sign between the whole part of a number and its fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::cells::names_only)]
pub enum DecimalSign {
    /// `1,234.5`
    Point,
    /// `1.234,5`
    Comma,
}

/// Which part of `01/02/2024` is the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::cells::names_only)]
pub enum DayOrder {
    /// The first.
    DayFirst,
    /// The second.
    MonthFirst,
}

/// Makes the schema of an enumeration a list of its names, which takes fewer steps to check
/// than a schema with a description for each name.
pub(crate) fn names_only(schema: &mut Schema) {
    let names = |all: &Vec<Value>| all.iter().map(|one| one.get("const").cloned()).collect::<Option<Vec<Value>>>();
    if let Some(names) = schema.get("oneOf").and_then(Value::as_array).and_then(names) {
        schema.remove("oneOf");
        schema.insert("type".into(), "string".into());
        schema.insert("enum".into(), Value::Array(names));
    }
}

/// A date with or without a time, or a time alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// The day; none for a time alone.
    pub date: Option<Date>,
    /// Milliseconds since midnight; none without a time.
    pub time: Option<u64>,
}

/// A column whose cells are all of one type. Cells without a value are none.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Numbers.
    Numbers(Vec<Option<Exact>>),
    /// Dates or times.
    Moments(Vec<Option<Moment>>),
    /// Anything else.
    Texts,
}

/// A table whose columns are read strictly.
#[derive(Debug, Clone, Copy)]
pub struct Cells<'t> {
    /// The table.
    pub table: &'t Table,
    style: Option<Style>,
    order: Option<Order>,
}

impl<'t> Cells<'t> {
    /// Reads a table. Columns that show their decimal sign decide for those that do not.
    pub fn new(table: &'t Table, notation: Notation) -> Self {
        let mut shown = (false, false);
        for column in 0..table.columns.len() {
            match evidence(&table.cells(column)) {
                (true, false, _) => shown.0 = true,
                (false, true, _) => shown.1 = true,
                _ => {}
            }
        }
        let style = match (notation.decimal, shown) {
            (Some(DecimalSign::Point), _) | (None, (true, false)) => Some(Style::Point),
            (Some(DecimalSign::Comma), _) | (None, (false, true)) => Some(Style::Comma),
            _ => None,
        };
        let order = notation.dates.map(|order| match order {
            DayOrder::DayFirst => Order::DayFirst,
            DayOrder::MonthFirst => Order::MonthFirst,
        });
        Self { table, style, order }
    }

    fn name(&self, column: usize) -> &str {
        self.table.columns.get(column).map_or("", String::as_str)
    }

    /// Returns the decimal sign of a column; an error if its numbers can mean two things.
    pub fn style(&self, column: usize) -> Result<Style, String> {
        let cells = self.table.cells(column);
        match (evidence(&cells), self.style) {
            ((true, true, _), None) => {
                Err(format!("the column `{}` has both decimal points and decimal commas", self.name(column)))
            }
            ((true, false, _), _) => Ok(Style::Point),
            ((false, true, _), _) => Ok(Style::Comma),
            (_, Some(style)) => Ok(style),
            ((_, _, Some(cell)), None) => Err(format!(
                "`{cell}` in the column `{}` can be read with a decimal point or a decimal comma; which one is it?",
                self.name(column)
            )),
            _ => Ok(Style::Point),
        }
    }

    /// Returns the order of day and month in a column; an error if it has dates that can
    /// mean two days.
    pub fn order(&self, column: usize) -> Result<Option<Order>, String> {
        let cells = self.table.cells(column);
        let order = self.order.or_else(|| dates::order(&cells));
        let both = |cell: &&&str| {
            let (day, month) = (moment(cell, Some(Order::DayFirst)), moment(cell, Some(Order::MonthFirst)));
            day.is_some() && month.is_some() && day != month
        };
        match cells.iter().find(both).filter(|_| order.is_none()) {
            Some(cell) => Err(format!(
                "`{cell}` in the column `{}` can be two dates; is the day or the month first?",
                self.name(column)
            )),
            None => Ok(order),
        }
    }

    /// Returns the values of a column; an error if they can mean two things.
    pub fn values(&self, column: usize) -> Result<Values, String> {
        let cells = self.table.cells(column);
        let filled: Vec<&str> = cells.iter().copied().filter(|cell| !is_blank(cell)).collect();
        let numeric = |cell: &&str| number(cell, Style::Point).or_else(|| number(cell, Style::Comma)).is_some();
        if filled.is_empty() {
            return Ok(Values::Texts);
        }
        if filled.iter().all(numeric) {
            let style = self.style(column)?;
            let read: Vec<Option<(Exact, String)>> = cells.iter().map(|cell| number(cell, style)).collect();
            let units: Vec<&String> = read.iter().flatten().map(|(_, unit)| unit).collect();
            let even = units.len() == filled.len() && units.windows(2).all(|pair| pair.first() == pair.last());
            return Ok(if even {
                Values::Numbers(read.into_iter().map(|cell| cell.map(|(number, _)| number)).collect())
            } else {
                Values::Texts
            });
        }
        let some_order = |cell: &&str| moment(cell, None).or_else(|| moment(cell, Some(Order::DayFirst))).is_some();
        if filled.iter().all(some_order) {
            let order = self.order(column)?;
            let read: Vec<Option<Moment>> = cells.iter().map(|cell| moment(cell, order)).collect();
            let dated = |moment: &&Moment| moment.date.is_some();
            let count = read.iter().flatten().filter(dated).count();
            if read.iter().flatten().count() == filled.len() && (count == 0 || count == filled.len()) {
                return Ok(Values::Moments(read));
            }
        }
        Ok(Values::Texts)
    }

    /// Returns a column of numbers; an error names the first cell that is none.
    pub fn numbers(&self, column: usize) -> Result<Vec<Option<Exact>>, String> {
        if let Values::Numbers(numbers) = self.values(column)? {
            return Ok(numbers);
        }
        let style = self.style(column)?;
        let cells = self.table.cells(column);
        let bad = cells.iter().find(|cell| !is_blank(cell) && number(cell, style).is_none());
        Err(match bad {
            Some(cell) => format!("the column `{}` has `{cell}`, which is not a number", self.name(column)),
            None => format!("the column `{}` has no numbers of one unit", self.name(column)),
        })
    }

    /// Returns a column of dates or times; an error names the first cell that is none.
    pub fn moments(&self, column: usize) -> Result<Vec<Option<Moment>>, String> {
        if let Values::Moments(moments) = self.values(column)? {
            return Ok(moments);
        }
        let order = self.order(column)?;
        let cells = self.table.cells(column);
        let bad = cells.iter().find(|cell| !is_blank(cell) && moment(cell, order).is_none());
        let bad = bad.map_or_else(|| "no dates".to_owned(), |cell| format!("`{cell}`, which is not a date"));
        Err(format!("the column `{}` has {bad}", self.name(column)))
    }

    /// Returns the rank of each cell among all values of a column; case does not matter in texts.
    pub fn ranks(&self, column: usize) -> Result<Vec<Option<usize>>, String> {
        let text = |cell: &str| (!cell.is_empty()).then(|| cell.to_lowercase());
        Ok(match self.values(column)? {
            Values::Numbers(all) => ranks(&all),
            Values::Moments(all) => ranks(&all),
            Values::Texts => ranks(&self.table.cells(column).into_iter().map(text).collect::<Vec<_>>()),
        })
    }

    /// Returns whether the numbers of a column are percentages.
    pub fn is_percent(&self, column: usize) -> bool {
        self.table.cells(column).iter().any(|cell| cell.ends_with('%'))
    }

    /// Returns the type of a column: `integer`, `number`, `date`, `time`, `text` or `empty`.
    pub fn kind(&self, column: usize) -> &'static str {
        match self.values(column) {
            Ok(Values::Numbers(all)) if all.iter().flatten().all(|number| number.is_whole()) => "integer",
            Ok(Values::Numbers(_)) => "number",
            Ok(Values::Moments(all)) if all.iter().flatten().all(|moment| moment.date.is_none()) => "time",
            Ok(Values::Moments(_)) => "date",
            _ if self.table.cells(column).iter().all(|cell| cell.is_empty()) => "empty",
            _ => "text",
        }
    }
}

fn ranks<T: Ord>(all: &[Option<T>]) -> Vec<Option<usize>> {
    let mut sorted: Vec<&T> = all.iter().flatten().collect();
    sorted.sort();
    all.iter().map(|value| value.as_ref().map(|value| sorted.partition_point(|other| *other < value))).collect()
}

/// Returns whether a cell has no value: empty, a dash, `n/a`, `null`.
pub fn is_blank(cell: &str) -> bool {
    matches!(cell.trim().to_lowercase().as_str(), "" | "-" | "–" | "—" | "n/a" | "null" | "nan")
}

/// Returns whether cells can only be read with a decimal point, only with a comma, and the
/// first that means another number with each.
fn evidence<'c>(cells: &[&'c str]) -> (bool, bool, Option<&'c str>) {
    let mut found = (false, false, None);
    for cell in cells {
        match (number(cell, Style::Point), number(cell, Style::Comma)) {
            (Some(_), None) => found.0 = true,
            (None, Some(_)) => found.1 = true,
            (Some(point), Some(comma)) if point != comma => found.2 = found.2.or(Some(*cell)),
            _ => {}
        }
    }
    found
}

/// Reads a cell that is one number, with its unit or currency: `1,234.50`, `(3)`, `€ 5`,
/// `12 %`, `31 ms`. Codes with leading zeros and scales such as `5k` are no numbers.
pub fn number(cell: &str, style: Style) -> Option<(Exact, String)> {
    let cell = cell.trim();
    let inner = cell.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let (text, in_brackets) = inner.map_or((cell, false), |inner| (inner, true));
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let end = text.rfind(|c: char| c.is_ascii_digit())? + 1;
    let (head, body, tail) = (text.get(..start)?, text.get(start..end)?, text.get(end..)?.trim());
    let minus = head.matches(['-', '−']).count() + usize::from(in_brackets);
    let head = head.replace(['-', '−', '+', ' ', '\u{a0}'], "");
    let code = head.len() == 3 && head.bytes().all(|byte| byte.is_ascii_uppercase());
    let sign = |text: &str| text.chars().count() == 1 && text.contains(['€', '$', '£', '¥', '%', '°']);
    let word = tail.chars().all(|c| c.is_alphabetic() || "/°²³".contains(c)) && tail.chars().count() <= 10;
    let scale = ["k", "m", "b", "bn", "mn", "mio", "mrd", "tsd", "st", "nd", "rd", "th", "million", "thousand"];
    let known = (head.is_empty() || code || sign(&head)) && (tail.is_empty() || sign(tail) || word);
    if minus > 1 || !known || scale.contains(&tail.to_lowercase().as_str()) || (!head.is_empty() && !tail.is_empty()) {
        return None;
    }
    let (decimal, group) = if style == Style::Point { ('.', ',') } else { (',', '.') };
    let (whole, part) = body.split_once(decimal).map_or((body, ""), |(whole, part)| (whole, part));
    let separator = whole.chars().find(|c| !c.is_ascii_digit());
    if separator.is_some_and(|c| c != group && !"'’ \u{a0}\u{202f}".contains(c)) {
        return None;
    }
    let groups: Vec<&str> = separator.map_or_else(|| vec![whole], |c| whole.split(c).collect());
    let first = groups.first().map_or(0, |first| first.len());
    let grouped = groups.len() == 1 || (first <= 3 && groups.iter().skip(1).all(|group| group.len() == 3));
    let code = whole.len() > 1 && whole.starts_with('0');
    if first == 0 || !grouped || code || (body.ends_with(decimal)) {
        return None;
    }
    let plain = if body.contains(decimal) { format!("{}.{part}", groups.concat()) } else { groups.concat() };
    let number = Exact::read(&if minus == 1 { format!("-{plain}") } else { plain })?;
    Some((number, format!("{head}{tail}")))
}

/// Reads a cell that is one date, with or without a time, or one time of day in 24 hours.
pub fn moment(cell: &str, order: Option<Order>) -> Option<Moment> {
    let cell = cell.trim();
    if let Some(time) = time(cell) {
        return Some(Moment { date: None, time: Some(time) });
    }
    let (day, clock) = match cell.rsplit_once(['T', ' ']) {
        Some((day, clock)) if clock.contains(':') => (day, Some(time(clock)?)),
        _ => (cell, None),
    };
    let parts: Vec<&str> = day.split(['/', '.', '-']).map(str::trim).collect();
    if let [first, second, year] = parts.as_slice() {
        let number = |part: &str| part.parse::<u32>().ok();
        if let (Some(first), Some(second), Some(_)) = (number(first), number(second), number(year)) {
            let month = if order == Some(Order::MonthFirst) { first } else { second };
            if first < 1000 && order.is_some() && month > 12 {
                return None;
            }
        }
    }
    Some(Moment { date: Some(dates::read(day, order)?), time: clock })
}

/// Reads a text that is one table with a header and nothing else: CSV with any separator,
/// Markdown, JSON, or a single column.
///
/// # Errors
/// No table, several tables, rows of different lengths, no header.
pub fn table(data: &str) -> Result<Table, String> {
    let split = crate::material::tables(data).map_err(|error| error.message().to_owned())?;
    let lines: Vec<&str> = data.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    match (split.tables.as_slice(), lines.as_slice()) {
        ([table], _) if split.command.is_empty() && !table.headless => Ok(table.clone()),
        ([], [name, rows @ ..])
            if !rows.is_empty() && lines.iter().all(|line| !line.contains([',', ';', '\t', '|'])) =>
        {
            Ok(Table::new(vec![(*name).to_owned()], rows.iter().map(|row| vec![(*row).to_owned()]).collect()))
        }
        ([table], _) if table.headless => Err("the first line does not name the columns".into()),
        _ => Err("it is not one table with a header".into()),
    }
}

fn time(text: &str) -> Option<u64> {
    let text = text.strip_suffix('Z').unwrap_or(text);
    let (clock, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let parts: Vec<&str> = clock.split(':').collect();
    let plain = |part: &&str| (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    if !(2..=3).contains(&parts.len()) || !parts.iter().all(plain) || parts.iter().skip(1).any(|part| part.len() != 2) {
        return None;
    }
    let mut numbers = parts.iter().map(|part| part.parse::<u64>().unwrap_or(99));
    let (hour, minute, second) = (numbers.next()?, numbers.next()?, numbers.next().unwrap_or(0));
    let fraction = format!("{fraction:0<3}").get(..3)?.parse::<u64>().ok()?;
    (hour < 24 && minute < 60 && second < 60).then_some(((hour * 60 + minute) * 60 + second) * 1000 + fraction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    fn column(cells: &[String]) -> String {
        let rows = cells.iter().map(|cell| vec![cell.clone()]).collect();
        let table = Table::new(vec!["x".into()], rows);
        let read = Cells::new(&table, Notation::default());
        match read.values(0) {
            Ok(Values::Numbers(all)) => {
                all.iter().map(|n| n.map_or("_".into(), Exact::text)).collect::<Vec<_>>().join(" ")
            }
            Ok(Values::Moments(all)) => {
                let day = |m: &Moment| m.date.map_or_else(|| format!("{}", m.time.unwrap_or(0)), Date::iso);
                all.iter().map(|m| m.as_ref().map_or("_".into(), day)).collect::<Vec<_>>().join(" ")
            }
            Ok(Values::Texts) => "texts".into(),
            Err(error) => error,
        }
    }

    #[test]
    fn columns_are_read_strictly() {
        for (cells, expect) in rows::<(Vec<String>, String)>(include_str!("../cases/cells.json")) {
            assert_eq!(column(&cells), expect, "{cells:?}");
        }
    }

    #[test]
    fn one_column_shows_the_decimal_sign_of_the_others() {
        let table = Table::new(vec!["price".into(), "qty".into()], vec![vec!["0,12".into(), "2.500".into()]]);
        let cells = Cells::new(&table, Notation::default());
        assert_eq!(cells.numbers(1).unwrap(), [Exact::read("2500")]);
        assert_eq!((cells.kind(0), cells.kind(1)), ("number", "integer"));
    }
}
