//! The material of a task in words: tables and texts. A line that does not fit is an
//! error, not a guess.

use serde_json::Value;
use tollbridge_sdk::Error;

use crate::command::{Grammar, Reading, Slots};
use crate::table::{Table, value_at};

/// Most columns of a table in words.
const COLUMNS_MAX: usize = 100;

/// A task whose material is tables.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tables {
    /// The lines that are no table, joined by spaces.
    pub command: String,
    /// The tables, in order.
    pub tables: Vec<Table>,
}

/// Splits a task into its tables and the command around them.
///
/// A table is a JSON array of objects, or two or more successive lines with the same
/// number of cells, separated by `|`, tabs, `;`, `,` or two spaces. A short line with a
/// colon directly above a table is its title, unless the task begins with it.
///
/// # Errors
/// A line inside a table that has more or fewer cells than the first.
pub fn tables(task: &str) -> Result<Tables, Error> {
    let lines: Vec<&str> = task.lines().collect();
    let mut split = Tables::default();
    let mut command: Vec<&str> = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        if let Some((table, taken)) = json_table(&lines, at) {
            split.tables.push(table);
            at += taken;
        } else if let Some((cells, taken)) = rows_from(&lines, at)? {
            let title = title(&mut command, at);
            split.tables.push(Table { title, ..of_cells(cells) });
            at += taken;
        } else {
            if !line.trim().is_empty() && !line.trim().starts_with("```") {
                command.push(line.trim());
            }
            at += 1;
        }
    }
    split.command = command.join("\n");
    Ok(split)
}

/// Takes the title of a table off the end of the command.
fn title(command: &mut Vec<&str>, at: usize) -> Option<String> {
    let short = |line: &&str| line.ends_with(':') && line.split_whitespace().count() <= 4 && !line.contains(',');
    let line = command.last().copied().filter(short).filter(|_| command.len() > 1 && at > 1)?;
    command.pop();
    Some(line.trim_end_matches(':').to_owned())
}

fn json_table(lines: &[&str], at: usize) -> Option<(Table, usize)> {
    let first = lines.get(at)?.trim_start();
    if !first.starts_with(['[', '{']) {
        return None;
    }
    let rest = lines.get(at..)?.join("\n");
    let rest = rest.trim_start();
    let (value, length) = value_at(rest)?;
    let taken = rest.get(..length)?.lines().count();
    let after = rest.get(length..)?.lines().next().unwrap_or_default().trim();
    // JSON lines: one object in each line.
    if let Value::Object(_) = value {
        let rows: Vec<_> = lines
            .get(at..)?
            .iter()
            .map_while(|line| serde_json::from_str::<serde_json::Map<String, Value>>(line.trim()).ok())
            .collect();
        if rows.len() > 1 {
            return Some((Table::of_objects(&rows), rows.len()));
        }
    }
    let table = Table::of_json(&value)?;
    after.is_empty().then_some((table, taken))
}

/// The cells of the rows of a table.
type Rows = Vec<Vec<String>>;

/// The signs that separate cells, in the order in which they are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    Pipe,
    Sign(u8),
    Spaces,
}

const SEPARATORS: [Separator; 5] =
    [Separator::Pipe, Separator::Sign(b'\t'), Separator::Sign(b';'), Separator::Sign(b','), Separator::Spaces];

impl Separator {
    fn cells(self, line: &str) -> Vec<String> {
        let line = line.trim_matches(['\r', ' ']);
        match self {
            Self::Pipe => {
                // Without a bar at the beginning, one at the end precedes an empty cell.
                let inner = line.strip_prefix('|').map_or(line, |rest| rest.strip_suffix('|').unwrap_or(rest));
                inner.split('|').map(|cell| cell.trim().to_owned()).collect()
            }
            Self::Sign(sign) => {
                let mut reader = csv::ReaderBuilder::new();
                let reader = reader.has_headers(false).delimiter(sign).trim(csv::Trim::All).flexible(true);
                let record = reader.from_reader(line.as_bytes()).into_records().next();
                record.and_then(Result::ok).map_or_else(Vec::new, |row| row.iter().map(str::to_owned).collect())
            }
            Self::Spaces => {
                line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect()
            }
        }
    }
}

