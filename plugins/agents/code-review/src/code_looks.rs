//! Lines by their looks: code, a sentence, or the name of a file.

use agent_common::patterns::is_match;

use crate::language::Language;

/// Lines that are code whatever stands around them.
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

/// The name of a file that stands alone on a line: `session.py:`, `// src/a.js`, `**a.go**`, `--- a.py ---`.
pub fn file_name(line: &str) -> Option<&str> {
    let bare =
        line.trim().trim_start_matches("File").trim_matches([':', '#', '/', '*', '-', '=', '`', '<', '>', '!', ' ']);
    let ending = bare.rsplit_once('.').and_then(|(_, ending)| Language::named(ending));
    let plain = !bare.contains([' ', '(', ';', '"']) && bare.len() < 200;
    (plain && (ending.is_some() || bare.eq_ignore_ascii_case("dockerfile"))).then_some(bare)
}

/// Whether a line is a sentence.
pub fn is_prose(line: &str) -> bool {
    let words = line.split_whitespace().count();
    let signs = line.chars().filter(|c| "{}();=<>[]".contains(*c)).count();
    words > 2 && signs * 3 < words
}

/// Whether a line is code by its looks.
pub fn is_code(line: &str) -> bool {
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
