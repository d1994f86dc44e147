//! Lines of a text that make a table together.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::{quantity, table::Table};

/// Lines that are read at most.
const LINES_MAX: usize = 20_000;

/// A table and the lines that it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grid {
    pub(crate) table: Table,
    pub(crate) lines: Range<usize>,
}

/// What parts the cells of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    Sign(char),
    /// ` / ` or ` - ` with space around.
    Spaced(&'static str),
    /// Two spaces or more.
    Spaces,
    Equals,
    /// A name and two numbers or more: `Jan 119 60`.
    Words,
}

const SEPARATORS: [Separator; 9] = [
    Separator::Sign('|'),
    Separator::Sign('\t'),
    Separator::Sign(';'),
    Separator::Sign(','),
    Separator::Spaces,
    Separator::Spaced(" / "),
    Separator::Spaced(" - "),
    Separator::Equals,
    Separator::Words,
];

/// All tables of a text, in order, none over another; the widest separator of [`SEPARATORS`] that fits wins.
pub(crate) fn find(text: &str) -> Vec<Grid> {
    let lines: Vec<&str> = text.lines().take(LINES_MAX).collect();
    let mut grids: Vec<Grid> = Vec::new();
    for separator in SEPARATORS {
        for grid in runs(&lines, separator) {
            let free =
                grids.iter().all(|other| grid.lines.end <= other.lines.start || other.lines.end <= grid.lines.start);
            if free {
                grids.push(grid);
            }
        }
    }
    grids.sort_by_key(|grid| grid.lines.start);
    grids
}

/// A table written in one line: `date,amount / 2024-11-15,1000 / …`.
pub(crate) fn inline(text: &str) -> Option<Table> {
    text.lines().find_map(|line| {
        let head = line.find(">> ").map(|at| at + 3).or_else(|| line.find(": ").map(|at| at + 2)).unwrap_or(0);
        let body = line.get(head..)?;
        [" / ", " | ", "; "].iter().find_map(|cut| {
            let lines: Vec<&str> = body.split(cut).map(str::trim).collect();
            let grid = runs(&lines, Separator::Sign(',')).into_iter().next().filter(|grid| !grid.table.headless)?;
            (lines.len() > 2 && grid.lines.len() + 1 >= lines.len()).then_some(grid.table)
        })
    })
}

fn runs(lines: &[&str], separator: Separator) -> Vec<Grid> {
    let mut grids = Vec::new();
    let mut start = 0;
    for (at, line) in lines.iter().chain([&""]).enumerate() {
        let row = row(line, separator);
        let goes_on = row.as_ref().is_some_and(|row| row.len() > 1) || (row.is_some() && at > start && short(line));
        if goes_on {
            continue;
        }
        grids.extend(lines.get(start..at).and_then(|run| grid(run, start, separator)).map(|mut grid| {
            let above = grid.lines.start.checked_sub(1).and_then(|at| lines.get(at));
            let heads: Vec<&str> = above.map(|line| line.split_whitespace().collect()).unwrap_or_default();
            if separator == Separator::Words
                && heads.len() == grid.table.columns.len()
                && !crate::asking::asks(&heads.join(" "))
            {
                grid.table.columns = heads.iter().map(|head| (*head).to_owned()).collect();
                grid.table.headless = false;
                grid.lines.start -= 1;
            } else {
                grid.table.title = above.and_then(|line| title(line));
            }
            grid
        }));
        start = at + 1;
    }
    grids
}

/// A line that may be a row with cells left out, not a sentence.
fn short(line: &str) -> bool {
    !line.trim().is_empty() && line.split_whitespace().count() < 4 && !line.trim_end().ends_with(['.', ':', '?', '!'])
}

