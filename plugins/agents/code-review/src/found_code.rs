//! Code in the words of a task: between fences, below a file's name, bare, or as a diff.

use crate::language::Language;
use crate::task_code::Found;
use crate::{bare_code, diff, fenced_code};
use agent_common::patterns::is_match;

/// Finds the code of a task; no files if there is none.
#[must_use]
pub fn read(text: &str) -> Found {
    let text = text.replace("\r\n", "\n");
    let fenced = fenced_code::read(&text);
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
    if !fenced.files.is_empty() { fenced } else { bare_code::read(&text) }
}

fn outside_diff(text: &str) -> String {
    let words = |line: &&str| {
        !line.starts_with(['+', '-', '@', ' ', '\t']) && !line.starts_with("diff ") && !line.starts_with("index ")
    };
    text.lines().filter(words).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::File;

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
                "if (user.role = 'admin') {\n  grant();\n}\nJS, everyone is admin!",
                "source.js",
                "if (user.role = 'admin') {",
                3,
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
    }

    #[test]
    fn prose_is_no_code() {
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
