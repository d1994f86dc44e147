//! Code in the words of a task: between fences, below a file's name, bare, or as a diff.

use crate::File;
use crate::diff::{self, Changed};
use crate::language::Language;
use agent_common::patterns::is_match;

/// What a task brings.
#[derive(Debug, Default)]
pub struct Found {
    /// The files, in order.
    pub files: Vec<File>,
    /// Of a diff, the lines that it adds.
    pub changed: Option<Changed>,
    /// The words around the code.
    pub request: String,
}

/// Finds the code of a task; no files if there is none.
#[must_use]
pub fn read(text: &str) -> Found {
    let text = text.replace("\r\n", "\n");
    let fenced = fenced(&text);
    let inner = fenced.files.first().map(|file| file.content.clone());
    let is_diff = |text: &str| is_match(r"(?m)^(?:@@ |diff --git|\+\+\+ )|^\+", text);
    let diffed = match &inner {
        Some(content) => is_diff(content).then(|| diff::of_words(content)).flatten(),
        None => is_diff(&text).then(|| diff::of_words(&text)).flatten(),
    };
    if let Some((files, changed)) = diffed {
        let whole: String = files.iter().map(|file| file.content.as_str()).collect();
        if Language::of(files.first().map_or("", |file| file.path.as_str()), &whole) != Language::Unknown {
            let request = if inner.is_some() { fenced.request } else { outside_diff(&text) };
            return Found { files, changed: Some(changed), request };
        }
    }
    if !fenced.files.is_empty() { fenced } else { bare(&text) }
}

fn outside_diff(text: &str) -> String {
    let words = |line: &&str| {
        !line.starts_with(['+', '-', '@', ' ', '\t']) && !line.starts_with("diff ") && !line.starts_with("index ")
    };
    text.lines().filter(words).collect::<Vec<_>>().join("\n")
}

/// The name of a file that stands alone on a line: `session.py:`, `// src/a.js`, `**a.go**`, `--- a.py ---`.
fn file_name(line: &str) -> Option<&str> {
    let bare =
        line.trim().trim_start_matches("File").trim_matches([':', '#', '/', '*', '-', '=', '`', '<', '>', '!', ' ']);
    let ending = bare.rsplit_once('.').and_then(|(_, ending)| Language::named(ending));
    let plain = !bare.contains([' ', '(', ';', '"']) && bare.len() < 200;
    (plain && (ending.is_some() || bare.eq_ignore_ascii_case("dockerfile"))).then_some(bare)
}

/// Blocks between fences.
fn fenced(text: &str) -> Found {
    let mut found = Found::default();
    let mut open: Option<(String, String, Option<String>)> = None;
    let mut before = String::new();
    for line in text.lines() {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"].iter().find_map(|mark| trimmed.strip_prefix(*mark));
        match (mark, open.as_mut()) {
            (Some(language), None) => {
                let name = file_name(&before).map(str::to_owned);
                // ```code``` on one line
                if let Some(code) = language.strip_suffix("```").filter(|code| !code.trim().is_empty()) {
                    push(&mut found.files, "", format!("{code}\n"), name);
                } else {
                    open = Some((language.trim().to_lowercase(), String::new(), name));
                }
            }
            (Some(rest), Some(_)) if rest.trim().is_empty() => {
                if let Some((language, content, name)) = open.take() {
                    push(&mut found.files, &language, content, name);
                }
            }
            (_, Some((_, content, _))) => {
                content.push_str(line);
                content.push('\n');
            }
            (None, None) => {
                found.request.push_str(line);
                found.request.push('\n');
            }
        }
        if !line.trim().is_empty() {
            line.clone_into(&mut before);
        }
    }
    if let Some((language, content, name)) = open {
        push(&mut found.files, &language, content, name);
    }
    found.files.retain(|file| !file.content.trim().is_empty());
    found
}

