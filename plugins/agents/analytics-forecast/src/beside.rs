//! What a task says beside its values: the whole text without tables, lists of values and labels with values.

use agent_common::quantity;

/// Words that ask, so that a short line with a number is no value.
const ASKS: [&str; 22] = [
    "next",
    "horizon",
    "ahead",
    "more",
    "forecast",
    "predict",
    "until",
    "extrapolate",
    "steps",
    "step",
    "nächste",
    "nächsten",
    "prochain",
    "prochains",
    "próximo",
    "próximos",
    "periods",
    "rest",
    "give",
    "and",
    "what",
    "for",
];

/// The words of a task beside its values.
pub fn of(task: &str) -> String {
    let kept: Vec<String> = task.lines().filter(|line| !is_row(line)).map(without_run).collect();
    kept.join("\n")
}

fn asks(line: &str) -> bool {
    let lower = line.to_lowercase();
    lower.contains('?') || lower.split(|c: char| !c.is_alphanumeric()).any(|word| ASKS.contains(&word))
}

/// A row of a table, JSON, or a label with a value.
fn is_row(line: &str) -> bool {
    let line = line.trim();
    if line.starts_with(['|', '{', '[']) || line.contains('\t') || line.matches('|').count() > 1 {
        return true;
    }
    let words = line.split_whitespace().count();
    let separated = line.matches([',', ';']).count() > 0 && words <= line.matches([',', ';']).count() + 2;
    let valued = !quantity::scan(line).is_empty() && words <= 6;
    (separated || valued) && !asks(line)
}

/// A line without its longest run of values, and without the label before the first.
fn without_run(line: &str) -> String {
    let amounts = quantity::scan(line);
    let mut best: (usize, usize) = (0, 0);
    let mut from = 0;
    for at in 0..amounts.len() {
        let joined = at.checked_sub(1).and_then(|before| amounts.get(before)).zip(amounts.get(at)).is_some_and(
            |(before, one)| {
                let between = line.get(before.end..one.start).unwrap_or_default();
                between.chars().count() <= 16 && between.split_whitespace().count() <= 3 && !asks(between)
            },
        );
        if !joined {
            from = at;
        }
        if at + 1 - from > best.1 - best.0 {
            best = (from, at + 1);
        }
    }
    if best.1 - best.0 < 4 {
        return line.to_owned();
    }
    let start = amounts.get(best.0).map_or(0, |one| one.start);
    let end = amounts.get(best.1 - 1).map_or(line.len(), |one| one.end);
    let head = line.get(..start).unwrap_or_default();
    let cut = head.rfind([':', '.', '?', '!', ';', ',']).map_or(0, |at| at + 1);
    format!("{} {}", head.get(..cut).unwrap_or_default(), line.get(end..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_left_out() {
        let cases = [
            ("3, 7, 11, 15, 19, 23, 27 -> next three?", "  -> next three?"),
            (
                "Jan 2023 to Aug 2023 - 66 / 68 / 71 / 72 / 75 - what for the rest of the year?",
                "  - what for the rest of the year?",
            ),
            ("7 Jan 2024: 1500\n14 Jan 2024: 1461\nnext four sundays", "next four sundays"),
            ("a,b\n1,2\n\nnext 3", "\nnext 3"),
        ];
        for (task, expect) in cases {
            assert_eq!(of(task), expect);
        }
    }
}
