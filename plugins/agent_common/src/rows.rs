//! Rows that a request writes without the layout of a table: `pupil: Ann, maths: 2`, a log of words, a list of answers.

use crate::columns::fold;
use crate::table::Table;
use crate::{dates, pairs, quantity};

/// Rows, and the request without them.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// The rows as a table.
    pub table: Table,
    /// What stands around them.
    pub rest: String,
}

/// Lines that are each `name: value, name: value` with the same names; two at least.
#[must_use]
pub fn records(task: &str) -> Option<Rows> {
    let lines: Vec<&str> = task.lines().collect();
    let read: Vec<Option<Vec<(String, String)>>> =
        lines.iter().map(|line| members(line).or_else(|| keyed(line))).collect();
    let named = |at: usize| read.get(at).and_then(Option::as_ref).map(|own| names(own));
    let (from, to) = longest(lines.len(), |a, b| named(a).is_some() && named(a) == named(b))?;
    let own = read.get(from..to)?.iter().flatten();
    let columns = read.get(from)?.as_ref()?.iter().map(|(name, _)| name.clone()).collect();
    let rows: Vec<Vec<String>> = own.map(|row| row.iter().map(|(_, value)| value.clone()).collect()).collect();
    (rows.len() > 1).then(|| Rows { table: Table::new(columns, rows), rest: without(&lines, from, to) })
}

fn names(row: &[(String, String)]) -> Vec<String> {
    row.iter().map(|(name, _)| fold(name)).collect()
}

/// `pupil: Ann, maths: 2` or `pupil=Ann; maths=2`; an empty value counts.
fn members(line: &str) -> Option<Vec<(String, String)>> {
    let bare = line.trim().trim_start_matches(['-', '*', '•', ' ']);
    [';', ',', '|'].into_iter().find_map(|sign| {
        let parts: Vec<&str> = bare.split(sign).collect();
        let own: Option<Vec<(String, String)>> = parts.iter().map(|part| member(part)).collect();
        own.filter(|own| own.len() > 1)
    })
}

/// `Elspeth Muir, born 1841, died 1907`: a name, and words with their numbers.
fn keyed(line: &str) -> Option<Vec<(String, String)>> {
    let bare = line.trim().trim_start_matches(['-', '*', '•', ' ']);
    let mut parts = bare.split(", ");
    let name = parts.next().filter(|name| !digits(name) && (1..=4).contains(&name.split_whitespace().count()))?;
    let own: Option<Vec<(String, String)>> = parts
        .map(|part| {
            let (word, value) = part.trim().trim_end_matches('.').split_once(' ')?;
            let keyed = word.chars().all(char::is_alphabetic) && value.split_whitespace().count() <= 3 && digits(value);
            keyed.then(|| (word.to_owned(), value.to_owned()))
        })
        .collect();
    own.filter(|own| own.len() > 1).map(|own| [vec![("name".to_owned(), name.to_owned())], own].concat())
}

fn member(part: &str) -> Option<(String, String)> {
    let (name, value) = part.split_once(':').or_else(|| part.split_once('='))?;
    let name = name.trim();
    let fits = !name.is_empty() && name.split_whitespace().count() <= 3 && name.starts_with(char::is_alphabetic);
    fits.then(|| (name.to_owned(), value.trim().to_owned()))
}

/// The longest run of lines in which each fits with the first.
fn longest(count: usize, fits: impl Fn(usize, usize) -> bool) -> Option<(usize, usize)> {
    let mut best: Option<(usize, usize)> = None;
    let mut from = 0;
    while from < count {
        let to = (from..count).find(|at| !fits(from, *at)).unwrap_or(count);
        if to > from && best.is_none_or(|(a, b)| to - from > b - a) {
            best = Some((from, to));
        }
        from = to.max(from + 1);
    }
    best
}

