//! Values behind labels in a text: `Label: value`, `Label = value`, `Label    value`, cells
//! of tables, members of JSON. Nothing is inferred from meaning.

use std::sync::LazyLock;

use regex_lite::Regex;
use serde_json::Value;

use crate::{columns, material};

/// Longest label, in words.
const LABEL_WORDS_MAX: usize = 7;

/// A value behind a label.
#[derive(Debug, Clone, PartialEq)]
pub struct Labelled {
    /// The label as written; the path of a JSON member, such as `order.city`.
    pub label: String,
    /// The value: a text, or a JSON value.
    pub value: Value,
    /// Place of the first byte of the value; none for JSON and tables.
    pub start: Option<usize>,
    /// The column of a table, if it is a cell: number of the table and of the column. The
    /// values of one JSON member have one column.
    pub column: Option<(usize, usize)>,
    /// Why it is uncertain where the value ends.
    pub unclear: Option<&'static str>,
}

/// The labelled values of a text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Labels {
    /// The text is JSON: labels are paths, such as `order.pay.method`, also known by their ends.
    pub json: bool,
    /// The values, in order.
    pub values: Vec<Labelled>,
    /// Why a part of the text could not be read, such as a row with too few cells.
    pub problem: Option<String>,
}

impl Labels {
    /// Reads the labels of a text.
    pub fn read(text: &str) -> Self {
        let mut labels = Self::default();
        if let Ok(value) = serde_json::from_str::<Value>(text)
            && (value.is_object() || value.is_array())
        {
            labels.json = true;
            members(&value, String::new(), &mut labels.values);
            return labels;
        }
        let lines: Vec<(usize, &str)> = text
            .split_inclusive('\n')
            .scan(0, |at, line| {
                *at += line.len();
                Some((*at - line.len(), line.trim_end()))
            })
            .collect();
        let mut tables = 0;
        let mut run: Vec<&str> = Vec::new();
        for (at, (start, line)) in lines.iter().enumerate() {
            let found = of_line(line, *start);
            if found.is_empty() && !line.trim().is_empty() && !is_comment(line) {
                run.push(line);
                continue;
            }
            labels.add_table(&std::mem::take(&mut run), &mut tables, text);
            let following = lines.get(at + 1..).unwrap_or_default();
            labels.values.extend(continued(found, line, following));
        }
        labels.add_table(&run, &mut tables, text);
        labels.values.sort_by_key(|found| found.start);
        labels
    }

    /// Returns the values whose label has the words of `name`; case and plural forms do not
    /// matter. Labels that are exactly the same are preferred.
    pub fn of(&self, name: &str) -> Vec<&Labelled> {
        let exact = |found: &&Labelled| columns::fold(&found.label).trim() == columns::fold(name).trim();
        let same: Vec<&Labelled> = self.values.iter().filter(exact).collect();
        if !same.is_empty() {
            return same;
        }
        let ends = |label: &str| -> bool {
            let dots = label.match_indices('.').filter(|_| self.json).map(|(at, _)| at + 1);
            std::iter::once(0).chain(dots).any(|at| label.get(at..).is_some_and(|end| same_name(end, name)))
        };
        self.values.iter().filter(|found| ends(&found.label)).collect()
    }

    fn add_table(&mut self, run: &[&str], tables: &mut usize, text: &str) {
        let place = |part: &str| {
            let at = part.as_ptr().addr().checked_sub(text.as_ptr().addr());
            at.filter(|at| *at < text.len())
        };
        // A rule below the first line shows that it names the columns.
        let ruled = run.get(1).is_some_and(|line| line.contains("--") && !line.contains(char::is_alphanumeric));
        for (label, value) in run.iter().skip(usize::from(ruled)).filter_map(|line| two_cells(line)) {
            self.values.push(found(label, value, place(value)));
        }
        let read = match material::tables(&run.join("\n")) {
            Ok(read) => read,
            Err(error) => {
                self.problem = Some(error.message().to_owned());
                return;
            }
        };
        // `Label    value` in the first line is no header if its value has a digit.
        let pairs = !ruled
            && run
                .first()
                .and_then(|line| two_cells(line))
                .is_some_and(|(_, value)| value.contains(|c: char| c.is_ascii_digit()));
        for table in read.tables.iter().filter(|table| !table.headless && !pairs) {
            for (at, name) in table.columns.iter().enumerate() {
                let cells = table
                    .cells(at)
                    .into_iter()
                    .map(|cell| Labelled { column: Some((*tables, at)), ..found(name, cell, None) });
                self.values.extend(cells);
            }
            *tables += 1;
        }
    }
}