/// Returns the cells of the table that begins at a line, and the number of its lines.
fn rows_from(lines: &[&str], at: usize) -> Result<Option<(Rows, usize)>, Error> {
    let Some(first) = lines.get(at).filter(|line| !line.trim().is_empty()) else { return Ok(None) };
    if first.trim_end().ends_with([':', '?', '!', '.']) && !first.trim_start().starts_with('|') {
        return Ok(None);
    }
    for separator in SEPARATORS {
        let width = separator.cells(first).len();
        if !(2..=COLUMNS_MAX).contains(&width) {
            continue;
        }
        if is_sentence_above_header(separator, first, lines.get(at + 1).copied().unwrap_or_default()) {
            return Ok(None);
        }
        let mut rows = Vec::new();
        let mut taken = 0;
        for line in lines.get(at..).unwrap_or_default() {
            let cells = separator.cells(line);
            if line.trim().is_empty() || cells.len() != width {
                break;
            }
            taken += 1;
            let rule = cells.iter().all(|cell| !cell.is_empty() && cell.chars().all(|c| matches!(c, '-' | ':' | '=')));
            if !rule {
                rows.push(cells);
            }
        }
        if rows.len() < 2 {
            continue;
        }
        if separator == Separator::Sign(b',') && rows.iter().all(|row| is_grouped(row)) {
            let plain = rows.iter().flatten().all(|cell| cell.bytes().all(|byte| byte.is_ascii_digit()));
            let text = format!("is `{}` one number or two? Write thousands without a comma", first.trim());
            return if plain { Err(Error::invalid("/task", text)) } else { Ok(None) };
        }
        let next = lines.get(at + taken).copied().unwrap_or_default();
        let cells = separator.cells(next).len();
        if separator != Separator::Spaces && cells > 1 && !next.trim_end().ends_with([':', '?', '!', '.']) {
            let text = format!("the line `{}` has {cells} cells, and the lines above it have {width}", next.trim());
            return Err(Error::invalid("/task", format!("{text}; give every row the same number of cells")));
        }
        return Ok(Some((rows, taken)));
    }
    Ok(None)
}

/// Returns whether two cells are one number whose thousands a comma separates: `Jan 1,200`.
fn is_grouped(row: &[String]) -> bool {
    let [before, after] = row else { return false };
    let digits = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    (1..=3).contains(&digits) && after.len() == 3 && after.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a line is a command with a comma directly above the header of a table:
/// `Sum the sold ones, please` above `name,sold`.
fn is_sentence_above_header(separator: Separator, line: &str, next: &str) -> bool {
    let (cells, header) = (separator.cells(line), separator.cells(next));
    let long = cells.iter().any(|cell| cell.split_whitespace().count() > 2);
    let named = |cell: &String| !cell.is_empty() && crate::quantity::read(cell, None).is_none();
    separator == Separator::Sign(b',') && long && cells.len() == header.len() && header.iter().all(named)
}

/// Makes a table of rows: the first row names the columns if it has no number and no
/// empty or repeated cell.
fn of_cells(mut rows: Rows) -> Table {
    let first = rows.first().cloned().unwrap_or_default();
    let repeated = first.iter().enumerate().any(|(at, cell)| first.iter().skip(at + 1).any(|other| other == cell));
    let named = first.iter().all(|cell| !cell.is_empty() && crate::quantity::read(cell, None).is_none());
    if named && !repeated {
        rows.remove(0);
        return Table::new(first, rows);
    }
    let columns = (1..=first.len()).map(|at| format!("column {at}")).collect();
    Table { headless: true, ..Table::new(columns, rows) }
}

/// A task whose material is a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    /// The command, as far as the grammar read it.
    pub reading: Reading,
    /// The text that follows the command.
    pub text: String,
}