fn without(lines: &[&str], from: usize, to: usize) -> String {
    let around = lines.get(..from).into_iter().chain(lines.get(to..));
    around.flatten().map(|line| line.trim()).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Lines of as many words as their head has: a log that is parted by single spaces.
#[must_use]
pub fn spaced(task: &str) -> Option<Rows> {
    let lines: Vec<&str> = task.lines().collect();
    let words = |at: usize| lines.get(at).map(|line| line.split_whitespace().collect::<Vec<_>>()).unwrap_or_default();
    let plain =
        |at: usize| lines.get(at).is_some_and(|line| !line.contains([',', ';', '|', '\t', ':']) || digits(line));
    let (from, to) = longest(lines.len(), |a, b| words(a).len() > 2 && words(a).len() == words(b).len() && plain(b))?;
    let head = words(from);
    let named = head.iter().all(|word| word.starts_with(char::is_alphabetic) && !digits(word));
    let distinct = head.iter().enumerate().all(|(at, word)| !head.get(..at).is_some_and(|own| own.contains(word)));
    let rows: Vec<Vec<String>> = (from + 1..to)
        .map(|at| words(at).into_iter().map(|word| word.trim_end_matches(',').to_owned()).collect())
        .collect();
    let counted =
        (0..head.len()).any(|at| rows.iter().all(|row: &Vec<String>| row.get(at).is_some_and(|cell| digits(cell))));
    let wide = lines.get(from..to)?.iter().any(|line| line.trim().contains("  "));
    (named && distinct && counted && !wide && rows.len() > 2).then(|| Rows {
        table: Table::new(head.into_iter().map(str::to_owned).collect(), rows),
        rest: without(&lines, from, to),
    })
}

fn digits(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Lines `Proposal: 120k (Nordwind)`: a label, a value and a remark.
#[must_use]
pub fn remarked(task: &str) -> Option<Rows> {
    let lines: Vec<&str> = task.lines().collect();
    let read = |at: usize| -> Option<(String, String, bool)> {
        let line = lines.get(at)?.trim().trim_start_matches(['-', '*', '•', ' ']);
        let (label, rest) =
            line.split_once(": ").or_else(|| line.split_once(" - ")).or_else(|| line.split_once(" – "))?;
        let (value, remark) = match rest.split_once(" (") {
            Some((value, remark)) if remark.trim_end().ends_with(')') => (value, true),
            _ => (rest, false),
        };
        quantity::read(value.trim(), None).filter(|q| !q.in_words)?;
        (label.split_whitespace().count() <= 4).then(|| (label.trim().to_owned(), value.trim().to_owned(), remark))
    };
    let (from, to) = longest(lines.len(), |_, at| read(at).is_some())?;
    let rows: Vec<(String, String, bool)> = (from..to).filter_map(read).collect();
    let fits = rows.len() > 2 && rows.iter().any(|(_, _, remark)| *remark);
    fits.then(|| Rows {
        table: labelled(rows.into_iter().map(|(label, value, _)| (label, value))),
        rest: without(&lines, from, to),
    })
}

fn labelled(pairs: impl Iterator<Item = (String, String)>) -> Table {
    let rows = pairs.map(|(label, value)| vec![label, value]).collect();
    Table { headless: true, ..Table::new(vec!["label".into(), "value".into()], rows) }
}

/// Lines `Mon 7:45`, each a name and hours and minutes, as decimal hours.
#[must_use]
pub fn clocked(task: &str) -> Option<Rows> {
    let lines: Vec<&str> = task.lines().collect();
    let read = |at: usize| -> Option<(String, String)> {
        let line = lines.get(at)?.trim();
        let (label, time) = line
            .rsplit_once([' ', '\t', ':'])
            .filter(|(_, time)| time.contains(':'))
            .or_else(|| line.rsplit_once([' ', '\t']))?;
        let label = label.trim_matches([':', ' ', '-', '–', '\t']);
        (!label.is_empty() && label.split_whitespace().count() <= 3).then_some((label.to_owned(), hours(time)?))
    };
    let (from, to) = longest(lines.len(), |_, at| read(at).is_some())?;
    let rows: Vec<(String, String)> = (from..to).filter_map(read).collect();
    (rows.len() > 1).then(|| Rows { table: labelled(rows.into_iter()), rest: without(&lines, from, to) })
}

/// `7:45` and `7h45` as decimal hours.
#[must_use]
pub fn hours(text: &str) -> Option<String> {
    let (whole, part) = text.trim().trim_end_matches('h').split_once([':', 'h'])?;
    let (whole, part) = (whole.parse::<u32>().ok()?, (part.len() == 2).then(|| part.parse::<u32>().ok()).flatten()?);
    let millionths = (u64::from(whole * 60 + part) * 1_000_000 + 30) / 60;
    (part < 60 && whole < 1000).then(|| format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000))
}

/// Lines of one word each, or answers parted by commas, some of them more than once: a column without a name.
#[must_use]
pub fn listed(task: &str) -> Option<Rows> {
    let lines: Vec<&str> = task.lines().collect();
    let one = |at: usize| {
        lines.get(at).map(|line| line.trim()).filter(|line| {
            !line.is_empty() && line.split_whitespace().count() == 1 && !line.contains([',', ';', '|', '\t', '='])
        })
    };
    let (from, to) = longest(lines.len(), |_, at| one(at).is_some()).unwrap_or((0, 0));
    let words: Vec<&str> = (from..to).filter_map(one).collect();
    if words.len() > 2 && !named(&words) {
        return Some(Rows { table: column(&words), rest: without(&lines, from, to) });
    }
    for line in &lines {
        let start = line.find(": ").map_or(0, |at| at + 2);
        let body = line.get(start..)?;
        let end = body.find(['.', '?']).unwrap_or(body.len());
        let parts: Vec<&str> =
            body.get(..end)?.split(", ").map(|part| part.trim().trim_start_matches("and ")).collect();
        let short = parts.len() > 4
            && parts.iter().all(|part| !part.is_empty() && part.split_whitespace().count() <= 3 && !digits(part));
        let repeats = parts.iter().enumerate().any(|(at, part)| parts.get(..at).is_some_and(|own| own.contains(part)));
        if short && repeats {
            let rest = task.replacen(body.get(..end)?, "", 1);
            return Some(Rows { table: column(&parts), rest });
        }
    }
    None
}

/// Whether the first word names the others: `email` above addresses.
fn named(words: &[&str]) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    let like = |word: &str| (word.contains('@'), digits(word));
    !rest.contains(first) && rest.iter().all(|word| like(word) != like(first))
}