/// The cells of a line; none where the line cannot be a row.
fn row(line: &str, separator: Separator) -> Option<Vec<String>> {
    let line = line.trim_matches(|c: char| c == ' ' || c == '\r' || (separator != Separator::Sign('\t') && c == '\t'));
    if line.is_empty() || line.starts_with("```") || line.contains("-->") {
        return None;
    }
    match separator {
        Separator::Sign('|') => {
            let bare = line.strip_prefix('|').unwrap_or(line);
            Some(cells(bare.strip_suffix('|').unwrap_or(bare), '|'))
        }
        Separator::Sign(',') if prose(line) => None,
        Separator::Sign(sign) => Some(cells(line, sign)),
        Separator::Spaced(sign) => {
            let parts: Vec<String> = line.split(sign).map(|cell| cell.trim().to_owned()).collect();
            let numbers = parts.iter().all(|cell| quantity::read(cell, None).is_some());
            (parts.len() > 1 && numbers).then_some(parts)
        }
        Separator::Spaces => {
            let wide: Vec<String> =
                line.split("  ").map(|cell| cell.trim().to_owned()).filter(|cell| !cell.is_empty()).collect();
            let sentence = wide
                .iter()
                .any(|cell| cell.split_whitespace().count() > 6 || cell.starts_with("- ") || cell.contains(": "));
            (wide.len() > 1 && !sentence && !line.contains("...")).then_some(wide)
        }
        Separator::Words => {
            let mut words: Vec<String> =
                line.trim_start_matches(['-', '*', ' ']).split_whitespace().map(str::to_owned).collect();
            // `Jan 2024 119 60` has one label.
            let dated = words.get(..2).and_then(|two| crate::periods::read(&two.join(" "), None));
            let whole = words.get(1).is_some_and(|word| word.len() != 2 && word.len() != 3);
            let dated = whole && dated.is_some_and(|period| !matches!(period, crate::periods::Period::Number(_)));
            if dated && words.len() > 1 {
                let second = words.remove(1);
                if let Some(first) = words.first_mut() {
                    first.push(' ');
                    first.push_str(&second);
                }
            }
            let number = |cell: &String| quantity::read(cell, None).is_some_and(|q| !q.in_words);
            let numbers = words.len() > 2 && words.iter().skip(1).all(number);
            let label = |cell: &String| !number(cell) && !cell.ends_with(':') && cell.chars().any(char::is_alphabetic);
            (numbers && words.first().is_some_and(label)).then_some(words)
        }
        Separator::Equals => {
            let (name, value) = line.split_once('=')?;
            let plain = name.split_whitespace().count() == 1 && !name.contains(['(', '.', ';', '|', ',']);
            let word = value.split_whitespace().count() == 1 && !value.contains(['=', '(', ';', '|']);
            (plain && word).then(|| vec![name.trim().to_owned(), value.trim().to_owned()])
        }
    }
}

/// A sentence with commas, not a row: long, or ending as sentences do.
fn prose(line: &str) -> bool {
    if !line.contains(',') || line.starts_with('"') {
        return false;
    }
    let words = line.split_whitespace().count();
    let parts = line.split(',').count();
    let spaced = line.matches(", ").count() + 1 == parts;
    let ends = line.ends_with(['.', '?', '!', ':']);
    let told = ends || words > parts * 3 || line.contains(": ");
    (spaced && told) || (words > 6 && ends)
}

fn grid(run: &[&str], first: usize, separator: Separator) -> Option<Grid> {
    let rule = |line: &str| line.contains('-') && line.chars().all(|c| "-:|+= ".contains(c));
    let rows: Vec<(usize, Vec<String>)> = run
        .iter()
        .enumerate()
        .filter(|(_, line)| !rule(line))
        .filter_map(|(at, line)| Some((at, row(line, separator)?)))
        .collect();
    let width = mode(&rows)?;
    // A sentence or a title at either edge has another number of cells.
    let from = rows.iter().position(|(_, row)| row.len() == width)?;
    let to = rows.iter().rposition(|(_, row)| row.len() == width)? + 1;
    let names = |row: &[String]| {
        separator != Separator::Equals
            || row.get(1).is_some_and(|cell| {
                ["value", "values", "val", "wert", "valeur", "valor"].contains(&cell.to_lowercase().as_str())
            })
    };
    let named = rows.get(from).is_some_and(|(_, row)| header(row) && names(row) && separator != Separator::Words);
    let to = if named { edge(&rows, to, width) } else { to };
    let line = |at: usize| rows.get(at).and_then(|(at, _)| run.get(*at)).copied().unwrap_or_default();
    let parting = separator == Separator::Sign(',') && to > from + 1 && signs_off(line(from), line(to - 1));
    let kept = rows.get(from..to - usize::from(parting))?;
    let (first_at, last_at) = (kept.first()?.0, kept.last()?.0);
    // A table without names needs more to be one: numbers in a column.
    let numeric = |column: usize| {
        kept.iter().all(|(_, row)| row.get(column).is_some_and(|cell| quantity::read(cell, None).is_some()))
    };
    let weak = matches!(separator, Separator::Sign(',') | Separator::Spaces);
    let even = kept.iter().all(|(_, row)| row.len() == width);
    if kept.len() < 2
        || (!named
            && !(even && ((0..width).any(numeric) || separator == Separator::Equals) && kept.len() > usize::from(weak)))
    {
        return None;
    }
    let raw = || kept.iter().filter_map(|(at, _)| run.get(*at)).copied();
    let comma = separator == Separator::Sign(',');
    if comma && (!columns_like(kept, width) || (!named && raw().all(decimal_comma))) {
        return None;
    }
    let sign = if let Separator::Sign(sign) = separator { sign } else { ' ' };
    let all: Vec<Vec<String>> = kept.iter().map(|(_, row)| row.clone()).collect();
    let table = built(all, width, named, sign);
    Some(Grid { table, lines: first + first_at..first + last_at + 1 })
}

