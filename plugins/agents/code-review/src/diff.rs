//! The new side of a unified diff.

use std::collections::BTreeSet;

use tollbridge_sdk::Error;

use crate::input::File;

/// Highest line of a diff: a file is rebuilt up to there.
const LINE_MAX: usize = 100_000;
/// Lines of all rebuilt files together.
const LINES_MAX: usize = 300_000;

/// The paths and lines that a diff adds.
pub type Changed = BTreeSet<(String, usize)>;

/// Returns the new side of a unified diff and the lines that it adds. Lines that the diff
/// does not show are empty, so that line numbers stay right.
pub fn of_diff(diff: &str) -> Result<(Vec<File>, Changed), Error> {
    let text = format!(
        "not a unified diff that adds lines, up to line {LINE_MAX}: `+++ b/PATH`, `@@ -1,2 +1,3 @@`, then lines"
    );
    read(diff).ok_or_else(|| Error::invalid("/diff", text))
}

fn read(diff: &str) -> Option<(Vec<File>, Changed)> {
    let mut files: Vec<(String, Vec<&str>)> = Vec::new();
    let mut changed = Changed::new();
    let (mut next, mut left) = (0, 0);
    for line in diff.lines() {
        if left == 0 {
            if let Some(path) = line.strip_prefix("+++ ") {
                let path = path.split('\t').next().unwrap_or_default();
                files.push((path.strip_prefix("b/").unwrap_or(path).to_owned(), Vec::new()));
            } else if line.starts_with("@@ ") {
                (next, left) = hunk(line)?;
            }
            continue;
        }
        let (path, lines) = files.last_mut()?;
        let (sign, text) = line.split_at_checked(1).unwrap_or((" ", ""));
        if sign == "+" {
            changed.insert((path.clone(), next));
        } else if sign != " " {
            continue;
        }
        lines.resize(next.saturating_sub(1).max(lines.len()), "");
        lines.push(text);
        (next, left) = (next + 1, left - 1);
    }
    files.retain(|(path, lines)| path != "/dev/null" && !lines.is_empty());
    let lines: usize = files.iter().map(|(_, lines)| lines.len()).sum();
    let file = |(path, lines): (String, Vec<&str>)| File { path, content: lines.join("\n") + "\n" };
    (!changed.is_empty() && lines <= LINES_MAX).then(|| (files.into_iter().map(file).collect(), changed))
}

/// Returns the first line and the number of lines of the new side.
fn hunk(line: &str) -> Option<(usize, usize)> {
    let new = line.split_whitespace().find_map(|word| word.strip_prefix('+'))?;
    let (first, count) = new.split_once(',').unwrap_or((new, "1"));
    let (first, count): (usize, usize) = (first.parse().ok()?, count.parse().ok()?);
    (first.checked_add(count)? <= LINE_MAX).then_some((first, count))
}