fn column(cells: &[&str]) -> Table {
    let rows = cells.iter().map(|cell| vec![(*cell).to_owned()]).collect();
    Table { headless: true, ..Table::new(vec!["value".into()], rows) }
}

/// `150,000 at 3.2 %, 80,000 at 4.5 %`: amounts, each with its rate.
#[must_use]
pub fn rated(task: &str) -> Option<Rows> {
    let found: Vec<quantity::Quantity> =
        quantity::scan(task).into_iter().filter(|q| !q.ordinal && !q.in_words).collect();
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut span: Option<(usize, usize)> = None;
    for pair in found.windows(2) {
        let [amount, rate] = pair else { continue };
        let gap = task.get(amount.end..rate.start)?;
        if [" at ", " @ ", " x ", " zu ", " à ", " each at "].iter().any(|sign| gap.ends_with(sign))
            && gap.split_whitespace().count() < 4
        {
            rows.push(vec![task.get(amount.start..amount.end)?.to_owned(), task.get(rate.start..rate.end)?.to_owned()]);
            span = Some((span.map_or(amount.start, |(from, _)| from), rate.end));
        }
    }
    let (from, to) = span.filter(|_| rows.len() > 1)?;
    let rest = format!("{}\n{}", task.get(..from)?, task.get(to..)?);
    let columns = vec!["amount".into(), "rate".into()];
    Some(Rows { table: Table { headless: true, ..Table::new(columns, rows) }, rest })
}