/// Returns whether two names have the same words; case, marks and English plural forms do
/// not matter.
pub fn same_name(a: &str, b: &str) -> bool {
    let (own, other) = (columns::name_words(a), columns::name_words(b));
    let same = own.len() == other.len() && own.iter().zip(&other).all(|(a, b)| same_word(a, b));
    !own.is_empty() && (same || own.concat() == other.concat())
}

fn same_word(a: &str, b: &str) -> bool {
    let plural = |one: &str, many: &str| {
        let y = one.strip_suffix('y').is_some_and(|stem| many == format!("{stem}ies"));
        one.len() > 1 && (many == format!("{one}s") || many == format!("{one}es") || y)
    };
    a == b || plural(a, b) || plural(b, a)
}

fn found(label: &str, value: &str, start: Option<usize>) -> Labelled {
    let label = label.trim().trim_matches(['*', '_', '`', '"']).trim().to_owned();
    Labelled { label, value: Value::String(value.to_owned()), start, column: None, unclear: None }
}

fn members(value: &Value, path: String, all: &mut Vec<Labelled>) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                members(value, path, all);
            }
        }
        Value::Array(list) => list.iter().for_each(|value| members(value, path.clone(), all)),
        leaf => {
            let known = all.iter().find(|other| other.label == path).and_then(|other| other.column);
            let column = known.or(Some((0, all.len())));
            all.push(Labelled { value: leaf.clone(), column, ..found(&path, "", None) });
        }
    }
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with(['#', ';']) || line.trim_start().starts_with("//")
}

/// A label at the beginning of a line or behind a mark that ends a sentence or item, with
/// the sign behind it.
static LABEL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let name = r"[*_`]*([A-Za-z\x{C0}-\x{1FFF}][0-9A-Za-z\x{C0}-\x{1FFF} .'’/&#%°()_-]{0,59}?)[*_`]*";
    Regex::new(&format!(r"(?:^|[.!?;,/|] +|\t| {{2,}}){name}(?::[*_`]*(?:\s+|$)| *= *| *\.{{3,}} *| *…+ *)")).ok()
});
/// `SUMMARY:text` of calendars and cards: capitals directly before the value.
static CAPITALS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^([A-Z][A-Z-]+)(?:;[A-Za-z0-9=,;-]*)?:([^\s/].*)$").ok());
/// The signs before a label: a bullet, a number, an opening quote.
static LEAD: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new("^\\s*(?:[-*•>|+–]+\\s+|\\(?(?:\\d{1,3}|[a-z]|[ivx]{1,4})[.)]\\s+)?[\"“„]?").ok());
/// Parts of a log line.
static PAIR: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?:^|\s)([A-Za-z_][\w.-]*)=([^\s=]+)").ok());

/// Returns the labelled values of one line that begins at a place of the text.
fn of_line(line: &str, start: usize) -> Vec<Labelled> {
    let (Some(label), Some(capitals), Some(lead), Some(pair)) = (&*LABEL, &*CAPITALS, &*LEAD, &*PAIR) else {
        return Vec::new();
    };
    let lead = lead.find(line).map_or(0, |lead| lead.end());
    let body = line.get(lead..).unwrap_or_default();
    if is_comment(line) {
        return Vec::new();
    }
    let pairs: Vec<Labelled> = pair
        .captures_iter(line)
        .filter_map(|one| Some(found(one.get(1)?.as_str(), one.get(2)?.as_str(), Some(start + one.get(2)?.start()))))
        .collect();
    if pairs.len() > 1 {
        return pairs;
    }
    if let Some((name, value)) = capitals.captures(body).and_then(|one| Some((one.get(1)?, one.get(2)?))) {
        return vec![found(name.as_str(), value.as_str(), Some(start + lead + value.start()))];
    }
    let mut places: Vec<(&str, usize, usize)> = Vec::new();
    let mut from = 0;
    while let Some((whole, name)) = label.captures_at(body, from).and_then(|one| Some((one.get(0)?, one.get(1)?))) {
        let words = name.as_str().split_whitespace().count();
        let sentence = name.as_str().contains(". ");
        if words <= LABEL_WORDS_MAX && !sentence {
            places.push((name.as_str(), whole.start(), whole.end()));
            from = whole.end();
        } else {
            from = name.start() + name.as_str().chars().next().map_or(1, char::len_utf8);
        }
    }
    let inline = places.len() > 1 || places.first().is_some_and(|(_, begin, _)| *begin > 0);
    let ends = places.iter().skip(1).map(|(_, begin, _)| *begin).chain([body.len()]);
    let value = |((name, _, from), end): (&(&str, usize, usize), usize)| {
        let raw = body.get(*from..end).unwrap_or_default();
        let trimmed = raw.trim().trim_matches('*').trim();
        let cut = if inline || trimmed.ends_with(['"', '”']) {
            trimmed.trim_end_matches(['.', ';', '"', '”'])
        } else {
            trimmed
        };
        let cut = cut.trim_end_matches('|').trim();
        let at = raw.find(cut).unwrap_or(0) + from;
        Labelled { unclear: unclear(cut, inline), ..found(name, cut, Some(start + lead + at)) }
    };
    places.iter().zip(ends).map(value).collect()
}