impl Text {
    /// Returns whether the grammar read the whole command, and a text follows it.
    pub fn is_complete(&self) -> bool {
        self.reading.unread.is_empty() && !self.reading.found.is_empty() && !self.text.is_empty()
    }
}

/// Splits a task into a command and the text that follows it: after a colon or an empty
/// line, or after a line break in a task without either. The command is the shortest
/// beginning that the grammar reads completely; otherwise the one with the fewest words
/// left over.
pub fn text(task: &str, grammar: &Grammar, slots: &dyn Slots) -> Text {
    let task = task.trim();
    let mut best: Option<Text> = None;
    for (end, start) in boundaries(task) {
        let (command, rest) = (task.get(..end).unwrap_or_default(), task.get(start..).unwrap_or_default());
        let reading = grammar.read(command, slots);
        let split = Text { reading, text: unquoted(rest).to_owned() };
        if split.is_complete() {
            return split;
        }
        let fewer = |best: &Text| split.reading.unread.len() < best.reading.unread.len();
        if best.as_ref().is_none_or(fewer) {
            best = Some(split);
        }
    }
    best.unwrap_or_else(|| Text { reading: grammar.read(task, slots), text: String::new() })
}

/// Returns where a command can end and its text can begin, in the first paragraph.
fn boundaries(task: &str) -> Vec<(usize, usize)> {
    let paragraph = task.find("\n\n").unwrap_or(task.len());
    let first = task.get(..paragraph).unwrap_or_default();
    let colons = first.match_indices(':').map(|(at, _)| (at, at + 1));
    let mut all: Vec<(usize, usize)> = colons
        .filter(|(_, start)| task.get(*start..).is_some_and(|rest| rest.starts_with(char::is_whitespace)))
        .collect();
    if paragraph < task.len() {
        all.push((paragraph, paragraph + 2));
    } else if let Some(at) = first.find('\n') {
        all.push((at, at + 1));
    }
    all
}

/// Removes a code fence or one pair of quotation marks around a whole text.
pub fn unquoted(text: &str) -> &str {
    let text = text.trim();
    if let Some(fenced) = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) {
        return fenced.split_once('\n').map_or(fenced, |(_, body)| body).trim();
    }
    let pairs = [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»')];
    let inner = pairs.iter().find_map(|(open, close)| text.strip_prefix(*open)?.strip_suffix(*close));
    inner.filter(|inner| !inner.contains(['"', '“', '”'])).unwrap_or(text).trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;
    use crate::slots::Common;

    fn shown(task: &str) -> String {
        let split = match tables(task) {
            Ok(split) => split,
            Err(error) => return format!("error: {}", error.message()),
        };
        let table = |table: &Table| {
            let rows: Vec<String> = table.rows.iter().map(|row| row.join("|")).collect();
            format!("{}{} / {}", table.title.clone().unwrap_or_default(), table.columns.join("|"), rows.join(" / "))
        };
        let all: Vec<String> = split.tables.iter().map(table).collect();
        format!("{} => {}", split.command.replace('\n', " "), all.join(" // "))
    }

    #[test]
    fn tables_and_the_command_around_them() {
        for (task, expect) in rows::<(String, String)>(include_str!("../cases/material_tables.json")) {
            assert_eq!(shown(&task), expect, "{task}");
        }
    }

    #[test]
    fn a_text_follows_its_command() {
        let grammar = Grammar::new("- shorten: `summarize [in {n:count} sentences]`");
        let read = |task: &str| {
            let split = text(task, &grammar, &Common);
            (split.reading.unread.join(" "), split.text)
        };
        for (task, unread, material) in rows::<(String, String, String)>(include_str!("../cases/material_text.json")) {
            assert_eq!(read(&task), (unread, material), "{task}");
        }
    }
}
