//! Values behind labels and in columns: `Start date: 1 May`, `Invoice no. 12`, a column of a table.

use agent_common::{phrases, table::Table};

use crate::datum::is_blank;
use crate::plain_text::plain;

/// What a label says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// The line with its value.
    Given(String),
    /// The label stands there without a value.
    Blank(String),
}

/// The value of an item.
pub fn find(item: &str, text: &str) -> Option<Value> {
    labelled(item, text).or_else(|| numbered(item, text)).or_else(|| column(item, text))
}

/// Whether a text is mostly labels with values.
pub fn is_form(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let labels = lines.iter().filter(|line| label(line).is_some()).count();
    labels >= 2 && labels * 2 >= lines.len()
}

/// `Label: value`, the label of at most five words.
fn label(line: &str) -> Option<(&str, &str)> {
    let (label, value) = line.split_once(':').or_else(|| led(line))?;
    let label = label.trim().trim_start_matches(['-', '*', '•', '|', ' ']);
    let fits = (1..=5).contains(&label.split_whitespace().count())
        && label.chars().any(char::is_alphabetic)
        && !value.starts_with("//");
    fits.then(|| (label, value.trim()))
}

/// `Name ....... Ann`, `Name    Ann`, `| name | Ann |`.
fn led(line: &str) -> Option<(&str, &str)> {
    let bare = line.trim().trim_start_matches('|');
    let cuts = ["|", "\t", "....", "…", "____", "   ", " ="];
    let (label, value) = cuts.iter().filter_map(|cut| bare.split_once(cut)).min_by_key(|(label, _)| label.len())?;
    let value = value.trim().trim_matches(['|', '.', '…', '_', ' ', '\t', '=']);
    let wordy = label.trim().chars().any(char::is_alphabetic) && label.len() < 60;
    wordy.then_some((label, value))
}

/// The sentences of a line; a row of a table and an initial stay whole.
fn pieces(line: &str) -> Vec<&str> {
    if line.contains('|') {
        return vec![line];
    }
    let mut pieces = Vec::new();
    let mut from = 0;
    for (at, _) in line.match_indices(". ") {
        let word = line.get(from..at).unwrap_or_default().rsplit(' ').next().unwrap_or_default();
        if word.chars().count() > 1 {
            pieces.extend(line.get(from..at));
            from = at + 2;
        }
    }
    pieces.extend(line.get(from..));
    pieces
}

fn labelled(item: &str, text: &str) -> Option<Value> {
    let wanted = words(item);
    let document = plain(text);
    for line in text.lines().flat_map(pieces) {
        // `Art. 2 – Durée : …`, `§3 Fees: …`
        let bare = line.trim_start_matches(|c: char| !c.is_alphabetic());
        let bare = bare.split_once(" – ").filter(|(head, _)| head.len() < 10).map_or(bare, |(_, rest)| rest);
        let Some((label, value)) = label(bare) else { continue };
        let have = words(label);
        let same = !wanted.is_empty() && wanted.iter().all(|word| have.iter().any(|one| alike(one, word)));
        // `Date` in an invoice is the invoice date.
        let short = have.len() == 1
            && wanted.len() == 2
            && wanted.last() == have.first()
            && wanted.first().is_some_and(|word| document.split(' ').take(12).any(|one| one == word));
        if same || short {
            let whole = bare.trim().to_owned();
            return Some(if is_blank(value) { Value::Blank(whole) } else { Value::Given(whole) });
        }
    }
    None
}

/// `Invoice no. 2024-17`, `order number 5`.
fn numbered(item: &str, text: &str) -> Option<Value> {
    let lower = plain(item);
    let subject =
        lower.strip_suffix(" number").or_else(|| lower.strip_suffix(" no")).or_else(|| lower.strip_suffix("nummer"))?;
    for line in text.lines() {
        let small = line.to_lowercase();
        for sign in [" no. ", " no ", " nr. ", " nr ", " number ", " # ", " #", "snr. ", "-nr. ", " "] {
            let cue = format!("{subject}{sign}");
            let Some(at) = small.find(&cue) else { continue };
            let rest = line.get(at + cue.len()..).unwrap_or_default();
            if rest.split_whitespace().next().is_some_and(|word| word.chars().any(|c| c.is_ascii_digit())) {
                return Some(Value::Given(line.trim().to_owned()));
            }
        }
    }
    None
}

/// A column of that name, by its cells.
fn column(item: &str, text: &str) -> Option<Value> {
    let wanted = plain(item);
    let table = Table::read_all(text)
        .into_iter()
        .find(|table| !table.headless && table.columns.iter().any(|column| plain(column) == wanted))?;
    let at = table.columns.iter().position(|column| plain(column) == wanted)?;
    let cells: Vec<&str> = table.cells(at).into_iter().filter(|cell| !is_blank(cell)).collect();
    Some(if cells.is_empty() { Value::Blank(item.to_owned()) } else { Value::Given(cells.join(", ")) })
}

/// The words of a name without those that say nothing.
pub fn words(name: &str) -> Vec<String> {
    let skip = [
        "the",
        "of",
        "a",
        "an",
        "for",
        "clause",
        "note",
        "step",
        "statement",
        "details",
        "section",
        "provision",
        "and",
        "to",
        "customer",
        "seller",
        "any",
        "der",
        "die",
        "das",
        "de",
        "la",
        "le",
        "el",
        "del",
    ];
    let all: Vec<String> =
        plain(name).split(' ').filter(|word| !word.is_empty() && !skip.contains(word)).map(str::to_owned).collect();
    if all.is_empty() { phrases::list(name) } else { all }
}

/// Forms of one word.
pub fn alike(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    a == b || (short.chars().count() >= 4 && long.starts_with(short) && long.len() <= short.len() + 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_labels() {
        let given = |text: &str| Some(Value::Given(text.to_owned()));
        let cases = [
            ("start date", "Start date: 1 May\nPlace: Graz", given("Start date: 1 May")),
            ("invoice date", "INVOICE\nDate: 12 May 2024", given("Date: 12 May 2024")),
            ("due date", "INVOICE\nDate: 12 May 2024", None),
            ("invoice number", "Invoice no. 2024-0117", given("Invoice no. 2024-0117")),
            ("date of birth", "Date of birth: ____", Some(Value::Blank("Date of birth: ____".into()))),
            ("purpose", "| date | purpose |\n|---|---|\n| 1 May | visit |\n| 2 May | lunch |", given("visit, lunch")),
        ];
        for (item, text, expect) in cases {
            assert_eq!(find(item, text), expect, "{item}");
        }
        assert!(is_form("Name: A\nCity: B") && !is_form("We met. It rained."));
    }
}
