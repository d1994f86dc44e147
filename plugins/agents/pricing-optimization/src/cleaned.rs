//! A task without the marks of the place it was copied from: comment signs, HTML, names in a chat.

use agent_common::{patterns, tagless};

/// The same words, without `//`, `<li>`, `[Jess]` and quotation signs before lines.
pub fn of(task: &str) -> String {
    let listed = tagless::read(task);
    let lines: Vec<&str> = listed.lines().map(unmarked).collect();
    let text = joined(&lines);
    // `50p` is an amount of money; `Q = 500 - 4p` is a formula.
    match patterns::compiled(r"(\d)p\b").filter(|_| !text.contains('=')) {
        Some(pence) => pence.replace_all(&text, "$1 pence").into_owned(),
        None => text,
    }
}

/// A question and the line that answers it belong together: `cost?` and `3.10 each`.
fn joined(lines: &[&str]) -> String {
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| lines.get(at)).map_or("", |line| line.trim_end());
        let asks = before.ends_with('?') && before.split_whitespace().count() < 7 && !before.contains(['.', '!']);
        let tells = line.trim_start().starts_with(|c: char| c.is_ascii_digit() || "€$£".contains(c))
            && agent_common::quantity::scan(line).len() == 1;
        if asks && tells {
            text.truncate(text.trim_end().trim_end_matches('?').len());
            text.push_str(": ");
        } else if at > 0 {
            text.push('\n');
        }
        text.push_str(line);
    }
    text
}

fn unmarked(line: &str) -> &str {
    let line = line.trim_start_matches(['>', ' ']);
    let line = line.strip_prefix("//").or_else(|| line.strip_prefix("# ")).map_or(line, str::trim_start);
    // `[Mo] numbers`, not `[{"price": 1}]` or `[12, 13]`.
    let name = line.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    match name {
        Some((name, rest)) if !name.is_empty() && name.chars().all(|c| c.is_alphabetic() || " .".contains(c)) => {
            rest.trim_start_matches([':', ' '])
        }
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_left_out() {
        let cases = [
            ("// cost: 0\n[{\"price\": 9}]", "cost: 0\n[{\"price\": 9}]"),
            ("<ul><li>Jan: €7 - 10</li><li>Feb: €8 - 9</li></ul>\nWhich?", "Jan: €7 - 10\nFeb: €8 - 9\nWhich?"),
            ("[Jess] cost?\n[Mo] 3.10 each\n[Jess] ok", "cost: 3.10 each\nok"),
            ("[12, 16]", "[12, 16]"),
        ];
        for (task, expect) in cases {
            assert_eq!(of(task), expect);
        }
    }
}
