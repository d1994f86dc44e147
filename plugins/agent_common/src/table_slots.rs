//! Slots of commands about tables: columns, formulas, conditions, keys to group by.

use serde_json::{Value, json};
use tollbridge_sdk::Error;

use crate::command::Slots;
use crate::condition::{Comparison, Condition, PARTS};
use crate::condition_words::{COPULAS, NEGATIONS, be, lengths, periods};
use crate::expression::{self, Expression};
use crate::lexer::{Kind, Token};
use crate::material::{self, Tables};
use crate::quantity::Style;
use crate::slots::Common;
use crate::table::Table;
use crate::{cells, dates};

/// The slots of commands about the given tables. Besides the common kinds:
///
/// - `column`: the name of a column, in quotation marks if it is unusual; `columns`: several;
/// - `formula`: a column, or columns and numbers with `+ - * /` between them; `formulas`;
/// - `key`: a column, or `month of` and a column of dates; `keys`;
/// - `condition`: a column, a comparison and a value or another column; `conditions`,
///   joined by `and`;
/// - `period`: a year, month or quarter, as the condition on the only column of dates;
/// - `must`, `cannot`: `must be`, `is`; `must not be`, `is not`;
#[derive(Debug, Clone, Copy)]
pub struct TableSlots<'t> {
    tables: &'t [Table],
}

/// Splits a task into its tables and its command like [`material::tables`]. If the command
/// is not complete, its first lines could have as many cells as the table below them: the
/// first one to three lines are then the command, if that makes it complete.
///
/// # Errors
/// A row with more or fewer cells than the first.
pub fn split(task: &str, complete: impl Fn(&Tables) -> bool) -> Result<Tables, Error> {
    let plain = material::tables(task);
    if plain.as_ref().is_ok_and(&complete) {
        return plain;
    }
    let lines: Vec<&str> = task.trim().lines().collect();
    let forced = |count: usize| {
        let (above, below) = lines.split_at_checked(count)?;
        let mut split = material::tables(&below.join("\n")).ok()?;
        split.command = format!("{}\n{}", above.join("\n"), split.command);
        (!split.tables.is_empty()).then_some(split)
    };
    if let Some(split) = (1..=3).filter_map(forced).find(&complete) {
        return Ok(split);
    }
    // A task that is all table has a command that is not understood.
    match (plain, forced(1)) {
        (Ok(plain), Some(split)) if plain.command.is_empty() => Ok(split),
        (plain, _) => plain,
    }
}

impl Slots for TableSlots<'_> {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        let names = self.names();
        let text = |(length, text): (usize, String)| (length, json!(text));
        match kind {
            "column" => expression::column(tokens, &names).into_iter().map(text).collect(),
            "columns" => several(tokens, &|rest| self.read("column", rest)),
            "formula" => Expression::read(tokens, &names)
                .into_iter()
                .filter(|(_, one)| !one.columns().is_empty())
                .map(|(length, one)| (length, json!(one.text())))
                .collect(),
            "formulas" => several(tokens, &|rest| self.read("formula", rest)),
            "key" => self.key(tokens),
            "keys" => several(tokens, &|rest| self.key(rest)),
            "condition" => self.conditions(tokens, 1),
            "conditions" => self.conditions(tokens, 6),
            "period" => {
                let Some(column) = self.only_date() else { return Vec::new() };
                let between =
                    |values| Condition { values: Some(values), ..Condition::new(&column, Comparison::Between) };
                periods(tokens).into_iter().map(|(length, days)| (length, json!([between(days)]))).collect()
            }
            "be" => be(tokens),
            "must" => lengths(COPULAS, tokens).map(|length| (length, Value::Null)).collect(),
            "cannot" => lengths(NEGATIONS, tokens).map(|length| (length, Value::Null)).collect(),
            _ => Common.read(kind, tokens),
        }
    }
}

impl<'t> TableSlots<'t> {
    /// Returns the slots of commands about the given tables.
    pub fn new(tables: &'t [Table]) -> Self {
        Self { tables }
    }

    /// Returns the names of all columns, each once.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for name in self.tables.iter().flat_map(|table| &table.columns) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    /// Returns the cells of all columns with this name.
    pub fn cells(&self, name: &str) -> Vec<&str> {
        let of = |table: &'t Table| table.column(name).map(|at| table.cells(at));
        self.tables.iter().filter_map(of).flatten().collect()
    }