fn unclear(value: &str, inline: bool) -> Option<&'static str> {
    let sentence = value.match_indices(". ").any(|(at, _)| {
        value.get(at + 2..).and_then(|rest| rest.trim_start().chars().next()).is_some_and(|c| !c.is_lowercase())
    });
    if inline && sentence {
        Some("it is unclear where the value ends; give it a line of its own")
    } else if value.contains("   ") || value.contains(" ;") || value.contains(" #") || holds_label(value) {
        Some("something else follows in the same line; give it a line of its own")
    } else {
        value.ends_with(',').then_some("the value seems to go on in the next line; write it in one line")
    }
}

/// Returns whether a value has a word with a colon in it, which could be the next label.
fn holds_label(value: &str) -> bool {
    value.match_indices(": ").any(|(at, _)| value.get(..at).is_some_and(|before| before.ends_with(char::is_alphabetic)))
}

/// Takes the value of an empty label from the next line, and marks a value that goes on in
/// the next lines.
fn continued(mut values: Vec<Labelled>, line: &str, following: &[(usize, &str)]) -> Vec<Labelled> {
    let Some(last) = values.last_mut() else { return values };
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = |(start, next): &&(usize, &str)| !next.trim().is_empty() && of_line(next, *start).is_empty();
    let empty = last.value.as_str().is_some_and(str::is_empty);
    if !empty {
        let goes_on = following.first().filter(own).is_some_and(|(_, next)| indent(next) > indent(line));
        if goes_on {
            last.unclear = Some("the value seems to go on in the next line; write it in one line");
        }
        return values;
    }
    let below: Vec<_> = following.iter().take_while(own).collect();
    match below.as_slice() {
        [] => {}
        [(start, next)] => {
            let value = next.trim();
            *last = found(&last.label, value, Some(start + indent(next)));
        }
        _ => last.unclear = Some("several lines follow the label; write the value in its line"),
    }
    values
}

/// Returns the cells of a line with two cells: `Label    value`, `| label | value |`, or
/// with a tab between them.
fn two_cells(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let cells: Vec<&str> = if line.starts_with('|') {
        line.trim_matches('|').split('|').map(str::trim).collect()
    } else if line.contains('\t') {
        line.split('\t').map(str::trim).collect()
    } else {
        line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()
    };
    let [label, value] = cells.as_slice() else { return None };
    let rule = label.chars().all(|c| matches!(c, '-' | ':' | '='));
    (!rule && label.chars().any(char::is_alphabetic)).then_some((*label, *value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    fn shown(text: &str, name: &str) -> String {
        let labels = Labels::read(text);
        let value = |found: &&Labelled| {
            let value = found.value.as_str().map_or_else(|| found.value.to_string(), str::to_owned);
            if found.unclear.is_some() { format!("{value} (unclear)") } else { value }
        };
        labels.of(name).iter().map(value).collect::<Vec<_>>().join(" / ")
    }

    #[test]
    fn values_stand_behind_their_labels() {
        for (text, name, expect) in rows::<(String, String, String)>(include_str!("../cases/labels.json")) {
            assert_eq!(shown(&text, &name), expect, "{name} in {text}");
        }
    }

    #[test]
    fn places_are_those_of_the_values() {
        let text = "Né: 5\n  Total due :  £7\nA   b";
        for found in Labels::read(text).values {
            let (start, value) = (found.start.unwrap(), found.value.as_str().unwrap());
            assert_eq!(text.get(start..start + value.len()), Some(value));
        }
    }
}
