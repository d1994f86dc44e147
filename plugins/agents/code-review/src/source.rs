//! Source files out of a task: fenced blocks, a unified diff, or bare code.

use std::collections::BTreeSet;

use agent_common::words;
use tollbridge_sdk::Error;

use crate::File;

/// Highest line of a diff that is taken: a file is rebuilt up to there.
const LINE_MAX: usize = 100_000;
/// Lines of all rebuilt files together.
const LINES_MAX: usize = 300_000;
const VERBS: [&str; 5] = ["review", "check", "look", "find", "inspect"];
const ENDINGS: [(&str, &str); 18] = [
    ("python", "py"),
    ("py", "py"),
    ("javascript", "js"),
    ("js", "js"),
    ("typescript", "ts"),
    ("ts", "ts"),
    ("rust", "rs"),
    ("go", "go"),
    ("java", "java"),
    ("kotlin", "kt"),
    ("c", "c"),
    ("cpp", "cpp"),
    ("c++", "cpp"),
    ("csharp", "cs"),
    ("php", "php"),
    ("ruby", "rb"),
    ("sh", "sh"),
    ("bash", "sh"),
];

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

/// Code in a task, with the lines that count if it is a diff.
pub fn of_words(text: &str) -> Result<(Vec<File>, Option<Changed>), Error> {
    if text.lines().any(|line| line.starts_with("+++ ")) && text.lines().any(|line| line.starts_with("@@ ")) {
        return of_diff(text).map(|(files, changed)| (files, Some(changed)));
    }
    let files = fenced(text);
    if !files.is_empty() {
        return Ok((files, None));
    }
    let (_, body) = words::request(text, &VERBS);
    if body.is_empty() || !looks_like_code(body) {
        return Err(Error::invalid(
            "/files",
            "put the code into the task (``` fences or a unified diff), or give `files` or `diff`",
        ));
    }
    let ending = ENDINGS.iter().find(|(_, ending)| *ending == guess(body)).map_or("txt", |(_, ending)| ending);
    Ok((vec![File { path: format!("source.{ending}"), content: body.to_owned() }], None))
}

/// Blocks between ``` fences, named by their language and number.
fn fenced(text: &str) -> Vec<File> {
    let mut files = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in text.lines() {
        match (line.trim_start().strip_prefix("```"), open.as_mut()) {
            (Some(language), None) => open = Some((language.trim().to_lowercase(), String::new())),
            (Some(_), Some(_)) => {
                if let Some((language, content)) = open.take() {
                    files.push(named(files.len() + 1, &language, content));
                }
            }
            (None, Some((_, content))) => {
                content.push_str(line);
                content.push('\n');
            }
            (None, None) => {}
        }
    }
    if let Some((language, content)) = open {
        files.push(named(files.len() + 1, &language, content));
    }
    files.retain(|file| !file.content.trim().is_empty());
    files
}

fn named(number: usize, language: &str, content: String) -> File {
    let known = ENDINGS.iter().find(|(name, _)| *name == language).map(|(_, ending)| *ending);
    File { path: format!("block{number}.{}", known.unwrap_or_else(|| guess(&content))), content }
}

/// The ending of the language that a text looks like.
fn guess(code: &str) -> &'static str {
    let marks: [(&str, &[&str]); 7] = [
        ("php", &["<?php"]),
        ("rs", &["fn main()", "let mut ", "impl ", "pub fn "]),
        ("go", &["package main", "func ", ":= "]),
        ("py", &["def ", "import os", "elif ", "self."]),
        ("java", &["public class ", "public static void", "System.out"]),
        ("js", &["function ", "const ", "=> {", "console.log", "require("]),
        ("c", &["#include", "int main("]),
    ];
    marks.iter().find(|(_, marks)| marks.iter().any(|mark| code.contains(mark))).map_or("txt", |(ending, _)| ending)
}

fn looks_like_code(text: &str) -> bool {
    guess(text) != "txt" || text.lines().filter(|line| line.trim_end().ends_with([';', '{', '}'])).count() > 1
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
    fn code_is_found_in_words() {
        let (files, _) = of_words("Review:\n```python\ndef f(): pass\n```\nand\n```\nfn main() {}").unwrap();
        assert_eq!(files.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), ["block1.py", "block2.rs"]);
        assert_eq!(of_words("Review this: def f():\n  pass").unwrap().0.first().unwrap().path, "source.py");
        assert!(of_words("What a nice day.").is_err());
    }
}