/// `Pears 15,4`: the one comma of the line belongs to a number.
fn decimal_comma(line: &str) -> bool {
    let Some((left, right)) = line.split_once(',') else { return false };
    let digits = left.ends_with(|c: char| c.is_ascii_digit()) && right.starts_with(|c: char| c.is_ascii_digit());
    digits && !right.contains(',') && line.contains(|c: char| !c.is_ascii_digit() && c != ',' && c != '\r')
}

/// Ragged rows at the lower edge belong to the table; a sentence does not.
fn edge(rows: &[(usize, Vec<String>)], to: usize, width: usize) -> usize {
    let ragged = |row: &[String]| (row.len() > 1 && row.len() + 1 == width) || (row.len() > width && width > 1);
    to + rows.get(to..).unwrap_or_default().iter().rposition(|(_, row)| ragged(row)).map_or(0, |at| at + 1)
}

/// A last line such as `Thanks, Jo`, under rows whose commas have no space behind them.
fn signs_off(first: &str, last: &str) -> bool {
    !first.contains(", ") && last.contains(", ") && !last.contains('"') && !last.contains(|c: char| c.is_ascii_digit())
}

/// The number of cells that most rows have.
fn mode(rows: &[(usize, Vec<String>)]) -> Option<usize> {
    let widths: BTreeSet<usize> = rows.iter().map(|(_, row)| row.len()).filter(|width| *width > 1).collect();
    widths.into_iter().max_by_key(|width| rows.iter().filter(|(_, row)| row.len() == *width).count())
}

/// Rows parted by commas have short cells, and no space behind each comma unless all lines do.
fn columns_like(rows: &[(usize, Vec<String>)], width: usize) -> bool {
    let words: usize = rows.iter().flat_map(|(_, row)| row).map(|cell| cell.split_whitespace().count()).sum();
    words <= rows.len() * width * 4
}

/// A row of names: all distinct, none a number, none empty.
fn header(row: &[String]) -> bool {
    let distinct: BTreeSet<&String> = row.iter().collect();
    let name = |cell: &String| {
        let year = cell.len() == 4 && cell.bytes().all(|byte| byte.is_ascii_digit());
        year || (cell.chars().any(char::is_alphabetic) && quantity::read(cell, None).is_none_or(|q| q.in_words))
    };
    let first = row.first().is_some_and(|cell| cell.chars().any(char::is_alphabetic) || cell.is_empty());
    let month =
        |cell: &String| matches!(crate::periods::read(cell, None), Some(crate::periods::Period::Month(Some(_), _)));
    let rest = row.iter().skip(1).all(name) || (row.len() > 2 && row.iter().skip(1).all(month));
    // `Jan 10`, `Huber`: a first cell with a number and a date in it is data.
    let dated = row.iter().any(|cell| crate::dates::read(cell, None).is_some());
    first && rest && !dated && distinct.len() == row.len()
}

fn built(mut rows: Vec<Vec<String>>, width: usize, named: bool, sign: char) -> Table {
    let columns =
        if named && !rows.is_empty() { rows.remove(0) } else { (1..=width).map(|at| format!("column {at}")).collect() };
    let mut ragged = Vec::new();
    for (at, row) in rows.iter_mut().enumerate() {
        if row.len() != width {
            ragged.push(at);
        }
        if row.len() > width {
            let tail = row.split_off(width - 1).join(&sign.to_string());
            row.push(tail);
        }
        row.resize(width, String::new());
    }
    Table { columns, rows, title: None, ragged, headless: !named }
}

/// A line as a title: short, without its marks.
pub(crate) fn title(line: &str) -> Option<String> {
    let bare = line.trim().trim_matches(['#', '*', ':', '=', '-', ' ']);
    let fits = !crate::asking::asks(line)
        && !bare.is_empty()
        && bare.split_whitespace().count() <= 8
        && !line.trim_end().ends_with(['.', '?', '!']);
    fits.then(|| bare.to_owned())
}

/// The cells of a line, each trimmed; quotes hold separators and doubled quotes.
fn cells(line: &str, separator: char) -> Vec<String> {
    let (mut cells, mut cell, mut inside) = (Vec::new(), String::new(), false);
    let mut depth = 0_usize;
    let even = separator == ',' && line.matches('(').count() == line.matches(')').count();
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if inside && chars.peek() == Some(&'"') => {
                cell.push('"');
                chars.next();
            }
            '"' if inside || cell.trim().is_empty() => inside = !inside,
            '\\' if separator == '|' && chars.peek() == Some(&'|') => {
                cell.push('|');
                chars.next();
            }
            '(' | ')' if even && !inside => {
                depth = if c == '(' { depth + 1 } else { depth.saturating_sub(1) };
                cell.push(c);
            }
            _ if c == separator && !inside && depth == 0 => cells.push(std::mem::take(&mut cell).trim().to_owned()),
            _ => cell.push(c),
        }
    }
    cells.push(cell.trim().to_owned());
    cells
}
