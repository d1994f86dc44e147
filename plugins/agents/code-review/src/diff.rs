//! The new side of a unified diff.

use std::collections::BTreeSet;

use tollbridge_sdk::Error;

use crate::input::File;

/// Highest line of a diff: a file is rebuilt up to there.
const LINE_MAX: usize = 100_000;
/// Lines of all rebuilt files together.
const LINES_MAX: usize = 300_000;

/// The lines that a diff adds.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changed(BTreeSet<(String, usize)>);

impl Changed {
    /// Returns whether a line was added.
    pub fn has(&self, path: &str, line: usize) -> bool {
        self.0.contains(&(path.to_owned(), line))
    }

    /// Returns the number of added lines.
    pub fn lines(&self) -> usize {
        self.0.len()
    }
}

/// Returns the new side of a unified diff and the lines that it adds. Lines that the diff
/// does not show are empty, so that line numbers stay right.
pub fn of_diff(diff: &str) -> Result<(Vec<File>, Changed), Error> {
    let mut files: Vec<(String, Vec<String>)> = Vec::new();
    let mut changed = Changed::default();
    let (mut next, mut left) = (0, 0);
    for line in diff.lines() {
        if left == 0 {
            if let Some(path) = line.strip_prefix("+++ ") {
                let path = path.split('\t').next().unwrap_or_default();
                files.push((path.strip_prefix("b/").unwrap_or(path).to_owned(), Vec::new()));
            } else if line.starts_with("@@ ") {
                (next, left) = hunk(line).ok_or_else(|| wrong(line))?;
            }
            continue;
        }
        let Some((path, lines)) = files.last_mut() else { return Err(wrong(line)) };
        let text = match line.split_at_checked(1) {
            Some(("+", text)) => {
                changed.0.insert((path.clone(), next));
                text
            }
            Some((" ", text)) => text,
            None => "",
            _ => continue,
        };
        lines.resize(next.saturating_sub(1).max(lines.len()), String::new());
        lines.push(text.to_owned());
        (next, left) = (next + 1, left - 1);
    }
    files.retain(|(path, lines)| path != "/dev/null" && !lines.is_empty());
    if changed.0.is_empty() || files.iter().map(|(_, lines)| lines.len()).sum::<usize>() > LINES_MAX {
        return Err(Error::invalid(
            "/diff",
            "not a unified diff that adds lines: `+++ b/PATH`, `@@ -1,2 +1,3 @@`, then lines",
        ));
    }
    let file = |(path, lines): (String, Vec<String>)| File { path, content: lines.join("\n") + "\n" };
    Ok((files.into_iter().map(file).collect(), changed))
}

/// Returns the first line and the number of lines of the new side.
fn hunk(line: &str) -> Option<(usize, usize)> {
    let new = line.split_whitespace().find_map(|word| word.strip_prefix('+'))?;
    let (first, count) = new.split_once(',').unwrap_or((new, "1"));
    let (first, count): (usize, usize) = (first.parse().ok()?, count.parse().ok()?);
    (first.checked_add(count)? <= LINE_MAX).then_some((first, count))
}

fn wrong(line: &str) -> Error {
    let line: String = line.chars().take(80).collect();
    Error::invalid("/diff", format!("not a unified diff of files up to {LINE_MAX} lines, at `{line}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_is_rebuilt_with_its_places() {
        let diff = "--- a/x.py\n+++ b/x.py\n@@ -3,2 +3,3 @@ def f():\n a\n-b\n+c\n+d\n";
        let (files, changed) = of_diff(diff).unwrap();
        assert_eq!(files, [File { path: "x.py".into(), content: "\n\na\nc\nd\n".into() }]);
        assert!(changed.has("x.py", 4) && changed.has("x.py", 5) && !changed.has("x.py", 3));
        for bad in ["", "+++ b/x\n", "@@ -1 +1 @@\n+x", "+++ b/x\n@@ -1 +999999,9 @@\n+x", "+++ b/x\n@@ nothing @@\n"] {
            assert!(of_diff(bad).is_err(), "{bad}");
        }
    }
}