    /// Returns the question about a number of a command that is written like the numbers of
    /// a table with decimal commas, but could be meant with a point.
    pub fn ambiguous(&self, command: &str) -> Option<String> {
        let comma =
            |cell: &String| cells::number(cell, Style::Comma).is_some() && cells::number(cell, Style::Point).is_none();
        let has = self.tables.iter().flat_map(|table| table.rows.iter().flatten()).any(comma);
        let grouped = |token: &&Token| {
            token.kind == Kind::Number
                && token.text.rsplit(['.', ',']).next().is_some_and(|part| part.len() == 3)
                && token.text.contains(['.', ','])
        };
        let tokens = crate::lexer::tokens(command);
        let found = tokens.iter().find(grouped).filter(|_| has)?;
        Some(format!("`{}` can mean two numbers; write numbers of the command without a thousands sign", found.text))
    }

    /// Returns the only column of dates.
    fn only_date(&self) -> Option<String> {
        let names = self.names();
        let dated = |name: &&String| {
            let cells = self.cells(name);
            let date = |cell: &&&str| cells::moment(cell, None).or(cells::moment(cell, Some(dates::Order::DayFirst)));
            let mut filled = cells.iter().filter(|cell| !cells::is_blank(cell)).peekable();
            filled.peek().is_some() && filled.all(|cell| date(&cell).is_some_and(|moment| moment.date.is_some()))
        };
        let mut all = names.iter().filter(dated);
        all.next().filter(|_| all.next().is_none()).cloned()
    }

    pub(crate) fn key(&self, tokens: &[Token]) -> Vec<(usize, Value)> {
        let mut found = self.read("column", tokens);
        let part = PARTS.iter().find(|(name, _)| tokens.first().is_some_and(|token| token.lower == *name));
        let Some((part, _)) = part else { return found };
        let of = usize::from(tokens.get(1).is_some_and(|token| token.lower == "of"));
        let article = usize::from(of > 0 && tokens.get(2).is_some_and(|token| token.lower == "the"));
        let columns =
            if of > 0 { self.read("column", tokens.get(1 + of + article..).unwrap_or_default()) } else { Vec::new() };
        for (length, column) in columns {
            let text = format!("{part} of {}", column.as_str().unwrap_or_default());
            found.push((length + 1 + of + article, json!(text)));
        }
        if found.is_empty()
            && let Some(column) = self.only_date()
        {
            found.push((1, json!(format!("{part} of {column}"))));
        }
        found
    }
}

/// Returns how many tokens join two parts of a list.
pub(crate) fn glue(tokens: &[Token]) -> usize {
    tokens.iter().take(2).take_while(|token| matches!(token.lower.as_str(), "," | "and" | "&")).count()
}

type Reader<'r> = &'r dyn Fn(&[Token]) -> Vec<(usize, Value)>;

/// Reads a list with commas or `and` between its parts; each shorter list as well.
fn several(tokens: &[Token], read: Reader<'_>) -> Vec<(usize, Value)> {
    let mut found: Vec<(usize, Vec<Value>)> = Vec::new();
    let mut at = 0;
    let mut values = Vec::new();
    while let Some((length, value)) = tokens.get(at..).and_then(|rest| read(rest).into_iter().next()) {
        values.push(value);
        at += length;
        found.push((at, values.clone()));
        let rest = tokens.get(at..).unwrap_or_default();
        let glue = glue(rest);
        let by = usize::from(
            glue > 0 && rest.get(glue).is_some_and(|token| matches!(token.lower.as_str(), "by" | "per" | "the")),
        );
        if glue == 0 {
            break;
        }
        at += glue + by;
    }
    found.reverse();
    found.into_iter().map(|(length, values)| (length, json!(values))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexer;
    use crate::rows;

    #[test]
    fn a_command_with_as_many_cells_as_its_table() {
        let complete = |split: &Tables| split.command.starts_with("sum");
        let split = split("sum of x, please\na,x\nb,1\nc,2", complete).unwrap();
        assert_eq!(
            (split.command.trim(), split.tables.first().map(|table| table.rows.len())),
            ("sum of x, please", Some(2))
        );
    }

    fn read(kind: &str, text: &str) -> String {
        let names = ["status", "amount", "tax", "start", "end", "order date"].map(str::to_owned).to_vec();
        let row = ["in progress", "5", "1", "07:00", "08:00", "2024-05-01"].map(str::to_owned).to_vec();
        let tables = [Table::new(names, vec![row])];
        let tokens = lexer::tokens(text);
        let slots = TableSlots::new(&tables);
        let Some((_, value)) = slots.read(kind, &tokens).into_iter().find(|(length, _)| *length == tokens.len()) else {
            return String::new();
        };
        match serde_json::from_value::<Vec<Condition>>(value.clone()) {
            Ok(all) => all.iter().map(Condition::text).collect::<Vec<_>>().join(" & "),
            Err(_) => value.to_string(),
        }
    }

    #[test]
    fn slots_of_tables() {
        for (kind, text, expect) in rows::<(String, String, String)>(include_str!("../cases/table_slots.json")) {
            assert_eq!(read(&kind, &text), expect, "{text}");
        }
    }
}
