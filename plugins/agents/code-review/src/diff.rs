//! The new side of a unified diff.

use std::collections::BTreeSet;

use tollbridge_sdk::Error;

use crate::file::File;

/// Highest line of a diff that is taken: a file is rebuilt up to there.
const LINE_MAX: usize = 100_000;
/// Lines of all rebuilt files together.
const LINES_MAX: usize = 300_000;

/// The lines that a diff adds.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changed(BTreeSet<(String, usize)>);

impl Changed {
    /// Whether a line was added.
    pub fn has(&self, path: &str, line: usize) -> bool {
        self.0.contains(&(path.to_owned(), line))
    }

    /// How many were.
    pub fn lines(&self) -> usize {
        self.0.len()
    }
}

/// The new side of a unified diff, with lines it does not show left empty so
/// that places stay right, and the lines that it adds.
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

/// A diff in a task: whole, without names of files, or lines with + and - only.
#[must_use]
pub fn of_words(text: &str) -> Option<(Vec<File>, Changed)> {
    let lines: Vec<&str> = text.lines().collect();
    let hunk_at = lines.iter().position(|line| line.starts_with("@@ "));
    if let Some(hunk_at) = hunk_at {
        let named = lines.iter().take(hunk_at).any(|line| line.starts_with("+++ "));
        if named && let Ok(found) = of_diff(text) {
            return Some(found);
        }
        return loose(
            &lines,
            hunk_at + 1,
            lines.get(hunk_at).and_then(|line| hunk(line)).map_or(1, |(first, _)| first),
        );
    }
    let first = lines.iter().position(|line| line.starts_with(['+', '-']))?;
    let marked = |sign: char| {
        lines
            .iter()
            .filter(|line| line.starts_with(sign) && !line.starts_with("---") && !line.starts_with("+++"))
            .count()
    };
    let header = lines.iter().any(|line| line.starts_with("diff --git") || line.starts_with("+++ "));
    let listed =
        lines.iter().skip(first).filter(|line| line.starts_with("- ")).all(|line| !line.contains(['(', '=', ';', '{']));
    if marked('+') == 0 || (marked('-') == 0 && !header) || (listed && !header) {
        return None;
    }
    let start =
        (0..first).rev().take_while(|at| lines.get(*at).is_some_and(|line| line.starts_with([' ', '\t']))).last();
    loose(&lines, start.unwrap_or(first), 1)
}

/// Lines from `from` on, whose counts are not told or wrong.
fn loose(lines: &[&str], from: usize, first: usize) -> Option<(Vec<File>, Changed)> {
    let name =
        lines.iter().take(from).chain(lines.iter().skip(from).take(2)).find_map(|line| line.strip_prefix("+++ "));
    let mut new: Vec<String> = vec![String::new(); first.saturating_sub(1).min(LINE_MAX)];
    let mut added = Vec::new();
    for line in lines.iter().skip(from) {
        if line.starts_with("+++") || line.starts_with("---") || line.starts_with("diff ") || line.starts_with("```") {
            continue;
        }
        if let Some((next, _)) = line.starts_with("@@ ").then(|| hunk(line)).flatten() {
            new.resize(new.len().max(next.saturating_sub(1)), String::new());
        } else if let Some(text) = line.strip_prefix('+') {
            new.push(text.to_owned());
            added.push(new.len());
        } else if !line.starts_with('-') {
            new.push(line.strip_prefix(' ').unwrap_or(line).to_owned());
        }
    }
    let content = new.join("\n") + "\n";
    let path = name.map_or_else(
        || format!("source.{}", crate::language::Language::guess(&content).ending()),
        |name| name.split('\t').next().unwrap_or(name).trim().trim_start_matches("b/").to_owned(),
    );
    let changed = Changed(added.into_iter().map(|line| (path.clone(), line)).collect());
    (changed.lines() > 0).then(|| (vec![File { path, content }], changed))
}

/// First line and number of lines of the new side.
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

    #[test]
    fn a_diff_that_was_cut_out_is_still_read() {
        let (files, changed) = of_words("@@ -10,3 +10,3 @@\n def f(x):\n-    return x\n+    return eval(x)\n").unwrap();
        assert_eq!(files.first().map(|file| file.path.as_str()), Some("source.py"));
        assert!(changed.has("source.py", 11));
        let (files, changed) = of_words("- a = 1\n+ a = 2\n  b = 3\n").unwrap();
        assert_eq!((files.len(), changed.lines()), (1, 1));
        assert!(of_words("- milk\n- bread\n").is_none());
    }
}