fn push(files: &mut Vec<File>, language: &str, content: String, name: Option<String>) {
    let word = language.split([' ', ':', '{', ',']).next().unwrap_or_default();
    let known = Language::named(word).unwrap_or_else(|| Language::guess(&content));
    let path = name.unwrap_or_else(|| format!("block{}.{}", files.len() + 1, known.ending()));
    files.push(File { path, content });
}

/// Code without fences: the stretch from the first line of code to the last.
fn bare(text: &str) -> Found {
    let text = &parted(text);
    let lines: Vec<&str> = text.lines().collect();
    let named: Vec<usize> = (0..lines.len())
        .filter(|at| {
            lines.get(*at).and_then(|line| file_name(line)).is_some()
                && lines.iter().skip(at + 1).take(3).any(|line| is_code(line) || line.is_empty())
        })
        .collect();
    if let Some(first) = named.first() {
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
        if !files.is_empty() {
            let request = lines.get(..*first).unwrap_or_default().join("\n");
            return Found { files, changed: None, request };
        }
    }
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
#[must_use]
pub fn named_in(request: &str) -> Option<Language> {
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

/// Whether a line is a sentence.
fn is_prose(line: &str) -> bool {
    let words = line.split_whitespace().count();
    let signs = line.chars().filter(|c| "{}();=<>[]".contains(*c)).count();
    words > 2 && signs * 3 < words
}

/// Whether a line is code by its looks.
fn is_code(line: &str) -> bool {
    const LINES: &[&str] = &[
        r"^\s*(?:async\s+)?def\s+\w+\s*\(",
        r"^\s*class\s+\w+\s*(?:\(.*\))?\s*[:{]",
        r"^\s*(?:import\s+[\w.]+(?:\s+as\s+\w+)?(?:\s*,\s*\w+)*|from\s+[\w.]+\s+import\s+.+)\s*;?\s*$",
        r"^\s*(?:if|elif|for|while|with|try|except|else|finally)\b.*:\s*(?:#.*)?$",
        r"^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*\w*\s*\(",
        r"^\s*(?:export\s+)?(?:const|let|var|val)\s+[\w{\[].*=",
        r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+|unsafe\s+)*fn\s+\w+",
        r"^\s*(?:func|fun)\s+(?:\([^)]*\)\s*)?[\w.]+\s*\(",
        r"^\s*(?:#include|#define|#!/|package\s+\w+|using\s+[\w.]+;|namespace\s+\w|<\?php|use\s+[\w:\\]+;)",
        r"^\s*(?:public|private|protected|static|final|void|int|char|double|float|unsigned|bool|boolean|String|long|struct|size_t)\b.*[({;]",
        r"[;{}]\s*(?://.*)?$",
        r"^\s*[)\]}]+[;,)]*\s*$",
        r"^\s*@\w[\w.]*(?:\(.*\))?\s*$",
        r"^\s*(?:\w+\s*,\s*)*[\w.\[\]\x22'$>-]+\s*(?:[-+*/%|&:]?=)\s*[^=\s].*$",
        r"^\s*(?:return|raise|throw|yield|await|print|echo|printf|console\.)\b.*[\w)\]};\x22']\s*$",
        r"(?i)^\s*(?:select\b.+\bfrom\b|select\s+[\w*,.\s()]+$|insert\s+into|update\s+\w+\s+set|update\s+\w+\s*$|delete\s+from\s+\w+|create\s+(?:table|index|view|function)|alter\s+table|drop\s+table|truncate\s+table|left\s+join|inner\s+join|join\s+\w+.*\bon\b|group\s+by\s+\w+|order\s+by\s+\w+)",
        r"^\s*(?:SELECT|FROM|WHERE|AND|OR|ON|SET|HAVING|LIMIT|VALUES|JOIN|UNION)\b",
        r"^\s*\w[\w.]*\(.*\)\s*;?\s*$",
        r"^\s*(?:RUN|CMD|COPY|ADD|ENTRYPOINT|WORKDIR|ENV|EXPOSE|USER|FROM)\s+\S",
        r"^\s*(?:rm|cd|cp|mv|chmod|curl|sudo|export|set|mkdir|tar)\s+[-$/\w.\x22]",
        r"^\s*(?:fi|done|esac|then|do|end|else)\s*$",
        r"^\s*(?:for|if|while)\s.*;\s*(?:do|then)\s*$",
        r"(?i)^\s*</?[a-z][\w-]*(?:\s[^>]*)?>",
        r"^\s*\w+\.(?:each|map|select)\b.*\bdo\b",
        r"^\s*def\s+\w+[?!]?\s*$",
    ];
    let trimmed = line.trim();
    if trimmed.is_empty() {
        return false;
    }
    let sentence = is_prose(line) && trimmed.ends_with(['.', '?', '!', ':']) && trimmed.split_whitespace().count() > 3;
    let start = is_match(r"^\s*(?:def|class|if|for|while|elif|with|except|func|fn|function|else|try)\b.*[:({]", line);
    let colon = trimmed.ends_with(':')
        && start
        && is_match(r"[=<>().\[\]_]|\bin\b|\bnot\b|^\w+:$", trimmed)
        && !is_match(r"^(?:for|with|if) (?:the|this|my|our|you|a|me)\b", trimmed);
    if sentence && !colon {
        return false;
    }
    LINES.iter().any(|pattern| is_match(pattern, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_found_in_any_layout() {
        // Task, path, first line of the code, lines.
        let cases: &[(&str, &str, &str, usize)] = &[
            ("Review:\n```python\ndef f(): pass\n```", "block1.py", "def f(): pass", 1),
            ("Review this: def f():\n  pass", "source.py", "def f():", 2),
            (
                "hi there, a second pair of eyes please. Python 3.11\n\nimport os\n\ndef f(h):\n    os.system(h)\n",
                "source.py",
                "import os",
                4,
            ),
            (
                "What is wrong?\n\nfunction f(a) {\n  if (a = 1) {\n    return 2;\n  }\n}\n\nThanks!",
                "source.js",
                "function f(a) {",
                5,
            ),
            (
                "Check the attached file.\n\nsession.py:\nimport hashlib\n\nx = hashlib.md5(b)\n",
                "session.py",
                "import hashlib",
                3,
            ),
            (
                "Here's the function. \"amount\" is always positive.\n\ndef book(kind, amount):\n    return kind\n",
                "source.py",
                "def book(kind, amount):",
                2,
            ),
            ("Is `rm -rf $DIR/*` safe in bash?", "source.sh", "rm -rf $DIR/*", 1),
            (
                "is there UB? (C99)\n\n#include <stdlib.h>\n\nvoid f(char *p)\n{\n    free(p);\n}\n",
                "source.c",
                "#include <stdlib.h>",
                6,
            ),
            ("Why no rows?\n\nselect a from b\nwhere c = null;\n", "source.sql", "select a from b", 2),
            (
                "Before the code, a word: it runs nightly.\n\n#!/bin/bash\ncd $DIR\nrm -rf tmp\n",
                "source.sh",
                "#!/bin/bash",
                3,
            ),
        ];
        for (task, path, first, lines) in cases {
            let found = read(task);
            let file =
                found.files.first().cloned().unwrap_or_else(|| File { path: String::new(), content: String::new() });
            assert_eq!(
                (file.path.as_str(), file.content.lines().next().unwrap_or_default(), file.content.lines().count()),
                (*path, *first, *lines),
                "{task}"
            );
        }
        for none in [
            "What a nice day.",
            "Could you review my code? It's a small Flask app, I'm mainly worried about security.",
            "Code review please:\n\nThe quick way to the station is left at the bakery, then straight on until the bridge.",
            "Review this, please: [object Object]",
            "See the screenshot I attached (IMG_2231.png): there's a red squiggle under line 14.",
            "is my code good or bad??? pls answer just yes or no",
            "",
        ] {
            assert!(read(none).files.is_empty(), "{none}");
        }
    }
}
