//! Code without fences: below a file's name, bare, or in a sentence.

use agent_common::patterns::is_match;

use crate::code_looks::{file_name, is_code, is_prose};
use crate::file::File;
use crate::language::Language;
use crate::task_code::Found;

/// Code without fences: the stretch from the first line of code to the last.
pub fn read(text: &str) -> Found {
    let text = &parted(text);
    let lines: Vec<&str> = text.lines().collect();
    below_names(&lines).unwrap_or_else(|| stretch(text, &lines))
}

/// Files below lines that name them.
fn below_names(lines: &[&str]) -> Option<Found> {
    let named: Vec<usize> = (0..lines.len())
        .filter(|at| {
            lines.get(*at).and_then(|line| file_name(line)).is_some()
                && lines.iter().skip(at + 1).take(3).any(|line| is_code(line) || line.is_empty())
        })
        .collect();
    let first = named.first()?;
    let mut files = Vec::new();
    for (place, at) in named.iter().enumerate() {
        let end = named.get(place + 1).copied().unwrap_or(lines.len());
        let body: Vec<&str> = lines.iter().take(end).skip(at + 1).copied().collect();
        let lead = body.iter().take_while(|line| line.trim().is_empty()).count();
        let body = body.get(lead..).unwrap_or_default();
        let last = (0..body.len())
            .rev()
            .find(|at| body.get(*at).is_some_and(|line| is_code(line)))
            .map_or(body.len(), |at| at + 1);
        let content = body.get(..last).unwrap_or_default().join("\n") + "\n";
        let path = lines.get(*at).and_then(|line| file_name(line)).unwrap_or("source.txt").to_owned();
        if body.iter().any(|line| is_code(line)) {
            files.push(File { path, content });
        }
    }
    let request = lines.get(..*first).unwrap_or_default().join("\n");
    (!files.is_empty()).then_some(Found { files, changed: None, request })
}

/// The stretch from the first line of code to the last, without the indent that all of it has.
fn stretch(text: &str, lines: &[&str]) -> Found {
    let code: Vec<bool> = lines.iter().map(|line| is_code(line)).collect();
    let strong = |at: usize| code.get(at).copied().unwrap_or(false);
    let Some(first) = (0..lines.len()).find(|at| strong(*at)) else { return inline(text) };
    let mut last = first;
    let mut at = first + 1;
    while let Some(line) = lines.get(at) {
        let indented = line.starts_with([' ', '\t']) && !line.trim().is_empty();
        if strong(at) || (indented && at == last + 1) {
            last = at;
        } else if !line.trim().is_empty()
            && is_prose(line)
            && at > last + 1
            && !(at..lines.len())
                .any(|later| strong(later) && lines.get(later).is_some_and(|line| line.starts_with([' ', '\t'])))
        {
            break;
        }
        at += 1;
    }
    let content = lines.get(first..=last).unwrap_or_default();
    let common = content
        .iter()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start().len())
        .min()
        .unwrap_or(0);
    let content: Vec<&str> =
        content.iter().map(|line| line.get(common..).unwrap_or_else(|| line.trim_start())).collect();
    let mut request: Vec<&str> = lines.get(..first).unwrap_or_default().to_vec();
    request.extend(lines.get(last + 1..).unwrap_or_default());
    let content = content.join("\n") + "\n";
    let request = request.join("\n");
    let language =
        named_in(&request).filter(|language| fits(*language, &content)).unwrap_or_else(|| Language::guess(&content));
    // Assignments and calls without signs of another language.
    let plain = content
        .lines()
        .filter(|line| !line.trim().is_empty())
        .all(|line| is_match(r"^\s*[\w.]+\s*=\s*[^=].*[^;{]$|^\s*[\w.]+\(.*\)$|^\s*#", line) && !line.contains('$'));
    let language =
        if language == Language::Unknown && plain && content.lines().count() > 1 { Language::Python } else { language };
    if language == Language::Unknown {
        return Found { request: text.to_owned(), ..Found::default() };
    }
    Found { files: vec![File { path: format!("source.{}", language.ending()), content }], changed: None, request }
}

/// The text with code behind a colon on a line of its own: `Review this: def f():`.
fn parted(text: &str) -> String {
    let cut = |line: &str| {
        line.match_indices(": ").map(|(at, _)| at).find(|at| {
            let (head, rest) = (line.get(..*at).unwrap_or_default(), line.get(at + 2..).unwrap_or_default());
            let words = head.split_whitespace().count();
            words < 13 && !head.contains(['(', '{', '=', ';', '"', '\'']) && !is_code(line) && is_code(rest)
        })
    };
    let split = |line: &str| match cut(line) {
        Some(at) => format!("{}:\n{}", line.get(..at).unwrap_or_default(), line.get(at + 2..).unwrap_or_default()),
        None => line.to_owned(),
    };
    text.lines().map(split).collect::<Vec<_>>().join("\n")
}

/// Code in a sentence: behind a colon, or between backticks.
fn inline(text: &str) -> Found {
    let ticked = agent_common::patterns::all(r"`([^`\n]{6,})`", text);
    let behind: Vec<String> =
        text.lines().filter_map(|line| line.split_once(": ")).map(|(_, code)| code.trim().to_owned()).collect();
    let behind = behind.into_iter().filter(|code| is_code(code) || is_match(r"^\w[\w.]*\(.*\)\s*;?$|\s[=!]=\s", code));
    let candidates = ticked.into_iter().chain(behind);
    for code in candidates {
        let language = named_in(text).unwrap_or_else(|| Language::guess(&code));
        if language != Language::Unknown {
            let request = text.replace(&code, " ");
            return Found {
                files: vec![File { path: format!("source.{}", language.ending()), content: code + "\n" }],
                changed: None,
                request,
            };
        }
    }
    Found { request: text.to_owned(), ..Found::default() }
}

/// The language that the words name.
fn named_in(request: &str) -> Option<Language> {
    let plain = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '+' && c != '#');
        let short = word.len() < 3 && !matches!(word, "C" | "C#" | "JS" | "TS" | "js" | "ts");
        if short || matches!(word.to_lowercase().as_str(), "go" | "node" | "shell" | "html" | "yaml") && word != "Go" {
            None
        } else {
            Language::named(word)
        }
    };
    request.split_whitespace().find_map(plain)
}

fn fits(language: Language, code: &str) -> bool {
    use Language::{C, Cpp, Javascript, Typescript};
    let guess = Language::guess(code);
    guess == language
        || guess == Language::Unknown
        || (matches!(language, C | Cpp) && matches!(guess, C | Cpp | Language::Java))
        || (matches!(language, Javascript | Typescript) && matches!(guess, Javascript | Typescript))
}