/// Pairs `Berta 14.2, Luise 11.8` within a sentence that also asks.
#[must_use]
pub fn paired(task: &str) -> Option<Rows> {
    let table = pairs::read(task)?;
    let (first, last) = (table.rows.first()?, table.rows.last()?);
    // Lines of their own are a table, which others read.
    let one_line = task
        .lines()
        .any(|line| table.rows.iter().all(|row| row.first().is_some_and(|label| line.contains(label.as_str()))));
    let named = table.rows.iter().all(|row| row.first().is_some_and(|label| label.starts_with(char::is_alphabetic)));
    if !(one_line && named) {
        return None;
    }
    let label = format!("{} ", first.first()?);
    let from = task.find(&label).or_else(|| task.find(first.first()?.as_str()))?;
    let value = last.get(1)?;
    let to = from + task.get(from..)?.rfind(value.as_str())? + value.len();
    let unit = task.get(to..)?.find(['.', ',', ';', '?', '!', '\n']).filter(|len| *len < 12).unwrap_or(0);
    let days = table.rows.iter().all(|row| row.first().is_some_and(|label| dates::month(&fold(label)).is_some()));
    let rest = format!(
        "{}\n{}",
        task.get(..from)?.trim_end_matches([':', ' ', ',']),
        task.get(to + unit..)?.trim_start_matches(['.', ',', ';', ' '])
    );
    (!days).then_some(Rows { table, rest })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(rows: Option<Rows>) -> String {
        let Some(rows) = rows else { return String::new() };
        let lines: Vec<String> = rows.table.rows.iter().map(|row| row.join("/")).collect();
        format!("{} {} <{}>", rows.table.columns.join("/"), lines.join(" "), rows.rest.trim())
    }

    #[test]
    fn rows_without_a_table() {
        let found = records("wrong marks?\n\npupil: Ann, maths: 2\npupil: Bo, maths: \n");
        assert_eq!(told(found), "pupil/maths Ann/2 Bo/ <wrong marks?>");
        let found =
            records("who died before?\n- Elspeth Muir, born 1841, died 1907\n- Callum Muir, born 1868, died 1831");
        assert_eq!(told(found), "name/born/died Elspeth Muir/1841/1907 Callum Muir/1868/1831 <who died before?>");
        assert_eq!(records("Name: Jo\nTotal: 5, paid: yes"), None);
        let found = spaced("per status?\n\nip path status\n10.0.4.2 /a 200\n10.0.4.9 /b 500\n10.0.4.2 /a 200");
        assert_eq!(told(found), "ip/path/status 10.0.4.2//a/200 10.0.4.9//b/500 10.0.4.2//a/200 <per status?>");
        let found = remarked("sum by stage\nWon: 120k (A)\nWon: 85k (B)\nLost: 1.2m (C)");
        assert_eq!(told(found), "label/value Won/120k Won/85k Lost/1.2m <sum by stage>");
        let found = clocked("Mon 7:45\nTue 8:10\n\nhours in total?");
        assert_eq!(told(found), "label/value Mon/7.750000 Tue/8.166667 <hours in total?>");
        let found = listed("Remove doubles\n\na@x.example\nb@x.example\na@x.example");
        assert_eq!(told(found), "value a@x.example b@x.example a@x.example <Remove doubles>");
        let found = listed("answers: yes, no, yes, don't know, yes\nhow often each?");
        assert_eq!(told(found), "value yes no yes don't know yes <answers: \nhow often each?>");
        let found = rated("Loans: 150,000 at 3.2 % and 80,000 at 4.5 %. Average?");
        assert_eq!(told(found), "amount/rate 150,000/3.2 % 80,000/4.5 % <Loans: \n. Average?>");
        let found = paired("litres: Berta 14.2, Luise 11.8, Resi 12.0. what is the average?");
        assert_eq!(told(found), "label/value Berta/14.2 Luise/11.8 Resi/12.0 <litres\nwhat is the average?>");
    }
}
