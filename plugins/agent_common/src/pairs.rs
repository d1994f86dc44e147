//! Lists of names and numbers without columns: `Jan 10, Feb 12`, `north: 5`, `31=121 | 29=123`.

use crate::{quantity, table::Table};

/// The pairs of a text as a table of `label` and `value`; three at least, or two that a sign joins.
#[must_use]
pub fn read(text: &str) -> Option<Table> {
    let by_lines = run(text.lines());
    let cuts: [fn(&str) -> Vec<&str>; 3] =
        [|line| line.split(';').collect(), |line| line.split(" | ").collect(), |line| commas(line)];
    let inline = text.lines().flat_map(|line| cuts.iter().map(move |cut| run(cut(line).into_iter())));
    let best = inline.chain([by_lines]).reduce(|best, next| if next.len() > best.len() { next } else { best })?;
    let signed = best.iter().all(|pair| pair.signed);
    let enough = best.len() > 2 || (best.len() == 2 && signed);
    let rows: Vec<Vec<String>> = best.into_iter().map(|pair| vec![pair.label, pair.value]).collect();
    enough.then(|| Table { headless: true, ..Table::new(vec!["label".into(), "value".into()], rows) })
}

/// Commas that part, not those within numbers.
fn commas(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, _) in line.match_indices(',') {
        let next = line.get(at + 1..).and_then(|rest| rest.chars().next());
        if !next.is_some_and(|c| c.is_ascii_digit()) {
            parts.push(line.get(start..at).unwrap_or_default());
            start = at + 1;
        }
    }
    parts.push(line.get(start..).unwrap_or_default());
    parts
}

#[derive(Debug)]
struct Pair {
    label: String,
    value: String,
    signed: bool,
}

/// The longest unbroken run of parts that are pairs.
fn run<'t>(parts: impl Iterator<Item = &'t str>) -> Vec<Pair> {
    let (mut best, mut current): (Vec<Pair>, Vec<Pair>) = (Vec::new(), Vec::new());
    for part in parts.chain([""]) {
        let (pair, last) = pair(part, current.is_empty());
        let end = pair.is_none() || last;
        current.extend(pair);
        if end {
            if current.len() > best.len() {
                best = std::mem::take(&mut current);
            }
            current.clear();
        }
    }
    best
}

/// A part as a pair, and whether a sentence ends with it.
fn pair(part: &str, first: bool) -> (Option<Pair>, bool) {
    let part = part.trim().trim_start_matches(['-', '*', '•', ' ']);
    let part = part.strip_prefix("and ").unwrap_or(part);
    // `Data: Mon 31`: what stands before the first pair is no label.
    let cut = part.find(": ").filter(|at| first && part.get(at + 2..).is_some_and(|rest| whole(rest).is_some()));
    let part = cut.and_then(|at| part.get(at + 2..)).unwrap_or(part);
    let dot = ending(part);
    let (text, ends) = dot.and_then(|at| Some((part.get(..at)?, true))).unwrap_or((part, false));
    (whole(text), ends)
}

/// Where the sentence of a part ends: a stop behind its number.
fn ending(part: &str) -> Option<usize> {
    let found = part.match_indices(['.', '?', '!', ')']).find(|(at, _)| {
        let before = part.get(..*at).unwrap_or_default();
        let rest = part.get(at + 1..).unwrap_or_default();
        (rest.is_empty() || rest.starts_with([' ', ')', '.']))
            && amount_ends(before)
            && before.contains(' ')
            && whole(before).is_some()
    });
    found.map(|(at, _)| at)
}

fn whole(text: &str) -> Option<Pair> {
    let text = text.trim();
    let numbers = quantity::scan(text);
    let value = numbers.last().filter(|q| q.end == text.len() && q.start > 0 && !q.ordinal)?;
    let label = text.get(..value.start)?;
    let sign = label.trim_end().ends_with([':', '=', '–', '—', '.', '>']) || label.trim_end().ends_with(" -");
    let label = label.trim_start();
    let label = ["on ", "On ", "then on ", "then "].iter().find_map(|word| label.strip_prefix(word)).unwrap_or(label);
    let label = [" about ", " around ", " had "]
        .iter()
        .find_map(|word| label.strip_suffix(word))
        .map_or_else(|| label.to_owned(), |l| format!("{l} "));
    let bare = label.trim().trim_end_matches([':', '=', '-', '–', '—', '.', ' ', '>', '~']).trim();
    let bare = timed_end(bare).unwrap_or(bare);
    let fits = !bare.is_empty() && bare.split_whitespace().count() <= 4 && label != bare && !bare.ends_with(['(', '"']);
    let sentence = bare
        .split_whitespace()
        .any(|word| ["is", "are", "was", "were", "next", "the", "in", "of", "to"].contains(&word));
    let value = text.get(value.start..value.end)?;
    (fits && !sentence).then(|| Pair { label: bare.to_owned(), value: value.to_owned(), signed: sign })
}

/// `14`, `5 %`, `1.4m`, `12 kg`.
fn amount_ends(text: &str) -> bool {
    quantity::scan(text).last().is_some_and(|amount| amount.end == text.len())
}

/// The time at the end of words that are no label themselves: `Visitors in Jan`, `sales were: Q1 2024`.
fn timed_end(text: &str) -> Option<&str> {
    let at = [" in ", " for ", " were ", " was ", ": "]
        .iter()
        .filter_map(|word| Some(text.rfind(word)? + word.len()))
        .max()?;
    let end = text.get(at..)?.trim();
    crate::periods::read(end, None).filter(|period| !matches!(period, crate::periods::Period::Number(_))).map(|_| end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_in_sentences() {
        let cases = [
            ("Data: Mon 31, Tue 29, Wed 30. Next working day?", "Mon=31 Tue=29 Wed=30"),
            ("- Jan 2023: 700\n- Feb 2023: 720\n- Mar 2023: 735", "Jan 2023=700 Feb 2023=720 Mar 2023=735"),
            ("Jul 310, Aug 305, Nov 5,300, Dec 311", "Jul=310 Aug=305 Nov=5,300 Dec=311"),
            ("8:00 h 18,9; 9:00 h 17,3; 10:00 h 17,0", "8:00 h=18,9 9:00 h=17,3 10:00 h=17,0"),
            ("1 Jan -2, 2 Jan -1, 3 Jan 5", "1 Jan=-2 2 Jan=-1 3 Jan=5"),
            ("Apples 15,2\nPears 15,4\nDates 2,1", "Apples=15,2 Pears=15,4 Dates=2,1"),
            ("old: 20\nnew: 26", "old=20 new=26"),
            ("Q1 2023 1.2m, Q2 2023 1.3m, Q3 2023 1.4m. And Q4?", "Q1 2023=1.2m Q2 2023=1.3m Q3 2023=1.4m"),
            ("Visitors in Jan 78, Feb 80, Mar 79.", "Jan=78 Feb=80 Mar=79"),
        ];
        for (text, expect) in cases {
            let rows = read(text).map(|table| table.rows).unwrap_or_default();
            let told: Vec<String> = rows.iter().map(|row| row.join("=")).collect();
            assert_eq!(told.join(" "), expect, "{text}");
        }
        for none in ["", "I have 3 cats, 2 dogs, and a goat", "We sold 120, 135 and 98 pieces", "a 1, b 2"] {
            assert_eq!(read(none), None, "{none}");
        }
    }
}
